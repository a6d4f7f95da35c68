package workers

import (
	"cmp"
	"fmt"
	"runtime/debug"
	"time"

	"plat"
	"plat/schedule"
)

// plan asks the schedule's policy when the URL is visited again, and sets that and
// the next visit's Memory in the visit that settles the job. skip is what was learnt
// for skipping visits, empty if nothing. now and last are the page and its last
// version, nil without a rendering. It runs before the visit is stored, on retries
// too, and has no side effects.
func (w *Worker) plan(a *attempt, v *plat.Visit, skip string, now *edition, last *head, r *Report) {
	memory := a.memory
	if skip != "" {
		memory.Skip = skip
	}
	if a.weighed {
		memory.Noise = a.noise
	}
	if a.judged {
		memory.Doubt = a.doubt
	}
	if !a.Due.IsZero() { // a manual visit settles nothing
		next := w.decide(a, v, now, last, r)
		if soon := w.fleetTime(w.now()).Add(w.opt.ConfirmAfter).UTC().Truncate(time.Millisecond); a.soon && (next.Due.IsZero() || soon.Before(next.Due)) {
			next.Due = soon
		}
		v.Settles, v.Next, memory.Policy = a.Due, next.Due, next.Memory
	}
	if v.Memory = ""; memory != a.memory {
		if v.Memory = memory.Encode(); v.Memory == "" {
			v.Memory = plat.NoMemory // empty would keep the old one
		}
	}
}

// minInterval is the shortest interval between two visits of a URL.
const minInterval = time.Second

// withoutPolicy is the interval of a URL whose policy has failed and that has none of
// its own.
const withoutPolicy = 24 * time.Hour

// decide returns the policy's decision, validated: a policy that panics or returns
// invalid values must not lose this visit, nor the following ones.
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
		failed(fmt.Errorf("its memory has %d bytes; the limit is %d", n, plat.MaxPolicyMemory))
	}
	if next.Due.IsZero() {
		return next
	}
	if a.Kind == plat.FetchJob && next.Due.Before(a.Due.Add(sitemapsEvery)) {
		next.Due = a.Due.Add(sitemapsEvery) // regardless of the pages' interval
	}
	// A job is identified by its due time: a visit due before the settled one would
	// count as settled.
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
