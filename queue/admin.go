package queue

import (
	"cmp"
	"context"
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
	Exists bool `json:"exists"` // if not, call [Queue.Begin]
	Paused bool `json:"paused"`
	Format int  `json:"format"` // of the frontier's keys, see [Format]; 0 without a frontier

	// The window.
	Queued       int64 `json:"queued"`        // URLs that may be visited as soon as their host is ready
	Leased       int64 `json:"leased"`        // URLs being visited
	Size         int64 `json:"size"`          // bound of Queued
	Hosts        int64 `json:"hosts"`         // hosts of these URLs
	ReadyHosts   int64 `json:"ready_hosts"`   // may be visited now
	WaitingHosts int64 `json:"waiting_hosts"` // with queued URLs, but delayed by their clock

	Inbox    int64 `json:"inbox"`
	Rejected int64 `json:"rejected"`

	// Totals since the frontier was created.
	Added    int64 `json:"added"`     // URLs that came into the window
	Leases   int64 `json:"leases"`    // granted
	Done     int64 `json:"done"`      // jobs settled
	Retried  int64 `json:"retried"`   // failed visits with a retry to come
	Slowed   int64 `json:"slowed"`    // delayed by their host
	Returned int64 `json:"returned"`  // returned unvisited
	Buried   int64 `json:"buried"`    // failed for good
	PutOff   int64 `json:"put_off"`   // not worth a visit yet
	Expired  int64 `json:"expired"`   // leases without a heartbeat
	TooLate  int64 `json:"too_late"`  // settlements of lost leases, rejected
	HeldFor  int64 `json:"held_ms"`   // time after which leases are granted again at the latest, in ms
	OldestMS int64 `json:"oldest_ms"` // age of the oldest lease
}

// Stats returns the statistics, with one script per shard.
func (q *Queue) Stats(ctx context.Context) (Stats, error) {
	s := Stats{Exists: true, Size: int64(q.size)}
	now, err := q.Now(ctx)
	if err != nil {
		return s, explain(q.o.URL, err)
	}
	for shard := range q.keys {
		r, err := q.run(ctx, statsScript, shard).Slice()
		if err != nil {
			return s, explain(q.o.URL, err)
		}
		if len(r) != 7 {
			return s, fmt.Errorf("read the statistics: Redis answers %d values", len(r))
		}
		n := func(i int) int64 { v, _ := r[i].(int64); return v }
		leases, meta := fields(r[5]), fields(r[6])
		s.Queued += n(0)
		s.Leased += int64(len(leases))
		s.Hosts += n(1)
		s.ReadyHosts += n(3)
		s.WaitingHosts += n(2) - n(3) - n(4)
		for _, l := range leases {
			var token string
			var since int64
			if n, _ := fmt.Sscan(l, &token, &since); n == 2 {
				s.OldestMS = max(s.OldestMS, now.UnixMilli()-since)
			}
		}
		s.meta(meta, now)
	}
	for _, l := range q.lanes() {
		n, err := q.rdb.LLen(ctx, l.key).Result()
		if err != nil {
			return s, err
		}
		s.Inbox += n
	}
	s.Rejected, err = q.rdb.LLen(ctx, q.rejected()).Result()
	return s, err
}

// meta adds the values of a shard's hash meta.
func (s *Stats) meta(m map[string]string, now time.Time) {
	s.Exists = s.Exists && isFrontier(m)
	s.Paused = s.Paused || m["paused"] == "1"
	format, _ := strconv.Atoi(m["format"])
	s.Format = max(s.Format, format)
	for name, to := range map[string]*int64{
		"added": &s.Added, "leased": &s.Leases, "done": &s.Done, "retry": &s.Retried, "slow": &s.Slowed, "later": &s.PutOff,
		"back": &s.Returned, "buried": &s.Buried, "expired": &s.Expired, "late": &s.TooLate,
	} {
		n, _ := strconv.ParseInt(m[name], 10, 64)
		*to += n
	}
	hold, _ := strconv.ParseInt(m["hold"], 10, 64)
	s.HeldFor = max(s.HeldFor, hold-now.UnixMilli())
}

