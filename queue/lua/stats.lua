-- stats counts. A lease that has ended counts as a queued URL: it stays until somebody asks
-- for a lease, while nobody visits it. Of a frontier that Redis has lost, no lease is valid.
--
-- Returns: queued URLs, hosts, hosts with queued URLs, ready hosts, of the leased hosts
-- those with queued URLs, then lease (fields and values), then meta (likewise)
local all, held, queued, over = redis.call('HGETALL', lease), {}, 0, 0
local is = begun()
for i = 1, #all, 2 do
  if at(all[i]).queued > 0 then queued = queued + 1 end
  if tonumber(redis.call('ZSCORE', leases, all[i]) or 0) <= now then
    over = over + 1
  elseif is then
    held[#held + 1], held[#held + 2] = all[i], all[i + 1]
  end
end
return {
  redis.call('ZCARD', queue) + over, redis.call('ZCARD', hosts), redis.call('ZCOUNT', hosts, '-inf', '(1001000000'),
  redis.call('ZCARD', ready), queued, held, redis.call('HGETALL', meta),
}
