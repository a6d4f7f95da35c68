-- meet is called on every new connection. A server that was restarted, or took over
-- from another, may have lost the latest leases: it grants none until those have
-- expired. It may have lost jobs as well, so the archive's are merged first: until
-- begin, lease reports the frontier as lost.
--
-- ARGV: run (the server's run_id, empty if it has none), hold (ms)
-- Returns: 1 if leases are held back.
local was = redis.call('HGET', meta, 'run')
if was == ARGV[1] then return 0 end
redis.call('HSET', meta, 'run', ARGV[1])
if not was and redis.call('HEXISTS', meta, 'generation') == 0 then return 0 end
redis.call('HSET', meta, 'hold', int(now + tonumber(ARGV[2]) + 1), 'merge', 1)
return 1
