-- lease grants the best URL of the best ready host. Before that it processes what is
-- overdue: expired leases, and hosts whose clock is past.
--
-- ARGV: worker, ttl (ms), token, rest (ms)
--   token  unique; a settlement must present it
--   rest   delay of a host whose worker was lost, from the end of the lease, because
--          the time of its last request is unknown
-- Returns one of
--   {'lease', host, URL, entry, now}
--   {'wait', ms}     nothing now; ask again then, or when something is added
--   {'lost'}         there is no frontier: it is new, or Redis has lost all or part of it
local worker, ttl, token, rest = ARGV[1], tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4])
local is, hold, paused = begun()
if not is then return { 'lost' } end
if hold > now then return { 'wait', hold - now } end

-- A few of each at a time; the next call continues.
local function due(key, most)
  if redis.call('ZCARD', key) == 0 then return {} end
  return redis.call('ZRANGEBYSCORE', key, '-inf', int(now), 'LIMIT', 0, most)
end
local lost, rested = due(leases, 20), due(waiting, 100)

-- A full Redis grants no lease: links found by the visit could not be offered.
if #lost + #rested > 0 or redis.call('EXISTS', ready) == 1 then notIfFull() end

for _, host in ipairs(lost) do
  local url = string.match(redis.call('HGET', lease, host) or '', '^%S+ %d+ %S+ (.*)$')
  free(host, now + rest)
  local h, e = at(host), url and parse(redis.call('HGET', urls, url))
  if e and e.state == 'l' then enqueue(h, url, e) end -- whoever leases it next gives it up after too many attempts
  count('expired')
  place(h)
end
for _, host in ipairs(rested) do place(at(host)) end

if not paused then
  while true do
    local name = redis.call('ZPOPMIN', ready)[1]
    if not name then break end
    local h = at(name)
    local best = first(h.name, 2)
    local _, url = split(best[1] or '')
    local e = url and parse(redis.call('HGET', urls, url))
    if e then
      redis.call('ZREM', queue, best[1])
      h.queued, h.rank = h.queued - 1, best[2] and split(best[2]) or 1001
      e.state, e.attempts = 'l', e.attempts + 1
      local entry = save(url, e)
      redis.call('ZADD', leases, int(now + ttl + 1), h.name) -- now is truncated
      redis.call('HSET', lease, h.name, table.concat({ token, int(now), worker, url }, ' '))
      place(h, true)
      count('leased')
      return { 'lease', h.name, url, entry, now }
    end
  end
end

local soonest = now + 60000
for _, key in ipairs({ waiting, leases }) do
  local soon = redis.call('ZCARD', key) > 0 and redis.call('ZRANGE', key, 0, 0, 'WITHSCORES')[2]
  if soon then soonest = math.min(soonest, tonumber(soon)) end
end
return { 'wait', math.max(1, soonest - now) }
