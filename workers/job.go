package workers

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"plat"
	"plat/queue"
)

// job processes a leased job and returns how to end the lease.
func (c *Crew) job(ctx context.Context, l *queue.Lease) verdict {
	// The delay of a host that may have received a request.
	delay := c.o.Delay
	back := func(ctx context.Context) error { return c.queue.Back(ctx, l, max(delay, time.Second)) }

	// Another worker may have settled it and crashed before ending the lease.
	state, err := c.store.State(ctx, l.URL)
	if err != nil && !errors.Is(err, plat.ErrNotFound) {
		if c.waited(ctx, err) {
			return back
		}
		return c.failed(l, &plat.VisitError{Outcome: plat.OutcomeError, Retry: true, Err: err}, c.backoff(l.Attempt), delay)
	}
	c.markUp(theStore)
	if err == nil && !state.Settled.Before(l.Due) {
		c.o.Metrics.repeated.Inc()
		return c.done(l, state.Due, c.o.Delay)
	}
	if err != nil {
		state = plat.URLState{URL: l.URL} // perhaps of another archive: visit only this page
	}
	job := plat.Job{URL: l.URL, Due: l.Due, Priority: l.Priority, Plan: state.Plan}
	a := newAttempt(job, state, c.worker.now())
	a.follow, a.last, a.retryThrottled = c, l.Attempt >= c.queue.Attempts(), l.Throttled < maxThrottled

	r := Report{URL: l.URL}
	ctx, end := jobSpan(ctx, l, job.Depth)
	err = span(ctx, "robots", func(ctx context.Context) (err error) { delay, err = c.obey(ctx, job); return err })
	if err == nil && c.o.Sitemaps && job.Kind == plat.RenderJob && job.Depth == 0 {
		err = c.findSitemaps(ctx, job)
	}
	var failed *plat.VisitError
	if err == nil {
		a.start, a.delay = c.worker.now(), delay
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
	return c.verdict(ctx, l, a, &r, err, delay)
}

// verdict says how the lease of an attempt ends that is over. delay is the time that the
// host rests.
func (c *Crew) verdict(ctx context.Context, l *queue.Lease, a *attempt, r *Report, err error, delay time.Duration) verdict {
	back := func(ctx context.Context) error { return c.queue.Back(ctx, l, max(delay, time.Second)) }
	var failed *plat.VisitError
	switch {
	case ctx.Err() != nil:
		return func(ctx context.Context) error { return c.queue.Back(ctx, l, delay) }
	case r.Repeated:
		return c.done(l, r.Next, delay)
	case err == nil:
		c.crashes.Store(0)
		if r.Next.IsZero() {
			r.Next = c.scheduledMeanwhile(ctx, a)
		}
		return c.done(l, r.Next, delay)
	case errors.Is(err, errFrontier):
		c.markDown(theQueue, err)
		return back
	case !errors.As(err, &failed):
		// An internal error: the archive, or a bug.
		if c.waited(ctx, err) {
			return back
		}
		failed = &plat.VisitError{Outcome: plat.OutcomeError, Retry: true, Err: err}
	}
	if failed.Outcome != plat.OutcomeCrashed {
		c.crashes.Store(0)
	} else if was := c.crashed.Swap(&l.Host); was == nil || *was != l.Host {
		c.crashes.Add(1) // repeated crashes on one host do not count
	}
	wait := max(c.backoff(l.Attempt), r.RetryAfter)
	switch {
	case a.retryThrottled && r.PutOff:
		// Throttling concerns the host, not the URL: delay the whole host.
		rest := max(r.RetryAfter, c.backoff(l.Throttled+1))
		return func(ctx context.Context) error { return c.queue.Slow(ctx, l, rest, min(rest, maxRest)) }
	case !r.Next.IsZero(), a.Kind == plat.FetchJob && a.settles(r):
		return c.done(l, r.Next, delay) // it may exist again by then; sitemaps are optional
	}
	return c.failed(l, failed, wait, delay)
}

// scheduledMeanwhile returns the next due time of a URL without a schedule that was enqueued
// with one during its visit: it is due at once, so that the schedule begins. Zero for all
// other URLs. Errors are ignored: the archive has the schedule, and enqueuing the URL again
// starts it.
func (c *Crew) scheduledMeanwhile(ctx context.Context, a *attempt) time.Time {
	state, err := c.store.State(ctx, a.URL)
	if err != nil || !state.Due.IsZero() || state.Schedule == a.Schedule {
		return state.Due
	}
	due := state.Settled.Add(minInterval)
	if c.store.Enlist(ctx, []plat.Job{{URL: a.URL, Due: due, Priority: state.Priority, Plan: state.Plan}}) != nil {
		return time.Time{}
	}
	return due
}

// do does a job of any kind. Leases, robots, politeness and retries are the same for
// all.
func (c *Crew) do(ctx context.Context, a *attempt) (r Report, err error) {
	switch a.Kind {
	case plat.FetchJob:
		err = guarded(func() error { r, err = c.fetchFile(ctx, a); return err })
		return r, err
	}
	return c.worker.attempt(ctx, a)
}

// failed schedules a retry, or gives the URL up.
func (c *Crew) failed(l *queue.Lease, err *plat.VisitError, wait, delay time.Duration) verdict {
	if err.Retry && l.Attempt < c.queue.Attempts() {
		return func(ctx context.Context) error { return c.queue.Retry(ctx, l, wait, delay) }
	}
	letter := queue.DeadLetter{Outcome: err.Outcome, Error: err.Err.Error(), Time: time.Now().UTC().Truncate(time.Second)}
	return func(ctx context.Context) error { return c.queue.Bury(ctx, l, letter, delay) }
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

func (c *Crew) done(l *queue.Lease, next time.Time, delay time.Duration) verdict {
	return func(ctx context.Context) error { return c.queue.Done(ctx, l, next, delay) }
}

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
