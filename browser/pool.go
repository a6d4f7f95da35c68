package browser

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"plat/browser/concurrency"
	"plat/browser/devtools"
	"plat/browser/egress"
	"plat/browser/process"
	"plat/browser/settle"
	"plat/browser/tab"
	"plat/plat"
)

// Pool renders pages, as many at once as it has tabs. It is safe for concurrent
// use.
type Pool struct {
	o       Options
	turns   *concurrency.Semaphore // held by renderings while they use the browser
	visits  *concurrency.Semaphore // one more than turns; see Enter
	freed   chan struct{}          // holds a token for each slot in idle
	scale   concurrency.Scale
	closing chan struct{}
	close   func()
	network interfaces
	work    sync.WaitGroup // renderings, tabs being opened, browsers being stopped

	mu      sync.Mutex
	current *chrome  // guarded by mu; nil until it is needed again
	closed  bool     // guarded by mu: no more work may begin
	tabs    int      // guarded by mu: limit at present
	yields  bool     // guarded by mu: see Yield
	slots   int      // guarded by mu: created and not given up
	idle    []*slot  // guarded by mu
	recent  []string // guarded by mu: origins of the last pages, oldest first
	starts  sync.Mutex
}

// chrome is one running browser with the pool's counts.
type chrome struct {
	*tab.Browser
	pictures    chan struct{} // holds a token while a picture is captured
	wantPicture atomic.Int32  // pages that capture a picture or wait to

	// Guarded by Pool.mu.
	tabs    int  // open or being opened
	pages   int  // opened so far
	retired bool // no new tabs; stopped when the last one is closed
}

// start starts a browser.
func (p *Pool) start(ctx context.Context) (*chrome, error) {
	b, err := tab.Launch(ctx, p.o.tabs())
	if err != nil {
		return nil, err
	}
	return &chrome{Browser: b, pictures: make(chan struct{}, 1)}, nil
}

// slot is a lane with, most often, a tab that is ready for use. There is one slot more than tabs:
// the tab for the next page is opened while pages load.
type slot struct {
	lane *egress.Lane
	tab  *tab.Tab
	of   *chrome // the tab's
}

// New starts a browser. It first removes browsers and profiles that processes left behind when
// they died.
func New(ctx context.Context, o Options) (*Pool, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	if err := process.CleanLeftovers(); err != nil {
		o.Log.Warn("files or browsers of an earlier process remain", "error", err)
	}
	if os.Getuid() == 0 {
		o.Log.Warn("running as root: Chrome's sandbox is off; run as another user to have it")
	}
	scale := concurrency.NewScale(o.Tabs, o.FreeMemory())
	p := &Pool{
		o: o, turns: concurrency.NewSemaphore(scale.Start), visits: concurrency.NewSemaphore(scale.Start + 1),
		freed: make(chan struct{}, scale.Most+1), closing: make(chan struct{}), scale: scale, tabs: scale.Start,
	}
	unfollow, err := p.network.follow()
	if err != nil {
		o.Log.Warn("cannot watch the network interfaces; pages loaded during a change may lack files", "error", err)
		unfollow = func() {}
	}
	p.close = sync.OnceFunc(func() { close(p.closing); unfollow() })
	c, err := p.start(ctx)
	if err != nil {
		p.close()
		return nil, fmt.Errorf("browser: %w", err)
	}
	p.current = c
	if scale.Most > 1 {
		p.work.Go(p.watchLoad)
	}
	return p, nil
}

// Most returns the maximum number of pages that the pool renders at once.
func (p *Pool) Most() int { return p.scale.Most }

// Tabs returns the number of pages that the pool renders at once at present. It changes with the
// machine's load, up to [Options.Tabs].
func (p *Pool) Tabs() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.tabs
}

// Enter waits for permission to begin a visit: one more than the number of tabs, so that a page is
// stored while the next ones are rendered. Leave must follow. Render may be called without Enter;
// then only the rendering waits.
func (p *Pool) Enter(ctx context.Context) error { return p.visits.Acquire(ctx) }

// Yield(true) lets only one visit begin at a time, to leave the machine to other work, until
// Yield(false). Visits in progress continue.
func (p *Pool) Yield(on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.yields = on
	p.visits.Resize(p.mostVisits())
}

