package queue

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// Stats are the statistics of a frontier.
type Stats struct {
	Exists bool `json:"exists"` // if not, call [Queue.Rebuild]
	Paused bool `json:"paused"`

	Known  int64 `json:"known"`  // URLs in any state
	Queued int64 `json:"queued"` // may be visited as soon as their host is ready
	Later  int64 `json:"later"`  // scheduled visits and retries
	Leased int64 `json:"leased"` // being visited
	Dead   int64 `json:"dead"`

	ReadyHosts   int64 `json:"ready_hosts"`   // may be visited now
	WaitingHosts int64 `json:"waiting_hosts"` // with queued URLs, but delayed by their clock

	Inbox    int64 `json:"inbox"`
	Rejected int64 `json:"rejected"`

	// Totals since the frontier was created.
	Added    int64 `json:"added"`     // URLs
	Leases   int64 `json:"leases"`    // granted
	Done     int64 `json:"done"`      // jobs settled
	Retried  int64 `json:"retried"`   // failed visits, to be retried
	Slowed   int64 `json:"slowed"`    // delayed by their host
	Returned int64 `json:"returned"`  // returned unvisited
	Buried   int64 `json:"buried"`    // given up: moved to the dead letters
	Expired  int64 `json:"expired"`   // leases without a heartbeat
	TooLate  int64 `json:"too_late"`  // settlements of lost leases, rejected
	HeldFor  int64 `json:"held_ms"`   // no leases before that many ms have passed
	OldestMS int64 `json:"oldest_ms"` // age of the oldest lease
}

// Stats returns the statistics, with a few commands per shard.
func (q *Queue) Stats(ctx context.Context) (Stats, error) {
	s := Stats{Exists: true}
	now, err := q.Now(ctx)
	if err != nil {
		return s, explain(q.o.URL, err)
	}
	for _, keys := range q.keys {
		pipe := q.rdb.TxPipeline() // a transaction, so that a URL changing its state is counted once
		known := pipe.HLen(ctx, keys[0])
		var sizes [5]*redis.IntCmd
		for i := range sizes {
			sizes[i] = pipe.ZCard(ctx, keys[1+i])
		}
		dead := pipe.HLen(ctx, keys[8])
		leases := pipe.HGetAll(ctx, keys[6])
		meta := pipe.HGetAll(ctx, keys[9])
		if _, err := pipe.Exec(ctx); err != nil {
			return s, explain(q.o.URL, err)
		}
		s.Known += known.Val()
		for i, to := range []*int64{&s.Queued, &s.Later, &s.WaitingHosts, &s.ReadyHosts, &s.Leased} {
			*to += sizes[i].Val()
		}
		s.Dead += dead.Val()
		for _, l := range leases.Val() {
			var token string
			var since int64
			if n, _ := fmt.Sscan(l, &token, &since); n == 2 {
				s.OldestMS = max(s.OldestMS, now.UnixMilli()-since)
			}
		}
		m := meta.Val()
		s.Exists = s.Exists && m["generation"] != ""
		s.Paused = s.Paused || m["paused"] == "1"
		for name, to := range map[string]*int64{
			"added": &s.Added, "leased": &s.Leases, "done": &s.Done, "retry": &s.Retried, "slow": &s.Slowed,
			"back": &s.Returned, "buried": &s.Buried, "expired": &s.Expired, "late": &s.TooLate,
		} {
			n, _ := strconv.ParseInt(m[name], 10, 64)
			*to += n
		}
		hold, _ := strconv.ParseInt(m["hold"], 10, 64)
		s.HeldFor = max(s.HeldFor, hold-now.UnixMilli())
	}
	if s.Inbox, err = q.rdb.LLen(ctx, q.inbox()).Result(); err != nil {
		return s, err
	}
	s.Rejected, err = q.rdb.LLen(ctx, q.rejected()).Result()
	return s, err
}

// Dead returns all dead letters, latest first.
func (q *Queue) Dead(ctx context.Context) ([]DeadLetter, error) {
	var all []DeadLetter
	err := q.pairs(ctx, 8, func(url, text string) bool {
		var l DeadLetter
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			l.Error = text
		}
		l.URL = url
		all = append(all, l)
		return true
	})
	if err != nil {
		return nil, fmt.Errorf("read the dead letters: %w", err)
	}
	slices.SortFunc(all, func(a, b DeadLetter) int {
		return cmp.Or(b.Time.Compare(a.Time), cmp.Compare(a.URL, b.URL))
	})
	return all, nil
}

