package window

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"plat/queue"
	"plat/storage"
)

// Archive is the part of a store that a loader uses; see [storage.Jobs].
type Archive interface {
	Wake(ctx context.Context, now time.Time, limit int) (woken map[string]float32, next time.Time, err error)
	Ready(ctx context.Context, after storage.ReadyHost, limit int) ([]storage.ReadyHost, error)
	Load(ctx context.Context, now time.Time, hosts []storage.HostLimit) ([]storage.HostJobs, error)
	Defer(ctx context.Context, all ...storage.Deferral) error
}

// Frontier is the part of a queue that a loader uses; see [queue.Queue].
type Frontier interface {
	Shards() int
	ShardOf(host string) int
	PerHost() int
	Window(ctx context.Context, shard int) (*queue.Window, error)
	Hosts(ctx context.Context, shard int, hosts []string) ([]queue.HostWindow, error)
	Announce(ctx context.Context, hosts map[string]float32) error
	Load(ctx context.Context, hosts []queue.HostJobs) (int, error)
	Evict(ctx context.Context, shard, urls int, worse float32) (int, error)
}

// Pauses of a loader.
const (
	tick    = 100 * time.Millisecond // while URLs are queued: hosts run low meanwhile
	quiet   = 500 * time.Millisecond // while no URLs are queued
	idle    = time.Second            // while a different process loads, and after an error
	rescan  = time.Second            // longest time between two searches in the archive
	another = 5 * time.Millisecond   // after a tick that left something to do
	gather  = 20 * time.Millisecond  // the same, if the window is nearly full: until there is some room
)

// A tick has a time limit, because the archive may be slow: hosts that it has found wait for it to
// end, and the election of a loader lasts [queue.LoaderTTL].
const (
	wakeTime  = 100 * time.Millisecond // that waking hosts may take
	findTime  = 200 * time.Millisecond // that looking for hosts may take
	partTime  = 200 * time.Millisecond // that reading the jobs of some hosts may take
	bringTime = time.Second            // that reading the jobs of all may take
	offerTime = 10 * time.Second       // that sending put-off jobs to the frontier may take, at the end of the process

	minWake  = 8    // hosts woken per tick, at first: a woken host waits for the rest of them
	maxWake  = 1000 // at most, if the archive is fast
	maxVain  = 1000 // ticks without a pause that load nothing
	mostEach = 4    // URLs that a host gets at least, if many are loaded a second
	perLeast = 500  // URLs a second, per URL that a host gets at least
	perPage  = 256  // hosts read from the archive at a time
	maxPages = 64   // of them per tick
	minLoad  = 8    // hosts whose jobs are read at a time, at first
	maxLoad  = 64   // at most, if the archive is fast
	nearly   = 31   // a window is nearly full if its URLs exceed its room by this factor
)

// Loader fills the window of a frontier. One goroutine runs it; Nudge is safe for
// concurrent use.
type Loader struct {
	archive Archive
	queue   Frontier
	planner Planner // nil: all that is due comes into the window
	log     *slog.Logger
	nudge   chan struct{}
	loaded  func()

	shards map[int]*pass              // of each shard that it loads
	woken  int64                      // grows when hosts are woken
	untold map[int]map[string]float32 // woken hosts that are not announced yet, by shard
	wakes  int                        // hosts to wake per tick
	loads  int                        // hosts whose jobs are read at a time
	vain   int                        // ticks that read hosts and loaded nothing
	failed error                      // of announcing, in this tick
	pace   pace
	next   atomic.Int64 // when the next host wakes, in Unix milliseconds; 0: unknown, or never
}

// NewLoader returns a loader of a frontier. It calls loaded, if not nil, whenever it has
// loaded something.
func NewLoader(a Archive, q Frontier, p Planner, log *slog.Logger, loaded func()) *Loader {
	if loaded == nil {
		loaded = func() {}
	}
	return &Loader{archive: a, queue: q, planner: p, log: log, nudge: make(chan struct{}, 1), loaded: loaded, shards: map[int]*pass{}, untold: map[int]map[string]float32{}, wakes: minWake, loads: minLoad}
}

// Nudge makes the loader look for work without waiting for its next tick.
func (l *Loader) Nudge() {
	select {
	case l.nudge <- struct{}{}:
	default:
	}
}

// Next returns the time at which the next host of the archive has a job, by the frontier's clock; zero
// if none will, or if a different process loads.
func (l *Loader) Next() time.Time {
	if ms := l.next.Load(); ms != 0 {
		return time.UnixMilli(ms).UTC()
	}
	return time.Time{}
}

