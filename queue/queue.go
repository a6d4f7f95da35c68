package queue

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// ErrLost is returned for a lease that is not the caller's any more: it took too
// long to be heard of. What was done under it may have been done by another too.
var ErrLost = errors.New("the lease is lost")

// ErrConfig is returned for settings that cannot be right, however long one waits.
var ErrConfig = errors.New("queue")

// ErrNone is returned where there is no frontier: it is new, or Redis has lost
// its data. See [Queue.Rebuild].
var ErrNone = errors.New("there is no frontier yet, or Redis has lost it")

// Options says where Redis is and how leases are given. The zero value of a
// field is the default.
type Options struct {
	// URL is redis://[user:password@]host:port/db, rediss:// for TLS, or
	// redis+cluster:// (rediss+cluster://) with the addresses of some nodes,
	// separated by commas.
	URL string

	Prefix string // of all keys: "plat"

	// Shards is over how many parts hosts are spread: 1, in a cluster 16. All
	// who use a frontier must use the same number; the first to come sets it.
	Shards int

	TTL      time.Duration // of a lease without a heartbeat: 30 s
	Attempts int           // that a URL has before it is dead: 5
	Rest     time.Duration // of a host of which nobody knows when it may be visited: its worker, or its clock, was lost
	Log      *slog.Logger
}

// Queue is a frontier. It is safe for concurrent use.
type Queue struct {
	o    Options
	rdb  redis.UniversalClient
	keys [][]string    // of each shard
	ttl  time.Duration // the longest that anybody gives leases for
	name string        // unlike all others'
}

// Open connects to Redis. The error says what is wrong in terms of the setting
// to change; it wraps the client's.
func Open(ctx context.Context, o Options) (*Queue, error) {
	if o.Prefix == "" {
		o.Prefix = "plat"
	}
	if o.TTL == 0 {
		o.TTL = 30 * time.Second
	}
	if o.Attempts == 0 {
		o.Attempts = 5
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	how, cluster, err := parseURL(o.URL)
	if err != nil {
		return nil, err
	}
	if o.Shards == 0 {
		if o.Shards = 1; cluster {
			o.Shards = 16
		}
	}
	if o.Shards < 0 || o.Shards > 1024 {
		return nil, fmt.Errorf("%w: %d shards: write 1 to 1024", ErrConfig, o.Shards)
	}
	if strings.ContainsAny(o.Prefix, "{}") {
		return nil, fmt.Errorf("%w: prefix %q: write it without braces, which are for the hash tags of a cluster", ErrConfig, o.Prefix)
	}
	q := &Queue{o: o, name: newToken()}
	for i := range o.Shards {
		tag := "{" + o.Prefix + ":" + strconv.Itoa(i) + "}:"
		var keys []string
		for _, name := range keyNames {
			keys = append(keys, tag+name)
		}
		q.keys = append(q.keys, keys)
	}
	how.OnConnect = q.meet
	if cluster {
		q.rdb = redis.NewClusterClient(how.Cluster())
	} else {
		q.rdb = redis.NewClient(how.Simple())
	}
	if err := q.agree(ctx); err != nil {
		q.rdb.Close()
		if errors.Is(err, ErrConfig) {
			return nil, err
		}
		return nil, explain(o.URL, err)
	}
	return q, nil
}

// keyNames are the keys of a shard in the order of KEYS; see lua/common.lua.
var keyNames = []string{"urls", "queue", "later", "waiting", "ready", "leases", "lease", "clocks", "dead", "meta"}

// agree sees that all who use the frontier spread hosts over the same shards.
func (q *Queue) agree(ctx context.Context) error {
	key := q.o.Prefix + ":shards"
	if err := q.rdb.SetNX(ctx, key, q.o.Shards, 0).Err(); err != nil {
		return err
	}
	n, err := q.rdb.Get(ctx, key).Int()
	if err != nil {
		return err
	}
	// Leases are held back for as long as the longest of them may last.
	ms, err := q.rdb.Get(ctx, q.o.Prefix+":lease").Int64()
	if err != nil && err != redis.Nil {
		return err
	}
	q.ttl = max(q.o.TTL, time.Duration(ms)*time.Millisecond)
	if err := q.rdb.Set(ctx, q.o.Prefix+":lease", q.ttl.Milliseconds(), 0).Err(); err != nil {
		return err
	}
	if n != q.o.Shards {
		return fmt.Errorf("%w: the frontier has %d shards, not %d; use the same number everywhere", ErrConfig, n, q.o.Shards)
	}
	return nil
}

// Close gives the connections back.
func (q *Queue) Close() error { return q.rdb.Close() }

// Ping reports whether Redis answers.
func (q *Queue) Ping(ctx context.Context) error { return explain(q.o.URL, q.rdb.Ping(ctx).Err()) }

// Now is the time by Redis' clock, in whole milliseconds: the one by which jobs
// are due.
func (q *Queue) Now(ctx context.Context) (time.Time, error) {
	t, err := q.rdb.Time(ctx).Result()
	return t.UTC().Truncate(time.Millisecond), err
}

// TTL is how long a lease lasts without a heartbeat.
func (q *Queue) TTL() time.Duration { return q.o.TTL }

// Attempts is how many a URL has before it is dead.
func (q *Queue) Attempts() int { return q.o.Attempts }

// shardOf is the shard of a host.
func (q *Queue) shardOf(host string) int {
	if len(q.keys) == 1 {
		return 0
	}
	h := fnv.New32a()
	h.Write([]byte(host))
	return int(h.Sum32() % uint32(len(q.keys)))
}

// rankOf turns a priority, 0 to 1, into what sorts upwards.
func rankOf(priority float32) int {
	return 1000 - int(math.Round(1000*float64(max(0, min(1, priority)))))
}

func priorityOf(rank int) float32 { return float32(1000-rank) / 1000 }

func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// parseEntry reads what the hash urls holds of a URL; see lua/common.lua. Entries of an
// older plat have its crawl plan too, which the archive knows as well.
func parseEntry(url, entry string) (e Entry, err error) {
	f := strings.SplitN(entry, " ", 9)
	if len(f) < 6 || len(f[0]) != 1 || stateNames[f[0][0]] == "" {
		return e, fmt.Errorf("queue: %s has the entry %q, which this version does not write", url, entry)
	}
	var n [4]int64
	for i := range n {
		if n[i], err = strconv.ParseInt(f[i+1], 10, 64); err != nil {
			return e, fmt.Errorf("queue: %s has the entry %q: %w", url, entry, err)
		}
	}
	return Entry{URL: url, State: stateNames[f[0][0]], Due: time.UnixMilli(n[0]).UTC(), Attempt: int(n[1]), Throttled: int(n[2]), Priority: priorityOf(int(n[3]))}, nil
}
