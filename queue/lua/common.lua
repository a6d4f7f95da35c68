-- Common part of all scripts. They share KEYS, the keys of one shard, all with one
-- hash tag, so that a cluster runs each script on one node:
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
--  11 meta     hash   generation, format, run, lost, hold (no lease before), paused,
--                     loader ("token until"), news (URLs offered of hosts that are not
--                     in the window), seq, and counters
--  12, 13      later, dead: keys of an older plat, only removed
--
-- Redis holds a window on the archive: URLs that may be visited now. States of a URL:
-- q queued, l leased. All others are in the archive only. Times are milliseconds by
-- Redis' own clock, so that the clocks of workers do not matter; rank is 0 for
-- priority 1 up to 1000 for priority 0.
--
-- The in-process Redis sorts a whole sorted set for every range command, so scripts
-- use few of them: the numbers in hosts save most.
local urls, queue, hosts, waiting, ready, leases, lease, clocks, low, more, meta =
  KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6], KEYS[7], KEYS[8], KEYS[9], KEYS[10], KEYS[11]

-- lowWater is the number of queued URLs at which a loader is to bring more of a host:
-- enough for the seconds until it has.
local lowWater = 4

local t = redis.call('TIME')
local now = tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)

-- Numbers as text: Lua would format large ones as 1.7e+12.
local function int(n) return string.format('%.0f', n) end

local function count(name, n) redis.call('HINCRBY', meta, name, int(n or 1)) end

local function nextSeq() return redis.call('HINCRBY', meta, 'seq', 1) end

-- A full Redis (OOM) rejects a script whose first write may allocate memory, and lets
-- it continue if the first one may only free some. Scripts that must not add to a full
-- Redis call notIfFull before they write; those that must work then, evenIfFull.
local function notIfFull() nextSeq() end
local function evenIfFull() redis.call('HDEL', meta, '') end

-- begun reports whether there is a frontier of this format, and Redis has not lost a
-- part of it. It also returns hold (ms) and whether the frontier is paused.
local function begun()
  local m = redis.call('HMGET', meta, 'generation', 'format', 'lost', 'hold', 'paused')
  return m[1] and m[2] == '2' and not m[3], tonumber(m[4] or 0), m[5] == '1'
end

-- loads reports whether the process with that token is the elected loader.
local function loads(token)
  local who, till = string.match(redis.call('HGET', meta, 'loader') or '', '^(%S+) (%d+)$')
  return who == token and tonumber(till) > now
end

local function hostOf(url) return string.match(url, '^%a+://([^/?#]*)') end

local function parse(entry)
  if not entry then return nil end
  local state, due, attempts, throttled, rank, seq = string.match(entry, '^([ql]) (%d+) (%d+) (%d+) (%d+) (%d+)$')
  if not state then error('the frontier has the entry "' .. entry .. '", which this version does not write') end
  return {
    state = state, due = tonumber(due), attempts = tonumber(attempts), throttled = tonumber(throttled),
    rank = tonumber(rank), seq = tonumber(seq),
  }
end

local function save(url, e)
  local entry = table.concat({ e.state, int(e.due), int(e.attempts), int(e.throttled), int(e.rank), int(e.seq) }, ' ')
  redis.call('HSET', urls, url, entry)
  return entry
end

local function member(host, url, e) return string.format('%s %04.0f %015.0f %s', host, e.rank, e.seq, url) end

-- split returns rank and URL of a member of queue.
local function split(m)
  local rank, url = string.match(m, '^%S+ (%d+) %d+ (.*)$')
  return tonumber(rank), url
end

-- first and last return up to n members of a host's queue, the best or the worst first.
local function first(host, n) return redis.call('ZRANGEBYLEX', queue, '[' .. host .. ' ', '(' .. host .. '!', 'LIMIT', 0, n) end
local function last(host, n) return redis.call('ZREVRANGEBYLEX', queue, '(' .. host .. '!', '[' .. host .. ' ', 'LIMIT', 0, n) end

-- at returns a host as it is in the window: name; inside; queued, the number of its
-- queued URLs; rank, that of the best. After changes it must be given to place.
local function at(name)
  local score = redis.call('ZSCORE', hosts, name)
  if not score then return { name = name, inside = false, queued = 0, rank = 1001 } end
  local rank = math.floor(tonumber(score) / 1e6)
  return { name = name, inside = true, queued = tonumber(score) - rank * 1e6, rank = rank, score = tonumber(score) }
