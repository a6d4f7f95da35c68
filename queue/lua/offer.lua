-- offer brings URLs that were just written to the archive into the window, as far as
-- they belong there: the window has the first of a host's URLs, the archive all.
--
-- ARGV: size, most per host, then for each URL: URL, due (0: now), rank
--   size  bound of queued URLs in this shard
-- Returns: the number of URLs that were brought in.
if not begun() then return 0 end
local size, perHost = tonumber(ARGV[1]), tonumber(ARGV[2])
notIfFull()
local queued, added, news = redis.call('ZCARD', queue), 0, 0
-- Each host once, in the order of arrival.
local seen, order = {}, {}
local function host(name)
  local h = seen[name]
  if not h then
    h = at(name)
    seen[name] = h
    if h.inside then
      h.left = redis.call('HEXISTS', more, name) == 1
      order[#order + 1] = h
    end
  end
  return h
end
for i = 3, #ARGV, 3 do
  local url, due, rank = ARGV[i], tonumber(ARGV[i + 1]), tonumber(ARGV[i + 2])
  if due <= now then
    local h, e = host(hostOf(url)), parse(redis.call('HGET', urls, url))
    if e then
      if e.state == 'q' then renew(h, url, e, due, 0, 0, rank) end
    elseif not h.inside then
      news = news + 1
    else
      e = { due = due > 0 and due or now, attempts = 0, throttled = 0, rank = rank }
      local room = h.queued < perHost and queued < size
      -- While the archive has others, only what goes before all of them may come in.
      if room and (not h.left or isBetter(h, rank)) then
        enqueue(h, url, e)
        queued, added = queued + 1, added + 1
      else
        if replace(h, url, e) then added = added + 1 end
        h.left, h.news = true, true
      end
    end
  end
end
for _, h in ipairs(order) do
  if h.news then stamp(h.name) end
  place(h, redis.call('HEXISTS', lease, h.name) == 1)
end
if news > 0 then count('news', news) end
if added > 0 then count('added', added) end
return added
