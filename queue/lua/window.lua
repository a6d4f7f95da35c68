-- window describes the window to its loader. It elects the caller if there is no
-- loader, and extends the election if the caller is the loader.
--
-- ARGV: token, ttl of the election (ms), most low hosts
-- Returns one of
--   {'window', now, queued, hosts, news, held, number of low hosts, worst rank,
--     then for each low host, the longest one first: host, queued, stamp}
--             held: 1 if no leases are granted; worst rank: of the hosts' best
--             queued URLs, 0 if there is none
--   {'other'}  another process is the loader
--   {'lost'}   there is no frontier
local is, hold, paused = begun()
if not is then return { 'lost' } end
local m = redis.call('HMGET', meta, 'loader', 'news')
local who, till = string.match(m[1] or '', '^(%S+) (%d+)$')
if who and who ~= ARGV[1] and tonumber(till) > now then return { 'other' } end
evenIfFull() -- a loader can still push out
redis.call('HSET', meta, 'loader', ARGV[1] .. ' ' .. int(now + tonumber(ARGV[2])))
local lows = redis.call('ZCARD', low)
local worst = redis.call('ZREVRANGEBYSCORE', hosts, '(1001000000', '-inf', 'WITHSCORES', 'LIMIT', 0, 1)[2]
local answer = {
  'window', now, redis.call('ZCARD', queue), redis.call('ZCARD', hosts), tonumber(m[2] or 0), (paused or hold > now) and 1 or 0, lows,
  worst and math.floor(tonumber(worst) / 1e6) or 0,
}
if lows > 0 then
  local names = redis.call('ZRANGE', low, 0, tonumber(ARGV[3]) - 1)
  local scores, stamps = redis.call('ZMSCORE', hosts, unpack(names)), redis.call('HMGET', more, unpack(names))
  for i, host in ipairs(names) do
    answer[#answer + 1] = host
    answer[#answer + 1] = tonumber(scores[i] or 0) % 1e6
    answer[#answer + 1] = tonumber(match(stamps[i] or '0', '^%d+'))
  end
end
return answer
