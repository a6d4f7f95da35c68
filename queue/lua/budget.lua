-- budget reads the steering of a budget, after noting visits. schedule.Steering explains it
-- and does the same.
--
-- KEYS: hash of the budget: epoch, pages and known, sum and life:EPOCH, beyond, offset, at (ms)
--   epoch  which life of the hash this is: it changes when Redis loses its data
--   pages  known, and those that were counted in this life
--   known  pages of earlier lives, as processes and URLs remember them
--   life:… the most pages that are remembered to have been counted in an earlier life; sum: of all
-- ARGV: visits that the budget allows per millisecond, visits made, pages that are new; an epoch to
--       begin; what the process, and then what the URL, remembers of the budget: its pages, its
--       offset, in which epoch, and how many of the pages were counted in that
-- Returns: pages, beyond, offset, epoch, pages counted in this life, as text
local ahead, settle, mostOff, leastOff = 0.2, 0.5, 20, -3
local keep = 90 * 24 * 3600 -- seconds; then the archive's memory of it is enough

local m = redis.call('HMGET', KEYS[1], 'pages', 'beyond', 'offset', 'at', 'known', 'epoch', 'sum')
local pages, beyond, offset = tonumber(m[1] or 0), tonumber(m[2] or 0), tonumber(m[3] or 0)
local known, sum = tonumber(m[5] or m[1] or 0), tonumber(m[7] or 0) -- without known: of an older plat
local epoch = m[6] or ARGV[4]

local function recall(remembered, its, of, counted)
  if remembered > pages then offset = its end
  if of == epoch then -- Redis may have gone back in its life
    local now = math.max(known, remembered - counted)
    pages, known = now + math.max(pages - known, counted), now
  elseif of == '0' and remembered > pages then -- it is not known in which life it was counted
    pages, known = remembered, known + remembered - pages
  elseif of ~= '0' and remembered > 0 then
    local before = tonumber(redis.call('HGET', KEYS[1], 'life:' .. of) or 0)
    if counted > before then
      sum = sum + counted - before
      redis.call('HSET', KEYS[1], 'life:' .. of, counted)
    end
    local now = math.max(known, remembered, sum)
    pages, known = pages - known + now, now
  end
end
for i = 5, 9, 4 do recall(tonumber(ARGV[i]), tonumber(ARGV[i + 1]), ARGV[i + 2], tonumber(ARGV[i + 3])) end

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
  'known', text(known), 'epoch', epoch, 'sum', text(sum))
redis.call('EXPIRE', KEYS[1], keep)
return { text(pages), text(beyond), text(offset), epoch, text(pages - known) }
