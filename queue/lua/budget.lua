-- budget reads the steering of a budget, after noting visits. schedule.Steering explains it
-- and does the same.
--
-- KEYS: hash of the budget: pages, beyond, offset, at (ms)
-- ARGV: visits that the budget allows per millisecond, visits made, pages that are new, and what
--       the URL remembers of the budget: its pages and offset, which count if more pages are
--       remembered than known, because Redis has lost its data
-- Returns: pages, beyond, offset, as text
local ahead, settle, mostOff, leastOff = 0.2, 0.5, 20, -3
local keep = 90 * 24 * 3600 -- seconds; then the archive's memory of it is enough

local m = redis.call('HMGET', KEYS[1], 'pages', 'beyond', 'offset', 'at')
local pages, beyond, offset = tonumber(m[1] or 0), tonumber(m[2] or 0), tonumber(m[3] or 0)
if tonumber(ARGV[4]) > pages then pages, offset = tonumber(ARGV[4]), tonumber(ARGV[5]) end
local t = redis.call('TIME')
local now = t[1] * 1000 + t[2] / 1000

local function off() return math.min(math.max(beyond / (ahead * math.max(pages, 0) + 2), leastOff), mostOff) end

local earned = tonumber(ARGV[1]) * math.max(0, now - tonumber(m[4] or now))
if earned > 0 then
  beyond = math.max(beyond - earned, leastOff * (ahead * math.max(pages, 0) + 2))
  if pages > 0 then
    offset = math.min(math.max(offset + settle * off() * math.min(1, earned / pages), -mostOff), mostOff)
  end
end
beyond, pages = beyond + tonumber(ARGV[2]), pages + tonumber(ARGV[3])

local function text(x) return string.format('%.9f', x) end -- the in-process Redis reads no exponents
redis.call('HSET', KEYS[1], 'pages', text(pages), 'beyond', text(beyond), 'offset', text(offset), 'at', text(now))
redis.call('EXPIRE', KEYS[1], keep)
return { text(pages), text(beyond), text(offset) }
