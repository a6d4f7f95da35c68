-- site reads the numbers that the pages of a site share, see schedule.Shared.Site, after adding
-- to them.
--
-- KEYS: string with the numbers, separated by blanks
-- ARGV: what is added to each number; then, for a site of which nothing is known any more, each
--       as it is remembered
-- Returns: the numbers, as text
local keep = 30 * 24 * 3600 -- seconds; then the archive's memory of it is enough
local n = #ARGV / 2

local known = {}
for w in string.gmatch(redis.call('GET', KEYS[1]) or '', '%S+') do known[#known + 1] = tonumber(w) end
local all = {}
for i = 1, n do
  local was = #known == n and known[i] or tonumber(ARGV[n + i])
  all[i] = string.format('%.9f', was + tonumber(ARGV[i]))
end
redis.call('SET', KEYS[1], table.concat(all, ' '), 'EX', keep)
return all
