-- expire ends expired leases: the end of lease.lua, which has found them.
notIfFull()
for _, host in ipairs(lost) do
  local url = match(call('HGET', lease, host) or '', '^%S+ %d+ %S+ (.*)$')
  free(host, now + ARGV[2])
  local h, e = at(host), url and parse(call('HGET', urls, url))
  if e and e.state == 'l' then enqueue(h, url, e) end -- whoever leases it next gives it up after too many attempts
  count('expired')
  place(h)
end
return answer(1, { 'again' })
