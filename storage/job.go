package storage

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"plat/plat"
)

// CheckJobs returns the first job that cannot be enlisted. Such a job is a bug of the caller,
// and stores then enlist no jobs.
func CheckJobs(jobs []plat.Job) error {
	for i := range jobs {
		j := &jobs[i]
		switch {
		case j.URL == "":
			return errors.New("enlist: a job has no URL")
		case j.Due.IsZero():
			return fmt.Errorf("enlist: the job for %s has no due time", j.URL)
		case !(j.Priority >= 0 && j.Priority <= 1): // also rejects NaN
			return fmt.Errorf("enlist: %s has priority %v; write 0 to 1", j.URL, j.Priority)
		}
		if err := j.Plan.Check(); err != nil {
			return fmt.Errorf("enlist: %s: %w", j.URL, err)
		}
	}
	return nil
}

// Merge applies [Jobs.Enlist] to the state of a URL, known or new, and reports whether the
// state changed. Only jobs make a URL due or settle it. So a URL that is neither due nor
// settled has no plan yet, and a depth of 0 does not mean that it is a seed.
func Merge(st *plat.URLState, j *plat.Job, how Intake) (changed bool) {
	due, plan := wholeMillis(j.Due), j.Plan
	for _, d := range []*time.Duration{&plan.Schedule.Every, &plan.Schedule.Min, &plan.Schedule.Max, &plan.Crawled.Every, &plan.Crawled.Min, &plan.Crawled.Max} {
		*d = d.Truncate(time.Millisecond)
	}
	was := *st
	switch how {
	case Hint:
		return hint(st, due, plan.Signal)
	case Replan:
		return replan(st, due, plan.Schedule, plan.Watched)
	}
	if st.Due.IsZero() && st.Settled.IsZero() {
		st.Due, st.Priority, st.Plan, st.Dead = due, j.Priority, plan, time.Time{}
		return true
	}
	if how == IfNew {
		return false
	}
	again := how == Again || how == Seed
	if again && !ToSettle(st.Settled, due) {
		due = st.Settled.Add(time.Millisecond)
	}
	if ToSettle(st.Settled, due) && (st.Due.IsZero() || due.Before(st.Due)) {
		st.Due = due
	}
	if putOff(&was) && due.Before(was.NotBefore) {
		st.NotBefore = time.Time{}
	}
	if again || was.Due.IsZero() {
		st.NotBefore, st.Attempts, st.Throttled = time.Time{}, 0, 0
	}
	if !st.Due.IsZero() {
		st.Dead = time.Time{}
	}
	st.Priority = max(st.Priority, j.Priority)
	st.Plan.Merge(plan)
	if how == Seed && plan.Schedule != (plat.Schedule{}) {
		st.Schedule, st.Watched, st.Crawled = was.Schedule, was.Watched, was.Crawled
		st.Plan.Choose(plan.Schedule, plan.Watched)
	}
	if again && !st.Settled.IsZero() && st.Schedule.Budget != "" && st.Kind == plat.RenderJob {
		st.Due = st.Settled.Add(time.Millisecond) // regardless of its policy; see schedule.Wait
	}
	return *st != was
}

// afterSettled is the minimum time between a settled job and a scheduled one. It is longer than
// the millisecond that marks an explicit request.
const afterSettled = time.Second

// replan applies a Replan to a URL.
func replan(st *plat.URLState, due time.Time, schedule plat.Schedule, watched bool) (changed bool) {
	same := st.Schedule == schedule
	if st.Due.IsZero() && st.Settled.IsZero() || same && st.Watched == watched {
		return false
	}
	if st.Plan.Choose(schedule, watched); same {
		return true
	}
	waits := !st.Settled.IsZero() && st.Dead.IsZero() && st.Main == "" && st.Attempts+st.Throttled == 0
	switch {
	case !waits:
	case schedule == (plat.Schedule{}):
		st.Due, st.NotBefore = time.Time{}, time.Time{}
	case st.Kind == plat.FetchJob && !st.Due.IsZero(): // lists have their own interval
	default:
		if schedule.Every > 0 && schedule.Slots == "" {
			due = plat.Later(due, wholeMillis(plat.Later(st.Last, st.Settled).Add(schedule.Every)))
		}
		st.Due, st.NotBefore = plat.Later(due, st.Settled.Add(afterSettled)), time.Time{}
	}
	return true
}

// hint applies a Hint to a URL.
func hint(st *plat.URLState, due time.Time, signal plat.Signal) (changed bool) {
	// A changed link is a weaker signal than a list with an entry for the page.
	link, pending := signal.Source == plat.SignalLink, st.Signal.Modified.After(st.Last)
	switch {
	case st.Due.IsZero() && st.Settled.IsZero(), link && (pending || st.Schedule.Budget == ""):
		return false // unknown, or no policy uses the signal
	case !link && pending && st.Signal.Source == plat.SignalLink && signal.Modified.After(st.Last):
	case !signal.Modified.After(st.Signal.Modified):
		return false
	}
	if link {
		signal.ChangeFreq, signal.Priority = st.Signal.ChangeFreq, st.Signal.Priority
	}
	st.Signal = signal
	learns := st.Schedule.Budget != "" && !st.Settled.IsZero() && signal.Modified.After(st.Last)
	if !learns || st.Due.IsZero() || st.Attempts+st.Throttled > 0 {
		return true
	}
	if due.Before(st.NotBefore) {
		st.NotBefore = time.Time{}
	}
	if ToSettle(st.Settled, due) && due.Before(st.Due) {
		st.Due = due
	}
	return true
}

