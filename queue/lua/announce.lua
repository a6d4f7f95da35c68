-- announce notes that hosts have new URLs in the archive, which a loader will bring
-- in: for lists of URLs, of which most do not belong into the window.
--
-- ARGV: for each host: host, rank of its best new URL
-- Returns: the number of hosts that are in the window.
if not begun() then return 0 end
notIfFull()
local inside, news = 0, 0
for i = 1, #ARGV, 2 do
  local h = at(ARGV[i])
  if h.inside then
    inside = inside + 1
    stamp(h.name, tonumber(ARGV[i + 1]) < h.rank)
    place(h, redis.call('HEXISTS', lease, h.name) == 1)
  else
    news = news + 1
  end
end
if news > 0 then count('news', news) end
return inside
