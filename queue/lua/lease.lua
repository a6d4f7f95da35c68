-- lease grants the best URL of the best ready host. Before that it processes what is
-- overdue: expired leases (see expire.lua), and hosts whose clock is past.
--
-- ARGV: worker, ttl (ms), token, rest (ms)
--   token  unique; a settlement must present it
--   rest   delay of a host whose worker was lost, from the end of the lease, because
--          the time of its last request is unknown
-- Returns one of
--   {'lease', host, URL, entry, now}
--   {'wait', ms}     nothing now; ask again then, or when something is added
--   {'again'}        leases have expired; ask again now
--   {'lost'}         there is no frontier: it is new, or Redis has lost all or part of it
local is, hold, paused = begun()
if not is then return { 'lost' } end
if hold > now then return { 'wait', hold - now } end

-- A few of each at a time; the next call continues.
local nowText = int(now)
local lost = call('ZRANGEBYSCORE', leases, '-inf', nowText, 'LIMIT', '0', '20')
if #lost == 0 then
  local rested = call('ZRANGEBYSCORE', waiting, '-inf', nowText, 'LIMIT', '0', '100')
  if #rested > 0 then
    -- Hosts that wait are not leased, and not in ready. Also notIfFull: a full Redis
    -- grants no lease, as links found by the visit could not be offered.
    local seq = call('HINCRBY', meta, 'seq', int(#rested)) - #rested
    call('HDEL', clocks, unpack(rested))
    call('ZREM', waiting, unpack(rested))
    local scores, add = call('ZMSCORE', hosts, unpack(rested)), {}
    for i, host in ipairs(rested) do
      local score = tonumber(scores[i] or 1001e6)
      if score < 1001e6 then -- it has queued URLs
        add[#add + 1] = int((score - score % 1e6) * 1e6 + seq + i)
        add[#add + 1] = host
      end
    end
    if #add > 0 then call('ZADD', ready, unpack(add)) end
  end

  while not paused do
    local host = call('ZRANGE', ready, '0', '0')[1]
    if not host then break end
    local best = call('ZRANGEBYLEX', queue, '[' .. host .. ' ', '(' .. host .. '!', 'LIMIT', '0', '2')
    local rank, url = match(best[1] or '', '^%S+ (%d+) %d+ (.*)$')
    local entry = url and call('HGET', urls, url)
    if entry then
      local due, attempts, others = match(entry, '^q (%d+) (%d+) (%d+ %d+ %d+)$')
      if not due then error('the frontier has the entry "' .. entry .. '", which this version does not write') end
      entry = table.concat({ 'l', due, attempts + 1, others }, ' ')
      count('leased') -- first, as notIfFull
      call('ZREM', ready, host)
      call('ZREM', queue, best[1])
      call('HSET', urls, url, entry)
      call('ZADD', leases, int(now + ARGV[2] + 1), host) -- now is truncated
      call('HSET', lease, host, table.concat({ ARGV[3], nowText, ARGV[1], url }, ' '))
      -- tonumber: the in-process Redis takes leading zeros for octal else.
      local other = best[2] and tonumber(match(best[2], '^%S+ (%d+)')) or 1001
      local score = call('ZINCRBY', hosts, int((other - tonumber(rank)) * 1e6 - 1), host)
      -- Only now it may run low; if one in the archive is urgent, it was low before.
      if score % 1e6 == lowWater and match(call('HGET', more, host) or '!', '^%d+$') then
        call('ZADD', low, int(nextSeq()), host)
      end
      return { 'lease', host, url, entry, now }
    end
    notIfFull()
    call('ZREM', ready, host)
  end

  local soonest = now + 60000
  for _, key in ipairs({ waiting, leases }) do
    local soon = call('ZRANGE', key, '0', '0', 'WITHSCORES')[2]
    if soon then soonest = math.min(soonest, soon) end
  end
  return { 'wait', math.max(1, soonest - now) }
end
