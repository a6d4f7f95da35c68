package browser

import (
	"context"
	"fmt"
	"log/slog"
	"os"
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
		level := slog.LevelWarn
		if noted(o.StateDir, "sandbox-off") {
			level = slog.LevelDebug
		}
		o.Log.Log(ctx, level, "running as root: Chrome's sandbox is off; run as another user to have it")
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

	// Document is the document of the page, in place of the server's response. Nil: it is requested.
	Document *Document

	// Recording has the responses to all requests of the page, which reaches no address. The guard must have
	// [egress.Options.Recorded]. Nil: the network has them.
	Recording egress.Recording

	// inspect, in tests, receives the page while it is still open.
	inspect func(context.Context, *visit, *plat.Snapshot) error
}

// A Document is the HTML of a page, given instead of requested from URL. The page does not leave it:
// navigations to different documents are cancelled. Such a page has a separate tab.
type Document struct {
	// Type is the value of Content-Type: text/html or application/xhtml+xml, with the charset if known.
	Type string

	// HTML has at most [MaxDocument] bytes.
	HTML []byte

	// Offline refuses every request of the page, so that it gets no style sheets, scripts and images
	// but those in the document.
	Offline bool
}

// MaxDocument is the most bytes of a document that is given: Chrome accepts messages of 100 MB.
const MaxDocument = 32 << 20

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
	if d := r.Document; d != nil && len(d.HTML) > MaxDocument {
		err := &settle.TooLargeError{Verb: "has", Limit: MaxDocument, Unit: "bytes of HTML"}
		return nil, &plat.VisitError{Outcome: plat.OutcomeTooLarge, Err: err}
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
	own := !r.Clock.IsZero() || r.Seed != 0 || r.Document != nil
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
