-- rejoin notes that a worker of before the frontier began has no lease any more, while no lease is
-- granted; see release.lua.
--
-- ARGV: generation, name of the worker (empty: there are more hosts), then of each host that it has visited last:
--   host, delay until it may be visited again (ms)
-- Returns: 1, or 0 if this is a different frontier, or leases are granted.
local is, hold, _, generation = begun()
if not is or generation ~= ARGV[1] or hold <= now then return 0 end
evenIfFull()
for i = 3, #ARGV, 2 do
  raise(ARGV[i], now + ARGV[i + 1] + 1) -- now is truncated
  place(at(ARGV[i]))
end
local said = redis.call('HGET', meta, 'said') or ''
if ARGV[2] ~= '' and not string.find(' ' .. said .. ' ', ' ' .. ARGV[2] .. ' ', 1, true) then
  redis.call('HSET', meta, 'said', said .. ' ' .. ARGV[2])
end
return 1
