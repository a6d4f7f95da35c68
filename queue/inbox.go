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

// Inbox returns the oldest entries of the inbox, at most n, and leaves them there.
// Whoever has made jobs of them says so with [Queue.Taken]. Two who do so at once
// make the same jobs, which does no harm.
func (q *Queue) Inbox(ctx context.Context, n int) ([]string, error) {
	entries, err := q.rdb.LRange(ctx, q.inbox(), int64(-n), -1).Result()
	if err != nil {
		return nil, fmt.Errorf("read the inbox: %w", err)
	}
	// The oldest is the last.
	for i, j := 0, len(entries)-1; i < j; i, j = i+1, j-1 {
		entries[i], entries[j] = entries[j], entries[i]
	}
	return entries, nil
}

// takenScript removes the entries that were taken as far as they are still there
// and in that order: another may have removed some.
//
// KEYS: inbox
// ARGV: entries, oldest first
// Returns: how many were removed.
var takenScript = redis.NewScript(`
local n = 0
for _, entry in ipairs(ARGV) do
  if redis.call('LINDEX', KEYS[1], -1) ~= entry then break end
  redis.call('RPOP', KEYS[1])
  n = n + 1
end
return n`)

// Taken removes entries that [Queue.Inbox] has returned, in that order.
func (q *Queue) Taken(ctx context.Context, entries []string) error {
	if len(entries) == 0 {
		return nil
	}
	args := make([]any, len(entries))
	for i, e := range entries {
		args[i] = e
	}
	if err := takenScript.Run(ctx, q.rdb, []string{q.inbox()}, args...).Err(); err != nil {
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
			s := Seed{URL: j.URL, Priority: &j.Priority, Scope: j.Scope}
			if j.Every > 0 {
				s.Every = j.Every.String()
			}
			b, err := json.Marshal(s)
			if err != nil {
				return err
			}
			entries[i] = b
		}
		if err := q.rdb.LPush(ctx, q.inbox(), entries...).Err(); err != nil {
			return fmt.Errorf("put into the inbox: %w", err)
		}
	}
	return nil
}
