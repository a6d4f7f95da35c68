-- begin makes an absent, lost or older frontier grant leases, with an empty window. Of
-- the old one only the clocks of hosts, the counters and some fields of meta remain.
--
-- ARGV: generation (unique), hold (ms until the first lease), format
-- Returns: 1; 0 if there is a frontier already; or, times -1, the format of a frontier of a
-- newer plat, lost or not: only newer workers know what of it may be removed.
if begun() then return 0 end
local was = tonumber(redis.call('HGET', meta, 'format') or 0) or 0
if was > tonumber(latest) then return -was end
evenIfFull()
local names = {
  'run', 'paused', 'seq', 'news',
  'added', 'leased', 'done', 'retry', 'slow', 'back', 'buried', 'later', 'expired', 'late',
}
local kept = redis.call('HMGET', meta, unpack(names))
for i, key in ipairs(KEYS) do
  if key ~= clocks then redis.call('UNLINK', key) end
end
for i, name in ipairs(names) do
  if kept[i] then redis.call('HSET', meta, name, kept[i]) end
end
redis.call('HSET', meta, 'generation', ARGV[1], 'format', ARGV[3])
if tonumber(ARGV[2]) > 0 then redis.call('HSET', meta, 'hold', int(now + tonumber(ARGV[2]) + 1)) end
count('news') -- a loader is to look at the archive

-- Every host with a clock is waiting. An older plat kept clocks that were past.
local cursor = '0'
repeat
  local part = redis.call('HSCAN', clocks, cursor, 'COUNT', 1000)
  cursor = part[1]
  for i = 1, #part[2], 2 do
    local host, clock = part[2][i], tonumber(part[2][i + 1])
    if clock > now then
      redis.call('ZADD', waiting, int(clock), host)
    else
      redis.call('HDEL', clocks, host)
    end
  end
until cursor == '0'
return 1