// Revive enqueues dead URLs again, all of them if none is given, and returns how many
// there were.
func (q *Queue) Revive(ctx context.Context, urls ...string) (int, error) {
	if len(urls) == 0 {
		letters, err := q.Dead(ctx)
		if err != nil {
			return 0, err
		}
		for _, l := range letters {
			urls = append(urls, l.URL)
		}
	}
	n := 0
	for s, urls := range q.split(urls) {
		for part := range slices.Chunk(urls, batch) {
			args := make([]any, len(part))
			for i, u := range part {
				args[i] = u
			}
			k, err := q.run(ctx, reviveScript, s, args...).Int()
			if err != nil {
				return n, fmt.Errorf("revive: %w", err)
			}
			n += k
		}
	}
	return n, nil
}

// Pause stops or resumes granting leases.
func (q *Queue) Pause(ctx context.Context, on bool) error {
	for _, keys := range q.keys {
		if err := q.rdb.HSet(ctx, keys[9], "paused", on).Err(); err != nil {
			return explain(q.o.URL, err)
		}
	}
	return nil
}

// Entry is the state of a URL in the frontier.
type Entry struct {
	URL       string
	State     string    // queued, later, leased, dead, known
	Due       time.Time // see [plat.Job]
	Priority  float32   // rounded to thousandths
	Attempt   int       // 1 for the first visit, once it is leased
	Throttled int       // how often its host delayed it
}

var stateNames = map[byte]string{'q': "queued", 'w': "later", 'l': "leased", 'd': "dead", 'k': "known"}

// Entries yields all URLs of the frontier, unordered. During concurrent changes a URL
// may occur twice.
func (q *Queue) Entries(ctx context.Context) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		err := q.pairs(ctx, 0, func(url, text string) bool {
			e, err := parseEntry(url, text)
			return yield(e, err) && err == nil
		})
		if err != nil {
			yield(Entry{}, fmt.Errorf("read the frontier: %w", err))
		}
	}
}

// pairs yields the fields and values of a hash, the key with that index, from all
// shards, until yield returns false.
func (q *Queue) pairs(ctx context.Context, key int, yield func(field, value string) bool) error {
	for _, keys := range q.keys {
		it := q.rdb.HScan(ctx, keys[key], 0, "", 1000).Iterator()
		for it.Next(ctx) {
			field := it.Val()
			if !it.Next(ctx) {
				break
			}
			if !yield(field, it.Val()) {
				return nil
			}
		}
		if err := it.Err(); err != nil {
			return err
		}
	}
	return nil
}

// Clear removes the frontier. The inbox, the hosts' clocks and the paused state
// remain. The archive's jobs can be restored with [Queue.Rebuild].
func (q *Queue) Clear(ctx context.Context) error {
	for shard := range q.keys {
		if err := q.run(ctx, clearScript, shard).Err(); err != nil {
			return explain(q.o.URL, err)
		}
	}
	return nil
}

// Oldest is the age of the oldest lease.
func (s Stats) Oldest() time.Duration { return time.Duration(s.OldestMS) * time.Millisecond }

// Held is a leased job.
type Held struct {
	Host   string    `json:"host"`
	URL    string    `json:"url"`
	Worker string    `json:"worker"`
	Since  time.Time `json:"since"` // by Redis' clock
}

// Held returns the leased jobs, sorted by worker and host.
func (q *Queue) Held(ctx context.Context) ([]Held, error) {
	all := []Held{}
	err := q.pairs(ctx, 6, func(host, text string) bool {
		f := strings.SplitN(text, " ", 4)
		if len(f) == 4 {
			ms, _ := strconv.ParseInt(f[1], 10, 64)
			all = append(all, Held{Host: host, URL: f[3], Worker: f[2], Since: time.UnixMilli(ms).UTC()})
		}
		return true
	})
	if err != nil {
		return nil, fmt.Errorf("read the leases: %w", err)
	}
	slices.SortFunc(all, func(a, b Held) int {
		return cmp.Or(strings.Compare(a.Worker, b.Worker), strings.Compare(a.Host, b.Host))
	})
	return all, nil
}
