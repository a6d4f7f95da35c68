-- hosts says which hosts are in the window. A loader asks for very many, so it reads
-- all of them with four commands.
--
-- ARGV: hosts, at most 1000
-- Returns: for each of them: inside, low, queued, stamp, leased, urgent: the archive has
-- a URL that goes before all queued ones
local scores, lows = redis.call('ZMSCORE', hosts, unpack(ARGV)), redis.call('ZMSCORE', low, unpack(ARGV))
local stamps, leased = redis.call('HMGET', more, unpack(ARGV)), redis.call('HMGET', lease, unpack(ARGV))
local answer, n = {}, 0
for i = 1, #ARGV do
  local score = tonumber(scores[i] or -1)
  answer[n + 1] = score >= 0 and 1 or 0
  answer[n + 2] = lows[i] and 1 or 0
  answer[n + 3] = score >= 0 and score % 1e6 or 0
  answer[n + 4] = tonumber(match(stamps[i] or '0', '^%d+'))
  answer[n + 5] = leased[i] and 1 or 0
  answer[n + 6] = match(stamps[i] or '', '!$') and 1 or 0
  n = n + 6
end
return answer
