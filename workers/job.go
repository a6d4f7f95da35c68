package workers

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"plat/plat"
	"plat/queue"
	"plat/queue/schedule"
	"plat/storage"
)

// job processes a leased job and returns how to end the lease.
func (c *Crew) job(ctx context.Context, l *queue.Lease) verdict {
	// A crashed worker may have settled it without ending the lease.
	state, err := c.worker.stateOf(ctx, l.URL)
	if err != nil {
		return c.storeFailed(ctx, l, err)
	}
	c.markUp(theStore)
	if !state.Settled.Before(l.Due) {
		c.o.Metrics.repeated.Inc()
		return c.done(l, 0) // nothing was requested from the host
	}
	if state.Due.IsZero() && !state.Settled.IsZero() || state.Due.After(l.Due) {
		return c.done(l, 0) // its schedule has changed since it was queued
	}
	job := plat.Job{URL: l.URL, Due: l.Due, Priority: l.Priority, Plan: state.Plan}
	a := newAttempt(job, state, c.worker.now())
	a.crawl, a.final, a.retryThrottled = c, l.Attempt >= c.queue.Attempts(), l.Throttled < c.o.MaxThrottled
	a.delay = c.o.Delay

	if end, err := c.spared(ctx, a, l); err != nil {
		return c.storeFailed(ctx, l, err)
	} else if end != nil {
		return end
	}
	if end := c.early(ctx, a, l); end != nil {
		return end
	}

	r := Report{URL: l.URL}
	ctx, end := jobSpan(ctx, l, job.Depth)
	err = c.prepare(ctx, l, a)
	var failed *plat.VisitError
	if err == nil {
		a.start = c.worker.now()
		r, err = c.do(ctx, a)
	} else if errors.As(err, &failed) {
		if lost := c.worker.fail(ctx, a, &r, failed); lost != nil {
			err = lost
		}
	}
	if r.Outcome == "" {
		r.Outcome = plat.OutcomeError // internal, before the visit
	}
	end(&r, err)
	c.o.Metrics.visited(&r)
	c.log(l, &r, err)
	v := c.verdict(ctx, l, a, &r, err)
	if c.o.Visited != nil && a.end != interrupted {
		c.o.Visited(Visited{Job: job, Report: &r, Err: err, Tries: l.Attempt + l.Throttled, Again: a.end == again})
	}
	return v
}

// storeFailed ends the lease of a job for which the archive could not be read.
func (c *Crew) storeFailed(ctx context.Context, l *queue.Lease, err error) verdict {
	if c.waited(ctx, err) {
		return c.back(l, max(c.o.Delay, time.Second))
	}
	return c.failed(l, &plat.VisitError{Outcome: plat.OutcomeError, Retry: true, Err: err}, c.backoff(l.Attempt), c.o.Delay)
}

// prepare decides whether a job may be done at all, and sets the delay of its host.
func (c *Crew) prepare(ctx context.Context, l *queue.Lease, a *attempt) error {
	if n := c.queue.Attempts(); l.Attempt > n {
		return &plat.VisitError{Outcome: plat.OutcomeCrashed, Err: fmt.Errorf("%d workers in a row crashed or hung while visiting it", n)}
	}
	err := span(ctx, "robots", func(ctx context.Context) (err error) { a.delay, err = c.fetch.Obey(ctx, a.URL); return err })
	if err == nil && c.o.Sitemaps && a.Kind == plat.RenderJob && a.Depth == 0 {
		err = c.findSitemaps(ctx, a.Job)
	}
	return err
}

