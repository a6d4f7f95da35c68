package workers

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"plat/browser/fetch"
	"plat/browser/fetch/robots"
	"plat/plat"
	"plat/queue"
	"plat/queue/intake"
	"plat/queue/links"
	"plat/queue/schedule"
	"plat/queue/traps"
	"plat/queue/window"
	"plat/storage"
)

// frontier is the part of a queue that a crew uses; see [queue.Queue].
type frontier interface {
	leases
	intake.Inboxed
	window.Frontier
	announcer
	terms
	Begun(ctx context.Context) (bool, error)
	Begin(ctx context.Context, hold time.Duration) (bool, error)
	Share(ctx context.Context, v *schedule.Visit, l schedule.Learned) (*schedule.Shared, error)
}

// terms are those of leases.
type terms interface {
	Hold() time.Duration
	TTL() time.Duration
	Attempts() int
}

// leases grants and settles jobs.
type leases interface {
	Lease(ctx context.Context, worker string) (*queue.Lease, time.Duration, error)
	Beat(ctx context.Context, l *queue.Lease) error
	EndNext(ctx context.Context, l *queue.Lease, how queue.Ending, delay time.Duration, worker string) (*queue.Lease, error)
	Back(ctx context.Context, l *queue.Lease, delay time.Duration) error
	End(ctx context.Context, l *queue.Lease, how queue.Ending, delay time.Duration) error
	Over(l *queue.Lease)
	Rejoin(ctx context.Context, name string) (bool, error)
	Release(ctx context.Context, names []string) (bool, error)
}

// ledger is the part of a store that a crew uses in addition to archive.
type ledger interface {
	intake.Store
	window.Archive
	window.Notes
	storage.Addresses
	State(ctx context.Context, url string) (plat.URLState, error)
	Probe(ctx context.Context) error
}

// A fetcher sends HTTP requests without a browser, and does not follow redirects.
type fetcher interface {
	Do(r *http.Request) (*http.Response, error)
}

// CrewOptions configures a crew. The zero value of a field is its default.
type CrewOptions struct {
	Name  string // of this worker, unique
	Slots int    // concurrent visits, at most; 1

	// Gate, if set, limits how many of the slots are active.
	Gate interface {
		Enter(ctx context.Context) error
		Stay() bool // reports whether a visit may follow one that has ended, without Enter
		Leave()
	}

	// Politeness.
	Agent        string        // the product token for robots.txt: "plat"
	UserAgent    string        // the User-Agent header for robots.txt and sitemaps
	IgnoreRobots bool          // do not request or obey robots.txt
	Delay        time.Duration // from the end of a host's visit to its next; 1 s, negative for 0
	MaxDelay     time.Duration // limit of robots.txt's crawl-delay; 30 s, negative for 0

	// Traps says how links are guarded against traps; Rules are those of URLs.
	// MaxURLs is how many URLs of a host links may add; 0: any number.
	Traps   traps.Mode
	Rules   traps.Rules
	MaxURLs int

	// Guide selects the links to follow; links.InScope.
	Guide interface {
		Choose(from links.From, all []links.Link) []plat.Job
	}
	Sitemaps bool     // read the sitemaps of a seed's host
	Drop     []string // query parameters removed from URLs; see plat.Canonical

	// The first retry waits RetryDelay, and each further one twice as long, up to
	// MaxRetryDelay: 30 s, 6 h.
	RetryDelay, MaxRetryDelay time.Duration

	// MaxThrottled is how often a host may throttle a URL before it counts as an attempt, so that a host
	// that always answers 429 does not keep a crawl alive; 10.
	MaxThrottled int

	// GiveUp, if set, reports failures that are not tried again although a retry may succeed.
	GiveUp func(err error) bool

	// Visited, if set, receives every attempt at a job. It is called concurrently, and delays the job.
	Visited func(v Visited)

	// Guards report shortages of resources; while one returns an error, no job is
	// started.
	Guards []func() error

	// Alone says that the frontier is in this process: it ends with it, and so do all
	// leases.
	Alone bool

	// Worker is what the crew announces of this process: version, machine, tabs. Memory, if set,
	// returns its bytes in use.
	Worker queue.Worker
	Memory func() int64

	Log     *slog.Logger
	Metrics *Metrics
}

// Visited is an attempt at a job that was not interrupted.
type Visited struct {
	plat.Job
	Report *Report
	Err    error // nil: it succeeded
	Tries  int   // including this one
	Again  bool  // it failed, and is tried again
}

