package queue

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"

	"plat"
)

// The inbox is a list that programs in any language push URLs on:
//
//	LPUSH plat:inbox https://example.org/
//	LPUSH plat:inbox '{"url":"https://example.org/","priority":0.7,"scope":"host"}'
//
// Workers take entries from its other end. An entry that cannot be used is put on
// the list plat:rejected with the reason; nothing is dropped in silence.

// maxRejected is how many rejected entries are kept, the latest.
const maxRejected = 10_000

func (q *Queue) inbox() string    { return q.o.Prefix + ":inbox" }
func (q *Queue) rejected() string { return q.o.Prefix + ":rejected" }

// InboxEntry is an entry of the inbox.
type InboxEntry struct {
	Text  string // what it begins with, if it is longer than a seed may be
	Bytes int    // of all of it
}

// Job is the job that an entry stands for; see [ParseSeed].
func (p InboxEntry) Job(drop []string) (plat.Job, error) {
	if p.Bytes > len(p.Text) {
		return plat.Job{}, errLongSeed(p.Bytes)
	}
	return ParseSeed(p.Text, Seed{}, drop)
}

// maxBatch is how many bytes of the inbox are read at once, or little more.
const maxBatch = 4 << 20

// inboxScript reads the oldest entries, if nobody else is at it: others would visit
// again what the first has had visited meanwhile. Anybody may put anything there,
// half a gigabyte too: no more than what could be a seed leaves the server.
//
// KEYS: inbox, taker (who is at it)
// ARGV: most entries, most bytes of one, bytes of all that end the reading, who asks
// and for how long (ms)
// Returns: length and beginning of each entry, oldest first
var inboxScript = redis.NewScript(`
local found, read = {}, 0
local taker = redis.call('GET', KEYS[2])
if redis.call('EXISTS', KEYS[1]) == 0 or taker and taker ~= ARGV[4] then return found end
redis.call('SET', KEYS[2], ARGV[4], 'PX', ARGV[5])
for i = 1, tonumber(ARGV[1]) do
  local entry = redis.call('LINDEX', KEYS[1], -i)
  if not entry or read > tonumber(ARGV[3]) then break end
  found[2 * i - 1] = #entry
  found[2 * i] = string.sub(entry, 1, tonumber(ARGV[2]))
  read = read + #entry
end
return found`)

// takerTTL is how long the entries that one has read are left to it.
const takerTTL = time.Minute

// taker is who takes entries; in a cluster its hash tag puts it beside the inbox.
func (q *Queue) taker() string { return "{" + q.inbox() + "}:taker" }

// Inbox returns the oldest entries of the inbox, at most n, and leaves them there.
// Whoever has made jobs of them says so with [Queue.Taken]; others find none for so
// long, at most a minute.
func (q *Queue) Inbox(ctx context.Context, n int) ([]InboxEntry, error) {
	found, err := inboxScript.Run(ctx, q.rdb, []string{q.inbox(), q.taker()}, n, maxSeed, maxBatch, q.name, takerTTL.Milliseconds()).Slice()
	if err != nil {
		return nil, fmt.Errorf("read the inbox: %w", err)
	}
	entries := make([]InboxEntry, len(found)/2)
	for i := range entries {
		bytes, ok := found[2*i].(int64)
		text, isText := found[2*i+1].(string)
		if !ok || !isText {
			return nil, fmt.Errorf("read the inbox: Redis answers %T, %T", found[2*i], found[2*i+1])
		}
		entries[i] = InboxEntry{text, int(bytes)}
	}
	return entries, nil
}

// takenScript removes the entries that were taken as far as they are still there
// and in that order: another may have removed some.
//
// KEYS: inbox, taker
// ARGV: who asks, then length and beginning of each entry, oldest first
// Returns: how many were removed.
var takenScript = redis.NewScript(`
local n = 0
if redis.call('GET', KEYS[2]) == ARGV[1] then redis.call('DEL', KEYS[2]) end
for i = 2, #ARGV, 2 do
  local entry = redis.call('LINDEX', KEYS[1], -1)
  if not entry or #entry ~= tonumber(ARGV[i]) or string.sub(entry, 1, #ARGV[i + 1]) ~= ARGV[i + 1] then break end
  redis.call('RPOP', KEYS[1])
  n = n + 1
end
return n`)

// Taken removes entries that [Queue.Inbox] has returned, in that order.
func (q *Queue) Taken(ctx context.Context, entries []InboxEntry) error {
	if len(entries) == 0 {
		return nil
	}
	args := append(make([]any, 0, 1+2*len(entries)), q.name)
	for _, p := range entries {
		args = append(args, p.Bytes, p.Text)
	}
	if err := takenScript.Run(ctx, q.rdb, []string{q.inbox(), q.taker()}, args...).Err(); err != nil {
		return fmt.Errorf("empty the inbox: %w", err)
	}
	return nil
}

// Rejected is an entry of the inbox that could not be used.
type Rejected struct {
	Entry  string    `json:"entry"`
	Reason string    `json:"reason"`
	Time   time.Time `json:"time"`
}

// maxEntry is how much of a rejected entry is kept, in bytes.
const maxEntry = 4096

// Reject keeps an entry that cannot be used, with the reason.
func (q *Queue) Reject(ctx context.Context, entry string, reason error) error {
	if len(entry) > maxEntry {
		entry = entry[:maxEntry] + "…"
	}
	b, err := json.Marshal(Rejected{Entry: entry, Reason: reason.Error(), Time: time.Now().UTC().Truncate(time.Millisecond)})
	if err != nil {
		return err
	}
	pipe := q.rdb.TxPipeline()
	pipe.LPush(ctx, q.rejected(), b)
	pipe.LTrim(ctx, q.rejected(), 0, maxRejected-1)
	if _, err := pipe.Exec(ctx); err != nil {
		return fmt.Errorf("keep a rejected entry: %w", err)
	}
	return nil
}

// Rejections returns the latest rejected entries, at most n, latest first.
func (q *Queue) Rejections(ctx context.Context, n int) ([]Rejected, error) {
	list, err := q.rdb.LRange(ctx, q.rejected(), 0, int64(n)-1).Result()
	if err != nil {
		return nil, fmt.Errorf("read the rejected entries: %w", err)
	}
	all := make([]Rejected, 0, len(list))
	for _, text := range list {
		r := Rejected{Entry: text}
		if json.Unmarshal([]byte(text), &r) != nil {
			r.Reason = "written by another program"
		}
		all = append(all, r)
	}
	return all, nil
}

// Put puts jobs into the inbox, as any program may.
func (q *Queue) Put(ctx context.Context, jobs []plat.Job) error {
	for part := range slices.Chunk(jobs, 1000) {
		entries := make([]any, len(part))
		for i, j := range part {
			b, err := json.Marshal(seedOf(&j))
			if err != nil {
				return err
			}
			entries[i] = b
		}
		if err := q.rdb.LPush(ctx, q.inbox(), entries...).Err(); err != nil {
			return fmt.Errorf("write to the inbox: %w", err)
		}
	}
	return nil
}
