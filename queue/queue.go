package queue

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"math"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// ErrLost is returned for an expired lease: its heartbeat came too late. A different worker may
// have repeated the visit.
var ErrLost = errors.New("the lease is lost")

// ErrConfig is returned for invalid settings, which retrying cannot fix.
var ErrConfig = errors.New("queue")

// ErrNone is returned without a frontier: it is new or of an older version, or Redis has lost its
// data. See [Queue.Begin].
var ErrNone = errors.New("there is no frontier yet, or Redis has lost it")

// ErrNewer is returned for a frontier of a newer plat's format, which this one leaves alone. Nothing is
// lost: the archive has all jobs.
var ErrNewer = errors.New("the frontier belongs to a newer plat")

// ErrFull is returned if Redis has reached its maxmemory, and so stores nothing more.
var ErrFull = errors.New("the memory of Redis is full")

// full makes an error of a full Redis an [ErrFull].
func full(err error) error {
	if err != nil && strings.Contains(err.Error(), "OOM command not allowed") {
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	return err
}

// Options configures the connection to Redis and the leases. The zero value of a
// field is its default.
type Options struct {
	// URL is redis://[user:password@]host:port/db, rediss:// for TLS, or
	// redis+cluster:// (rediss+cluster://) with the addresses of some nodes,
	// separated by commas, or redis+sentinel:// (rediss+sentinel://) with those of
	// the Sentinels, and the name of their master before the db.
	URL string

	// Dial connects to the server, if not nil: that of an embedded one ([Server.Dial]).
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)

	Prefix string // of all keys: "plat"

	// Shards is the number of parts that hosts are distributed over: 1, in a cluster
	// 16. All processes must use the same number; the first one sets it.
	Shards int

	TTL      time.Duration // of a lease without a heartbeat: 30 s
	Attempts int           // visits before a URL fails for good: 5
	Rest     time.Duration // delay of a host whose worker was lost

	// Size is the most URLs queued in all shards, and PerHost that of a host. They are
	// meant to be the same in all processes. 0: a quarter of Redis' maxmemory, at most
	// 1,000,000 URLs; 100,000 without maxmemory; 2,000 in an embedded Redis; of a host
	// an eighth of Size, 16 to 1,000.
	Size, PerHost int

	Log *slog.Logger
}

// Queue is a frontier. It is safe for concurrent use.
type Queue struct {
	o        Options
	rdb      redis.UniversalClient
	keys     [][]string    // of each shard
	batchers []batcher     // of each shard
	ttl      time.Duration // the longest TTL of all processes
	name     string        // unique to this process
	latest   int           // format of the frontier that it understands: Format, except in tests

	size, perHost int // bounds of the window; see Size and PerHost

	holdings holdings
	tallies  tallies // of budgets
}

// Open connects to Redis. The error says which setting to change; it wraps the
// client's.
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
	how, kind, err := parseURL(o.URL)
	if err != nil {
		return nil, err
	}
	if o.Shards == 0 {
		if o.Shards = 1; kind == cluster {
			o.Shards = 16
		}
	}
	if o.Shards < 0 || o.Shards > 1024 {
		return nil, fmt.Errorf("%w: %d shards: write 1 to 1024", ErrConfig, o.Shards)
	}
	if strings.ContainsAny(o.Prefix, "{}") {
		return nil, fmt.Errorf("%w: prefix %q: write it without braces, which mark the hash tags of a cluster", ErrConfig, o.Prefix)
	}
	q := &Queue{o: o, name: newToken(), latest: Format, batchers: make([]batcher, o.Shards), holdings: newHoldings(o.Shards)}
	for i := range o.Shards {
		tag := q.tag(i)
		var keys []string
		for _, name := range keyNames {
			keys = append(keys, tag+name)
		}
		q.keys = append(q.keys, keys)
	}
	how.OnConnect, how.Dialer = q.meet, o.Dial
	switch kind {
	case cluster:
		q.rdb = redis.NewClusterClient(how.Cluster())
	case sentinel:
		q.rdb = redis.NewFailoverClient(how.Failover())
	default:
		q.rdb = redis.NewClient(how.Simple())
	}
	err = q.agree(ctx)
	if err == nil {
		err = q.setSize(ctx)
	}
	if err != nil {
		q.rdb.Close()
		if errors.Is(err, ErrConfig) {
			return nil, err
		}
		return nil, explain(o.URL, err)
	}
	return q, nil
}

