package window

import (
	"context"
	"errors"
	"time"

	"plat/plat"
	"plat/storage"
)

// Planner returns the time until which due jobs wait, because they are not worth a visit yet; see
// [schedule.Planner]. The result has an entry for each URL, zero if it is to be visited now. An
// error reports data that could not be read; the results then do without it.
type Planner interface {
	Waits(ctx context.Context, now time.Time, urls []*plat.URLState) ([]time.Time, error)
}

// putOff puts off the jobs that are not worth a visit yet, all together, and takes them out of
// hosts. So most decisions of a policy need neither a lease nor a read of the archive for each
// visit. It returns how many of each host were put off.
func (l *Loader) putOff(ctx context.Context, now time.Time, hosts []storage.HostJobs) (off []int, err error) {
	off = make([]int, len(hosts))
	var urls []*plat.URLState
	for i := range hosts {
		for _, j := range hosts[i].Jobs {
			if j.State != nil {
				urls = append(urls, j.State)
			}
		}
	}
	if l.planner == nil || len(urls) == 0 {
		return off, nil
	}
	waits, err := l.planner.Waits(ctx, now, urls)
	if err != nil {
		l.log.Debug("cannot read the shared data of budgets and sites", "error", err)
	}
	var all []storage.Deferral
	for i := range hosts {
		h := &hosts[i]
		kept := h.Jobs[:0]
		for _, j := range h.Jobs {
			var wait time.Time
			if j.State != nil {
				wait, waits = waits[0], waits[1:]
			}
			if wait.IsZero() {
				kept = append(kept, j)
				continue
			}
			all = append(all, storage.Deferral{URL: j.URL, Due: j.Due, At: wait, Attempts: j.Attempts, Throttled: j.Throttled, Unchanged: true})
		}
		off[i] = len(h.Jobs) - len(kept)
		h.Jobs = kept
	}
	if len(all) == 0 {
		return off, nil
	}
	err = l.archive.Defer(ctx, all...)
	if errors.Is(err, plat.ErrSettled) || errors.Is(err, plat.ErrNotFound) {
		err = nil // visited or failed in the meantime
	}
	return off, err
}