// Crew takes jobs from a frontier, visits them, and settles them, until it is
// stopped.
type Crew struct {
	worker *Worker
	queue  frontier
	store  ledger
	fetch  *fetch.Client
	sites  *traps.Guard
	o      CrewOptions
	seen   links.Seen
	loader *window.Loader
	bell   chan struct{}  // something may be leased
	notes  *window.Leases // nil if alone
	rejoin rejoining

	visits  atomic.Int64            // under way
	down    map[string]*atomic.Bool // unreachable services, for logs and health
	crashes atomic.Int64            // consecutive crashes on changing hosts
	crashed atomic.Pointer[string]  // host of the last crash
}

// errBrowser ends a crew whose browser crashes repeatedly.
var errBrowser = errors.New("the browser crashes repeatedly")

// NewCrew returns a crew that visits with w and follows links.
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
	if o.MaxThrottled == 0 {
		o.MaxThrottled = maxThrottled
	}
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
	c := &Crew{worker: w, queue: q, store: s, o: o, down: map[string]*atomic.Bool{theQueue: {}, theStore: {}, theGuards: {}, anUpgrade: {}}}
	w.opt.Planner.Share = q.Share
	c.fetch = fetch.New(f, fetch.Options{Agent: o.Agent, UserAgent: o.UserAgent, IgnoreRobots: o.IgnoreRobots, Delay: o.Delay, MaxDelay: o.MaxDelay,
		Answered: func(a robots.Access) { o.Metrics.robots.WithLabelValues(a.String()).Inc() }})
	c.sites = traps.NewGuard(s, reader{w}, traps.Options{Mode: o.Traps, Rules: o.Rules, MaxURLs: o.MaxURLs, Drop: o.Drop,
		Visit: c.visitAgain, Location: c.fetch.Location, Known: c.seen.Add, Now: c.fleetNow, Log: o.Log,
		Refused: func(rule string) { o.Metrics.refused.WithLabelValues(rule).Inc() }})
	c.bell = make(chan struct{}, o.Slots)
	c.loader = window.NewLoader(s, q, &w.opt.Planner, o.Log, c.ring)
	if !o.Alone {
		c.notes = window.NewLeases(s, o.Name, q.Hold(), o.Log)
	}
	return c
}

// Services that may be unreachable.
const (
	theQueue  = "redis"
	theStore  = "store"
	theGuards = "room"       // disk or memory
	anUpgrade = "an upgrade" // of this worker, as the frontier belongs to a newer plat
)

// Ready returns why the crew cannot work, nil if it can.
func (c *Crew) Ready() error {
	for _, what := range []string{theQueue, theStore, theGuards, anUpgrade} {
		if c.down[what].Load() {
			return fmt.Errorf("waiting for %s", what)
		}
	}
	return nil
}

// Underway returns the number of visits in progress.
func (c *Crew) Underway() int { return int(c.visits.Load()) }

// Next returns the time by the fleet's clock at which the next job of the archive is due; zero if
// no job is, or if a different process fills the frontier.
func (c *Crew) Next() time.Time { return c.loader.Next() }

// Run works until drain is closed: then it starts no new jobs, and returns when those
// in progress are done. When ctx ends, jobs in progress are returned to the frontier.
// The error says why the crew failed, nil if it was stopped.
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
	inbox := intake.Drainer{Store: c.store, Queue: c.queue, Drop: c.o.Drop, Taken: c.loader.Nudge, Rejected: c.o.Metrics.rejected.Inc, Log: c.o.Log}
	rest.Go(func() { inbox.Run(resting) })
	rest.Go(func() { c.watchGuards(resting) })
	if !c.o.Alone {
		rest.Go(func() { c.watchStore(resting) })
	}
	rest.Go(func() { c.announce(resting, drain) })
	rest.Go(func() { c.loader.Run(resting) })
	if c.notes != nil {
		rest.Go(func() { c.notes.Keep(resting) })
	}
	slots.Wait()
	done()
	rest.Wait()
	c.sites.Save(context.WithoutCancel(ctx))
	if err := context.Cause(ctx); err != nil && errors.Is(err, errBrowser) {
		return err
	}
	return nil
}

// idle is the longest wait before a slot asks for jobs again, because new ones may
// have been added.
const idle = time.Second

// slot leases and processes jobs, one at a time.
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

