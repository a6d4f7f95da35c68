package workers

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"plat/browser/revalidate"
	"plat/diff/noise"
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

// A mover is a renderer that can render with a different clock and different random numbers.
// Without one, pages with scripts are always rendered.
type mover interface {
	RenderMoved(ctx context.Context, url string, clock time.Time, seed uint64) (*plat.Snapshot, error)
}

// revalidation is the answer of a site: has the page changed since its last rendering?
type revalidation struct {
	state    *revalidate.State
	setup    revalidate.Mark
	findings *revalidate.Findings // nil: the site was not asked
}

// asked reports whether a request was sent.
func (v *revalidation) asked() bool { return v != nil && v.findings != nil }

// revalidate asks the site for the document and the files that the page loads, each only if it has changed, if the
// answers may save the rendering. The result is nil if visits without rendering are off, or if the browser's settings
// are not known yet. It adds the time to r.
func (w *Worker) revalidate(ctx context.Context, a *attempt, r *Report) (*revalidation, error) {
	o := w.opt.Skip
	if o == nil {
		return nil, nil
	}
	setup := o.Setup()
	if setup == "" {
		return nil, nil
	}
	// If its links are to be followed differently than last time, or more of it is to be kept, the page must be
	// rendered.
	marks := []string{setup, w.opt.Permission.ObeyMeta, a.Scope, strconv.Itoa(a.Depth)}
	if c := w.opt.Capture; c.Pictures || c.Resources != "" {
		marks = append(marks, strconv.FormatBool(c.Pictures), string(c.Resources))
	}
	v := &revalidation{state: &revalidate.State{}, setup: revalidate.MarkOf(marks...)}
	if s, err := revalidate.Decode([]byte(a.memory.Skip)); err == nil {
		v.state = s
	}
	_, provable := w.render.(mover)
	if v.state.Asks(a.state.Head, v.setup, provable) {
		err := span(ctx, "check", func(ctx context.Context) (err error) {
			v.findings, err = o.Check.Check(ctx, a.requested(), v.state, a.state.Last)
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("ask whether the page has changed: %w", err)
		}
	}
	r.Stages["check"] = w.now().Sub(a.start).Seconds()
	return v, nil
}

// maySkip reports whether the visit can end without rendering: nothing has changed, its scripts are proven to need
// nothing else, and it is not one of the few that are rendered to make sure. A page that a focused crawl waits for must
// be read.
func (w *Worker) maySkip(a *attempt, v *revalidation) bool {
	if v == nil || a.Focus != "" {
		return false
	}
	chance := rand.Float64
	if w.opt.Skip.Chance != nil {
		chance = w.opt.Skip.Chance
	}
	return revalidate.Decide(v.state, v.findings, chance())
}

// storeSkipped records a visit without rendering.
func (w *Worker) storeSkipped(ctx context.Context, a *attempt, c *revalidation, r *Report) error {
	a.lessons.suspicion = suspicion{checked: true} // it is the page
	if mask, err := noise.DecodeMask(a.memory.Noise); err == nil && mask.Skipped() {
		text := mask.Encode()
		a.lessons.mask = &text
	}
	next := c.state.Skipped(c.findings)
	r.Outcome, r.Version, r.Status, r.PageBytes, r.Skipped = plat.OutcomeUnchanged, next.Version, http.StatusOK, next.PageBytes, true
	v := plat.Visit{URL: a.URL, Time: w.fleetTime(a.start), Rest: a.delay, Outcome: r.Outcome, Version: r.Version, Status: r.Status, Duration: w.now().Sub(a.start), Skipped: true}
	w.plan(a, &v, string(next.Encode()), nil, r)
	began := w.now()
	defer func() { r.Stages["store"] = w.now().Sub(began).Seconds() }()
	return w.record(ctx, v, next.PageBytes, r)
}

// learnSkip returns the skipping part of the Memory after a rendered visit; version is
// the one found or about to be stored.
func (w *Worker) learnSkip(ctx context.Context, a *attempt, p *result, version int) string {
	if p.check == nil {
		return ""
	}
	seen := revalidate.Observe(p.snap)
	seen.Version, seen.PageBytes, seen.Setup, seen.Changed = version, p.page.bytes, p.check.setup, p.page.differs
	next, prove := revalidate.Learn(p.check.state, p.check.findings, seen)
	if prove {
		if m, ok := w.render.(mover); ok {
			next.Prove(w.prove(ctx, m, a, p, seen))
		}
	}
	return string(next.Encode())
}

// prove renders a page with a different clock and different random numbers, and compares the
// result.
func (w *Worker) prove(ctx context.Context, m mover, a *attempt, page *result, seen revalidate.Rendering) (p revalidate.Proof) {
	// A failure must not lose the visit that it belongs to.
	_ = span(ctx, "prove", func(ctx context.Context) error {
		snap, err := m.RenderMoved(ctx, a.requested(), revalidate.OtherTime(w.now()), rand.Uint64()|1)
		if err != nil || Refuse(snap) != nil {
			return err
		}
		snap.URL = a.URL
		moved, err := w.segment(snap, page.page.how, page.page.others)
		if err != nil {
			return err
		}
		if err := w.compare(ctx, moved, page.last); err != nil {
			return err
		}
		p = revalidate.Compare(seen, revalidate.Observe(snap), moved.differs)
		return nil
	})
	return p
}
