-- clear removes a shard of the frontier. What stays: the clocks of hosts, whether it
-- is paused, and which server it is on, so that its next restart is noticed.
--
-- Returns: 1
local kept = redis.call('HMGET', meta, 'paused', 'run')
redis.call('UNLINK', urls, queue, later, waiting, ready, leases, lease, dead, meta)
for i, name in ipairs({ 'paused', 'run' }) do
  if kept[i] then redis.call('HSET', meta, name, kept[i]) end
end
return 1
