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

// Assessors decides whether pages belong to the topics of crawls, with the assessors that steerers
// have published. It is safe for concurrent use.
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

// assessorAge is the time for which an assessor is used after it was read: a crawl's knowledge of
// words changes slowly once it has some pages.
const assessorAge = 3 * time.Second

// errUnpublished means that a crawl requests pages before its steerer has published the assessor,
// which it does first.
var errUnpublished = errors.New("the focused crawl has no report yet")

// Waits reports whether a crawl has requested a URL and has no result for it yet.
func (a *Assessors) Waits(ctx context.Context, crawl, url string) (bool, error) {
	p, err := a.Store.AskedFor(ctx, crawl, url)
	if errors.Is(err, plat.ErrNotFound) {
		return false, nil
	}
	return err == nil && (p.Visited.IsZero() || p.Outcome.Failed()), err
}

// Answered returns the result that a crawl has for a URL, nil if it has none or only a failure.
func (a *Assessors) Answered(ctx context.Context, crawl, url string) (*plat.CrawlPage, error) {
	p, err := a.Store.AskedFor(ctx, crawl, url)
	if errors.Is(err, plat.ErrNotFound) || err == nil && (p.Visited.IsZero() || p.Outcome.Failed()) {
		return nil, nil
	}
	return p, err
}

// Assess decides whether a page belongs to the topic of a crawl, and whether to archive it.
func (a *Assessors) Assess(ctx context.Context, crawl string, p *focus.Page) (focus.Result, bool, error) {
	x, err := a.of(ctx, crawl)
	if err != nil {
		return focus.Result{}, false, err
	}
	r := x.assessor.Assess(p)
	return r, r.Belongs || x.keep, nil
}

// Answer stores the result of a visit.
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
