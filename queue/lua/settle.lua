-- settle ends a lease; only this makes a visit count. The URL leaves the window, as
-- the archive knows what follows, unless it is given back.
--
-- ARGV: host, token, URL, how, delay (ms)
--   how    back    not visited: enqueued at once, and the attempt is not counted
--          done, retry, slow, buried: the counter of such endings
--   delay  until the host may be visited again
-- Returns: 1, or 0 if the caller has lost the lease; then nothing is changed.
local host, token, url, how, delay = ARGV[1], ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[5])
if string.match(redis.call('HGET', lease, host) or '', '^%S+') ~= token then
  evenIfFull()
  count('late')
  return 0
end
free(host, now + delay + (delay > 0 and 1 or 0)) -- now is truncated
local h = at(host)
if how ~= 'back' then
  redis.call('HDEL', urls, url)
else
  local e = parse(redis.call('HGET', urls, url))
  if e then
    e.attempts = math.max(0, e.attempts - 1)
    enqueue(h, url, e)
  end
end
count(how)
place(h)
return 1
