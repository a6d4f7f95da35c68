package visitor

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"plat/browser"
	"plat/browser/egress"
	"plat/plat"
	"plat/storage"
	"plat/workers"
)

// VisitRecorded visits a page as it was recorded at a time: the visit and the page's clock begin then, and every
// response is the recording's. The options of the visitor must have Egress.Recorded. Captures of a URL are visited in the
// order of their times. A failed visit is not recorded, so that it may be repeated.
func (v *Visitor) VisitRecorded(ctx context.Context, j plat.Job, at time.Time, from egress.Recording) (workers.Report, error) {
	clock := &pastClock{at: at.UTC()}
	return v.Worker.At(clock.now, &recordedRenderer{pool: v.render.pool, from: from, clock: clock}, pastArchive{v.store}).Visit(ctx, j)
}

// A pastArchive records no failed visits.
type pastArchive struct{ storage.Store }

// Record implements the archive of a worker.
func (a pastArchive) Record(ctx context.Context, v plat.Visit, pageBytes int64) error {
	if v.Outcome.Failed() {
		return nil
	}
	return a.Store.Record(ctx, v, pageBytes)
}

// A pastClock begins at a time in the past when it is first read.
type pastClock struct {
	at    time.Time
	mu    sync.Mutex
	begun time.Time // guarded by mu
}

// now returns that time when it is first called, exactly: by it an import finds the visit again.
func (c *pastClock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.begun.IsZero() {
		c.begun = time.Now()
		return c.at
	}
	return c.at.Add(time.Since(c.begun).Truncate(time.Millisecond))
}

// A recordedRenderer renders the pages of a recording.
type recordedRenderer struct {
	pool  *browser.Pool
	from  egress.Recording
	clock *pastClock
	again atomic.Bool // the page has been rendered
}

// Render implements the renderer of a worker.
func (r *recordedRenderer) Render(ctx context.Context, url string, evidence func(*plat.Snapshot) plat.Attachments) (*plat.Snapshot, error) {
	at := r.clock.at
	if r.again.Swap(true) {
		at = r.clock.now()
	}
	dated := evidence
	if evidence != nil {
		dated = func(s *plat.Snapshot) plat.Attachments {
			s.Taken = at
			return evidence(s)
		}
	}
	s, err := r.pool.Render(ctx, browser.Request{URL: url, Decide: dated, Clock: at, Recording: r.from})
	if s != nil {
		s.Taken = at
	}
	return s, err
}
