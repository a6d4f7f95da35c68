-- beat extends a lease.
--
-- ARGV: host, token, ttl (ms)
-- Returns: 1, or 0 if the caller has lost the lease.
local held = string.match(redis.call('HGET', lease, ARGV[1]) or '', '^%S+')
if held ~= ARGV[2] then return 0 end
evenIfFull()
redis.call('ZADD', leases, int(now + tonumber(ARGV[3]) + 1), ARGV[1])
return 1
