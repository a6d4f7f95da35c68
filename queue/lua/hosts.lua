-- hosts says which hosts are in the window.
--
-- ARGV: hosts
-- Returns: for each of them: inside, low, queued, stamp, leased
local answer = {}
for _, host in ipairs(ARGV) do
  local h = at(host)
  answer[#answer + 1] = h.inside and 1 or 0
  answer[#answer + 1] = redis.call('ZSCORE', low, host) and 1 or 0
  answer[#answer + 1] = h.queued
  answer[#answer + 1] = tonumber((stampOf(host)))
  answer[#answer + 1] = redis.call('HEXISTS', lease, host)
end
return answer
