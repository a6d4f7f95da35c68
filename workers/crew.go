package workers

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"plat"
	"plat/links"
	"plat/queue"
)

// frontier is what a crew needs of a queue; see [queue.Queue].
type frontier interface {
	leases
	seedQueue
	inbox
	Add(ctx context.Context, jobs []plat.Job) (int, error)
	Unknown(ctx context.Context, urls []string) ([]string, error)
	Rebuild(ctx context.Context, states iter.Seq2[plat.URLState, error], alone bool) (int, error)
	TTL() time.Duration
	Attempts() int
}

// leases are how jobs come and go.
type leases interface {
	Lease(ctx context.Context, worker string) (*queue.Lease, time.Duration, error)
	Beat(ctx context.Context, l *queue.Lease) error
	Done(ctx context.Context, l *queue.Lease, next time.Time, delay time.Duration) error
	Retry(ctx context.Context, l *queue.Lease, after, delay time.Duration) error
	Slow(ctx context.Context, l *queue.Lease, after, delay time.Duration) error
	Back(ctx context.Context, l *queue.Lease, delay time.Duration) error
	Bury(ctx context.Context, l *queue.Lease, letter queue.DeadLetter, delay time.Duration) error
}

// inbox is where other programs put URLs.
type inbox interface {
	Inbox(ctx context.Context, n int) ([]queue.InboxEntry, error)
	Taken(ctx context.Context, entries []queue.InboxEntry) error
	Reject(ctx context.Context, entry string, reason error) error
}

// ledger is what a crew needs of a store, beside what a visit needs.
type ledger interface {
	State(ctx context.Context, url string) (plat.URLState, error)
	States(ctx context.Context, prefix, after string) iter.Seq2[plat.URLState, error]
	Enlist(ctx context.Context, jobs []plat.Job) error
	Probe(ctx context.Context) error
}

// A fetcher gets a URL without a browser, and follows no redirects.
type fetcher interface {
	Do(r *http.Request) (*http.Response, error)
}

// CrewOptions say how a crew works. The zero value of a field is the default.
type CrewOptions struct {
	Name  string // of this worker, unlike all others'
	Slots int    // visits at once, at most; 1

	// Gate, if set, says how many of the slots may be at work now.
	Gate interface {
		Enter(ctx context.Context) error
		Leave()
	}

	// Politeness.
	Agent        string        // the product token that robots.txt knows us by: "plat"
	UserAgent    string        // the whole name that is sent for robots.txt and sitemaps
	IgnoreRobots bool          // visit what robots.txt forbids, do not ask
	Delay        time.Duration // between two visits of a host, from the end of one to the next; 1 s, negative for none
	MaxDelay     time.Duration // the most that robots.txt can ask for; 30 s, negative for none

	// Guide says which links are followed; links.InScope.
	Guide interface {
		Choose(from links.From, all []links.Link) []plat.Job
	}
	Sitemaps bool     // read those of a seed's host
	Drop     []string // query parameters that URLs lose; see plat.Canonical

	// Retries wait RetryDelay, then twice as long each time, up to MaxRetryDelay:
	// 30 s, 6 h.
	RetryDelay, MaxRetryDelay time.Duration

	// Guards say what there is not enough of; as long as one does, nothing new is
	// begun.
	Guards []func() error

	Log     *slog.Logger
	Metrics *Metrics
}

// Crew takes jobs from a frontier, visits them, and settles them, until it is
// told to stop.
type Crew struct {
	worker *Worker
	queue  frontier
	store  ledger
	fetch  fetcher
	o      CrewOptions
	rules  rulesCache

	down     map[string]*atomic.Bool // what is out of reach, for the log and for health
	crashes  atomic.Int64            // in a row, each of another host than the one before
	crashed  atomic.Pointer[string]  // host of the last
	rebuilds sync.Mutex
	rebuilt  time.Time // guarded by rebuilds
}

// errBrowser is the end of a crew whose browser fails again and again.
var errBrowser = errors.New("the browser fails again and again")