end

-- enqueue makes a URL available for a visit now.
local function enqueue(h, url, e)
  e.state, e.seq = 'q', nextSeq()
  redis.call('ZADD', queue, 0, member(h.name, url, e))
  save(url, e)
  h.inside, h.queued, h.rank, h.last = true, h.queued + 1, math.min(h.rank, e.rank), nil
end

-- renew tells a queued URL what the archive says now: a better rank, a later visit.
local function renew(h, url, e, due, attempts, throttled, rank)
  local later, better = due > e.due, rank < e.rank
  if better then
    redis.call('ZREM', queue, member(h.name, url, e))
    h.queued, e.rank = h.queued - 1, rank
  end
  if later then e.due, e.attempts, e.throttled = due, attempts, throttled end
  if better then enqueue(h, url, e) elseif later then save(url, e) end
end

-- stamp notes that the archive has URLs of a host that are due and not in the window,
-- and perhaps that one of them goes before all queued ones.
local function stamp(name, urgent) redis.call('HSET', more, name, int(nextSeq()) .. (urgent and '!' or '')) end

-- stampOf returns a host's stamp as text, '0' if it has none, and whether it is urgent.
local function stampOf(name)
  local entry = redis.call('HGET', more, name)
  if not entry then return '0', false, false end
  local n = string.match(entry, '^%d+')
  return n, n ~= entry, true
end

-- place puts a host where it belongs: into ready or waiting, into low, or out of the
-- window, if it has neither queued URLs nor a lease nor URLs in the archive.
local function place(h, leased)
  if h.inside then
    if h.queued == 0 then h.rank = 1001 end
    local _, urgent, left = stampOf(h.name)
    local toLoad = left and (urgent or h.queued <= lowWater)
    if h.queued == 0 and not leased and not toLoad then
      redis.call('ZREM', hosts, h.name)
      h.inside = false
    elseif h.score ~= h.rank * 1e6 + h.queued then
      redis.call('ZADD', hosts, int(h.rank * 1e6 + h.queued), h.name)
    end
    if not toLoad then
      redis.call('ZREM', low, h.name)
    elseif not redis.call('ZSCORE', low, h.name) then
      redis.call('ZADD', low, int(nextSeq()), h.name)
    end
  end
  if leased then return end
  local clock = tonumber(redis.call('HGET', clocks, h.name) or 0)
  if clock > now then
    redis.call('ZREM', ready, h.name)
    redis.call('ZADD', waiting, int(clock), h.name)
    return
  end
  if clock > 0 then redis.call('HDEL', clocks, h.name) end
  redis.call('ZREM', waiting, h.name)
  if h.queued == 0 then return end -- and not in ready: only lease and evict take a host's last URL
  -- Hosts of equal rank are sorted by the time they became ready.
  local old = redis.call('ZSCORE', ready, h.name)
  if old and math.floor(tonumber(old) / 1e12) <= h.rank then return end
  redis.call('ZADD', ready, int(h.rank * 1e12 + nextSeq()), h.name)
end

-- isBetter reports whether a rank is better than that of the host's worst queued URL.
local function isBetter(h, rank)
  if h.queued == 0 then return false end
  h.last = h.last or last(h.name, 1)[1] -- until a URL comes in
  return rank < (split(h.last))
end

-- replace puts a URL in the place of the host's worst queued one, if it is better, and
-- returns whether it did.
local function replace(h, url, e)
  if not isBetter(h, e.rank) then return false end
  local _, worst = split(h.last)
  redis.call('ZREM', queue, h.last)
  redis.call('HDEL', urls, worst)
  h.queued = h.queued - 1
  enqueue(h, url, e)
  return true
end

-- raise delays a host until a later clock.
local function raise(name, clock)
  if clock > now and clock > tonumber(redis.call('HGET', clocks, name) or 0) then
    redis.call('HSET', clocks, name, int(clock))
  end
end

-- free ends a lease; the host may be visited again at the given time.
local function free(name, clock)
  redis.call('HDEL', lease, name)
  redis.call('ZREM', leases, name)
  raise(name, clock)
end
