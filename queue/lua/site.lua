-- site reads the numbers that the pages of a site share, see schedule.Shared.Site, after adding
-- to them.
--
-- KEYS: string with the numbers, separated by blanks
-- ARGV: which number is days of which something is known; what is added to each number; then
--       each as the URL remembers it, which counts if it remembers far more days than are known,
--       because Redis has lost its data
-- Returns: the numbers, as text
local keep = 30 * 24 * 3600 -- seconds; then the archive's memory of it is enough
local more = 2.5            -- so many times as many days; the halving of what is known is no loss
local n = (#ARGV - 1) / 2
local days = tonumber(ARGV[1])

local known = {}
for w in string.gmatch(redis.call('GET', KEYS[1]) or '', '%S+') do known[#known + 1] = tonumber(w) end
local restore = #known ~= n or tonumber(ARGV[1 + n + days]) > more * known[days]
local all = {}
for i = 1, n do
  local was = restore and tonumber(ARGV[1 + n + i]) or known[i]
  all[i] = string.format('%.9f', was + tonumber(ARGV[1 + i]))
end
redis.call('SET', KEYS[1], table.concat(all, ' '), 'EX', keep)
return all