// keyNames are the keys of a shard in the order of KEYS; see lua/common.lua.
var keyNames = []string{
	"urls", "queue", "hosts", "waiting", "ready", "leases", "lease", "clocks", "low", "more", "meta",
	"later", "dead", // keys of an older version
}

// Indexes of keyNames.
const (
	urlsKey   = 0
	leasesKey = 5
	leaseKey  = 6
	metaKey   = 10
	oldKeys   = 11 // number of keys of an older version
)

// agree checks that all processes use the same number of shards.
func (q *Queue) agree(ctx context.Context) error {
	// A full Redis refuses to set what is set already, and only a worker that opens it empties the inbox.
	key := q.o.Prefix + ":shards"
	n, err := q.rdb.Get(ctx, key).Int()
	if err == redis.Nil {
		if err := q.rdb.SetNX(ctx, key, q.o.Shards, 0).Err(); err != nil {
			return err
		}
		n, err = q.rdb.Get(ctx, key).Int()
	}
	if err != nil {
		return err
	}
	// Grant no leases for as long as the longest earlier one may last.
	ms, err := q.rdb.Get(ctx, q.o.Prefix+":lease").Int64()
	if err != nil && err != redis.Nil {
		return err
	}
	q.ttl = max(q.o.TTL, time.Duration(ms)*time.Millisecond)
	if ms != q.ttl.Milliseconds() {
		if err := q.rdb.Set(ctx, q.o.Prefix+":lease", q.ttl.Milliseconds(), 0).Err(); err != nil {
			return err
		}
	}
	if n != q.o.Shards {
		return fmt.Errorf("%w: the frontier has %d shards, not %d; use the same number everywhere", ErrConfig, n, q.o.Shards)
	}
	return nil
}

// Close closes the connections.
func (q *Queue) Close() error { return q.rdb.Close() }

// Ping reports whether Redis answers.
func (q *Queue) Ping(ctx context.Context) error { return explain(q.o.URL, q.rdb.Ping(ctx).Err()) }

// Now returns the time by Redis' clock, in whole milliseconds, which is the time base
// of Due.
func (q *Queue) Now(ctx context.Context) (time.Time, error) {
	t, err := q.rdb.Time(ctx).Result()
	return t.UTC().Truncate(time.Millisecond), err
}

// TTL returns the duration of a lease without a heartbeat.
func (q *Queue) TTL() time.Duration { return q.o.TTL }

// Attempts returns the number of visits before a URL fails for good.
func (q *Queue) Attempts() int { return q.o.Attempts }

// ShardOf returns the shard of a host, 0 to [Queue.Shards]-1.
func (q *Queue) ShardOf(host string) int {
	if len(q.keys) == 1 {
		return 0
	}
	h := fnv.New32a()
	h.Write([]byte(host))
	return int(h.Sum32() % uint32(len(q.keys)))
}

// rankOf converts a priority, 0 to 1, to an ascending sort key.
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

// parseEntry parses an entry of the hash urls; see lua/common.lua.
func parseEntry(url, entry string) (e Entry, err error) {
	f := strings.Split(entry, " ")
	if len(f) != 6 || len(f[0]) != 1 || stateNames[f[0][0]] == "" {
		return e, fmt.Errorf("queue: %s has the entry %q, which this version does not understand", url, entry)
	}
	var n [4]int64
	for i := range n {
		if n[i], err = strconv.ParseInt(f[i+1], 10, 64); err != nil {
			return e, fmt.Errorf("queue: %s has the entry %q: %w", url, entry, err)
		}
	}
	return Entry{URL: url, State: stateNames[f[0][0]], Due: time.UnixMilli(n[0]).UTC(), Attempt: int(n[1]), Throttled: int(n[2]), Priority: priorityOf(int(n[3]))}, nil
}
