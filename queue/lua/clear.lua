-- clear removes a shard of the frontier, except the clocks of hosts, the paused
-- state, and the server's run id, so that its next restart is detected.
--
-- Returns: 1
local kept = redis.call('HMGET', meta, 'paused', 'run')
redis.call('UNLINK', urls, queue, later, waiting, ready, leases, lease, dead, meta)
for i, name in ipairs({ 'paused', 'run' }) do
  if kept[i] then redis.call('HSET', meta, name, kept[i]) end
end
return 1
