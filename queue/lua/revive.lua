-- revive enqueues dead URLs again.
--
-- ARGV: URLs
-- Returns: how many were dead.
local n = 0
for _, url in ipairs(ARGV) do
  local host, e = hostOf(url), parse(redis.call('HGET', urls, url))
  if e and e.state == 'd' then
    takeOut(host, url, e)
    -- A new visit, not the one given up.
    e.due, e.attempts, e.throttled = math.max(now, e.due + 1), 0, 0
    enqueue(host, url, e)
    offer(host)
    n = n + 1
  end
end
return n
