package workers

import (
	"context"
	"math/rand/v2"
	"time"

	"plat/plat"
	"plat/queue"
	"plat/queue/traps"
	"plat/storage/history"
)

// visitOf returns a visit for the guard of the crew. p is nil before the page is read, or if there is no page.
func (c *Crew) visitOf(a *attempt, p *result) *traps.Visit {
	v := &traps.Visit{Job: a.Job, First: a.first(), Archived: a.state.Head > 0}
	if p != nil {
		v.Last, v.Snap, v.Blocks, v.Final = p.last.version, p.snap, p.page.Blocks, finalURL(a.URL, p.snap, c.o.Drop)
	}
	return v
}

// Main returns the URL under which the page that a link has led to is archived already,
// empty if it is not.
func (c *Crew) Main(ctx context.Context, a *attempt, p *result) (string, error) {
	return c.sites.Main(ctx, c.visitOf(a, p))
}

// Learned adds a page to the properties of its site. main is the URL of Main.
func (c *Crew) Learned(ctx context.Context, a *attempt, p *result, main string) {
	c.sites.Learn(ctx, c.visitOf(a, p), main)
}

// barrenFor is the delay of a job whose pattern of URLs brings nothing.
const barrenFor = 24 * time.Hour

// spared returns how the lease ends of a job whose visit can be spared; nil: it cannot.
func (c *Crew) spared(ctx context.Context, a *attempt, l *queue.Lease) (verdict, error) {
	why, err := c.sites.Spare(ctx, c.visitOf(a, nil))
	if err != nil || why == "" {
		return nil, err
	}
	c.o.Metrics.spared.WithLabelValues(string(why)).Inc()
	switch why {
	case traps.Barren:
		return c.later(l, barrenFor+rand.N(barrenFor/4)), nil
	case traps.Redirect:
		return c.done(l, c.o.Delay), nil
	}
	return c.done(l, 0), nil // nothing was requested from the host
}

// reader lets package traps read through a worker.
type reader struct{ w *Worker }

func (r reader) State(ctx context.Context, url string) (plat.URLState, error) {
	return r.w.stateOf(ctx, url)
}

func (r reader) Last(ctx context.Context, url string) (*plat.Version, error) {
	state, err := r.w.stateOf(ctx, url)
	if err != nil {
		return nil, err
	}
	last, err := r.w.loadLast(ctx, &state)
	if err != nil {
		return nil, err
	}
	return last.version, nil
}

func (r reader) Load(ctx context.Context, blocks []plat.Block) error {
	return history.LoadAll(ctx, r.w.store, blocks)
}

func (r reader) Compare(ctx context.Context, snap *plat.Snapshot, old *plat.Version) ([]plat.Block, plat.Changes, error) {
	now, err := r.w.dividePage(ctx, snap, &lastVersion{version: old})
	if err != nil {
		return nil, plat.Changes{}, err
	}
	return now.Blocks, now.changes, nil
}
