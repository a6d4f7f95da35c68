-- back returns a job that was not started: its URL is queued again at once, and the
-- attempt is not counted.
--
-- ARGV: host, held, URL, delay (ms)
--   held   the token of the lease
--   delay  until the host may be visited again
-- Returns: {'ended'}, or {'late'} if the caller has lost the lease; then nothing is changed.
local host, url, delay = ARGV[1], ARGV[3], tonumber(ARGV[4])
evenIfFull()
if match(call('HGET', lease, host) or '', '^%S+') ~= ARGV[2] then
  count('late')
  return { 'late' }
end
free(host, now + delay + (delay > 0 and 1 or 0)) -- now is truncated
local h, e = at(host), parse(call('HGET', urls, url))
if e then
  e.attempts = math.max(0, e.attempts - 1)
  enqueue(h, url, e)
end
count('back')
place(h)
return { 'ended' }
