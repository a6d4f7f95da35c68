-- revive has dead URLs visited again.
--
-- ARGV: URLs; none for all, a thousand at a time
-- Returns: how many were dead.
local list, n = ARGV, 0
if #list == 0 then
  local found = redis.call('HSCAN', dead, 0, 'COUNT', 1000)[2]
  list = {}
  for i = 1, #found, 2 do list[#list + 1] = found[i] end
end
for _, url in ipairs(list) do
  local host, e = hostOf(url), parse(redis.call('HGET', urls, url))
  if e and e.state == 'd' then
    takeOut(host, url, e)
    -- Another visit than the one that was given up.
    e.due, e.attempts, e.throttled = math.max(now, e.due + 1), 0, 0
    enqueue(host, url, e)
    offer(host)
    n = n + 1
  end
end
return n
