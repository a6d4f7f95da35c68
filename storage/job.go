package storage

import (
	"errors"
	"fmt"
	"time"

	"plat"
)

// CheckJobs says which job cannot be enlisted: that is a mistake of the caller, and
// no store takes any of them.
func CheckJobs(jobs []plat.Job) error {
	for i := range jobs {
		j := &jobs[i]
		switch {
		case j.URL == "":
			return errors.New("enlist: a job without URL")
		case j.Due.IsZero():
			return fmt.Errorf("enlist: the job for %s has no time at which it is due", j.URL)
		case j.Priority != j.Priority:
			return fmt.Errorf("enlist: the priority of %s is no number; write 0 to 1", j.URL)
		}
		if err := j.Plan.Check(); err != nil {
			return fmt.Errorf("enlist: %s: %w", j.URL, err)
		}
	}
	return nil
}

// Merge enlists a job: it is what [Store.Enlist] does to the state of a URL that may
// be known already. It reports whether that changed anything. Nothing but a job
// makes a URL due or settles it, so where it neither is due nor was settled nobody
// ever said how to visit it; a depth of 0 there is not that of a seed.
func Merge(st *plat.URLState, j *plat.Job) (changed bool) {
	due, plan := time.UnixMilli(j.Due.UnixMilli()).UTC(), j.Plan
	plan.Schedule.Every = plan.Schedule.Every.Truncate(time.Millisecond)
	was := *st
	if st.Due.IsZero() && st.Settled.IsZero() {
		st.Due, st.Priority, st.Plan = due, j.Priority, plan
		return true
	}
	if ToSettle(st.Settled, due) && (st.Due.IsZero() || due.Before(st.Due)) {
		st.Due = due
	}
	st.Priority = max(st.Priority, j.Priority)
	st.Plan.Merge(plan)
	return *st != was
}
