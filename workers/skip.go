package workers

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"plat/browser/revalidate"
	"plat/plat"
)

// Skipping configures visits without rendering: see package revalidate.
type Skipping struct {
	// Check revalidates with the site.
	Check checker

	// Setup identifies everything that affects how a page looks to this worker:
	// browser, window, languages, headers. If it differs from that of the last
	// rendering, the page is rendered. Empty: currently unknown.
	Setup func() string

	// Chance returns a random number in [0, 1); nil uses math/rand.
	Chance func() float64
}

// A checker asks a site whether the files of a page are unchanged.
type checker interface {
	Check(ctx context.Context, url string, s *revalidate.State, last time.Time) (*revalidate.Findings, error)
}

// A mover is a renderer that can render with another clock and other random numbers.
// Without one, pages with scripts are always rendered.
type mover interface {
	RenderMoved(ctx context.Context, url string, clock time.Time, seed uint64) (*plat.Snapshot, error)
}

// recheck is the state of a page before rendering.
type recheck struct {
	state    *revalidate.State
	setup    revalidate.Mark
	findings *revalidate.Findings // nil: not asked
}

// check asks the site whether a page has changed, if that may avoid rendering. The
// result is nil if skipping is disabled.
func (w *Worker) check(ctx context.Context, a *attempt) (*recheck, error) {
	o := w.opt.Skip
	if o == nil {
		return nil, nil
	}
	setup := o.Setup()
	if setup == "" {
		return nil, nil
	}
	// If its links are to be followed differently than last time, the page must be
	// rendered.
	c := &recheck{state: &revalidate.State{}, setup: revalidate.MarkOf(setup, w.opt.ObeyMeta, a.Scope, strconv.Itoa(a.Depth))}
	if s, err := revalidate.Decode([]byte(a.memory.Skip)); err == nil {
		c.state = s
	}
	_, provable := w.render.(mover)
	if !c.state.Asks(a.state.Head, c.setup, provable) {
		return c, nil
	}
	err := span(ctx, "check", func(ctx context.Context) (err error) {
		c.findings, err = o.Check.Check(ctx, a.URL, c.state, a.state.Last)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("ask whether the page has changed: %w", err)
	}
	return c, nil
}

// skips reports whether the visit can end without rendering.
func (w *Worker) skips(c *recheck) bool {
	chance := rand.Float64
	if w.opt.Skip.Chance != nil {
		chance = w.opt.Skip.Chance
	}
	return revalidate.Decide(c.state, c.findings, chance())
}

// skip records a visit that was not rendered.
func (w *Worker) skip(ctx context.Context, a *attempt, c *recheck, r *Report) error {
	a.judged = true // it is the page
	next := c.state.Skipped(c.findings)
	r.Outcome, r.Version, r.Status, r.PageBytes, r.Skipped = plat.OutcomeUnchanged, next.Version, http.StatusOK, next.PageBytes, true
	v := plat.Visit{URL: a.URL, Time: w.fleetTime(a.start), Rest: a.delay, Outcome: r.Outcome, Version: r.Version, Status: r.Status, Duration: w.now().Sub(a.start), Skipped: true}
	w.plan(a, &v, string(next.Encode()), nil, nil, r)
	began := w.now()
	defer func() { r.Stages["store"] = w.now().Sub(began).Seconds() }()
	return w.record(ctx, v, next.PageBytes, r)
}

// learnt returns the skipping part of the Memory after a rendered visit; version is
// the one found or about to be stored.
func (w *Worker) learnt(ctx context.Context, a *attempt, f *found, version int) string {
	c := f.asked
	if c == nil {
		return ""
	}
	seen := revalidate.Observe(f.snap)
	seen.Version, seen.PageBytes, seen.Setup, seen.Changed = version, f.now.bytes, c.setup, f.now.differs
	next, prove := revalidate.Learn(c.state, c.findings, seen)
	if prove {
		if m, ok := w.render.(mover); ok {
			next.Prove(w.prove(ctx, m, a.URL, f.now, f.last, seen))
		}
	}
	return string(next.Encode())
}

// prove renders a page with another clock and other random numbers, and compares the
// result.
func (w *Worker) prove(ctx context.Context, m mover, url string, now *edition, last *head, seen revalidate.Rendering) (p revalidate.Proof) {
	// A failure must not lose the visit that it belongs to.
	_ = span(ctx, "prove", func(ctx context.Context) error {
		snap, err := m.RenderMoved(ctx, url, revalidate.OtherTime(w.now()), rand.Uint64()|1)
		if err != nil || refuse(snap) != nil {
			return err
		}
		moved, err := w.cut(snap, now.how, now.others)
		if err != nil {
			return err
		}
		if err := w.compare(ctx, moved, last); err != nil {
			return err
		}
		p = revalidate.Compare(seen, revalidate.Observe(snap), moved.differs)
		return nil
	})
	return p
}
