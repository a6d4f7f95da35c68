package storage

import (
	"errors"
	"fmt"
	"time"

	"plat"
)

// CheckJobs returns the first job that cannot be enlisted. It is a bug of the caller,
// and stores then enlist none of the jobs.
func CheckJobs(jobs []plat.Job) error {
	for i := range jobs {
		j := &jobs[i]
		switch {
		case j.URL == "":
			return errors.New("enlist: a job has no URL")
		case j.Due.IsZero():
			return fmt.Errorf("enlist: the job for %s has no due time", j.URL)
		case j.Priority != j.Priority:
			return fmt.Errorf("enlist: the priority of %s is not a number; write 0 to 1", j.URL)
		}
		if err := j.Plan.Check(); err != nil {
			return fmt.Errorf("enlist: %s: %w", j.URL, err)
		}
	}
	return nil
}

// Merge applies [Store.Enlist] to the state of a URL, known or new, and reports
// whether the state changed. Only jobs make a URL due or settle it, so a URL that is
// neither due nor settled has no plan yet, and its depth of 0 is not that of a seed.
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