// mostVisits returns the maximum number of visits at present. The caller holds mu.
func (p *Pool) mostVisits() int {
	if p.yields {
		return 1
	}
	return p.tabs + 1
}

// Stay reports whether a next visit may begin in place of a finished one: not if the number of
// visits is to shrink.
func (p *Pool) Stay() bool { return p.visits.Fits() }

// Leave ends a visit.
func (p *Pool) Leave() { p.visits.Release() }

// resize changes the number of tabs, up to Most.
func (p *Pool) resize(n int) {
	p.mu.Lock()
	was := p.tabs
	p.tabs = n
	p.visits.Resize(p.mostVisits())
	p.mu.Unlock()
	if n == was {
		return
	}
	p.o.Log.Debug("tabs", "now", n, "before", was)
	p.turns.Resize(n)
}

// Browser returns the product and version of the running browser, as
// "HeadlessChrome/156.0.8078.73"; empty while no browser runs.
func (p *Pool) Browser() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.current == nil {
		return ""
	}
	return p.current.Product
}

// Reader returns the user agent of a desktop browser of this version; empty while no browser runs.
func (p *Pool) Reader() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.current == nil {
		return ""
	}
	return p.current.Reader()
}

// UserAgent is the name that pages see; empty while no browser runs.
func (p *Pool) UserAgent() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.current == nil {
		return p.o.UserAgent
	}
	return p.current.UserAgent()
}

// Close interrupts all renderings and removes the browsers with their files. It returns when that
// is done. It may be called several times.
func (p *Pool) Close() error {
	p.close()
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.work.Wait()
	p.mu.Lock()
	idle := p.idle
	p.idle = nil
	p.mu.Unlock()
	for _, s := range idle {
		if s.tab != nil {
			p.release(s.of)
		}
		s.lane.Close()
	}
	p.mu.Lock()
	c := p.current
	p.current = nil
	p.mu.Unlock()
	if c != nil {
		c.Stop()
	}
	return nil
}

// begin counts a piece of work, and reports whether it may still begin.
func (p *Pool) begin() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	p.work.Add(1)
	return true
}

// scope is a context that also ends when the pool is closed.
func (p *Pool) scope(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	p.work.Go(func() {
		select {
		case <-p.closing:
			cancel(tab.ErrClosing)
		case <-done:
		}
	})
	return ctx, sync.OnceFunc(func() { close(done); cancel(context.Canceled) })
}

// acquire returns a browser for one more tab, starting one if need be.
func (p *Pool) acquire(ctx context.Context) (*chrome, error) {
	if c := p.take(); c != nil {
		return c, nil
	}
	p.starts.Lock() // one at a time
	defer p.starts.Unlock()
	if c := p.take(); c != nil {
		return c, nil
	}
	c, err := p.start(ctx)
	if err != nil {
		return nil, err
	}
	p.o.Log.Info("browser started", "product", c.Product)
	p.mu.Lock()
	p.current = c
	c.tabs++
	c.pages++
	p.mu.Unlock()
	return c, nil
}

// take counts a tab of the current browser, unless that browser is to be replaced.
func (p *Pool) take() *chrome {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.current
	if c == nil {
		return nil
	}
	why := p.worn(c)
	if why == "" {
		c.tabs++
		c.pages++
		return c
	}
	p.retire(c, why)
	return nil
}

// worn returns why a browser should get no more pages, "" if it should. mu is held.
func (p *Pool) worn(c *chrome) string {
	switch {
	case !c.Running():
		return "it has ended"
	case c.pages >= p.o.RecyclePages:
		return "it has had its pages"
	case c.pages > 0 && c.pages%memoryEvery == 0:
		if c.Memory() > p.o.RecycleMemory {
			return "it has grown too big"
		}
	}
	return ""
}

// memoryEvery is the number of pages between two checks of memory, which read all of /proc.
const memoryEvery = 32

// retire lets no new tabs into a browser. Open tabs continue, and when the last one is closed the
// browser is stopped. mu is held.
func (p *Pool) retire(c *chrome, why string) {
	if c.retired {
		return
	}
	c.retired = true
	if p.current == c {
		p.current = nil
	}
	p.o.Log.Info("browser is replaced", "why", why, "pages", c.pages)
	if c.tabs == 0 {
		p.work.Go(c.Stop)
	}
}

