package outlook

import (
	"context"
	"iter"
	"time"

	"plat"
	"plat/storage"
)

// jobs is an archive whose jobs can be changed.
type jobs interface {
	archive
	Enlist(ctx context.Context, all []plat.Job, how storage.Intake) (storage.Enlisted, error)
}

var _ jobs = storage.Store(nil)

// Setter gives known URLs another schedule.
type Setter struct {
	Archive  jobs
	Now      time.Time // by the clock of due times
	Schedule plat.Schedule
}

// Set counts URLs. Its JSON is part of the interface.
type Set struct {
	Set    int64 `json:"set"`
	AsWas  int64 `json:"as_they_were"` // they have this schedule
	Unused int64 `json:"without_jobs"` // nobody has enlisted them: they were visited by hand
}

// batch is how many URLs are written at a time.
const batch = 1000

// URLs sets the schedule of URLs. at is the URL at which an error ended it; [plat.ErrNotFound] if
// the archive does not know it.
func (c *Setter) URLs(ctx context.Context, urls []string) (n Set, at string, err error) {
	return c.set(ctx, func(yield func(plat.URLState, error) bool) {
		for _, url := range urls {
			st, err := c.Archive.State(ctx, url)
			st.URL = url
			if !yield(st, err) || err != nil {
				return
			}
		}
	}, nil)
}

// Prefix sets the schedule of all URLs that begin with a prefix. advance, if not nil, hears of how
// many were read.
func (c *Setter) Prefix(ctx context.Context, prefix string, advance func(done, total int64)) (n Set, at string, err error) {
	return c.set(ctx, c.Archive.States(ctx, prefix, ""), advance)
}

func (c *Setter) set(ctx context.Context, states iter.Seq2[plat.URLState, error], advance func(done, total int64)) (n Set, at string, err error) {
	var all []plat.Job
	flush := func() error {
		if len(all) == 0 {
			return nil
		}
		_, err := c.Archive.Enlist(ctx, all, storage.Replan)
		n.Set += int64(len(all))
		all = all[:0]
		return err
	}
	for st, err := range states {
		if err != nil {
			return n, st.URL, err
		}
		switch {
		case st.Due.IsZero() && st.Settled.IsZero():
			n.Unused++
		case st.Schedule == c.Schedule:
			n.AsWas++
		default:
			all = append(all, plat.Job{URL: st.URL, Due: c.due(&st), Priority: st.Priority, Plan: plat.Plan{Schedule: c.Schedule}})
		}
		if len(all) == batch {
			if err := flush(); err != nil {
				return n, st.URL, err
			}
		}
		if advance != nil {
			advance(n.Set+n.AsWas+n.Unused+int64(len(all)), 0)
		}
	}
	return n, "", flush()
}

// due is when a URL is visited next: an interval after its last visit. Where a policy chooses
// within a budget, it is asked at once.
func (c *Setter) due(st *plat.URLState) time.Time {
	if at := st.Last.Add(c.Schedule.Every); c.Schedule.Every > 0 && !st.Last.IsZero() && at.After(c.Now) {
		return at
	}
	return c.Now
}
