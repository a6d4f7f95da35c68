-- settle ends a lease; only this makes a visit count.
--
-- ARGV: host, token, URL, how, when (ms from now), delay (ms), letter
--   how    done   visited; when is the next visit's time by Redis' clock, 0 for none
--          retry  failed; retry after when
--          slow   throttled by the host: as retry, but the attempt is not counted
--          back   not visited: enqueued at once, and the attempt is not counted
--          dead   failed permanently, with the reason in letter
--   delay  until the host may be visited again
-- Returns: 1, or 0 if the caller has lost the lease; then nothing is changed.
local host, token, url, how, at, delay, letter =
  ARGV[1], ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[5]), tonumber(ARGV[6]), ARGV[7]
if string.match(redis.call('HGET', lease, host) or '', '^%S+') ~= token then
  count('late')
  return 0
end
free(host, now + delay + (delay > 0 and 1 or 0)) -- now is truncated
local e = parse(redis.call('HGET', urls, url))
if e then
  if how == 'done' then
    e.attempts, e.throttled = 0, 0
    if at > 0 then
      e.due = at
      postpone(url, e, at)
    else
      e.state = 'k'
      save(url, e)
    end
  elseif how == 'dead' then
    bury(url, e, letter)
  else
    if how ~= 'retry' then e.attempts = math.max(0, e.attempts - 1) end
    if how == 'slow' then e.throttled = e.throttled + 1 end
    if how == 'back' then enqueue(host, url, e) else postpone(url, e, now + at) end
  end
end
count(how)
offer(host)
return 1
