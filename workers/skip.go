package workers

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"plat"
	"plat/revalidate"
)

// Skipping says how visits may end without a rendering: see package revalidate.
type Skipping struct {
	// Check asks the site.
	Check checker

	// Setup names everything that decides how a page looks to this worker: browser,
	// window, languages, headers. Where it is another than at the last rendering, the
	// page is rendered. Empty: not known just now.
	Setup func() string

	// Chance draws a number from 0 up to 1; nil: at random.
	Chance func() float64
}

// A checker asks a site whether what a page was made of is still the same.
type checker interface {
	Check(ctx context.Context, url string, s *revalidate.State, last time.Time) (*revalidate.Findings, error)
}

// A mover is a renderer that can render with another clock and other random numbers.
// Without one, pages with scripts are always rendered.
type mover interface {
	RenderMoved(ctx context.Context, url string, clock time.Time, seed uint64) (*plat.Snapshot, error)
}

// recheck is what is known of a page before it is rendered.
type recheck struct {
	state    *revalidate.State
	setup    revalidate.Mark
	findings *revalidate.Findings // nil: nobody was asked
}

// check asks the site whether a page has changed, if that may save its rendering.
// The result is nil where skipping is switched off.
func (w *Worker) check(ctx context.Context, a *attempt) (*recheck, error) {
	o := w.opt.Skip
	if o == nil {
		return nil, nil
	}
	setup := o.Setup()
	if setup == "" {
		return nil, nil
	}
	// A page whose links are to be followed elsewhere than last time has to be read.
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

// skips reports whether the visit can end here.
func (w *Worker) skips(c *recheck) bool {
	chance := rand.Float64
	if w.opt.Skip.Chance != nil {
		chance = w.opt.Skip.Chance
	}
	return revalidate.Decide(c.state, c.findings, chance())
}

// skip records a visit that was not rendered.
func (w *Worker) skip(ctx context.Context, a *attempt, c *recheck, r *Report) error {
	next := c.state.Skipped(c.findings)
	r.Outcome, r.Version, r.Status, r.PageBytes, r.Skipped = plat.OutcomeUnchanged, next.Version, http.StatusOK, next.PageBytes, true
	v := plat.Visit{URL: a.URL, Time: w.fleetTime(a.start), Outcome: r.Outcome, Version: r.Version, Status: r.Status, Duration: w.now().Sub(a.start), Skipped: true}
	w.plan(a, &v, string(next.Encode()), nil, nil, r)
	began := w.now()
	defer func() { r.Stages["store"] = w.now().Sub(began).Seconds() }()
	return w.record(ctx, v, next.PageBytes, r)
}

// learnt is what a rendered visit leaves for the next: version is what it found or
// is about to store.
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

// prove renders a page with another clock and other random numbers, and looks whether
// that makes a difference.
func (w *Worker) prove(ctx context.Context, m mover, url string, now *edition, last *head, seen revalidate.Rendering) (p revalidate.Proof) {
	// A failure is no reason to lose the visit that it belongs to.
	_ = span(ctx, "prove", func(ctx context.Context) error {
		snap, err := m.RenderMoved(ctx, url, revalidate.OtherTime(w.now()), rand.Uint64()|1)
		if err != nil || refuse(snap) != nil {
			return err
		}
		moved, err := w.cut(snap, now.how)
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
