-- evict pushes out hosts that are not leased, the least urgent first: of those whose
-- best queued URLs have the same rank, the one with the most URLs.
--
-- ARGV: token (of the loader), number of URLs, rank, most hosts
--   rank  only hosts whose best queued URL has a worse one
-- Returns one of
--   {'evicted', number of URLs}  at least the given one, or there is no further such
--                                host, or the most hosts are pushed out
--   {'refused'}                  the caller is not the loader, or no longer
--   {'lost'}                     there is no frontier
if not begun() then return { 'lost' } end
if not loads(ARGV[1]) then return { 'refused' } end
local n, rank, most = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
evenIfFull()
-- So many that enough are not leased.
local found = redis.call('ZREVRANGEBYSCORE', hosts, '(1001000000', int((rank + 1) * 1e6), 'LIMIT', 0, most + redis.call('ZCARD', leases))
local evicted, out = 0, 0
for _, host in ipairs(found) do
  if evicted >= n or out == most then break end
  if redis.call('HEXISTS', lease, host) == 0 then
    local h = at(host)
    for _, m in ipairs(first(host, h.queued)) do
      local _, url = split(m)
      redis.call('ZREM', queue, m)
      redis.call('HDEL', urls, url)
    end
    evicted, out = evicted + h.queued, out + 1
    h.queued = 0
    redis.call('HDEL', more, host)
    redis.call('ZREM', ready, host)
    place(h)
  end
end
return { 'evicted', evicted }
