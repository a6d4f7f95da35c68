-- clear empties the window, so that it is filled again from the archive. Leases and
-- the clocks of hosts remain.
--
-- Returns: 1, or 0 if there is no frontier.
if not begun() then return 0 end
evenIfFull()
local held = {}
local fields = redis.call('HGETALL', lease)
for i = 1, #fields, 2 do
  local url = string.match(fields[i + 1], '^%S+ %d+ %S+ (.*)$')
  held[#held + 1] = { host = fields[i], url = url, entry = redis.call('HGET', urls, url) }
end
redis.call('UNLINK', urls, queue, hosts, ready, low, more)
for _, l in ipairs(held) do
  if l.entry then redis.call('HSET', urls, l.url, l.entry) end
  -- What was queued of the host is in the archive only.
  stamp(l.host)
  place({ name = l.host, inside = true, queued = 0, rank = 1001 }, true)
end
count('news')
return 1
