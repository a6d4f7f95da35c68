-- back gives a URL back: the end of settle.lua.
free(host, rested)
local h, e = at(host), parse(call('HGET', urls, url))
if e then
  e.attempts = math.max(0, e.attempts - 1)
  enqueue(h, url, e)
end
count('back')
place(h)
return 1
