-- budget reads the steering of a budget, after noting visits. schedule.Steering explains it
-- and does the same.
--
-- KEYS: hash of the budget: epoch, known and pages, beyond, offset, at (ms)
--   epoch  which life of the hash this is: it changes when Redis loses its data
--   known  pages of earlier lives, as URLs remember them
--   pages  known, and those that were counted in this life
-- ARGV: visits that the budget allows per millisecond, visits made, pages that are new; what the
--       URL remembers of the budget: its pages, its offset, and in which epoch; an epoch to begin
-- Returns: pages, beyond, offset, epoch, as text
local ahead, settle, mostOff, leastOff = 0.2, 0.5, 20, -3
local keep = 90 * 24 * 3600 -- seconds; then the archive's memory of it is enough

local m = redis.call('HMGET', KEYS[1], 'pages', 'beyond', 'offset', 'at', 'known', 'epoch')
local pages, beyond, offset, known = tonumber(m[1] or 0), tonumber(m[2] or 0), tonumber(m[3] or 0), tonumber(m[5] or m[1] or 0) -- without known: of an older plat
local epoch, remembered = m[6] or ARGV[7], tonumber(ARGV[4])
if ARGV[6] ~= epoch and remembered > known then
  if remembered > pages then offset = tonumber(ARGV[5]) end
  pages, known = pages - known + remembered, remembered
end
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
redis.call('HSET', KEYS[1], 'pages', text(pages), 'beyond', text(beyond), 'offset', text(offset), 'at', text(now),
  'known', text(known), 'epoch', epoch)
redis.call('EXPIRE', KEYS[1], keep)
return { text(pages), text(beyond), text(offset), epoch }
