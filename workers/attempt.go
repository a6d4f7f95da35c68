package workers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"plat/browser/fetch"
	"plat/plat"
	"plat/queue/schedule"
)

// attempt is one try at a job: its input, and the lessons that its stages add.
type attempt struct {
	plat.Job
	state  plat.URLState // of the URL in the archive, before the attempt
	memory plat.Memory   // decoded from that state
	start  time.Time     // by this machine's clock

	delay   time.Duration // between two requests to the host (politeness)
	lessons lessons       // for later visits

	// shared is the budget and site data that URLs have in common, nil if the URL has none; learned is
	// the visit's addition to that.
	shared  *schedule.Shared
	learned schedule.Learned

	// crawl, if not nil, is the crawl that the page's links are added to. robots, if not nil, reports
	// whether the URL may be visited; a crew asks before the attempt.
	crawl  expander
	robots obeyer

	// final says that a failure of this attempt ends the job, except with
	// retryThrottled one that the host has throttled (429, 503).
	final          bool
	retryThrottled bool

	end end // set by the verdict of a crew
}

// An end is how an attempt at a job has ended.
type end int

const (
	interrupted end = iota // given back, or settled before
	done                   // the job is settled
	again                  // the attempt failed, and the job is tried again
)

// lessons are the results of a visit that later visits of the URL need. They are stored with a visit of a page, and
// with a failure after which the job is not tried again; not with an alias or an unwanted page, whose URL is not
// visited again.
type lessons struct {
	notBefore time.Time // the host asks for no request before, by Retry-After or the freshness of the page
	suspicion suspicion
	mask      *string // of self-changes, encoded; nil: unchanged
}

// addMask adds the mask of self-changes.
func (l *lessons) addMask(n *news) {
	if n.mask != nil {
		l.mask = n.mask
	}
}

// newAttempt decodes the Memory of earlier visits. It is only a cache: if it cannot
// be decoded, it is empty.
func newAttempt(job plat.Job, state plat.URLState, start time.Time) *attempt {
	a := &attempt{Job: job, state: state, start: start}
	a.memory, _ = plat.DecodeMemory(state.Memory)
	return a
}

// requested returns the page's URL as browsers request it.
func (a *attempt) requested() string { return cmp.Or(a.Spelling, a.URL) }

// first reports whether it is the first visit of a URL, or if only suspicious answers came before.
func (a *attempt) first() bool {
	return a.state.Head == 0 && (a.state.Visits == 0 || a.memory.Doubt != "")
}

// settles reports whether a failed attempt settles the job.
func (a *attempt) settles(r *Report) bool {
	return !r.Retry || a.final && !(a.retryThrottled && r.PutOff)
}

// stateOf returns the archive's state of a URL, or one with only the URL if it is
// unknown.
func (w *Worker) stateOf(ctx context.Context, url string) (plat.URLState, error) {
	state, err := w.store.State(ctx, url)
	if errors.Is(err, plat.ErrNotFound) {
		return plat.URLState{URL: url}, nil
	}
	if err != nil {
		return state, fmt.Errorf("load the state: %w", err)
	}
	return state, nil
}

// try makes one attempt at a job; Visit is a job with a single one.
func (w *Worker) try(ctx context.Context, a *attempt) (Report, error) {
	r := Report{URL: a.URL, Stages: map[string]float64{}}
	err := guarded(func() error { return w.visit(ctx, a, &r) })
	r.Duration = w.now().Sub(a.start)
	if err == nil {
		return r, nil
	}
	var failed *plat.VisitError
	switch {
	case ctx.Err() != nil:
		r.Outcome, r.Retry = plat.OutcomeInterrupted, true
		return r, err // shutting down: not the page's failure, nothing to record
	case !errors.As(err, &failed):
		r.Outcome, r.Retry = plat.OutcomeError, true
		return r, err
	}
	if lost := w.fail(ctx, a, &r, failed); lost != nil {
		return r, lost
	}
	return r, err
}

// fail records a visit that ended without a page, with its lessons if the job is not tried again. The error is the
// store's.
func (w *Worker) fail(ctx context.Context, a *attempt, r *Report, err *plat.VisitError) error {
	r.Outcome, r.Retry = err.Outcome, err.Retry
	r.PutOff = r.Status == 429 || r.Status == 503 || errors.Is(err, fetch.ErrRobotsUnreachable)
	v := plat.Visit{URL: a.URL, Time: w.fleetTime(a.start), Rest: a.delay, Outcome: r.Outcome, Status: r.Status, Duration: r.Duration, Error: err.Err.Error(), Unkept: a.Kind == plat.FetchJob}
	if a.settles(r) {
		w.plan(a, &v, "", nil, r)
		if lost := w.reportFailure(ctx, a, r.Outcome); lost != nil {
			r.Outcome, r.Retry = plat.OutcomeError, true
			return fmt.Errorf("answer the focused crawls (%v): %w", err, lost)
		}
	}
	lost := w.store.Record(ctx, v, 0)
	if r.settledBy(lost) {
		return nil
	}
	r.Next = v.Next
	if lost != nil {
		// No longer the page's failure: it must be visited again.
		r.Outcome, r.Retry, r.PutOff, r.Next = plat.OutcomeError, true, false, time.Time{}
		return fmt.Errorf("record the visit (%v): %w", err, lost)
	}
	return nil
}

// guarded turns a panic into an error: a bug that one page triggers must not end all
// visits.
func guarded(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("a bug in plat, please report it with the URL: %v\n%s", p, debug.Stack())
		}
	}()
	return f()
}