// Run loads until ctx ends. It logs errors and tries again.
func (l *Loader) Run(ctx context.Context) {
	failing := false
	for {
		wait, err := l.Tick(ctx)
		if ctx.Err() != nil {
			return
		}
		if err != nil && !failing {
			l.log.Warn("loading the frontier failed; retrying", "error", err)
		}
		if failing = err != nil; failing {
			wait = max(wait, tick) // other shards may be loaded
		}
		t := time.NewTimer(wait)
		select {
		case <-t.C:
		case <-l.nudge:
			t.Stop()
			if !sleep(ctx, another) { // so that several nudges count as one
				return
			}
		case <-ctx.Done():
			t.Stop()
			return
		}
	}
}

func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

// Tick loads the shards of this process once, and returns how long to wait before the next tick.
// If a shard fails, the remaining ones are still loaded.
func (l *Loader) Tick(ctx context.Context) (wait time.Duration, failed error) {
	wait = idle
	for i := range l.queue.Shards() {
		w, err := l.queue.Window(ctx, i)
		switch {
		case errors.Is(err, queue.ErrNone):
			continue // the crew begins it
		case err != nil:
			failed = errors.Join(failed, err)
			continue
		case w == nil:
			delete(l.shards, i)
			continue // a different process loads it
		}
		next, err := l.load(ctx, w)
		switch {
		case errors.Is(err, queue.ErrNotLoader), errors.Is(err, queue.ErrNone):
			delete(l.shards, i)
		case err != nil:
			failed = errors.Join(failed, err)
		default:
			wait = min(wait, next)
		}
	}
	failed, l.failed = errors.Join(failed, l.failed), nil
	return wait, failed
}

// load fills a shard, and returns how long to wait for the next time.
func (l *Loader) load(ctx context.Context, w *queue.Window) (wait time.Duration, err error) {
	next, more, err := l.wake(ctx, w.Now)
	if err != nil {
		return 0, err
	}
	l.next.Store(0)
	if !next.IsZero() {
		l.next.Store(next.UnixMilli())
	}
	l.failed = errors.Join(l.failed, l.announce(ctx))
	d, err := l.fill(ctx, w)
	// A host without work is not ready after it was read, so reading hosts is progress. The limit
	// is a safeguard against an endless loop.
	if l.vain++; d.loaded > 0 || d.put > 0 || d.read == 0 {
		l.vain = 0
	}
	switch {
	case err != nil:
		delete(l.shards, w.Shard) // start over: hosts that were not loaded must be found again
		return 0, err
	case d.nearly && d.loaded > 0 && !more:
		return gather, nil
	case d.loaded > 0, d.under, more, d.read > 0 && l.vain < maxVain:
		return another, nil
	case w.Queued > 0:
		wait = tick
	default:
		wait = quiet
	}
	if !next.IsZero() {
		wait = min(wait, max(another, next.Sub(w.Now)))
	}
	return wait, nil
}

// wake wakes hosts of the archive, as many as it can in a limited time, and reports whether there
// may be more.
func (l *Loader) wake(ctx context.Context, now time.Time) (next time.Time, more bool, err error) {
	began, limit := time.Now(), l.wakes
	woken, next, err := l.archive.Wake(ctx, now, limit)
	more = len(woken) == limit
	l.wakes = adapt(l.wakes, minWake, maxWake, time.Since(began), wakeTime, more)
	for host, urgency := range woken {
		shard := l.queue.ShardOf(host)
		if l.untold[shard] == nil {
			l.untold[shard] = map[string]float32{}
		}
		l.untold[shard][host] = urgency
	}
	if len(woken) > 0 {
		l.woken++
	}
	return next, more, err
}

// adapt returns how much to do at a time, after doing n took some time: less if that was
// too long, and more if there is more to do.
func adapt(n, least, most int, took, goal time.Duration, more bool) int {
	switch {
	case took > goal:
		return max(n/2, least)
	case more && took < goal/2:
		return min(2*n, most)
	}
	return n
}

// announce sends woken hosts to the frontier: a host in the window, even with enough URLs there,
// may have a more urgent one now. If a shard fails, its hosts are sent later.
func (l *Loader) announce(ctx context.Context) (failed error) {
	for shard, hosts := range l.untold {
		if err := l.queue.Announce(ctx, hosts); err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		delete(l.untold, shard)
	}
	return failed
}

// filled counts the results of fill.
type filled struct {
	read   int  // hosts
	loaded int  // URLs
	put    int  // off, URLs
	under  bool // there are hosts left to examine
	nearly bool // the window is nearly full
}

