package queue

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"plat/plat"
)

// ErrNotLoader is returned to a process that is not the loader of a shard, or no
// longer; see [Queue.Window].
var ErrNotLoader = errors.New("a different process loads the window")

// LoaderTTL is the duration of the election of a loader; see [Queue.Window].
const LoaderTTL = 5 * time.Second

// batch is the number of URLs per script call: some 2 ms of the server's time.
const batch = 200

// mostLow is the number of hosts in [Window.Low].
const mostLow = 256

// Offer brings jobs that were just written to the archive into the window, if they belong there:
// those of hosts in the window, if there is room and no older job of the host with the same or a
// higher priority is left in the archive. A job that is not yet due, or of a host outside, is left
// to the archive and its loader. The higher priority wins if a URL is queued already. A zero Due
// is now.
func (q *Queue) Offer(ctx context.Context, jobs []plat.Job) error {
	args := make([][]any, len(q.keys))
	offer := func(shard int) error {
		err := q.run(ctx, offerScript, shard, args[shard]...).Err()
		args[shard] = args[shard][:0]
		if err != nil {
			return fmt.Errorf("offer to the frontier: %w", full(err))
		}
		return nil
	}
	for i := range jobs {
		j := &jobs[i]
		shard := q.ShardOf(plat.HostOf(j.URL))
		if len(args[shard]) == 0 {
			args[shard] = append(args[shard], q.shardSize(), q.perHost)
		}
		args[shard] = append(args[shard], j.URL, millis(j.Due), rankOf(j.Priority))
		if len(args[shard]) >= 2+3*batch {
			if err := offer(shard); err != nil {
				return err
			}
		}
	}
	for shard := range args {
		if len(args[shard]) > 0 {
			if err := offer(shard); err != nil {
				return err
			}
		}
	}
	return nil
}

// Announce reports that hosts have new jobs in the archive, each with the highest priority of
// these. It replaces Offer for long lists, most of whose jobs do not belong into the window: it
// costs a few commands per host, and the loader does the rest.
func (q *Queue) Announce(ctx context.Context, hosts map[string]float32) error {
	args := make([][]any, len(q.keys))
	for host, priority := range hosts {
		shard := q.ShardOf(host)
		args[shard] = append(args[shard], host, rankOf(priority))
	}
	for shard, all := range args {
		for part := range slices.Chunk(all, 2*batch) {
			if err := q.run(ctx, announceScript, shard, part...).Err(); err != nil {
				return fmt.Errorf("announce to the frontier: %w", full(err))
			}
		}
	}
	return nil
}

// LoadedJob is a job as it is in the archive.
type LoadedJob struct {
	URL       string
	Due       time.Time
	Priority  float32
	Attempts  int // visits so far
	Throttled int // how often its host delayed it
}

// HostJobs are the jobs of a host that a loader has read from the archive.
type HostJobs struct {
	Host  string
	Clock time.Time   // earliest time of a visit; zero: unchanged
	Jobs  []LoadedJob // all due; those of equal priority are visited in this order
	More  bool        // the archive has further ones that are due
	Stamp int64       // of the host before the archive was read, see [LowHost] and [HostWindow]; 0 if the host had no stamp

	PutOff int // jobs that were put off and are to be counted
}

// Load brings jobs into the window, those of a host in the given order; a host without any only
// gets its clock, and leaves the window if it has no lease. Jobs beyond the bounds are left to the
// archive. It returns the number of URLs that came in. The error is [ErrNotLoader] unless this
// process is the loader of all these hosts' shards, [ErrNone] without a frontier.
func (q *Queue) Load(ctx context.Context, hosts []HostJobs) (int, error) {
	l := loading{q: q, args: make([][]any, len(q.keys)), urls: make([]int, len(q.keys))}
	for i := range hosts {
		if err := l.put(ctx, &hosts[i]); err != nil {
			return l.added, err
		}
	}
	for shard := range l.args {
		if err := l.run(ctx, shard); err != nil {
			return l.added, err
		}
	}
	return l.added, nil
}

// loading batches hosts for the script load.
type loading struct {
	q     *Queue
	args  [][]any // of each shard's next run
	urls  []int   // in args; a host counts as one more
	added int
}

