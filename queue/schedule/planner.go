package schedule

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"plat/plat"
)

// Planner plans visits. The zero Planner asks [schedule.Decide], and shares nothing.
type Planner struct {
	Policy func(*Visit) Next // nil: schedule.Decide
	Share  Share             // nil: nothing is shared
	Day    time.Duration     // the length of a day, of which policies think; 0: 24 hours
}

// Share returns what the pages of a URL's budget and site share, after adding what a visit has
// taught; nil if the URL has no budget. See queue.Queue.
type Share func(ctx context.Context, v *Visit, l Learned) (*Shared, error)

// MinInterval is the shortest interval between two visits of a URL.
const MinInterval = time.Second

// ListsEvery is the shortest interval between two visits of a list of URLs, such as a sitemap,
// regardless of the interval of its pages.
const ListsEvery = 24 * time.Hour

// withoutPolicy is the interval of a URL whose policy has failed and that has none of its own.
const withoutPolicy = 24 * time.Hour

// Next returns the policy's decision, with a due time that can be. The error says why the
// policy failed; then the interval is a fixed one. v.Shared is what Early has returned.
func (p *Planner) Next(v *Visit) (next Next, err error) {
	p.Adapt(v)
	failed := func(why error) {
		err = fmt.Errorf("policy %q: %w", v.State.Schedule.Policy, why)
		next = Next{Due: v.Time.Add(cmp.Or(v.State.Schedule.Every, withoutPolicy)), Memory: v.Memory}
	}
	func() {
		defer func() {
			if x := recover(); x != nil {
				failed(fmt.Errorf("a bug in plat, please report it: %v\n%s", x, debug.Stack()))
			}
		}()
		if p.Policy == nil {
			next = Decide(v)
		} else {
			next = p.Policy(v)
		}
	}()
	if n := len(next.Memory); n > plat.MaxPolicyMemory {
		failed(fmt.Errorf("its memory has %d bytes; the limit is %d", n, plat.MaxPolicyMemory))
	}
	if !next.Due.IsZero() {
		next.Due = possible(next.Due, v)
	}
	return next, err
}

// possible is the first time from due on at which a visit may be due after v.
func possible(due time.Time, v *Visit) time.Time {
	if list := v.Due.Add(ListsEvery); v.State.Kind == plat.FetchJob && due.Before(list) {
		due = list
	}
	// A job is identified by its due time: a visit due before the settled one would count as
	// settled.
	for _, earliest := range []time.Time{v.Time.Add(MinInterval), v.Due.Add(time.Millisecond)} {
		if due.Before(earliest) {
			due = earliest
		}
	}
	return due.UTC().Truncate(time.Millisecond)
}

// Adapt prepares what a policy is asked. A list of URLs is no page of which a budget is to
// learn: it is read as often as lists may be.
func (p *Planner) Adapt(v *Visit) {
	v.Day = p.Day
	if s := &v.State.Schedule; v.State.Kind == plat.FetchJob && s.Every == 0 && s.Budget != "" {
		*s = plat.Schedule{Every: ListsEvery}
	}
}

// Fresh returns the chance, as believed before a visit, that the page is as the last visit has left
// it. It is not known if there were too few visits, or if the policy fails, of which Next tells.
func (p *Planner) Fresh(v *Visit) (chance float64, known bool) {
	defer func() {
		if recover() != nil {
			known = false
		}
	}()
	p.Adapt(v)
	chance, known = Changed(v)
	return 1 - chance, known
}

// Asked reports whether a URL's policy is asked whether a visit that is due is made now. What was
// never seen is visited when it is due, and what was doubted when it was said.
func Asked(st *plat.URLState, m *plat.Memory) bool { return st.Visits > 0 && m.Doubt == "" }

// Early returns what the pages of a URL's budget and site share, and until when a visit that is
// due is put off, because it is not worth as much yet as its budget asks; zero: it is made now.
// v has no results yet. The error says why nothing can be read; then it goes by what is remembered.
func (p *Planner) Early(ctx context.Context, v *Visit) (shared *Shared, until time.Time, err error) {
	shared, err = p.share(ctx, v, Learned{})
	v.Shared = shared
	return shared, wait(v), err
}

// Waits is Early for several URLs at once. What their pages share is read once per site and budget,
// and each visit that is to be made now counts as made, for the others.
func (p *Planner) Waits(ctx context.Context, now time.Time, urls []*plat.URLState) (waits []time.Time, err error) {
	type group struct{ pool, host string }
	waits = make([]time.Time, len(urls))
	all, made := map[group]*Shared{}, map[string]float64{}
	for i, st := range urls {
		m, damaged := plat.DecodeMemory(st.Memory)
		if damaged != nil || !Asked(st, &m) {
			continue
		}
		v := &Visit{State: *st, Due: st.Due, Time: now, Memory: m.Policy}
		p.Adapt(v)
		g := group{host: plat.HostOf(st.URL)}
		g.pool = Pool(v.State.Schedule, g.host)
		shared, known := all[g]
		if !known {
			var failed error
			shared, failed = p.share(ctx, v, Learned{})
			all[g], err = shared, cmp.Or(err, failed)
		}
		if shared != nil {
			x := *shared
			x.Beyond += made[g.pool]
			v.Shared = &x
		}
		if waits[i] = wait(v); waits[i].IsZero() {
			made[g.pool]++
		}
	}
	return waits, err
}

// wait is schedule.Wait, with a time at which a visit can be due. A policy that fails is asked
// again after the visit; Next tells of it.
func wait(v *Visit) (until time.Time) {
	defer func() {
		if recover() != nil {
			until = time.Time{}
		}
	}()
	if until = Wait(v); !until.IsZero() {
		until = possible(until, v)
	}
	return until
}

// Teach shares what a visit has taught, once it is stored.
func (p *Planner) Teach(ctx context.Context, v *Visit, l Learned) error {
	_, err := p.share(ctx, v, l)
	return err
}

// share is Share, where anything is shared.
func (p *Planner) share(ctx context.Context, v *Visit, l Learned) (*Shared, error) {
	if p.Adapt(v); p.Share == nil || v.State.Schedule.Budget == "" {
		return nil, nil
	}
	return p.Share(ctx, v, l)
}
