package crawler

import (
	"context"
	"errors"
	"sync"
	"time"

	"plat/focus"
	"plat/plat"
	"plat/storage"
)

// Assessors tells whether pages belong to the topics of crawls, as their steerers have
// published them. It is safe for concurrent use.
type Assessors struct {
	Store storage.Crawls

	mu    sync.Mutex
	known map[string]*assessed // guarded by mu
}

type assessed struct {
	assessor *focus.Assessor
	keep     bool
	read     time.Time
}

// assessorAge is how long what was read of a crawl is used: what a crawl knows of words changes
// slowly once it has some pages.
const assessorAge = 3 * time.Second

// errUnpublished says that a crawl asks for pages and has not said what it looks for, which its
// steerer does before it asks.
var errUnpublished = errors.New("the focused crawl has no report yet")

// Waits reports whether a crawl has asked for a URL and was told of no page there yet.
func (a *Assessors) Waits(ctx context.Context, crawl, url string) (bool, error) {
	p, err := a.Store.AskedFor(ctx, crawl, url)
	if errors.Is(err, plat.ErrNotFound) {
		return false, nil
	}
	return err == nil && (p.Visited.IsZero() || p.Outcome.Failed()), err
}

// Assess says whether a page belongs to the topic of a crawl, and whether the crawl wants it to
// be archived.
func (a *Assessors) Assess(ctx context.Context, crawl string, p *focus.Page) (focus.Result, bool, error) {
	x, err := a.of(ctx, crawl)
	if err != nil {
		return focus.Result{}, false, err
	}
	r := x.assessor.Assess(p)
	return r, r.Belongs || x.keep, nil
}

// Answer stores what a visit has found.
func (a *Assessors) Answer(ctx context.Context, p *plat.CrawlPage) error {
	return a.Store.Answer(ctx, p)
}

func (a *Assessors) of(ctx context.Context, id string) (*assessed, error) {
	a.mu.Lock()
	x := a.known[id]
	a.mu.Unlock()
	if x != nil && time.Since(x.read) < assessorAge {
		return x, nil
	}
	c, err := a.Store.Crawl(ctx, id)
	if err != nil {
		return nil, err
	}
	r, err := ReadReport(ctx, a.Store, id)
	if err != nil {
		return nil, err
	}
	if r == nil || len(r.Assessor) == 0 {
		return nil, errUnpublished
	}
	x = &assessed{keep: c.Keep, read: time.Now()}
	if x.assessor, err = focus.DecodeAssessor(r.Assessor); err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.known == nil || len(a.known) > 1000 {
		a.known = map[string]*assessed{}
	}
	a.known[id] = x
	return x, nil
}