// verdict says how the lease of an attempt ends that is over.
func (c *Crew) verdict(ctx context.Context, l *queue.Lease, a *attempt, r *Report, err error) verdict {
	c.teach(ctx, a, r)
	var failed *plat.VisitError
	switch {
	case ctx.Err() != nil:
		return c.back(l, a.delay)
	case r.Repeated:
		return c.done(l, a.delay)
	case err == nil:
		a.end = done
		c.crashes.Store(0)
		c.addedMeanwhile(ctx, a)
		return c.done(l, a.delay)
	case errors.Is(err, errFrontier):
		c.markDown(theQueue, err)
		return c.back(l, max(a.delay, time.Second))
	case !errors.As(err, &failed):
		// An internal error: the archive, or a bug.
		if c.waited(ctx, err) {
			return c.back(l, max(a.delay, time.Second))
		}
		failed = &plat.VisitError{Outcome: plat.OutcomeError, Retry: true, Err: err}
	}
	if failed.Outcome != plat.OutcomeCrashed {
		c.crashes.Store(0)
	} else if was := c.crashed.Swap(&l.Host); was == nil || *was != l.Host {
		c.crashes.Add(1) // repeated crashes on one host do not count
	}
	c.sites.Missed(ctx, c.visitOf(a, nil), failed.Outcome)
	if c.o.GiveUp != nil && c.o.GiveUp(err) {
		failed, r.Retry, r.PutOff = &plat.VisitError{Outcome: failed.Outcome, Err: failed.Err}, false, false
	}
	wait := max(c.backoff(l.Attempt), r.RetryAfter)
	switch {
	case a.retryThrottled && r.PutOff:
		a.end = again
		// Throttling concerns the host, not the URL: delay the whole host.
		return c.slow(l, max(r.RetryAfter, c.backoff(l.Throttled+1)))
	case !r.Next.IsZero(), a.Kind == plat.FetchJob && a.settles(r):
		a.end = done
		return c.done(l, a.delay) // it may exist again by then; sitemaps are optional
	}
	if a.end = done; failed.Retry && l.Attempt < c.queue.Attempts() {
		a.end = again
	}
	return c.failed(l, failed, wait, a.delay)
}

// addedMeanwhile schedules a visit of a URL whose schedule has changed during its visit, or of a list
// whose scope has changed while it was read, so that these take effect. Errors are
// ignored: the archive has both, and enlisting the URL again starts them.
func (c *Crew) addedMeanwhile(ctx context.Context, a *attempt) {
	state, err := c.store.State(ctx, a.URL)
	if err != nil || state.Settled.IsZero() {
		return
	}
	if a.Kind == plat.FetchJob && state.Scope != a.Scope || state.Schedule != a.Schedule && state.Schedule != (plat.Schedule{}) {
		job := plat.Job{URL: a.URL, Due: state.Settled.Add(schedule.MinInterval), Priority: state.Priority, Plan: state.Plan}
		if e, err := c.store.Enlist(ctx, []plat.Job{job}, storage.Join); err == nil {
			_ = c.offer(ctx, e.Jobs)
		}
	}
}

// do does a job of any kind. Leases, robots, politeness and retries are the same for
// all.
func (c *Crew) do(ctx context.Context, a *attempt) (r Report, err error) {
	switch a.Kind {
	case plat.FetchJob:
		err = guarded(func() error { r, err = c.fetchFile(ctx, a); return err })
		return r, err
	}
	return c.worker.try(ctx, a)
}

// Each of the following functions returns how to end a lease. Results are in the archive before the frontier
// forgets the URL.

func (c *Crew) done(l *queue.Lease, delay time.Duration) verdict {
	return c.ended(l, queue.Finished, delay)
}

func (c *Crew) back(l *queue.Lease, delay time.Duration) verdict {
	return func(ctx context.Context, _ bool) (*queue.Lease, error) { return nil, c.queue.Back(ctx, l, delay) }
}

func (c *Crew) ended(l *queue.Lease, how queue.Ending, delay time.Duration) verdict {
	return func(ctx context.Context, wanted bool) (*queue.Lease, error) {
		if wanted {
			return c.queue.EndNext(ctx, l, how, delay, c.o.Name)
		}
		return nil, c.queue.End(ctx, l, how, delay)
	}
}

// failed has a job tried again, or gives it up.
func (c *Crew) failed(l *queue.Lease, err *plat.VisitError, wait, delay time.Duration) verdict {
	d := storage.Deferral{URL: l.URL, Due: l.Due, Attempts: l.Attempt, Throttled: l.Throttled}
	if err.Retry && l.Attempt < c.queue.Attempts() {
		return c.deferred(l, d, wait, delay, c.ended(l, queue.Retried, delay))
	}
	return c.deferred(l, d, 0, delay, c.ended(l, queue.Buried, delay))
}