// NewCrew returns a crew that visits with w, and follows the links that it finds.
func NewCrew(w *Worker, q frontier, s ledger, f fetcher, o CrewOptions) *Crew {
	set := func(d *time.Duration, to time.Duration) {
		if *d == 0 {
			*d = to
		}
	}
	set(&o.Delay, time.Second)
	set(&o.MaxDelay, 30*time.Second)
	set(&o.RetryDelay, 30*time.Second)
	set(&o.MaxRetryDelay, 6*time.Hour)
	o.Delay, o.MaxDelay = max(0, o.Delay), max(0, o.MaxDelay)
	o.Slots = max(1, o.Slots)
	if o.Guide == nil {
		o.Guide = links.InScope{}
	}
	if o.Agent == "" {
		o.Agent = "plat"
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Metrics == nil {
		o.Metrics = NewMetrics()
	}
	c := &Crew{worker: w, queue: q, store: s, fetch: f, o: o, down: map[string]*atomic.Bool{theQueue: {}, theStore: {}, theGuards: {}}}
	return c
}

// What may be out of reach.
const (
	theQueue  = "redis"
	theStore  = "store"
	theGuards = "room" // disk or memory
)

// Ready says what keeps the crew from working, nil if nothing does.
func (c *Crew) Ready() error {
	for _, what := range []string{theQueue, theStore, theGuards} {
		if c.down[what].Load() {
			return fmt.Errorf("waiting for %s", what)
		}
	}
	return nil
}

// Run works until drain is closed: then nothing new is begun, and it returns when
// what is under way is done. When ctx ends, what is under way is given back. The
// error says why the crew could not go on, nil if it was told to stop.
func (c *Crew) Run(ctx context.Context, drain <-chan struct{}) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var slots, rest sync.WaitGroup
	for range c.o.Slots {
		slots.Go(func() {
			if err := c.slot(ctx, drain); err != nil {
				stop(err)
			}
		})
	}
	resting, done := context.WithCancel(ctx)
	rest.Go(func() { c.takeInbox(resting) })
	rest.Go(func() { c.watchGuards(resting) })
	slots.Wait()
	done()
	rest.Wait()
	if err := context.Cause(ctx); err != nil && errors.Is(err, errBrowser) {
		return err
	}
	return nil
}

// idle is how long a slot waits at most before it asks for jobs again: others
// may have added some.
const idle = time.Second

// slot leases and works, one job after another.
func (c *Crew) slot(ctx context.Context, drain <-chan struct{}) error {
	pause := minPause
	for {
		select {
		case <-drain:
			return nil
		case <-ctx.Done():
			return nil
		default:
		}
		if c.down[theGuards].Load() {
			sleep(ctx, drain, idle)
			continue
		}
		if err := c.turn(ctx, drain, &pause); err != nil {
			return err
		}
	}
}

// turn leases and works once, when the gate lets it.
func (c *Crew) turn(ctx context.Context, drain <-chan struct{}, pause *time.Duration) error {
	if c.o.Gate != nil {
		if c.o.Gate.Enter(ctx) != nil {
			return nil // we are leaving
		}
		defer c.o.Gate.Leave()
		select {
		case <-drain:
			return nil
		default:
		}
	}
	l, wait, err := c.queue.Lease(ctx, c.o.Name)
	if err == nil || errors.Is(err, queue.ErrNone) {
		*pause = minPause
		c.markUp(theQueue)
	}
	switch {
	case errors.Is(err, queue.ErrNone):
		c.rebuild(ctx)
		return nil
	case err != nil:
		// Ping may answer all the same (READONLY, OOM, half a cluster): only a
		// lease says that it works again. See lua/lease.lua for OOM.
		c.markDown(theQueue, err)
		sleep(ctx, drain, *pause/2+rand.N(*pause/2))
		*pause = min(2**pause, 10*time.Second)
		return nil
	case l == nil:
		// Not all at once, and not all of the crew.
		sleep(ctx, drain, min(wait, idle)+rand.N(20*time.Millisecond))
		return nil
	}
	c.compare(l)
	c.hold(ctx, l)
	if c.crashes.Load() >= maxCrashes {
		return errBrowser
	}
	return nil
}

// maxCrashes is how many visits in a row, each of another host than the one before,
// may end with a crash before the crew gives up: then it is not the pages.
const maxCrashes = 20

// rebuild fills a frontier that is new or lost from the archive.
func (c *Crew) rebuild(ctx context.Context) {
	began := time.Now()
	c.rebuilds.Lock()
	defer c.rebuilds.Unlock()
	if c.rebuilt.After(began) {
		return // another slot has just done it
	}
	n, err := c.queue.Rebuild(ctx, c.store.States(ctx, "", ""), false)
	if err == nil {
		c.rebuilt = time.Now()
	}
	switch {
	case ctx.Err() != nil:
	case err != nil:
		c.o.Log.Warn("the frontier could not be rebuilt", "error", err)
		sleep(ctx, nil, idle)
	case n > 0:
		c.o.Log.Info("the frontier was rebuilt from the archive", "urls", n, "took", time.Since(began).Round(time.Millisecond))
	}
}

// minPause is the first wait for what is out of reach; each is twice the last.
const minPause = 100 * time.Millisecond

// markDown notes that something is out of reach.
func (c *Crew) markDown(what string, err error) {
	if !c.down[what].Swap(true) {
		c.o.Log.Warn(what+" is out of reach; waiting", "error", err)
		c.o.Metrics.outages.WithLabelValues(what).Inc()
	}
}

// markUp notes that it is there.
func (c *Crew) markUp(what string) {
	if c.down[what].Swap(false) {
		c.o.Log.Info(what + " is back")
	}
}

// sleep waits, and reports whether it was not woken by an end.
func sleep(ctx context.Context, drain <-chan struct{}, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-drain:
		return false
	case <-ctx.Done():
		return false
	}
}
