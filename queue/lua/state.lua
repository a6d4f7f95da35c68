-- State of hosts and URLs: the part of common.lua that lease and settle seldom need.

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
-- and perhaps that one of them goes before all queued ones. That is true until it is
-- loaded, whatever is noted meanwhile.
local function stamp(name, urgent)
  urgent = urgent or string.match(redis.call('HGET', more, name) or '', '!$')
  redis.call('HSET', more, name, int(nextSeq()) .. (urgent and '!' or ''))
end

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
