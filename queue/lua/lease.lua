-- lease grants the best URLs of the best ready hosts: the end of settle.lua, which has found
-- who wants a lease. Before that it processes what is overdue: expired leases (see
-- expire.lua), and hosts whose clock is past.
--
-- ARGV: ttl (ms), rest (ms), then of each worker, as in settle.lua: token, worker
--   token  unique; a settlement must present it
--   rest   delay of a host whose worker was lost, from the end of the lease, because
--          the time of its last request is unknown
-- Answers each who wants a lease with one of
--   {'lease', host, URL, entry, now, generation}
--   {'wait', ms}     nothing now; ask again then, or when something is added
--   {'wait', ms, generation}  earlier leases may be held; see rejoin.lua
--   {'again'}        leases have expired; ask again now
--   {'lost'}         there is no frontier: it is new, or Redis has lost all or part of it
if #wants == 0 then return answers end
local is, hold, paused, generation = begun()
if not is then return answer(1, { 'lost' }) end
if hold > now then return answer(1, { 'wait', hold - now, generation }) end

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

  local granted = 0
  while not paused and granted < #wants do
    local best = call('ZRANGE', ready, '0', int(#wants - granted - 1))
    if #best == 0 then break end
    -- Of each host its first URL, and the rank of its next one.
    local found, names, members, links, ranks, others = {}, {}, {}, {}, {}, {}
    for _, host in ipairs(best) do
      local first = call('ZRANGEBYLEX', queue, '[' .. host .. ' ', '(' .. host .. '!', 'LIMIT', '0', '2')
      local rank, url = match(first[1] or '', '^%S+ (%d+) %d+ (.*)$')
      if url then
        local n = #names + 1
        names[n], members[n], links[n], ranks[n] = host, first[1], url, tonumber(rank)
        -- tonumber: the in-process Redis takes leading zeros for octal else.
        others[n] = first[2] and tonumber(match(first[2], '^%S+ (%d+)')) or 1001
      end
    end
    if #names > 0 then found = call('HMGET', urls, unpack(links)) end
    local entries, ends, holds, taken = {}, {}, {}, {}
    for n, host in ipairs(names) do
      if found[n] then
        local due, attempts, rest = match(found[n], '^q (%d+) (%d+) (%d+ %d+ %d+)$')
        if not due then error('the frontier has the entry "' .. found[n] .. '", which this version does not write') end
        local i, g = wants[granted + #taken + 1], 2 * #taken
        taken[#taken + 1] = members[n]
        entries[g + 1], entries[g + 2] = links[n], table.concat({ 'l', due, attempts + 1, rest }, ' ')
        ends[g + 1], ends[g + 2] = int(now + ARGV[1] + 1), host -- now is truncated
        holds[g + 1], holds[g + 2] = host, table.concat({ ARGV[i + 5], nowText, ARGV[i + 6], links[n] }, ' ')
        answers[(i + 4) / 7] = { 'lease', host, links[n], entries[g + 2], now, generation }
      end
    end
    if #taken > 0 then count('leased', #taken) else notIfFull() end -- first: a full Redis grants none
    call('ZREM', ready, unpack(best))
    if #taken > 0 then
      call('ZREM', queue, unpack(taken))
      call('HSET', urls, unpack(entries))
      call('ZADD', leases, unpack(ends))
      call('HSET', lease, unpack(holds))
    end
    for n, host in ipairs(names) do
      if found[n] then
        local score = call('ZINCRBY', hosts, int((others[n] - ranks[n]) * 1e6 - 1), host)
        -- Only now it may run low; if one in the archive is urgent, it was low before.
        if score % 1e6 == lowWater and match(call('HGET', more, host) or '!', '^%d+$') then
          call('ZADD', low, int(nextSeq()), host)
        end
      end
    end
    granted = granted + #taken
  end
  if granted == #wants then return answers end

  local soonest = now + 60000
  for _, key in ipairs({ waiting, leases }) do
    local soon = call('ZRANGE', key, '0', '0', 'WITHSCORES')[2]
    if soon then soonest = math.min(soonest, soon) end
  end
  return answer(granted + 1, { 'wait', math.max(1, soonest - now) })
end
