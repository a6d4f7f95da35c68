-- beat lengthens a lease.
--
-- ARGV: host, token, ttl (ms)
-- Returns: 1, or 0 if the lease is not the caller's any more.
local held = string.match(redis.call('HGET', lease, ARGV[1]) or '', '^%S+')
if held ~= ARGV[2] then return 0 end
redis.call('ZREM', leases, ARGV[1]) -- a full Redis lets a script go on that has begun so
redis.call('ZADD', leases, int(now + tonumber(ARGV[3]) + 1), ARGV[1])
return 1
