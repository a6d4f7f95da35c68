-- Common part of all scripts. They share KEYS, the keys of one shard, all with one
-- hash tag, so that a cluster runs each script on one node:
--
--   1 urls     hash   URL -> entry: "state due attempts throttled rank seq"
--   2 queue    zset   URLs that are due, all with score 0: "host rank seq URL",
--                     rank and seq with leading zeros, so that a host's best sorts first
--   3 later    zset   URL -> when it goes into queue (a visit to come, a retry)
--   4 waiting  zset   host with URLs in queue -> when it may be visited again
--   5 ready    zset   host with URLs in queue that may be visited now -> rank and seq
--   6 leases   zset   host -> when its lease ends
--   7 lease    hash   host -> "token since worker URL"
--   8 clocks   hash   host -> when it may be visited again
--   9 dead     hash   URL -> letter, JSON
--  10 meta     hash   generation, run, hold (no lease before), paused, merge (the archive's
--                     jobs must be merged first), seq, and counters
--
-- States of a URL: q in queue, w in later, l leased, d dead, k known and not
-- scheduled. Times are milliseconds by Redis' own clock, so that the clocks of
-- workers do not matter; rank is 0 for priority 1 up to 1000 for priority 0. Crawl
-- plans of URLs are stored in the archive only.
local urls, queue, later, waiting, ready, leases, lease, clocks, dead, meta =
  KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6], KEYS[7], KEYS[8], KEYS[9], KEYS[10]

local t = redis.call('TIME')
local now = tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)

-- Numbers as text: Lua would format large ones as 1.7e+12.
local function int(n) return string.format('%.0f', n) end

local function count(name, n) redis.call('HINCRBY', meta, name, n or 1) end

local function hostOf(url) return string.match(url, '^%a+://([^/?#]*)') end

local function parse(entry)
  if not entry then return nil end
  local state, due, attempts, throttled, rank, seq = string.match(entry, '^(%a) (%d+) (%d+) (%d+) (%d+) (%d+)$')
  if not state then -- written by an older plat: "state due attempts throttled rank depth every seq scope"
    state, due, attempts, throttled, rank, seq = string.match(entry, '^(%a) (%d+) (%d+) (%d+) (%d+) %d+ %d+ (%d+)')
    if not state then error('the frontier has the entry "' .. entry .. '", which this version does not write') end
  end
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

-- best returns the host's first URL in queue and its member, or nil.
local function best(host)
  local m = redis.call('ZRANGEBYLEX', queue, '[' .. host .. ' ', '(' .. host .. '!', 'LIMIT', 0, 1)[1]
  if m then return string.match(m, '^%S+ %d+ %d+ (.*)$'), m end
end

-- offer puts a host into ready or waiting, if it has queued URLs and no lease.
local function offer(host)
  if redis.call('HEXISTS', lease, host) == 1 then return end
  local _, m = best(host)
  if not m then
    redis.call('ZREM', ready, host)
    redis.call('ZREM', waiting, host)
    return
  end
  local clock = tonumber(redis.call('HGET', clocks, host) or 0)
  if clock > now then
    redis.call('ZREM', ready, host)
    redis.call('ZADD', waiting, int(clock), host)
    return
  end
  redis.call('ZREM', waiting, host)
  -- Hosts of equal rank are sorted by the time they became ready.
  local rank = tonumber(string.match(m, '^%S+ (%d+) '))
  local old = redis.call('ZSCORE', ready, host)
  if old and math.floor(tonumber(old) / 1e12) <= rank then return end
  redis.call('ZADD', ready, int(rank * 1e12 + redis.call('HINCRBY', meta, 'seq', 1)), host)
end

-- enqueue makes a URL available for a visit now.
local function enqueue(host, url, e)
  e.state, e.seq = 'q', redis.call('HINCRBY', meta, 'seq', 1)
  redis.call('ZADD', queue, 0, member(host, url, e))
  save(url, e)
end

-- takeOut removes a URL from queue, later or dead; the caller saves its new state.
local function takeOut(host, url, e)
  if e.state == 'q' then redis.call('ZREM', queue, member(host, url, e)) end
  if e.state == 'w' then redis.call('ZREM', later, url) end
  if e.state == 'd' then redis.call('HDEL', dead, url) end
end

local function postpone(url, e, at)
  e.state = 'w'
  redis.call('ZADD', later, int(at), url)
  save(url, e)
end

local function bury(url, e, letter)
  e.state = 'd'
  redis.call('HSET', dead, url, letter)
  save(url, e)
  count('buried')
end

-- free ends a lease; the host may be visited again at the given time.
local function free(host, at)
  redis.call('HDEL', lease, host)
  redis.call('ZREM', leases, host)
  local clock = tonumber(redis.call('HGET', clocks, host) or 0)
  if at > clock then redis.call('HSET', clocks, host, int(at)) end
end
