-- Common part of all scripts but budget and site. They share KEYS, the keys of one shard, all with one
-- hash tag, so that a cluster runs each script on one node. What only some scripts need
-- is in state.lua: making the functions of a script takes part of its time.
--
--   1 urls     hash   URL -> entry: "state due attempts throttled rank seq"
--   2 queue    zset   queued URLs, all with score 0: "host rank seq URL", rank and seq
--                     with leading zeros, so that a host's best sorts first
--   3 hosts    zset   host -> rank of its best queued URL (1001 if none) * 1e6 + number
--                     of its queued URLs; a host is in the window iff it is here
--   4 waiting  zset   host that may not be visited yet -> clock; hosts that have left
--                     the window are here until their clock is past
--   5 ready    zset   host with queued URLs that may be visited now -> rank and seq
--   6 leases   zset   host -> when its lease ends
--   7 lease    hash   host -> "token since worker URL"
--   8 clocks   hash   host -> when it may be visited again, if that is in the future;
--                     such a host is waiting or leased
--   9 low      zset   host with an entry in more, and at most lowWater queued URLs or a
--                     "!" in that entry -> seq
--  10 more     hash   host -> stamp: the archive may have URLs of the host that are due
--                     and not in the window. Whenever a URL is left to the archive,
--                     the stamp changes, so that a loader that has read the archive
--                     before does not remove the entry. 0: the loader has loaded only
--                     a part yet. "!" after it: one of them goes before all queued ones.
--  11 meta     hash   generation, format, run, lost, hold (no lease before), said (the
--                     workers that have rejoined meanwhile), paused,
--                     loader ("token until"), news (URLs offered of hosts that are not
--                     in the window), seq, and counters
--  12, 13      later, dead: keys of an older plat, which begin removes; no other
--              script is given them
--
-- Redis holds a window on the archive: URLs that may be visited now. States of a URL:
-- q queued, l leased. All others are in the archive only. Times are milliseconds by
-- Redis' own clock, so that the clocks of workers do not matter; rank is 0 for
-- priority 1 up to 1000 for priority 0.
--
-- The in-process Redis sorts a whole sorted set for every range command, so scripts
-- use few of them: the numbers in hosts save most. In a real one each command takes
-- about a microsecond, so lease and settle, which every visit runs, use as few as they
-- can, and rely on what holds between the keys (model_test.go checks it).
local urls, queue, hosts, waiting, ready, leases, lease, clocks, low, more, meta =
  KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6], KEYS[7], KEYS[8], KEYS[9], KEYS[10], KEYS[11]

-- lowWater is the number of queued URLs at which a loader is to bring more of a host:
-- enough for the seconds until it has.
local lowWater = 4

local call, match = redis.call, string.match

local t = call('TIME')
local now = t[1] * 1000 + (t[2] - t[2] % 1000) / 1000

-- Whole numbers as text, below 2^53: tostring has 14 digits, enough for times, but not for
-- scores. As arguments of commands, numbers have 17, but it takes longer to write them so.
local function int(n) return string.format('%d', n) end

local function count(name, n) redis.call('HINCRBY', meta, name, n and int(n) or '1') end

local function nextSeq() return redis.call('HINCRBY', meta, 'seq', '1') end

-- A full Redis (OOM) rejects a script whose first write may allocate memory, and lets
-- it continue if the first one may only free some. Scripts that must not add to a full
-- Redis call notIfFull before they write; those that must work then, evenIfFull.
local function notIfFull() nextSeq() end
local function evenIfFull() redis.call('HDEL', meta, '') end

-- latest is the latest format of a frontier that these scripts understand; see formatFor in
-- workers.go for what a later one must keep.
local latest = '2'

-- begun reports whether there is a frontier of this format, and Redis has not lost a
-- part of it. It also returns hold (ms), whether the frontier is paused, and its generation.
local function begun()
  local m = redis.call('HMGET', meta, 'generation', 'format', 'lost', 'hold', 'paused')
  return m[1] and m[2] == latest and not m[3], tonumber(m[4] or 0), m[5] == '1', m[1]
end
