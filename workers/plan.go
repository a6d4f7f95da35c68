package workers

import (
	"context"
	"time"

	"plat/plat"
	"plat/queue"
	"plat/queue/schedule"
)

// plan asks the schedule's policy when the URL is visited again, and sets that and
// the next visit's Memory in the visit that settles the job. skip is the skipping part of the Memory, empty
// if it stays. p is nil without a rendering. plan runs before the visit is stored, on retries
// too, and has no side effects.
func (w *Worker) plan(a *attempt, v *plat.Visit, skip string, p *result, r *Report) {
	memory := a.memory
	if skip != "" {
		memory.Skip = skip
	}
	if a.lessons.mask != nil {
		memory.Noise = *a.lessons.mask
	}
	if a.lessons.suspicion.checked {
		memory.Doubt = a.lessons.suspicion.note
	}
	if !a.Due.IsZero() { // a manual visit settles nothing
		next := w.decide(a, v, p, r)
		soon := w.fleetTime(w.now()).Add(w.opt.News.ConfirmAfter).UTC().Truncate(time.Millisecond)
		if a.lessons.suspicion.soon && (next.Due.IsZero() || soon.Before(next.Due)) {
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

// scheduleVisit returns the visit as its policy gets it, before its outcome.
func (w *Worker) scheduleVisit(a *attempt) *schedule.Visit {
	v := &schedule.Visit{State: a.state, Due: a.Due, Time: w.fleetTime(w.now()), Memory: a.memory.Policy, Shared: a.shared}
	v.State.Plan = a.Plan
	return v
}

// decide returns the policy's decision after a visit.
func (w *Worker) decide(a *attempt, v *plat.Visit, p *result, r *Report) schedule.Next {
	said := w.scheduleVisit(a)
	said.Outcome, said.NotBefore = v.Outcome, a.lessons.notBefore
	if p != nil {
		said.Blocks, said.Changes = p.page.Blocks, p.news.changes
		if p.last.version != nil {
			said.Old = p.last.version.Blocks
		}
	}
	next, err := w.opt.Planner.Next(said)
	r.PolicyError, a.learned = err, next.Learned
	w.noteFound(a, said, r)
	return next
}

// noteFound adds to the report whether a visit of a known page has found news, and how probable that was.
func (w *Worker) noteFound(a *attempt, said *schedule.Visit, r *Report) {
	if a.Kind != plat.RenderJob || a.state.Head == 0 || said.Outcome.Failed() && said.Outcome != plat.OutcomeGone {
		return
	}
	if r.Found = "nothing"; said.News() {
		r.Found = "news"
	}
	if fresh, known := w.opt.Planner.Fresh(w.scheduleVisit(a)); known {
		r.Fresh = fresh
	} else {
		r.Fresh = -1
	}
}

// early puts a visit off whose worth does not reach the price of its budget yet; nil: it is made. The
// loader has checked that already, but visits since have changed the price.
func (c *Crew) early(ctx context.Context, a *attempt, l *queue.Lease) (end verdict) {
	shared, until, err := c.worker.opt.Planner.Early(ctx, c.worker.scheduleVisit(a))
	if err != nil {
		c.o.Log.Debug("what pages share cannot be read", "url", a.URL, "error", err)
	}
	if a.shared = shared; until.IsZero() || !schedule.Asked(&a.state, &a.memory) {
		return nil
	}
	return c.later(l, max(time.Millisecond, until.Sub(c.fleetNow())))
}

// teach shares the lesson of a settled visit with the fleet, also if the worker is about to stop. If that
// fails, the lesson is lost, which costs little.
func (c *Crew) teach(ctx context.Context, a *attempt, r *Report) {
	if r.Next.IsZero() || r.Repeated {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	if err := c.worker.opt.Planner.Teach(ctx, c.worker.scheduleVisit(a), a.learned); err != nil {
		c.o.Log.Debug("what a visit has taught was not shared", "url", a.URL, "error", err)
	}
}