// release counts a closed tab of a browser.
func (p *Pool) release(c *chrome) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c.tabs--; c.tabs == 0 && c.retired {
		p.work.Go(c.Stop)
	}
}

// ready makes sure that the slot has a tab that works.
func (p *Pool) ready(ctx context.Context, s *slot) error {
	if s.tab != nil && s.of.Running() {
		return nil
	}
	p.discard(ctx, s)
	var last error
	for range 2 { // the browser may die just now, but hardly twice in a row
		c, err := p.acquire(ctx)
		if err != nil {
			return err
		}
		t, err := c.Open(ctx, s.lane)
		if err == nil {
			s.tab, s.of = t, c
			return nil
		}
		p.mu.Lock()
		if c.Running() && ctx.Err() == nil {
			p.retire(c, "it opens no tab: "+err.Error())
		}
		p.mu.Unlock()
		p.release(c)
		if last = err; ctx.Err() != nil {
			break
		}
	}
	return fmt.Errorf("open a tab: %w", last)
}

// discard closes the slot's tab, if it has one.
func (p *Pool) discard(ctx context.Context, s *slot) {
	t, c := s.tab, s.of
	if t == nil {
		return
	}
	s.tab, s.of = nil, nil
	if err := t.Close(ctx); err != nil && c.Running() && ctx.Err() == nil {
		p.mu.Lock()
		p.retire(c, err.Error())
		p.mu.Unlock()
	}
	p.release(c)
}

// free returns a slot to the idle ones, or gives it up if there are more than needed.
func (p *Pool) free(ctx context.Context, s *slot) {
	p.mu.Lock()
	if p.slots > p.tabs+1 {
		p.slots--
		p.mu.Unlock()
		p.discard(ctx, s)
		s.lane.Close()
		return
	}
	p.idle = append(p.idle, s)
	p.mu.Unlock()
	p.freed <- struct{}{}
}

