-- meet is called on every new connection. A server that was restarted, or took over
-- from another, may have lost leases and URLs: until begin, lease reports the
-- frontier as lost.
--
-- ARGV: run (the server's run_id)
-- Returns: 1 if the frontier is lost by this.
local was = redis.call('HGET', meta, 'run')
if was == ARGV[1] then return 0 end
evenIfFull()
redis.call('HSET', meta, 'run', ARGV[1])
if redis.call('HEXISTS', meta, 'generation') == 0 then return 0 end
redis.call('HSET', meta, 'lost', 1)
return 1
