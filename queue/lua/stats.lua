-- stats counts.
--
-- Returns: queued URLs, hosts, hosts with queued URLs, ready hosts, of the leased hosts
-- those with queued URLs, then lease (fields and values), then meta (likewise)
local held, queued = redis.call('HGETALL', lease), 0
for i = 1, #held, 2 do
  if at(held[i]).queued > 0 then queued = queued + 1 end
end
return {
  redis.call('ZCARD', queue), redis.call('ZCARD', hosts), redis.call('ZCOUNT', hosts, '-inf', '(1001000000'),
  redis.call('ZCARD', ready), queued, held, redis.call('HGETALL', meta),
}