// slot returns the slot for a page of an origin: an idle one, or a new one.
func (p *Pool) slot(ctx context.Context, origin string) (*slot, error) {
	select {
	case <-p.freed:
		return p.choose(origin), nil
	default:
	}
	p.mu.Lock()
	more := p.slots < p.tabs+1
	if more {
		p.slots++
	}
	p.mu.Unlock()
	if more {
		lane, err := p.o.Guard.Lane()
		if err != nil {
			p.mu.Lock()
			p.slots--
			p.mu.Unlock()
			return nil, err
		}
		return &slot{lane: lane}, nil
	}
	select {
	case <-p.freed:
		return p.choose(origin), nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// choose removes and returns the idle slot that suits an origin best: a tab used for it, else a
// new tab, else any slot. The caller has taken a token from freed.
func (p *Pool) choose(origin string) *slot {
	p.mu.Lock()
	defer p.mu.Unlock()
	best, rank := 0, -1
	for i, s := range p.idle {
		r := 0
		switch {
		case s.tab == nil:
		case s.tab.Origin == origin:
			r = 2
		case s.tab.Origin == "":
			r = 1
		}
		if r > rank {
			best, rank = i, r
		}
	}
	s := p.idle[best]
	p.idle = slices.Delete(p.idle, best, best+1)
	return s
}

// comesAgain records a page of an origin, and reports whether a recent page had the same origin,
// so that the next one may well have it too.
func (p *Pool) comesAgain(origin string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	again := !p.o.NoReuse && slices.Contains(p.recent, origin)
	if p.recent = append(p.recent, origin); len(p.recent) > 4*p.tabs {
		p.recent = slices.Delete(p.recent, 0, 1)
	}
	return again
}

// renew prepares a slot for its next page, in the background: it clears the used tab if that is to
// be used again, or closes it and opens a new one.
func (p *Pool) renew(s *slot, again bool) {
	p.work.Add(1) // by a rendering that is counted itself
	go func() {
		defer p.work.Done()
		ctx, cancel := p.scope(context.Background())
		defer cancel()
		defer p.free(ctx, s)
		if again && s.tab != nil && s.tab.Reusable() && !p.leaving(s.of) {
			if s.tab.Clear(ctx) == nil {
				return
			}
		}
		p.discard(ctx, s)
		if ctx.Err() != nil {
			return
		}
		if err := p.ready(ctx, s); err != nil && ctx.Err() == nil {
			p.o.Log.Warn("no tab for the next page yet", "error", err)
		}
	}()
}

// leaving reports whether a browser is to be left: it is retired, or has had
// its pages.
func (p *Pool) leaving(c *chrome) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c.retired || p.worn(c) != "" {
		return true
	}
	c.pages++ // the next page, in a tab that take does not count
	return false
}

// turn is the right to render. A rendering may return it temporarily.
type turn struct {
	turns *concurrency.Semaphore
	held  bool
}

func (t *turn) take(ctx context.Context) error {
	err := t.turns.Acquire(ctx)
	t.held = err == nil
	return err
}

// give returns the turn, if it is held.
func (t *turn) give() {
	if t.held {
		t.held = false
		t.turns.Release()
	}
}

// Request is a page to render.
type Request struct {
	// URL is the canonical URL; see [plat.Canonical].
	URL string

	// Picture requests a picture of the whole page.
	Picture bool

	// Resources selects the resources of the page to capture.
	Resources plat.ResourceSet

	// Clock sets the page's time at its beginning. Zero: the current time. Such a page has a
	// separate tab.
	Clock time.Time

	// Seed, if not 0, makes the page's random numbers reproducible: Math.random and crypto. Such a
	// page has a separate tab.
	Seed uint64

	// Decide, if set, selects the attachments after the capture, while the page is still open, in
	// place of Picture and Resources. They are added to the snapshot afterwards.
	Decide func(*plat.Snapshot) plat.Attachments

	// Loads requests the list of the page's requests: see [plat.Snapshot].
	Loads bool

	// inspect, in tests, receives the page while it is still open.
	inspect func(context.Context, *visit, *plat.Snapshot) error
}

// Render loads a page and returns its snapshot. Any HTTP status is a page. Errors are
// [*plat.VisitError]; with outcomes download and unsupported the snapshot is not nil: it has no
// nodes, only the facts of the response.
func (p *Pool) Render(ctx context.Context, r Request) (*plat.Snapshot, error) {
	return p.network.loads(ctx, p.o.RenderTimeout, func() (*plat.Snapshot, error) { return p.render(ctx, r) })
}

func (p *Pool) render(ctx context.Context, r Request) (*plat.Snapshot, error) {
	u, err := visitable(r.URL)
	if err != nil {
		return nil, &plat.VisitError{Outcome: plat.OutcomeBadURL, Err: err}
	}
	if !p.begin() {
		return nil, &plat.VisitError{Outcome: plat.OutcomeInterrupted, Retry: true, Err: tab.ErrClosing}
	}
	defer p.work.Done()
	ctx, cancel := p.scope(ctx)
	defer cancel()
	turn := &turn{turns: p.turns}
	if err := turn.take(ctx); err != nil {
		return nil, visitError(err)
	}
	defer turn.give()
	origin := u.Scheme + "://" + u.Host
	again := p.comesAgain(origin)
	s, err := p.slot(ctx, origin)
	if err != nil {
		return nil, visitError(err)
	}
	defer func() { p.renew(s, again) }()
	begun := time.Now()

	ctx, stop := tab.WithLimit(ctx, p.o.RenderTimeout, "the rendering")
	defer stop()
	own := !r.Clock.IsZero() || r.Seed != 0
	again = again && !own
	if s.tab != nil && s.tab.Origin != "" && (s.tab.Origin != origin || own) {
		p.discard(ctx, s)
	}
	if err := p.ready(ctx, s); err != nil {
		return nil, visitError(fmt.Errorf("%w: %w", devtools.ErrGone, err))
	}
	v := &visit{Page: settle.New(s.tab, p.o.settling()), c: s.of, o: &p.o, request: r, turn: turn, url: u, begun: begun}
	s.tab.Origin = origin
	s.tab.Uses++
	snap, err := v.run(ctx)
	if err != nil {
		again = false // the tab may be part of the problem
		return snap, v.failed(err)
	}
	return snap, nil
}
