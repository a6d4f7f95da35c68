package workers

import (
	"context"
	"errors"
	"fmt"
	"time"

	"plat/plat"
	"plat/queue/schedule"
)

// attempt is one try at a job.
type attempt struct {
	plat.Job
	state  plat.URLState // what the archive knows of the URL before it
	memory plat.Memory   // decoded from that state
	start  time.Time     // by this machine's clock

	// delay is the host's politeness delay between revalidating the page and loading
	// it.
	delay time.Duration

	// noise is what the visit has learned of what the page does by itself, if it was
	// weighed.
	noise   string
	weighed bool

	// doubt is what is noted of an answer that is hardly the page, or of what failed; see
	// doubt.go. judged says that it is known, soon that the page is to be visited soon.
	doubt        string
	judged, soon bool

	// notBefore is when the host is to be asked for the page again, at the earliest; zero: it
	// does not say.
	notBefore time.Time

	// shared is what the pages of its budget and site share, if it has one; learned is what the
	// visit adds to that.
	shared  *schedule.Shared
	learned schedule.Learned

	// follow, if not nil, processes the page's links before it is stored.
	follow follower

	// robots, if not nil, is asked before the page is. A crew has asked already.
	robots obeyer

	// last says that a failure settles the job instead of being retried. With
	// retryThrottled, a visit throttled by the host (429, 503) is retried
	// nevertheless.
	last           bool
	retryThrottled bool
}

// newAttempt decodes the Memory of earlier visits. It is only a cache: if it cannot
// be decoded, it is empty.
func newAttempt(job plat.Job, state plat.URLState, start time.Time) *attempt {
	a := &attempt{Job: job, state: state, start: start}
	a.memory, _ = plat.DecodeMemory(state.Memory)
	return a
}

// first reports whether it is the first visit of a URL, but for those whose answer was doubted.
func (a *attempt) first() bool {
	return a.state.Head == 0 && (a.state.Visits == 0 || a.memory.Doubt != "")
}

// settles reports whether a failed attempt settles the job.
func (a *attempt) settles(r *Report) bool {
	return !r.Retry || a.last && !(a.retryThrottled && r.PutOff)
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