// put adds a host, in parts if its jobs are too many for one call.
func (l *loading) put(ctx context.Context, h *HostJobs) error {
	for i := range h.Jobs {
		if of := plat.HostOf(h.Jobs[i].URL); of != h.Host {
			return fmt.Errorf("load the frontier: %s is given as a URL of %q", h.Jobs[i].URL, h.Host)
		}
	}
	shard := l.q.ShardOf(h.Host)
	for jobs := h.Jobs; ; {
		part := jobs[:min(len(jobs), batch)]
		jobs = jobs[len(part):]
		rest := "all"
		switch {
		case len(jobs) > 0:
			rest = "part"
		case h.More:
			rest = "more"
		}
		if l.urls[shard]+len(part) > batch {
			if err := l.run(ctx, shard); err != nil {
				return err
			}
		}
		if len(l.args[shard]) == 0 {
			l.args[shard] = append(l.args[shard], l.q.name, l.q.shardSize(), l.q.perHost)
		}
		l.args[shard] = append(l.args[shard], h.Host, millis(h.Clock), rest, h.Stamp, h.PutOff, len(part))
		h.PutOff = 0
		for _, j := range part {
			l.args[shard] = append(l.args[shard], j.URL, millis(j.Due), rankOf(j.Priority), j.Attempts, j.Throttled)
		}
		l.urls[shard] += len(part) + 1
		if len(jobs) == 0 {
			return nil
		}
	}
}

func (l *loading) run(ctx context.Context, shard int) error {
	if len(l.args[shard]) == 0 {
		return nil
	}
	n, err := l.q.loaderRun(ctx, loadScript, shard, l.args[shard]...)
	l.args[shard], l.urls[shard] = l.args[shard][:0], 0
	l.added += n
	if err != nil {
		return fmt.Errorf("load the frontier: %w", err)
	}
	return nil
}

// Window is the state of a shard for its loader.
type Window struct {
	Shard    int
	Now      time.Time // by Redis' clock
	Queued   int       // URLs
	Hosts    int
	Room     int       // for URLs
	News     int64     // changes whenever URLs were offered of hosts that are not in the window
	Low      []LowHost // the longest first, at most 256
	LowTotal int
	Worst    float32 // lowest of the hosts' highest priorities of queued URLs; 1 if nothing is queued
	Held     bool    // no leases are granted: after a restart, or while paused
}

// LowHost is a host with few queued URLs and perhaps more in the archive.
type LowHost struct {
	Host   string
	Queued int
	Stamp  int64 // for [HostJobs]
}

// Window returns the state of a shard to its loader. It elects this process if no loader is
// elected, and extends its election by [LoaderTTL]. If a different process is the loader, it
// returns nil; without a frontier, the error is [ErrNone].
func (q *Queue) Window(ctx context.Context, shard int) (*Window, error) {
	r, err := q.run(ctx, windowScript, shard, q.name, LoaderTTL.Milliseconds(), mostLow).Slice()
	if err != nil {
		return nil, fmt.Errorf("read the window: %w", err)
	}
	switch r[0] {
	case "lost":
		return nil, ErrNone
	case "other":
		return nil, nil
	}
	n := func(i int) int64 { v, _ := r[i].(int64); return v }
	w := &Window{
		Shard: shard, Now: time.UnixMilli(n(1)).UTC(), Queued: int(n(2)), Hosts: int(n(3)), News: n(4), Held: n(5) == 1,
		LowTotal: int(n(6)), Worst: priorityOf(int(n(7))),
	}
	w.Room = max(0, q.shardSize()-w.Queued)
	for i := 8; i+2 < len(r); i += 3 {
		host, _ := r[i].(string)
		w.Low = append(w.Low, LowHost{Host: host, Queued: int(n(i + 1)), Stamp: n(i + 2)})
	}
	return w, nil
}

// HostWindow is the state of a host in the window.
type HostWindow struct {
	In     bool // the host is in the window
	Low    bool // see [LowHost]
	Queued int
	Stamp  int64 // for [HostJobs]
	Leased bool
	Urgent bool // the archive has a URL that goes before all queued ones
}

// Hosts returns the state of hosts of a shard, at most 1000, in the given order.
func (q *Queue) Hosts(ctx context.Context, shard int, hosts []string) ([]HostWindow, error) {
	if len(hosts) == 0 {
		return nil, nil
	}
	args := make([]any, len(hosts))
	for i, h := range hosts {
		args[i] = h
	}
	r, err := q.run(ctx, hostsScript, shard, args...).Int64Slice()
	if err != nil {
		return nil, fmt.Errorf("read the window: %w", err)
	}
	if len(r) != 6*len(hosts) {
		return nil, fmt.Errorf("read the window: Redis answers %d numbers for %d hosts", len(r), len(hosts))
	}
	all := make([]HostWindow, len(hosts))
	for i := range all {
		f := r[6*i:]
		all[i] = HostWindow{In: f[0] == 1, Low: f[1] == 1, Queued: int(f[2]), Stamp: f[3], Leased: f[4] == 1, Urgent: f[5] == 1}
	}
	return all, nil
}