// fields returns a hash from a script's answer.
func fields(answer any) map[string]string {
	list, _ := answer.([]any)
	m := make(map[string]string, len(list)/2)
	for i := 1; i < len(list); i += 2 {
		field, _ := list[i-1].(string)
		m[field], _ = list[i].(string)
	}
	return m
}

// Pause stops or resumes granting leases.
func (q *Queue) Pause(ctx context.Context, on bool) error {
	for _, keys := range q.keys {
		if err := q.rdb.HSet(ctx, keys[metaKey], "paused", on).Err(); err != nil {
			return explain(q.o.URL, err)
		}
	}
	return nil
}

// Entry is the state of a URL in the window.
type Entry struct {
	URL       string
	State     string    // queued, leased
	Due       time.Time // see [plat.Job]
	Priority  float32   // rounded to thousandths
	Attempt   int       // 1 for the first visit, once it is leased
	Throttled int       // how often its host delayed it
}

var stateNames = map[byte]string{'q': "queued", 'l': "leased"}

// Entries yields all URLs of the window, unordered. During concurrent changes a URL
// may occur twice.
func (q *Queue) Entries(ctx context.Context) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		err := q.pairs(ctx, urlsKey, func(url, text string) bool {
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

// Newer reports whether the frontier is of a newer plat, so that this one cannot use it; see [ErrNewer].
func (s Stats) Newer() bool { return s.Format > Format }

// Oldest returns the age of the oldest lease.
func (s Stats) Oldest() time.Duration { return time.Duration(s.OldestMS) * time.Millisecond }

// Held is a leased job.
type Held struct {
	Host   string    `json:"host"`
	URL    string    `json:"url"`
	Worker string    `json:"worker"`
	Since  time.Time `json:"since"` // by Redis' clock
	Due    time.Time `json:"due"`   // see [plat.Job]; zero if Redis has lost it
}

// Held returns the leased jobs, sorted by worker and host, without those whose lease has ended or may be lost.
func (q *Queue) Held(ctx context.Context) ([]Held, error) {
	all := []Held{}
	now, err := q.Now(ctx)
	for shard := 0; shard < len(q.keys) && err == nil; shard++ {
		all, err = q.held(ctx, shard, now, all)
	}
	if err != nil {
		return nil, fmt.Errorf("read the leases: %w", err)
	}
	slices.SortFunc(all, func(a, b Held) int {
		return cmp.Or(strings.Compare(a.Worker, b.Worker), strings.Compare(a.Host, b.Host))
	})
	return all, nil
}

// held appends the leased jobs of a shard.
func (q *Queue) held(ctx context.Context, shard int, now time.Time, all []Held) ([]Held, error) {
	keys := q.keys[shard]
	m, err := q.rdb.HGetAll(ctx, keys[metaKey]).Result()
	if err != nil || !isFrontier(m) { // of a lost frontier no lease is valid
		return all, err
	}
	hosts, err := q.rdb.ZRangeByScore(ctx, keys[leasesKey], &redis.ZRangeBy{Min: fmt.Sprint("(", now.UnixMilli()), Max: "+inf"}).Result()
	if err != nil || len(hosts) == 0 {
		return all, err
	}
	texts, err := q.rdb.HMGet(ctx, keys[leaseKey], hosts...).Result()
	if err != nil {
		return all, err
	}
	first, urls := len(all), []string(nil)
	for i, text := range texts {
		text, _ := text.(string) // it may have ended since
		if f := strings.SplitN(text, " ", 4); len(f) == 4 {
			ms, _ := strconv.ParseInt(f[1], 10, 64)
			all, urls = append(all, Held{Host: hosts[i], URL: f[3], Worker: f[2], Since: time.UnixMilli(ms).UTC()}), append(urls, f[3])
		}
	}
	if len(urls) == 0 {
		return all, nil
	}
	entries, err := q.rdb.HMGet(ctx, keys[urlsKey], urls...).Result()
	for i, entry := range entries {
		if entry, is := entry.(string); is {
			e, err := parseEntry(urls[i], entry)
			if err != nil {
				return all, err
			}
			all[first+i].Due = e.Due
		}
	}
	return all, err
}
