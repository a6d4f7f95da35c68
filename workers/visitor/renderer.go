package visitor

import (
	"context"
	"net/http"
	"time"

	"plat/browser"
	"plat/browser/egress"
	"plat/browser/fetch"
	"plat/plat"
)

// Renderer renders pages: a pool of tabs behind an egress guard. It is safe for
// concurrent use, except Close.
type Renderer struct {
	guard    *egress.Guard
	site     *http.Client  // for requests without the browser, through the guard
	robots   *fetch.Client // obeyed before a page is rendered; nil: robots.txt is ignored, or the caller obeys it
	pool     *browser.Pool
	pictures string
	clock    time.Time
	seed     uint64
	loads    bool // snapshots have the requests of pages: see skipping
}

// OpenRenderer starts a browser. The error is an [*EgressError] or a [*BrowserError].
// Close it.
func OpenRenderer(ctx context.Context, o Options) (*Renderer, error) {
	if o.Browser.FreeMemory == nil {
		o.Browser.FreeMemory = func() uint64 {
			free, _ := AvailableMemory()
			return free
		}
	}
	if limit, ok := MemoryLimit(); ok && o.Browser.RecycleMemory == 0 {
		// A browser is replaced before the kernel ends it, and us with it.
		o.Browser.RecycleMemory = int64(min(4<<30, limit/5*3))
	}
	guard, err := egress.New(o.Egress)
	if err != nil {
		return nil, &EgressError{err}
	}
	o.Browser.Guard = guard
	pool, err := browser.New(ctx, o.Browser)
	if err != nil {
		guard.Close()
		return nil, &BrowserError{err}
	}
	r := &Renderer{guard: guard, site: guard.Client(), pool: pool, pictures: o.Pictures, clock: o.Clock, seed: o.Seed}
	if o.Robots != nil {
		r.robots = fetch.New(r.site, *o.Robots)
	}
	return r, nil
}

// Client returns a client that reaches the addresses that pages may reach.
func (r *Renderer) Client() *http.Client { return r.site }

// Close ends the browser, then its guard.
func (r *Renderer) Close() {
	r.site.CloseIdleConnections()
	r.pool.Close()
	r.guard.Close()
}

// Forbid closes ports of this machine to all pages, whatever is opened: those of our listeners.
func (r *Renderer) Forbid(ports ...uint16) {
	for _, p := range ports {
		r.guard.Forbid(p)
	}
}

// RenderDocument renders a document that is given, as the one at a URL. No robots.txt is asked, because the URL is not
// requested.
func (r *Renderer) RenderDocument(ctx context.Context, url string, d *browser.Document) (*plat.Snapshot, error) {
	snap, err := r.pool.Render(ctx, browser.Request{URL: url, Document: d, Clock: r.clock, Seed: r.seed})
	return snap, keepPicture(r.pictures, url, err)
}

// Render loads a page, if robots.txt allows it or is ignored; see [browser.Pool.Render]. If a step fails, the error names
// the file with the picture of the page, if such pictures are kept.
func (r *Renderer) Render(ctx context.Context, url string, evidence func(*plat.Snapshot) plat.Attachments) (*plat.Snapshot, error) {
	if r.robots != nil {
		if _, err := r.robots.Obey(ctx, url); err != nil {
			return nil, err
		}
	}
	snap, err := r.pool.Render(ctx, browser.Request{URL: url, Decide: evidence, Loads: r.loads, Clock: r.clock, Seed: r.seed})
	if err == nil && r.robots != nil {
		if final, bad := plat.Canonical(snap.FinalURL, nil); bad == nil && final != url && snap.FinalURL != url {
			if _, err := r.robots.Obey(ctx, final); err != nil {
				return nil, err
			}
		}
	}
	return snap, keepPicture(r.pictures, url, err)
}

// RenderMoved loads a page with a different clock and different random numbers.
func (r *Renderer) RenderMoved(ctx context.Context, url string, clock time.Time, seed uint64) (*plat.Snapshot, error) {
	return r.pool.Render(ctx, browser.Request{URL: url, Loads: true, Clock: clock, Seed: seed})
}