// fill loads hosts into a shard.
func (l *Loader) fill(ctx context.Context, w *queue.Window) (d filled, err error) {
	p := l.shards[w.Shard]
	if p == nil {
		p = &pass{}
		l.shards[w.Shard] = p
	}
	f := finder{l: l, w: w, p: p, full: w.Room == 0, most: max(1, w.Room/l.least())}
	if f.full {
		f.most = maxLoad // more urgent ones; an equal number is pushed out
	}
	if err := f.find(ctx); err != nil {
		return d, err
	}
	if f.urgent > 0 {
		n, err := l.queue.Evict(ctx, w.Shard, f.urgent, f.priority)
		if err != nil {
			return d, err
		}
		w.Room += n
	}
	if !f.full {
		f.others()
	}
	err = l.bring(ctx, w, p, f.all, f.each(), &d)
	d.under = !p.done
	d.nearly = w.Queued+d.loaded > nearly*(w.Room-d.loaded)
	return d, err
}

// bring loads each URLs of every candidate, while there are room and time, and counts them in d.
// It puts off jobs that are not worth a visit yet.
func (l *Loader) bring(ctx context.Context, w *queue.Window, p *pass, all []candidate, each int, d *filled) error {
	defer func() { p.back(all) }()
	for began := time.Now(); len(all) > 0 && d.loaded < w.Room && time.Since(began) < bringTime; {
		part := all[:min(l.loads, len(all))]
		limits := make([]storage.HostLimit, len(part))
		for i, c := range part {
			// The URLs in the window, and perhaps one that is leased, are among the first in the
			// archive.
			limit := each
			if c.in {
				limit += c.queued + 1
			}
			limits[i] = storage.HostLimit{Host: c.host, Limit: min(limit, l.queue.PerHost())}
		}
		reading := time.Now()
		got, err := l.archive.Load(ctx, w.Now, limits)
		if err != nil {
			return err
		}
		l.loads = adapt(l.loads, minLoad, maxLoad, time.Since(reading), partTime, len(part) == l.loads)
		d.read += len(got)
		off, err := l.putOff(ctx, w.Now, got)
		if err != nil {
			return err
		}
		p.load(w.Now, got)
		n, err := l.offer(ctx, queued(got, part, off))
		all = all[len(part):]
		l.pace.add(n)
		if d.loaded += n; n > 0 {
			l.loaded() // visits do not wait for the other parts
		}
		if err != nil {
			return err
		}
		for _, n := range off {
			d.put += n
		}
	}
	return nil
}

// offer loads hosts into the frontier. It counts the jobs that were put off there, even if ctx
// ends meanwhile.
func (l *Loader) offer(ctx context.Context, hosts []queue.HostJobs) (int, error) {
	if slices.ContainsFunc(hosts, func(h queue.HostJobs) bool { return h.PutOff > 0 }) {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), offerTime)
		defer cancel()
	}
	return l.queue.Load(ctx, hosts)
}

// least returns the least number of URLs loaded of a host. It is one if the loader has time, so
// that hosts come in as early as possible; a busy loader saves work with more, as it reads each
// host separately.
func (l *Loader) least() int { return min(1+l.pace.rate()/perLeast, mostEach) }

// pace counts URLs by seconds.
type pace struct {
	second      time.Time // when this one began
	now, before int       // in this second, and in the one before
}

func (p *pace) add(n int) {
	switch gone := time.Since(p.second); {
	case gone >= 2*time.Second:
		*p = pace{second: time.Now()}
	case gone >= time.Second:
		*p = pace{second: time.Now(), before: p.now}
	}
	p.now += n
}

// rate returns the number of URLs in the previous second.
func (p *pace) rate() int {
	if time.Since(p.second) >= 2*time.Second {
		return 0
	}
	return p.before
}

// queued converts jobs of the archive to those of the frontier.
func queued(all []storage.HostJobs, part []candidate, off []int) []queue.HostJobs {
	out := make([]queue.HostJobs, len(all))
	for i, h := range all {
		out[i] = queue.HostJobs{Host: h.Host, Clock: h.Clock, More: h.More, Stamp: part[i].stamp, PutOff: off[i], Jobs: make([]queue.LoadedJob, len(h.Jobs))}
		for k, j := range h.Jobs {
			out[i].Jobs[k] = queue.LoadedJob{URL: j.URL, Due: j.Due, Priority: j.Priority, Attempts: j.Attempts, Throttled: j.Throttled}
		}
	}
	return out
}
