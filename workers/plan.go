package workers

import (
	"cmp"
	"fmt"
	"runtime/debug"
	"time"

	"plat"
	"plat/schedule"
)

// plan asks the policy of the URL's schedule when the URL is visited again, and writes
// that into the visit that settles the job, with all that the next visit is to find:
// skip is what was learnt for skipping visits, empty if nothing was. Now and last are the
// page and its last version, nil if there was no rendering. It is called before the
// visit is stored, by whoever does it again too, and only thinks.
func (w *Worker) plan(a *attempt, v *plat.Visit, skip string, now *edition, last *head, r *Report) {
	memory := a.memory
	if skip != "" {
		memory.Skip = skip
	}
	if !a.Due.IsZero() { // one that was asked for by hand settles nothing
		next := w.decide(a, v, now, last, r)
		v.Settles, v.Next, memory.Policy = a.Due, next.Due, next.Memory
	}
	if v.Memory = ""; memory != a.memory {
		v.Memory = memory.Encode()
	}
}

// minInterval is the shortest time from one visit of a URL to the next.
const minInterval = time.Second

// withoutPolicy is when a URL is visited again whose policy has failed and which has no
// interval.
const withoutPolicy = 24 * time.Hour

// decide is what the policy says, made possible: neither a policy that panics nor one
// that says nonsense loses the visit that it was asked about, or the visits to come.
func (w *Worker) decide(a *attempt, v *plat.Visit, now *edition, last *head, r *Report) (next schedule.Next) {
	said := &schedule.Visit{State: a.state, Due: a.Due, Time: w.fleetTime(w.now()), Outcome: v.Outcome, Memory: a.memory.Policy}
	said.State.Plan = a.Plan
	if now != nil {
		said.Blocks, said.Changes = now.page.Blocks, now.changes
		if last.version != nil {
			said.Old = last.version.Blocks
		}
	}
	failed := func(why error) {
		r.PolicyError = fmt.Errorf("policy %q: %w", a.Schedule.Policy, why)
		next = schedule.Next{Due: said.Time.Add(cmp.Or(a.Schedule.Every, withoutPolicy)), Memory: a.memory.Policy}
	}
	func() {
		defer func() {
			if p := recover(); p != nil {
				failed(fmt.Errorf("a bug in plat, please report it: %v\n%s", p, debug.Stack()))
			}
		}()
		next = w.opt.Policy(said)
	}()
	if n := len(next.Memory); n > plat.MaxPolicyMemory {
		failed(fmt.Errorf("it wants to remember %d bytes; %d are the most", n, plat.MaxPolicyMemory))
	}
	if next.Due.IsZero() {
		return next
	}
	if a.Kind == plat.FetchJob && next.Due.Before(a.Due.Add(sitemapsEvery)) {
		next.Due = a.Due.Add(sitemapsEvery) // whatever the interval of the pages is
	}
	// A job is named by its time: a visit due before the one that is settled would be
	// settled too.
	earliest := said.Time.Add(minInterval)
	if after := a.Due.Add(time.Millisecond); after.After(earliest) {
		earliest = after
	}
	if next.Due.Before(earliest) {
		next.Due = earliest
	}
	next.Due = next.Due.UTC().Truncate(time.Millisecond)
	return next
}
