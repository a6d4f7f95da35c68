-- settle ends a lease; only this makes a visit count. The URL leaves the window, as
-- the archive knows what follows, unless it is given back (see back.lua).
--
-- ARGV: host, token, URL, how, delay (ms)
--   how    back    not visited: enqueued at once, and the attempt is not counted
--          done, retry, slow, buried: the counter of such endings
--   delay  until the host may be visited again
-- Returns: 1, or 0 if the caller has lost the lease; then nothing is changed.
local host, url, how, delay = ARGV[1], ARGV[3], ARGV[4], tonumber(ARGV[5])
if match(call('HGET', lease, host) or '', '^%S+') ~= ARGV[2] then
  evenIfFull()
  count('late')
  return 0
end
local rested = now + delay + (delay > 0 and 1 or 0) -- now is truncated
if how ~= 'back' then
  call('HDEL', lease, host)
  call('ZREM', leases, host)
  call('HDEL', urls, url)
  count(how)
  local score = tonumber(call('ZSCORE', hosts, host) or 1001e6)
  local queued = score % 1e6
  -- Only its last URL can keep it; what the archive has of it is in low since the lease.
  if queued == 0 and call('HEXISTS', more, host) == 0 then call('ZREM', hosts, host) end
  local clock = tonumber(call('HGET', clocks, host) or 0)
  if rested > now and rested > clock then
    clock = rested
    call('HSET', clocks, host, clock)
  end
  -- A leased host is neither in waiting nor in ready.
  if clock > now then
    call('ZADD', waiting, clock, host)
    return 1
  end
  if clock > 0 then call('HDEL', clocks, host) end
  if queued > 0 then call('ZADD', ready, (score - queued) * 1e6 + nextSeq(), host) end
  return 1
end