// putOff reports whether a job waits although it has not failed: it was not worth a visit yet.
func putOff(st *plat.URLState) bool {
	return !st.Due.IsZero() && !st.NotBefore.IsZero() && st.Attempts == 0 && st.Throttled == 0
}

// Sooner reports whether a change of state brings a URL's job forward, by its time or its
// priority.
func Sooner(was, st *plat.URLState) bool {
	switch {
	case st.Due.IsZero(), !st.NotBefore.IsZero(): // no job, or it waits for its retry
		return false
	case was.Due.IsZero(), st.Priority > was.Priority:
		return true
	}
	return StartOf(st).Before(StartOf(was))
}

// StartOf returns the earliest time of a job's visit.
func StartOf(st *plat.URLState) time.Time {
	if st.NotBefore.After(st.Due) {
		return st.NotBefore
	}
	return st.Due
}

// Timed returns the time of a job, or zero if the URL has no job or is in its host's backlog.
func Timed(st *plat.URLState) time.Time {
	switch {
	case st.Due.IsZero():
		return time.Time{}
	case !st.NotBefore.IsZero(), !st.Settled.IsZero():
		return StartOf(st)
	}
	return time.Time{}
}

// Put applies a Deferral, and reports whether the job was still unsettled.
func (d *Deferral) Put(st *plat.URLState) bool {
	if st.Due.IsZero() || !wholeMillis(d.Due).Equal(st.Due) || d.Unchanged && (st.Attempts != d.Attempts || st.Throttled != d.Throttled) {
		return false
	}
	if d.At.IsZero() {
		st.Settled, st.Due, st.NotBefore, st.Dead = st.Due, time.Time{}, time.Time{}, wholeMillis(time.Now())
		st.Attempts, st.Throttled = d.Attempts, d.Throttled
		return true
	}
	st.NotBefore, st.Attempts, st.Throttled = wholeMillis(d.At), d.Attempts, d.Throttled
	return true
}

func wholeMillis(t time.Time) time.Time { return time.UnixMilli(t.UnixMilli()).UTC() }

// Change is the effect of a write to a URL's state on its host.
type Change struct {
	Backlog, Timed, Dead int // differences of the numbers of URLs

	// Priority is the priority of a job that was added to the backlog or rose in it; otherwise
	// negative.
	Priority float32

	// Since is the Due of that job, by the clock of the fleet.
	Since time.Time

	// Next is the new time of the URL's job; zero if it has not changed.
	Next time.Time
}

// ChangeOf returns the difference of two states of a URL.
func ChangeOf(was, st *plat.URLState) Change {
	c := Change{Priority: -1}
	count := func(st *plat.URLState, n int) {
		switch {
		case !st.Dead.IsZero():
			c.Dead += n
		case st.Due.IsZero():
		case Timed(st).IsZero():
			c.Backlog += n
		default:
			c.Timed += n
		}
	}
	count(was, -1)
	count(st, 1)
	switch at := Timed(st); {
	case st.Due.IsZero():
	case at.IsZero():
		if c.Backlog > 0 || st.Priority > was.Priority || st.Due.Before(was.Due) {
			c.Priority, c.Since = st.Priority, st.Due
		}
	case !at.Equal(Timed(was)) || st.Priority > was.Priority:
		c.Next = at
	}
	return c
}

// Add adds the change of a further URL of the same host.
func (c *Change) Add(o Change) {
	c.Backlog += o.Backlog
	c.Timed += o.Timed
	c.Dead += o.Dead
	c.Priority = max(c.Priority, o.Priority)
	if o.Since.After(c.Since) {
		c.Since = o.Since
	}
	if !o.Next.IsZero() && (c.Next.IsZero() || o.Next.Before(c.Next)) {
		c.Next = o.Next
	}
}

// Rank returns the rank of a priority in the order of visits, in thousandths: 0 comes first,
// 1000 last.
func Rank(priority float32) int {
	return 1000 - int(math.Round(1000*float64(max(0, min(1, priority)))))
}

// PriorityOf returns the priority of a rank.
func PriorityOf(rank int) float32 { return float32(1000-rank) / 1000 }

// Waiting is a job with the start of its wait.
type Waiting struct {
	LoadedJob
	Since time.Time
}

// InOrder merges the jobs of a host in the order of their visits, at most limit. Each
// part must be in order of Since among equal priorities.
func InOrder(limit int, parts ...[]Waiting) (jobs []LoadedJob, more bool) {
	all := slices.Concat(parts...)
	slices.SortStableFunc(all, func(a, b Waiting) int {
		return cmp.Or(Rank(a.Priority)-Rank(b.Priority), a.Since.Compare(b.Since))
	})
	more = len(all) > limit
	for _, w := range all[:min(limit, len(all))] {
		jobs = append(jobs, w.LoadedJob)
	}
	return jobs, more
}