// Limits of one call of the script evict.
const (
	mostEvicted      = 1000 // URLs, exceeded by those of one host
	mostEvictedHosts = 50
)

// Evict pushes hosts out of the window, with all of their queued URLs, until at least that many
// URLs are gone: the least urgent hosts first, but no host with a lease, and no host with a queued
// URL of priority worse or higher. It returns the number of URLs, fewer if there are not enough
// such hosts. [ErrNotLoader] and [ErrNone] as Load.
func (q *Queue) Evict(ctx context.Context, shard, urls int, worse float32) (int, error) {
	evicted := 0
	for evicted < urls {
		n, err := q.loaderRun(ctx, evictScript, shard, q.name, min(urls-evicted, mostEvicted), rankOf(worse), mostEvictedHosts)
		evicted += n
		if err != nil {
			return evicted, fmt.Errorf("evict from the frontier: %w", err)
		}
		if n == 0 {
			break
		}
	}
	return evicted, nil
}

// loaderRun runs a script of the loader, and returns the number that it answers.
func (q *Queue) loaderRun(ctx context.Context, s *redis.Script, shard int, args ...any) (int, error) {
	r, err := q.run(ctx, s, shard, args...).Slice()
	if err != nil {
		return 0, err
	}
	switch r[0] {
	case "lost":
		return 0, ErrNone
	case "refused":
		return 0, ErrNotLoader
	}
	n, _ := r[1].(int64)
	return int(n), nil
}

// Begin makes an absent, lost or older frontier grant leases, with an empty window, after hold: as
// long as an earlier lease may reserve a host, see [Queue.Hold]. It does nothing if there is a
// frontier, and otherwise returns true. The frontier has the latest format that all live workers
// understand. The error is [ErrNewer] if there is one of a newer format, which is not changed.
func (q *Queue) Begin(ctx context.Context, hold time.Duration) (bool, error) {
	all, err := q.Workers(ctx)
	if err != nil {
		return false, fmt.Errorf("begin the frontier: %w", err)
	}
	begun, format := false, formatFor(all, q.latest)
	for shard := range q.keys {
		n, err := q.run(ctx, beginScript, shard, newToken(), hold.Milliseconds(), format).Int()
		switch {
		case err != nil:
			return begun, fmt.Errorf("begin the frontier: %w", err)
		case n < 0:
			return begun, fmt.Errorf("%w: it has format %d, and this plat understands %d", ErrNewer, -n, q.latest)
		}
		begun = begun || n == 1
	}
	return begun, nil
}

// Begun reports whether there is a frontier that Begin has made, and of which Redis has lost no part.
func (q *Queue) Begun(ctx context.Context) (bool, error) {
	for shard := range q.keys {
		m, err := q.rdb.HGetAll(ctx, q.keys[shard][metaKey]).Result()
		if err != nil {
			return false, explain(q.o.URL, err)
		}
		if !isFrontier(m) {
			return false, nil
		}
	}
	return true, nil
}

// isFrontier reports whether the values of a shard's hash meta are those of a frontier, as begun in lua/common.lua does.
func isFrontier(m map[string]string) bool {
	return m["generation"] != "" && m["format"] == strconv.Itoa(Format) && m["lost"] == ""
}

// Hold returns the longest time for which a lease granted now may reserve a host: until it has
// expired, and the delay of its host has passed. Workers give up a quarter of the time before a
// lease expires.
func (q *Queue) Hold() time.Duration {
	ttl := max(q.o.TTL, q.ttl)
	return max(ttl, ttl*3/4+q.o.Rest)
}

// Clear empties the window, so that it is filled again from the archive. Leases, the
// hosts' clocks, the inbox and the paused state remain.
func (q *Queue) Clear(ctx context.Context) error {
	for shard := range q.keys {
		if err := q.run(ctx, clearScript, shard).Err(); err != nil {
			return explain(q.o.URL, err)
		}
	}
	return nil
}
