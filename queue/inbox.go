package queue

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"plat/plat"
)

// The inbox is a list to which programs in any language push URLs:
//
//	LPUSH plat:inbox https://example.org/
//	LPUSH plat:inbox '{"url":"https://example.org/","priority":0.7,"scope":"host"}'
//
// Workers take entries from its other end. A second list, plat:inbox:first, is read before it: its
// entries have priority 1, whatever they say. Invalid entries are moved to the list plat:rejected
// with the reason; no entry is dropped without a trace.

// maxRejected is the number of rejected entries that are kept, the latest.
const maxRejected = 10_000

func (q *Queue) inbox() string    { return q.o.Prefix + ":inbox" }
func (q *Queue) rejected() string { return q.o.Prefix + ":rejected" }

// A lane is a list of the inbox.
type lane struct {
	key  string
	most int           // entries read at a time
	ttl  time.Duration // for which entries are reserved for the process that read them
}

// lanes returns the lists of the inbox, the express lane first. Its batches are small, so that they
// take little time; so a crashed process reserves them for a few seconds only.
func (q *Queue) lanes() [2]lane {
	return [2]lane{{q.inbox() + ":first", 50, 10 * time.Second}, {q.inbox(), 1000, time.Minute}}
}

// taker returns the key of the active taker; its hash tag places it on the list's node of a
// cluster.
func (l lane) taker() string { return "{" + l.key + "}:taker" }

// InboxEntry is an entry of the inbox.
type InboxEntry struct {
	Text  string // truncated if longer than a seed may be
	Bytes int    // of all of it
	First bool   // it was in the express lane
}

// Job returns the job described by an entry; see [ParseSeed].
func (p InboxEntry) Job(drop []string) (plat.Job, error) {
	if p.Bytes > len(p.Text) {
		return plat.Job{}, errLongSeed(p.Bytes)
	}
	j, err := ParseSeed(p.Text, Seed{}, drop)
	if p.First {
		j.Priority = 1
	}
	return j, err
}

// maxBatch is the approximate limit in bytes for one read of the inbox.
const maxBatch = 4 << 20

// inboxScript reads the oldest entries, unless a different taker is active, which would enqueue
// the same URLs. Entries are untrusted input of up to half a gigabyte, so only the length of a
// seed is returned of each.
//
// KEYS: inbox, taker (the active one)
// ARGV: most entries, most bytes of one, bytes after which reading ends, name of the
// taker and its TTL (ms)
// Returns: length and beginning of each entry, oldest first
var inboxScript = script(`
local found, read = {}, 0
local taker = redis.call('GET', KEYS[2])
if redis.call('EXISTS', KEYS[1]) == 0 or taker and taker ~= ARGV[4] then return found end
redis.call('DEL', KEYS[2]) -- first: a full Redis lets a script go on that frees memory, and only taking entries empties it
redis.call('SET', KEYS[2], ARGV[4], 'PX', ARGV[5])
for i = 1, tonumber(ARGV[1]) do
  local entry = redis.call('LINDEX', KEYS[1], -i)
  if not entry or read > tonumber(ARGV[3]) then break end
  found[2 * i - 1] = #entry
  found[2 * i] = string.sub(entry, 1, tonumber(ARGV[2]))
  read = read + #entry
end
return found`)

// Inbox returns the oldest entries of the inbox, at most n, without removing them: those of the
// express lane, or of the other list if that has none. After enqueuing them, call [Queue.Taken];
// until then, for at most a minute, other processes receive no entries of the same list.
func (q *Queue) Inbox(ctx context.Context, n int) (entries []InboxEntry, err error) {
	for i, l := range q.lanes() {
		if entries, err = q.read(ctx, l, min(n, l.most)); err != nil || len(entries) > 0 {
			for k := range entries {
				entries[k].First = i == 0
			}
			return entries, err
		}
	}
	return nil, nil
}

func (q *Queue) read(ctx context.Context, l lane, n int) ([]InboxEntry, error) {
	found, err := inboxScript.Run(ctx, q.rdb, []string{l.key, l.taker()}, n, maxSeed, maxBatch, q.name, l.ttl.Milliseconds()).Slice()
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
		entries[i] = InboxEntry{Text: text, Bytes: int(bytes)}
	}
	return entries, nil
}

// takenScript removes the taken entries that are still in the inbox in that order: a different
// process may have removed some.
//
// KEYS: inbox, taker ARGV: name of the taker, then length and beginning of each entry, oldest
// first Returns: number of removed entries.
var takenScript = script(`
local n = 0
if redis.call('GET', KEYS[2]) == ARGV[1] then redis.call('DEL', KEYS[2]) end
for i = 2, #ARGV, 2 do
  local entry = redis.call('LINDEX', KEYS[1], -1)
  if not entry or #entry ~= tonumber(ARGV[i]) or string.sub(entry, 1, #ARGV[i + 1]) ~= ARGV[i + 1] then break end
  redis.call('RPOP', KEYS[1])
  n = n + 1
end
return n`)

// Taken removes entries returned by one call of [Queue.Inbox], in that order.
func (q *Queue) Taken(ctx context.Context, entries []InboxEntry) error {
	if len(entries) == 0 {
		return nil
	}
	l := q.lanes()[1]
	if entries[0].First {
		l = q.lanes()[0]
	}
	args := append(make([]any, 0, 1+2*len(entries)), q.name)
	for _, p := range entries {
		args = append(args, p.Bytes, p.Text)
	}
	if err := takenScript.Run(ctx, q.rdb, []string{l.key, l.taker()}, args...).Err(); err != nil {
		return fmt.Errorf("empty the inbox: %w", err)
	}
	return nil
}

// Rejected is an invalid entry of the inbox.
type Rejected struct {
	Entry  string    `json:"entry"`
	Reason string    `json:"reason"`
	Time   time.Time `json:"time"`
}

// maxEntry is the stored length of a rejected entry, in bytes.
const maxEntry = 4096

// Reject stores an invalid entry, with the reason.
func (q *Queue) Reject(ctx context.Context, entry string, reason error) error {
	if len(entry) > maxEntry {
		entry = entry[:maxEntry] + "…"
	}
	b, err := json.Marshal(Rejected{Entry: entry, Reason: reason.Error(), Time: time.Now().UTC().Truncate(time.Millisecond)})
	if err != nil {
		return err
	}
	pipe := q.rdb.Pipeline() // no transaction: the error of a refused one does not say why
	pipe.LPush(ctx, q.rejected(), b)
	pipe.LTrim(ctx, q.rejected(), 0, maxRejected-1)
	if _, err := pipe.Exec(ctx); err != nil {
		return fmt.Errorf("store a rejected entry: %w", full(err))
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

// InboxLen returns the number of entries in the inbox, without the express lane.
func (q *Queue) InboxLen(ctx context.Context) (int64, error) {
	return q.rdb.LLen(ctx, q.inbox()).Result()
}

// Put appends jobs to the inbox, as other programs do.
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
