-- settle ends a lease; only this makes a visit count. The URL leaves the window, as the
-- archive knows what follows. (A job that was not started goes back: see back.lua.)
-- Then it grants the worker another lease, if one is wanted: lease.lua follows.
--
-- ARGV: worker, ttl, token, rest, host, held, URL, how, delay (ms)
--   worker, ttl, token, rest   of the next lease, see lease.lua; worker is empty: none
--   held   the token of the lease that ends
--   how    done, retry, slow, buried: the counter of such endings
--   delay  until the host may be visited again
-- Returns one of
--   {'late'}   the caller has lost the lease; nothing is changed
--   {'ended'}  and no other lease was wanted, or Redis is full
--   what lease returns
do
  local host, delay = ARGV[5], tonumber(ARGV[9])
  if match(call('HGET', lease, host) or '', '^%S+') ~= ARGV[6] then
    evenIfFull()
    count('late')
    return { 'late' }
  end
  -- Leases end in a full Redis too, but none is granted.
  local seq = redis.pcall('HINCRBY', meta, 'seq', '1')
  local full = type(seq) == 'table'
  call('HDEL', lease, host)
  call('ZREM', leases, host)
  call('HDEL', urls, ARGV[7])
  count(ARGV[8])
  local score = tonumber(call('ZSCORE', hosts, host) or 1001e6)
  local queued = score % 1e6
  -- Only its last URL can keep it; what the archive has of it is in low since the lease.
  if queued == 0 and call('HEXISTS', more, host) == 0 then call('ZREM', hosts, host) end
  local clock = tonumber(call('HGET', clocks, host) or 0)
  local rested = now + delay + (delay > 0 and 1 or 0) -- now is truncated
  if rested > now and rested > clock then
    clock = rested
    call('HSET', clocks, host, int(clock))
  end
  -- A leased host is neither in waiting nor in ready.
  if clock > now then
    call('ZADD', waiting, int(clock), host)
  else
    if clock > 0 then call('HDEL', clocks, host) end
    if queued > 0 then call('ZADD', ready, int((score - queued) * 1e6 + (full and nextSeq() or seq)), host) end
  end
  if full or ARGV[1] == '' then return { 'ended' } end
end
