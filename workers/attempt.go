package workers

import (
	"context"
	"errors"
	"fmt"
	"time"

	"plat"
)

// attempt is one try at a job.
type attempt struct {
	plat.Job
	state  plat.URLState // what the archive knows of the URL before it
	memory plat.Memory   // of that state
	start  time.Time     // by this machine's clock

	// delay is for how long the host is left alone between asking whether the page
	// has changed and loading it.
	delay time.Duration

	// follow, if not nil, is told of the page before it is stored.
	follow follower

	// last says that a failure settles the job: it is not tried once more. But with
	// retryThrottled, if the host only asks to be left alone for a while (429, 503), it
	// is.
	last           bool
	retryThrottled bool
}

// newAttempt begins with what the archive knows of the job's URL. What the visits of
// before have left is never needed: where it cannot be read, there is none.
func newAttempt(job plat.Job, state plat.URLState, start time.Time) *attempt {
	a := &attempt{Job: job, state: state, start: start}
	a.memory, _ = plat.DecodeMemory(state.Memory)
	return a
}

// settles reports whether an attempt that ended with a failure settles the job.
func (a *attempt) settles(r *Report) bool {
	return !r.Retry || a.last && !(a.retryThrottled && r.PutOff)
}

// stateOf is what the archive knows of a URL; of one that it does not know, nothing but
// that.
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
