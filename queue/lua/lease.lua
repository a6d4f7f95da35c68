-- lease grants the best URL of the best ready host. Before that it processes what is
-- overdue: expired leases, scheduled URLs, and delayed hosts.
--
-- ARGV: worker, ttl (ms), max attempts, letter (for a URL that has used them up), token,
--       rest (ms)
--   token  unique; a settlement must present it
--   rest   delay of a host whose worker was lost, from the end of the lease, because
--          the time of its last request is unknown
-- Returns one of
--   {'lease', host, URL, entry, now}
--   {'wait', ms}     nothing now; ask again then, or when something is added
--   {'lost'}         there is no frontier: it is new, or Redis has lost all or part of it
local worker, ttl, most, letter, token, rest = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4], ARGV[5], tonumber(ARGV[6])
local state = redis.call('HMGET', meta, 'generation', 'hold', 'paused', 'merge')
if not state[1] or state[4] then return { 'lost' } end
local hold = tonumber(state[2] or 0)
if hold > now then return { 'wait', hold - now } end

-- A few of each at a time; the next call continues.
local function due(key, most) return redis.call('ZRANGEBYSCORE', key, '-inf', int(now), 'LIMIT', 0, most) end
local lost, come, rested = due(leases, 20), due(later, 100), due(waiting, 100)

-- A full Redis (OOM) rejects a script whose first write allocates memory, and so
-- grants no lease: the links found by the visit could not be stored.
if #lost + #come + #rested > 0 or redis.call('EXISTS', ready) == 1 then
  redis.call('HINCRBY', meta, 'seq', 1)
end

for _, host in ipairs(lost) do
  local url = string.match(redis.call('HGET', lease, host) or '', '^%S+ %d+ %S+ (.*)$')
  free(host, now + rest)
  local e = url and parse(redis.call('HGET', urls, url))
  if e and e.state == 'l' then
    if e.attempts >= most then bury(url, e, letter) else enqueue(host, url, e) end
  end
  count('expired')
  offer(host)
end
for _, url in ipairs(come) do
  local host, e = hostOf(url), parse(redis.call('HGET', urls, url))
  redis.call('ZREM', later, url)
  if e then
    enqueue(host, url, e)
    offer(host)
  end
end
for _, host in ipairs(rested) do offer(host) end

if state[3] ~= '1' then
  while true do
    local host = redis.call('ZPOPMIN', ready)[1]
    if not host then break end
    local url, m = best(host)
    local e = url and parse(redis.call('HGET', urls, url))
    if e then
      redis.call('ZREM', queue, m)
      e.state, e.attempts = 'l', e.attempts + 1
      local entry = save(url, e)
      redis.call('ZADD', leases, int(now + ttl + 1), host) -- now is truncated
      redis.call('HSET', lease, host, table.concat({ token, int(now), worker, url }, ' '))
      count('leased')
      return { 'lease', host, url, entry, now }
    end
  end
end

local soonest = now + 60000
for _, key in ipairs({ waiting, later, leases }) do
  local first = redis.call('ZRANGE', key, 0, 0, 'WITHSCORES')[2]
  if first then soonest = math.min(soonest, tonumber(first)) end
end
return { 'wait', math.max(1, soonest - now) }
