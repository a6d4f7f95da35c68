-- load brings URLs of hosts from the archive into the window.
--
-- ARGV: token, size, most per host, then for each host:
--   host, clock, rest, stamp, URLs put off instead, number of URLs, then for each URL:
--   URL, due, rank, attempts, throttled
--   token  of the loader
--   size   bound of queued URLs in this shard
--   clock  the host may not be visited before
--   due    0: now
--   rest   more: the archive has further URLs of the host that are due; all: it had
--          none when it was read; part: they follow in the next call
--   stamp  the host's entry in more before the archive was read, 0 for none
-- Returns one of
--   {'loaded', number of URLs that were brought in}
--   {'refused'}  the caller is not the loader, or no longer
--   {'lost'}     there is no frontier
if not begun() then return { 'lost' } end
if not loads(ARGV[1]) then return { 'refused' } end
notIfFull()
local size, perHost = tonumber(ARGV[2]), tonumber(ARGV[3])
local queued, added, off, i = redis.call('ZCARD', queue), 0, 0, 4
while i <= #ARGV do
  local h, clock, rest, before, n = at(ARGV[i]), tonumber(ARGV[i + 1]), ARGV[i + 2], ARGV[i + 3], tonumber(ARGV[i + 5])
  off = off + ARGV[i + 4]
  i = i + 6
  raise(h.name, clock)
  local left = false -- a URL is left to the archive
  for _ = 1, n do
    local url, due, rank = ARGV[i], tonumber(ARGV[i + 1]), tonumber(ARGV[i + 2])
    local attempts, throttled = tonumber(ARGV[i + 3]), tonumber(ARGV[i + 4])
    i = i + 5
    local e = parse(redis.call('HGET', urls, url))
    if e then
      if e.state == 'q' then renew(h, url, e, due, attempts, throttled, rank) end
    else
      e = { due = due > 0 and due or now, attempts = attempts, throttled = throttled, rank = rank }
      if h.queued < perHost and queued < size then
        enqueue(h, url, e)
        queued, added = queued + 1, added + 1
      else
        if replace(h, url, e) then added = added + 1 end
        left = true
      end
    end
  end
  local entry, urgent = stampOf(h.name)
  -- The best are here now, but for what was written after the archive was read.
  if urgent and entry == before then redis.call('HSET', more, h.name, entry) end
  if left or rest == 'more' and entry == '0' then
    stamp(h.name)
  elseif rest == 'part' then
    redis.call('HSETNX', more, h.name, 0)
  elseif rest == 'all' and entry == before then
    redis.call('HDEL', more, h.name)
  end
  redis.call('ZREM', low, h.name) -- its turn is over
  local leased = redis.call('HEXISTS', lease, h.name) == 1
  if rest == 'part' then
    h.inside = true -- the next call finds what this one has noted
  elseif h.queued == 0 and not leased then
    redis.call('HDEL', more, h.name)
  end
  place(h, leased)
end
if added > 0 then count('added', added) end
if off > 0 then count('later', off) end
return { 'loaded', added }
