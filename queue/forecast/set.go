package forecast

import (
	"cmp"
	"context"
	"iter"
	"time"

	"plat/plat"
	"plat/queue/schedule"
	"plat/storage"
)

// jobs is an archive whose jobs can be changed.
type jobs interface {
	archive
	Enlist(ctx context.Context, all []plat.Job, how storage.Intake) (storage.Enlisted, error)
}

var _ jobs = storage.Store(nil)

// Setter gives known URLs a new schedule.
type Setter struct {
	Archive  jobs
	Now      time.Time // by the clock of due times
	Schedule plat.Schedule
}

// Set counts URLs. Its JSON is part of the interface.
type Set struct {
	Set    int64 `json:"set"`
	AsWas  int64 `json:"as_they_were"` // they have this schedule
	Passed int64 `json:"passed_over"`  // they have no next visit and get none: visited by hand only, failed for good, or an alias of a page
}

// byHandPriority is the priority of URLs that had none.
const byHandPriority = 0.5

// batch is the number of URLs written at a time.
const batch = 1000

// URLs sets the schedule of URLs, also of those that have no scheduled visits: pages that were visited by hand, and URLs
// that failed for good. For an alias it sets that of its page. at is the URL at which an error ended it; [plat.ErrNotFound]
// if the archive does not know it.
func (c *Setter) URLs(ctx context.Context, urls []string) (n Set, at string, err error) {
	return c.set(ctx, func(yield func(plat.URLState, error) bool) {
		for _, url := range urls {
			st, err := c.Archive.State(ctx, url)
			if err == nil && st.Main != "" {
				url = st.Main
				st, err = c.Archive.State(ctx, url)
			}
			st.URL = url
			if !yield(st, err) || err != nil {
				return
			}
		}
	}, c.Schedule != (plat.Schedule{}), nil)
}

// Prefix sets the schedule of all URLs that begin with a prefix and have scheduled visits. advance, if not nil, receives the
// number read.
func (c *Setter) Prefix(ctx context.Context, prefix string, advance func(done, total int64)) (n Set, at string, err error) {
	return c.set(ctx, c.Archive.States(ctx, prefix, ""), false, advance)
}

// set sets the schedule of URLs; start says that URLs without scheduled visits get them.
func (c *Setter) set(ctx context.Context, states iter.Seq2[plat.URLState, error], start bool, advance func(done, total int64)) (n Set, at string, err error) {
	jobs := map[storage.Intake][]plat.Job{}
	flush := func() error {
		for how, all := range jobs {
			if _, err := c.Archive.Enlist(ctx, all, how); err != nil {
				return err
			}
			delete(jobs, how)
		}
		return nil
	}
	for st, err := range states {
		if err != nil {
			return n, st.URL, cmp.Or(flush(), err) // those before it are set
		}
		idle := st.Due.IsZero() && st.Settled.IsZero() || !st.Dead.IsZero()
		job := plat.Job{URL: st.URL, Due: c.due(&st), Priority: st.Priority, Plan: plat.Plan{Schedule: c.Schedule}}
		switch {
		case idle && start && st.Main == "":
			n.Set++
			job.Priority = cmp.Or(st.Priority, byHandPriority)
			if job.Plan.Kind = st.Kind; st.Dead.IsZero() && c.Schedule.Every > 0 && c.Schedule.Slots == "" {
				job.Due = plat.Later(job.Due, st.Last.Add(c.Schedule.Every))
			}
			jobs[storage.Seed] = append(jobs[storage.Seed], job)
		case idle, st.Main != "":
			n.Passed++
		case st.Schedule == c.Schedule:
			n.AsWas++
		default:
			n.Set++
		}
		if (st.Schedule != c.Schedule || st.Watched) && !(idle && start) { // also for a URL without a waiting visit
			jobs[storage.Replan] = append(jobs[storage.Replan], job)
		}
		if len(jobs[storage.Replan]) == batch || len(jobs[storage.Seed]) == batch {
			if err := flush(); err != nil {
				return n, st.URL, err
			}
		}
		if advance != nil {
			advance(n.Set+n.AsWas+n.Passed, 0)
		}
	}
	err = flush()
	return n, "", err
}

// due returns the earliest time of a URL's next visit: in its next slot, or now. The archive adds
// the interval since the last visit, which it knows.
func (c *Setter) due(st *plat.URLState) time.Time {
	if c.Schedule.Slots != "" {
		return schedule.Decide(&schedule.Visit{State: plat.URLState{URL: st.URL, Plan: plat.Plan{Schedule: c.Schedule}}, Due: c.Now, Time: c.Now}).Due
	}
	return c.Now
}
