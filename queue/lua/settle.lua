-- settle ends leases; only this makes a visit count. The URLs leave the window, as the
-- archive knows what follows. (A job that was not started goes back: see back.lua.)
-- Then it grants leases, to those who want one: lease.lua follows.
--
-- Several workers of a process may ask in one call, which takes less than a call of each:
-- commands have several members, and what a script costs by itself is shared.
--
-- ARGV: ttl, rest (see lease.lua), then of each worker seven:
--   host    of the lease that ends; empty: none does
--   held    the token of that lease
--   URL
--   how     done, retry, slow, buried, later: the counter of such endings
--   delay   until the host may be visited again, ms
--   token   of the lease that is wanted; empty: none is
--   worker
-- Returns an answer to each worker, in this order:
--   {'late'}           it has lost the lease; nothing is changed, nothing is granted
--   {'ended'}          and no other lease was wanted, or Redis is full
--   {'full', error}   no lease was to end, and Redis is full
--   or what lease returns
-- The worker whose arguments begin at ARGV[i] is number (i + 4) / 7.
local answers, wants, ending, held, full = {}, {}, {}, {}, nil
for i = 3, #ARGV, 7 do
  if ARGV[i] ~= '' then ending[#ending + 1] = ARGV[i] end
end
if #ending > 0 then held = call('HMGET', lease, unpack(ending)) end

-- Those that end: the index in ARGV, host, URL; how often each way.
local ended, names, gone, hows, late, k = {}, {}, {}, {}, 0, 0
local seen = {} -- hosts; a lease ends only once
for i = 3, #ARGV, 7 do
  local isLate = false
  if ARGV[i] ~= '' then
    k = k + 1
    isLate = seen[ARGV[i]] or match(held[k] or '', '^%S+') ~= ARGV[i + 1]
    if not isLate then
      seen[ARGV[i]] = true
      local n = #ended + 1
      ended[n], names[n], gone[n] = i, ARGV[i], ARGV[i + 2]
      hows[ARGV[i + 3]] = (hows[ARGV[i + 3]] or 0) + 1
    end
  end
  if isLate then
    late = late + 1
    answers[(i + 4) / 7] = { 'late' }
  elseif ARGV[i + 5] ~= '' then
    wants[#wants + 1] = i
  else
    answers[(i + 4) / 7] = { 'ended' }
  end
end

-- answer gives an answer to all who want a lease, from the nth on, and returns all answers.
local function answer(n, what)
  for w = n, #wants do answers[(wants[w] + 4) / 7] = what end
  return answers
end

local seq = 0
if #ending > 0 then
  -- Leases end in a full Redis too, but none is granted. This is the first write.
  seq = redis.pcall('HINCRBY', meta, 'seq', int(#ending))
  if type(seq) == 'table' then full, seq = seq, 0 end
end
if #ended > 0 then
  call('HDEL', lease, unpack(names))
  call('ZREM', leases, unpack(names))
  call('HDEL', urls, unpack(gone))
  for how, n in pairs(hows) do count(how, n) end
  local scores, old = call('ZMSCORE', hosts, unpack(names)), call('HMGET', clocks, unpack(names))
  local out, later, waits, past, add = {}, {}, {}, {}, {}
  for n, host in ipairs(names) do
    local score, clock, delay = tonumber(scores[n] or 1001e6), tonumber(old[n] or 0), tonumber(ARGV[ended[n] + 4])
    local queued = score % 1e6
    -- Only its last URL can keep it; what the archive has of it is in low since the lease.
    if queued == 0 and call('HEXISTS', more, host) == 0 then out[#out + 1] = host end
    local rested = now + delay + (delay > 0 and 1 or 0) -- now is truncated
    if rested > now and rested > clock then
      clock = rested
      later[#later + 1] = host
      later[#later + 1] = int(clock)
    end
    -- A leased host is neither in waiting nor in ready.
    if clock > now then
      waits[#waits + 1] = int(clock)
      waits[#waits + 1] = host
    else
      if clock > 0 then past[#past + 1] = host end
      if queued > 0 then
        add[#add + 1] = int((score - queued) * 1e6 + (full and nextSeq() or seq - #ended + n))
        add[#add + 1] = host
      end
    end
  end
  if #out > 0 then call('ZREM', hosts, unpack(out)) end
  if #later > 0 then call('HSET', clocks, unpack(later)) end
  if #waits > 0 then call('ZADD', waiting, unpack(waits)) end
  if #past > 0 then call('HDEL', clocks, unpack(past)) end
  if #add > 0 then call('ZADD', ready, unpack(add)) end
end
if late > 0 then
  evenIfFull()
  count('late', late)
end
if full then
  for _, i in ipairs(wants) do answers[(i + 4) / 7] = ARGV[i] ~= '' and { 'ended' } or { 'full', full.err } end
  return answers
end