// slow has a job tried again when its host may be visited again; the attempt does not
// count.
func (c *Crew) slow(l *queue.Lease, wait time.Duration) verdict {
	delay := min(wait, maxRest)
	d := storage.Deferral{URL: l.URL, Due: l.Due, Attempts: l.Attempt - 1, Throttled: l.Throttled + 1}
	return c.deferred(l, d, wait, delay, c.ended(l, queue.Slowed, delay))
}

// later puts a job off that is not worth a visit now; that is no attempt.
func (c *Crew) later(l *queue.Lease, wait time.Duration) verdict {
	d := storage.Deferral{URL: l.URL, Due: l.Due, Attempts: l.Attempt - 1, Throttled: l.Throttled}
	return c.deferred(l, d, wait, 0, c.ended(l, queue.PutOff, 0))
}

// deferred puts a job off in the archive, for good if wait is 0, and then ends the
// lease. If that fails, the job goes back to the frontier.
func (c *Crew) deferred(l *queue.Lease, d storage.Deferral, wait, delay time.Duration, end verdict) verdict {
	written := false
	return func(ctx context.Context, wanted bool) (*queue.Lease, error) {
		if !written {
			now := c.worker.fleetTime(c.worker.now())
			if d.Clock = now.Add(delay); wait > 0 {
				d.At = now.Add(wait)
			}
			err := c.store.Defer(ctx, d)
			if err != nil && !errors.Is(err, plat.ErrSettled) && !errors.Is(err, plat.ErrNotFound) {
				c.o.Log.Warn("a job could not be put off in the archive", "url", l.URL, "error", err)
				end = c.back(l, max(wait, delay, time.Second))
			}
			written = true
		}
		return end(ctx, wanted)
	}
}

// waited waits while the archive is unreachable or not writable, which would waste
// every visit, and returns true. Otherwise the error concerns only this URL, and it
// returns false at once.
func (c *Crew) waited(ctx context.Context, err error) bool {
	if ctx.Err() == nil && c.store.Probe(ctx) == nil {
		return false
	}
	if ctx.Err() != nil {
		return true
	}
	c.markDown(theStore, err)
	for pause := minPause; sleep(ctx, nil, pause/2+rand.N(pause/2)); pause = min(2*pause, 10*time.Second) {
		limit, cancel := context.WithTimeout(ctx, 10*time.Second)
		err := c.store.Probe(limit)
		cancel()
		if err == nil {
			c.markUp(theStore)
			break
		}
	}
	return true
}

const (
	// maxThrottled is how often a host may throttle a URL before it counts as an
	// attempt, so that a host that always answers 429 does not keep a crawl alive.
	maxThrottled = 10
	// maxRest is the longest time for which a host's answer delays its other URLs.
	maxRest = time.Hour
)

// backoff returns an exponential backoff with jitter: half to all of a delay that
// doubles with each attempt.
func (c *Crew) backoff(attempt int) time.Duration {
	d := c.o.RetryDelay
	for range min(attempt-1, 30) {
		d = min(2*d, c.o.MaxRetryDelay)
	}
	return d/2 + rand.N(d/2+1)
}

// log logs the result of a visit.
func (c *Crew) log(l *queue.Lease, r *Report, err error) {
	attrs := []any{"url", l.URL, "outcome", string(r.Outcome), "attempt", l.Attempt, "took", r.Duration.Round(time.Millisecond)}
	if r.Stored {
		attrs = append(attrs, "version", r.Version, "stored_bytes", r.StoredBytes)
	}
	if r.Looks > 0 {
		attrs = append(attrs, "more_looks", r.Looks)
	}
	if len(r.SelfChanges) > 0 {
		attrs = append(attrs, "by_itself", r.SelfChanges)
	}
	if r.Links > 0 {
		attrs = append(attrs, "links", r.Links)
	}
	if r.PolicyError != nil {
		c.o.Log.Warn("the schedule's policy failed; using a fixed interval instead", "url", l.URL, "next", r.Next, "error", r.PolicyError)
	}
	if err != nil {
		c.o.Log.Info("visit failed", append(attrs, "error", fmt.Sprintf("%.300s", err))...)
		return
	}
	c.o.Log.Info("visited", attrs...)
}
