package visitor

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"plat/browser"
	"plat/browser/egress"
	"plat/browser/fetch"
	"plat/focus/cloaking"
	"plat/focus/crawler"
	"plat/plat"
	"plat/queue"
	"plat/segment/label"
	"plat/storage"
	"plat/workers"
)

// Options say how pages are rendered and visited.
type Options struct {
	// Browser configures the browser. Guard is replaced; FreeMemory and
	// RecycleMemory are those of the machine unless they are set.
	Browser browser.Options

	// Egress configures the addresses that pages may reach.
	Egress egress.Options

	// Worker configures visits; [OpenRenderer] ignores it.
	// Skip and Focus are replaced, and Robots if the options have one.
	Worker workers.Options

	// Robots configures obedience to robots.txt before a page is visited, and again for the URL
	// that it redirects to. Nil: robots.txt is ignored. Crews have their own.
	Robots *fetch.Options

	// Pictures is the folder for pictures of pages on which a step failed. Empty: they
	// are not kept.
	Pictures string

	// Clock and Seed replace the clock and the random numbers of pages, to
	// compare renderings. With the zero time both are real.
	Clock time.Time
	Seed  uint64

	// AlwaysRender renders pages even if nothing that they are made of has changed.
	AlwaysRender bool

	// CheckCloaking has focused crawls find out where readers are shown other text.
	CheckCloaking bool

	// KeepParams keeps tracking parameters in URLs. A different value makes earlier validations
	// void: a page then has different links.
	KeepParams bool
}

// BrowserError says that no browser could be started.
type BrowserError struct{ Err error }

func (e *BrowserError) Error() string { return e.Err.Error() }

func (e *BrowserError) Unwrap() error { return e.Err }

// EgressError is an error in the settings of addresses that pages may reach.
type EgressError struct{ Err error }

func (e *EgressError) Error() string { return e.Err.Error() }

func (e *EgressError) Unwrap() error { return e.Err }

// Visitor visits pages with a browser. It is safe for concurrent use, except Close.
type Visitor struct {
	*workers.Worker
	render *Renderer
	store  storage.Store
	site   *http.Client // for requests without the browser, through its guard
}

// Open starts a visitor that stores pages in store, which must outlive it. The
// error is an [*EgressError], a [*BrowserError], or of the labels. Close it.
func Open(ctx context.Context, store storage.Store, o Options) (*Visitor, error) {
	r, err := OpenRenderer(ctx, o)
	if err != nil {
		return nil, err
	}
	v := &Visitor{render: r, store: store, site: r.site}
	if r.robots != nil { // the worker asks, or a crew
		o.Worker.Permission.Robots, r.robots = r.robots, nil
	}
	o.Worker.Skip = r.skipping(o, v.site)
	d, err := label.New(label.Options{})
	if err != nil {
		v.Close()
		return nil, fmt.Errorf("labels: %w", err)
	}
	if o.CheckCloaking {
		o.Worker.Focus.Cloaking = cloaking.New(v.site, d, cloaking.Options{Crawler: r.pool.UserAgent, Reader: r.pool.Reader, Language: o.Browser.Language})
	}
	v.Worker = newWorker(r, store, d, o.Worker)
	return v, nil
}

// Forbid is [Renderer.Forbid].
func (v *Visitor) Forbid(ports ...uint16) {
	v.render.Forbid(ports...)
}

// Close ends the browser, then its guard. No visit may be under way.
func (v *Visitor) Close() {
	v.render.Close()
}

// Tabs is the largest number of pages that are rendered at once.
func (v *Visitor) Tabs() int { return v.render.pool.Most() }

// Slots returns the number of visits that may wait for [Visitor.Enter] or be under way: one more than
// tabs, which is stored while all tabs render.
func (v *Visitor) Slots() int { return v.render.pool.Most() + 1 }

// Enter waits until the machine has room for one more visit; follow it by Leave. The
// error is that of ctx.
func (v *Visitor) Enter(ctx context.Context) error { return v.render.pool.Enter(ctx) }

// Stay reports whether a visit may follow in the place of one that has ended.
func (v *Visitor) Stay() bool { return v.render.pool.Stay() }

// Leave says that a visit has ended.
func (v *Visitor) Leave() { v.render.pool.Leave() }

// Yield lets only one visit begin at a time, until it is called with false.
func (v *Visitor) Yield(on bool) { v.render.pool.Yield(on) }

// Crew returns a crew that takes jobs for this visitor from a frontier. Slots, Gate,
// Memory and the tabs of its options are replaced.
func (v *Visitor) Crew(q *queue.Queue, o workers.CrewOptions) *workers.Crew {
	o.Slots, o.Gate = v.Slots(), v
	o.Worker.Tabs, o.Memory = v.Tabs(), UsedMemory
	return workers.NewCrew(v.Worker, q, v.store, v.site, o)
}

// A source has pages: a browser, or a file.
type source interface {
	Render(ctx context.Context, url string, evidence func(*plat.Snapshot) plat.Attachments) (*plat.Snapshot, error)
}

// NewWorker returns a worker that takes pages from r and keeps them in store. The
// error is of the labels.
func NewWorker(r source, store storage.Store, o workers.Options) (*workers.Worker, error) {
	d, err := label.New(label.Options{})
	if err != nil {
		return nil, fmt.Errorf("labels: %w", err)
	}
	return newWorker(r, store, d, o), nil
}

func newWorker(r source, store storage.Store, d *label.Describer, o workers.Options) *workers.Worker {
	o.Focus.Crawls = &crawler.Assessors{Store: store}
	return workers.New(r, store, d, o)
}
