-- add inserts URLs and enqueues them for when they are due. A known URL keeps its
-- state, but gets the higher of both priorities.
--
-- ARGV: how, then for each URL: URL, due, rank, state, clock
--   how    new: only that; again: also schedules the URL for the given time if it was
--          known, dead, or due later; merge: also if it was done, and the given job is
--          a later one, which Redis has lost
--   due    0: now
--   state  k: only known, not to be visited; else empty
--   clock  earliest visit of the URL's host; 0: unchanged
-- Returns: the number of URLs that were unknown.
local again, merge, new = ARGV[1] == 'again', ARGV[1] == 'merge', 0
-- Offer each host once, at the end, in the order of arrival.
local touched, order = {}, {}
local function touch(host)
  if not touched[host] then
    touched[host] = true
    order[#order + 1] = host
  end
end
for i = 2, #ARGV, 5 do
  local url, host = ARGV[i], hostOf(ARGV[i])
  local due, rank, known = tonumber(ARGV[i + 1]), tonumber(ARGV[i + 2]), ARGV[i + 3] == 'k'
  if due == 0 then due = now end
  local clock = tonumber(ARGV[i + 4])
  if clock > now and clock > tonumber(redis.call('HGET', clocks, host) or 0) then
    redis.call('HSET', clocks, host, int(clock))
    touch(host)
  end
  local e = parse(redis.call('HGET', urls, url))
  if not e then
    new = new + 1
    e = { state = 'k', due = due, attempts = 0, throttled = 0, rank = rank, seq = 0 }
    if known then
      save(url, e)
    elseif due > now then
      postpone(url, e, due)
    else
      enqueue(host, url, e)
      touch(host)
    end
  else
    local sooner = not known and (merge and e.state == 'k' and due > e.due
      or again and (e.state == 'k' or e.state == 'd' or (e.state == 'w' and due < tonumber(redis.call('ZSCORE', later, url)))))
    local higher = rank < e.rank
    if sooner or (higher and e.state == 'q') then takeOut(host, url, e) end
    e.rank = math.min(e.rank, rank)
    if sooner then
      if e.state ~= 'w' then
        due = math.max(due, e.due + 1) -- a new visit
      elseif e.due <= now then
        due = e.due -- the same visit, waiting for a retry
      end
      e.due, e.attempts, e.throttled = due, 0, 0
      if due > now then postpone(url, e, due) else enqueue(host, url, e) end
      touch(host)
    elseif higher and e.state == 'q' then
      enqueue(host, url, e)
      touch(host)
    else
      save(url, e)
    end
  end
end
for _, host in ipairs(order) do offer(host) end
count('added', new)
return new