// turn leases and processes a job, when the gate permits, and those that come with its
// settlement.
func (c *Crew) turn(ctx context.Context, drain <-chan struct{}, pause *time.Duration) error {
	if c.o.Gate != nil {
		if c.o.Gate.Enter(ctx) != nil {
			return nil // shutting down
		}
		defer c.o.Gate.Leave()
		select {
		case <-drain:
			return nil
		default:
		}
	}
	if c.notes != nil && !c.notes.May() {
		c.noteLeases(ctx, drain, pause)
		return nil
	}
	c.endHold(ctx) // of one shard, while another grants leases
	l, wait, err := c.queue.Lease(ctx, c.o.Name)
	if err == nil || errors.Is(err, queue.ErrNone) {
		*pause = minPause
		c.markUp(theQueue)
	}
	if err == nil && c.down[anUpgrade].Swap(false) {
		c.o.Log.Info("the frontier has a format that this worker understands again")
	}
	switch {
	case errors.Is(err, queue.ErrNone):
		c.begin(ctx)
		return nil
	case err != nil:
		// Ping may succeed nevertheless (READONLY, OOM, half a cluster): only a lease
		// proves that the frontier works again. See lua/lease.lua for OOM.
		c.backOff(ctx, drain, pause, err)
		return nil
	case l == nil:
		c.endHold(ctx)
		// Random, so that slots and workers do not ask all at once.
		c.rest(ctx, drain, min(wait, idle)+rand.N(20*time.Millisecond))
		return nil
	}
	for l != nil {
		if c.notes != nil {
			c.notes.Taken()
		}
		c.compare(l)
		l = c.hold(ctx, l, drain)
		if c.crashes.Load() >= maxCrashes {
			return errBrowser
		}
	}
	return nil
}

// backOff waits after an error of the frontier, each time longer.
func (c *Crew) backOff(ctx context.Context, drain <-chan struct{}, pause *time.Duration, err error) {
	c.markDown(theQueue, err)
	sleep(ctx, drain, *pause/2+rand.N(*pause/2))
	*pause = min(2**pause, 10*time.Second)
}

// noteLeases begins the frontier if there is none, else the note on leases, and waits for it: soon, unless the archive
// cannot be written.
func (c *Crew) noteLeases(ctx context.Context, drain <-chan struct{}, pause *time.Duration) {
	if !c.notes.Wanted() {
		begun, err := c.queue.Begun(ctx)
		switch {
		case err != nil:
			c.backOff(ctx, drain, pause, err)
			return
		case !begun:
			c.begin(ctx)
			return
		}
		c.notes.Want()
	}
	sleep(ctx, drain, minPause/5)
}

// goesOn reports whether a slot may take its next job without waiting for its turn.
func (c *Crew) goesOn(ctx context.Context, drain <-chan struct{}) bool {
	select {
	case <-drain:
		return false
	default:
	}
	return ctx.Err() == nil && !c.down[theGuards].Load() && c.crashes.Load() < maxCrashes &&
		(c.notes == nil || c.notes.May()) && (c.o.Gate == nil || c.o.Gate.Stay())
}

// ring wakes the slots that have nothing to do.
func (c *Crew) ring() {
	for range c.o.Slots {
		select {
		case c.bell <- struct{}{}:
		default:
			return
		}
	}
}

// rest waits until something may be leased, for at most d.
func (c *Crew) rest(ctx context.Context, drain <-chan struct{}, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-c.bell:
	case <-drain:
	case <-ctx.Done():
	}
}

// maxCrashes is the number of consecutive crashes, each on a different host than the previous
// one, after which the crew gives up: then the pages are not the cause.
const maxCrashes = 20

// begin makes a new or lost frontier grant leases, when earlier ones have ended.
// Its window is filled from the archive like any other.
func (c *Crew) begin(ctx context.Context) {
	hold := time.Duration(0)
	if c.notes != nil {
		var err error
		if hold, err = c.notes.Held(ctx); err != nil {
			c.o.Log.Warn("beginning the frontier failed; retrying", "error", err)
			sleep(ctx, nil, idle)
			return
		}
	}
	begun, err := c.queue.Begin(ctx, hold)
	switch {
	case ctx.Err() != nil:
	case errors.Is(err, queue.ErrNewer):
		if !c.down[anUpgrade].Swap(true) {
			c.o.Log.Warn("this worker is too old for the frontier in Redis and takes no jobs; upgrade it. No job is lost, and the other workers go on", "error", err)
		}
		sleep(ctx, nil, idle)
	case err != nil:
		c.o.Log.Warn("beginning the frontier failed; retrying", "error", err)
		sleep(ctx, nil, idle)
	case begun:
		c.o.Log.Info("the frontier begins with an empty window", "first_lease_in", hold.Round(time.Millisecond))
		c.loader.Nudge()
	}
}

// minPause is the initial backoff for an unreachable service; it doubles each time.
const minPause = 100 * time.Millisecond

// markDown records that a service is unreachable.
func (c *Crew) markDown(what string, err error) {
	if !c.down[what].Swap(true) {
		c.o.Log.Warn(what+" is unreachable; waiting", "error", err)
		c.o.Metrics.outages.WithLabelValues(what).Inc()
	}
}

// markUp records that a service is reachable again.
func (c *Crew) markUp(what string) {
	if c.down[what].Swap(false) {
		c.o.Log.Info(what + " is reachable again")
	}
}

// sleep waits for d, and returns false if ctx or drain ended it.
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
