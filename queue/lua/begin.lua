-- begin makes a filled or refilled frontier grant leases.
--
-- ARGV: generation (unique), hold (ms until the first lease)
-- Returns: 1, or 0 if there is a frontier already.
redis.call('HDEL', meta, 'merge')
if redis.call('HSETNX', meta, 'generation', ARGV[1]) == 0 then return 0 end
redis.call('HSET', meta, 'hold', int(now + tonumber(ARGV[2]) + 1))
return 1
