package schedule

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"plat/plat"
)

// Planner plans visits for a worker: it calls the policy with the fleet's shared data. The zero
// Planner calls [Decide] and shares nothing.
type Planner struct {
	Policy func(*Visit) Next // nil: schedule.Decide
	Share  Share             // nil: nothing is shared
	Day    time.Duration     // the length of a day for policies; 0: 24 hours
}

// Share adds the contribution of a visit, and returns the shared data of the URL's budget and site; nil
// if the URL has no budget. See queue.Queue.
type Share func(ctx context.Context, v *Visit, l Learned) (*Shared, error)

// MinInterval is the shortest interval between two visits of a URL.
const MinInterval = time.Second

// ListsEvery is the shortest interval between two visits of a list of URLs, such as a sitemap,
// regardless of the interval of its pages.
const ListsEvery = 24 * time.Hour

// withoutPolicy is the interval of a URL whose policy fails and whose schedule has no interval.
const withoutPolicy = 24 * time.Hour

// Next returns the policy's decision, with its due time brought into the valid range. The error
// says why the policy failed; then the interval is a fixed one. Set v.Shared to the result of
// Early.
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

// possible returns the first valid due time after v, from due on.
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

// Adapt prepares the input of a policy. A list of URLs is not a page from which a budget learns:
// it is read at the list interval.
func (p *Planner) Adapt(v *Visit) {
	v.Day = p.Day
	if s := &v.State.Schedule; v.State.Kind == plat.FetchJob && s.Every == 0 && s.Budget != "" {
		*s = plat.Schedule{Every: ListsEvery}
	}
}

// Fresh returns the chance, as estimated before a visit, that the page is unchanged since the last
// visit. It is unknown after too few visits, or if the policy fails, which Next reports.
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

// Asked reports whether a URL's policy decides if a due visit happens now. Pages without a visit
// and pages with an unconfirmed result are visited when due.
func Asked(st *plat.URLState, m *plat.Memory) bool { return st.Visits > 0 && m.Doubt == "" }

// Early returns the shared data of a URL's budget and site, and the time until which a due visit
// waits, because it is not worth as much yet as its budget requires; zero: visit now. v has no
// results yet. The error is that of reading the shared data; the decision then rests on the
// remembered data.
func (p *Planner) Early(ctx context.Context, v *Visit) (shared *Shared, until time.Time, err error) {
	shared, err = p.share(ctx, v, Learned{})
	v.Shared = shared
	return shared, wait(v), err
}

// Waits is Early for several URLs at once. It reads the shared data once per site and budget, and
// each visit to be made now counts as made for the rest.
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

// wait is [Wait] with a valid time. If a policy fails, the visit is made now, and Next reports the
// failure.
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

// Teach shares the result of a stored visit.
func (p *Planner) Teach(ctx context.Context, v *Visit, l Learned) error {
	_, err := p.share(ctx, v, l)
	return err
}

// share calls Share for URLs with a budget.
func (p *Planner) share(ctx context.Context, v *Visit, l Learned) (*Shared, error) {
	if p.Adapt(v); p.Share == nil || v.State.Schedule.Budget == "" {
		return nil, nil
	}
	return p.Share(ctx, v, l)
}
