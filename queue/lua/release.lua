-- release has leases granted at once, if all workers that could hold earlier ones have no lease any
-- more, by rejoin.lua.
--
-- ARGV: generation, then the name of each such worker
-- Returns: 1; 0 if one of them has not rejoined; -1 if this is a different frontier, or leases are granted.
local is, hold, _, generation = begun()
if not is or generation ~= ARGV[1] or hold <= now then return -1 end
local said = ' ' .. (redis.call('HGET', meta, 'said') or '') .. ' '
for i = 2, #ARGV do
  if not string.find(said, ' ' .. ARGV[i] .. ' ', 1, true) then return 0 end
end
redis.call('HDEL', meta, 'hold', 'said')
return 1
