package forecast

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"plat/plat"
	"plat/queue/schedule"
	"plat/queue/slots"
)

// Season describes how the changes of a page repeat from period to period, and the best slots of a
// period for visits. Its JSON is part of the interface.
type Season struct {
	URL     string        `json:"url"`
	Slot    time.Duration `json:"slot_ns"`
	Slots   int           `json:"slots"`   // of a period
	Periods int           `json:"periods"` // that the archive has, complete
	Until   time.Time     `json:"until"`   // the end of the last of them
	At      time.Duration `json:"at_ns"`   // of the slots' beginnings: when they were visited, the median
	Visited float64       `json:"visited"` // part of their slots that were visited
	News    []float64     `json:"news"`    // by slot: items that came, mean of the periods

	Correlation float64 `json:"correlation"` // of the news of two periods, by slot; see slots.Periodicity
	P           float64 `json:"p"`           // P value of that correlation; small: changes repeat
	Periodic    bool    `json:"periodic"`

	Plans  []SlotPlan `json:"plans"`  // even first
	Chosen string     `json:"chosen"` // the method of one of Plans
	Why    string     `json:"why"`    // a sentence without a full stop
}

// SlotPlan is a plan by some method, for so many visits a period: made of all periods but the last,
// and measured on that; then made of all. Its JSON is part of the interface.
type SlotPlan struct {
	Method    string  `json:"method"` // even, plan, plan-dp
	Visits    []int   `json:"slots"`  // made of all periods
	Accuracy  float64 `json:"accuracy"`
	Freshness float64 `json:"freshness"`
	Gap       float64 `json:"gap,omitempty"` // greatest distance from the best; 0: it is the best
}

// SeasonOptions are the slots and visits of a plan.
type SeasonOptions struct {
	Slot   time.Duration
	Slots  int // of a period
	Visits int // a period
}

// Of seasons.
const (
	maxPeriods   = 12   // the last ones, at most
	leastPeriods = 3    // that are needed
	leastVisits  = 0.75 // part of the slots that must have been visited
	chance       = 0.01 // P up to which changes count as periodic
)

// seasonArchive is the part of a store that is read.
type seasonArchive interface {
	archive
	Trees(ctx context.Context, url string, from, to int) iter.Seq2[*plat.Version, error]
}

// SeasonOf plans the visits of a page from its past. The error says why it cannot be planned.
func SeasonOf(ctx context.Context, a seasonArchive, url string, o SeasonOptions) (*Season, error) {
	st, err := a.State(ctx, url)
	if err != nil {
		return nil, err
	}
	if st.Head == 0 {
		return nil, errors.New("it has no versions")
	}
	visits, err := visitTimes(ctx, a, url)
	if err != nil {
		return nil, err
	}
	s := &Season{URL: url, Slot: o.Slot, Slots: o.Slots}
	period := o.Slot * time.Duration(o.Slots)
	// Only complete periods count: their first and last slots were visited.
	from := schedule.PeriodOf(visits[0].Add(-o.Slot), period).Add(period)
	to := schedule.PeriodOf(visits[len(visits)-1].Add(o.Slot), period)
	s.Until = to
	advice := fmt.Sprintf("plat schedule set %s --every %v visits each slot", url, o.Slot)
	all := min(maxPeriods, int(to.Sub(from)/period))
	if all < leastPeriods {
		return nil, fmt.Errorf("the archive has %d complete periods of %v; %d are needed: %s", max(0, all), period, leastPeriods, advice)
	}
	for s.Periods = all; ; s.Periods-- { // the longest past in which enough was visited
		from = to.Add(-time.Duration(s.Periods) * period)
		if s.Visited = coverage(visits, from, to, o.Slot); s.Visited >= leastVisits {
			break
		}
		if s.Periods == leastPeriods {
			return nil, fmt.Errorf("only %.0f %% of the slots of the last %d periods were visited; %.0f %% are needed: %s", 100*s.Visited, leastPeriods, 100*leastVisits, advice)
		}
	}
	s.At = offset(visits, from, o.Slot)
	periods, err := s.read(ctx, a, st.Head, from)
	if err != nil {
		return nil, err
	}
	return s, s.plan(ctx, periods, o.Visits)
}

// visitTimes returns the times of visits that have seen the page, ascending; at least one.
func visitTimes(ctx context.Context, a archive, url string) (all []time.Time, err error) {
	for v, err := range a.Visits(ctx, url, 0) {
		if err != nil {
			return nil, err
		}
		if !v.Outcome.Failed() || v.Outcome == plat.OutcomeGone {
			all = append(all, v.Time)
		}
	}
	if len(all) == 0 {
		return nil, errors.New("no visit has seen it")
	}
	slices.SortFunc(all, time.Time.Compare)
	return all, nil
}

// coverage returns the part of the slots between two times in which a visit was made.
func coverage(visits []time.Time, from, to time.Time, slot time.Duration) float64 {
	seen := map[int64]bool{}
	for _, t := range visits {
		if !t.Before(from) && t.Before(to) {
			seen[int64(t.Sub(from)/slot)] = true
		}
	}
	return float64(len(seen)) / float64(to.Sub(from)/slot)
}

// offset returns the median time from the start of a slot to its visit, over the visits since
// from.
func offset(visits []time.Time, from time.Time, slot time.Duration) time.Duration {
	var all []time.Duration
	for _, t := range visits {
		if !t.Before(from) {
			all = append(all, t.Sub(from)%slot)
		}
	}
	slices.Sort(all)
	return all[len(all)/2].Truncate(time.Second)
}

// read returns the content of the page at the end of each slot, from its versions.
func (s *Season) read(ctx context.Context, a seasonArchive, head int, from time.Time) ([]slots.Period, error) {
	periods := make([]slots.Period, s.Periods)
	all := make([]slots.Snapshot, 1+s.Periods*s.Slots) // the first is the last one before the periods
	at := 0
	for v, err := range a.Trees(ctx, s.URL, 1, head) {
		if err != nil {
			return nil, err
		}
		k := 0
		if !v.Taken.Before(from) {
			k = 1 + int(v.Taken.Sub(from)/s.Slot)
		}
		now := items(v)
		for ; at < min(k, len(all)-1); at++ {
			all[at+1] = all[at]
		}
		if k < len(all) {
			all[k] = now
		}
	}
	for ; at < len(all)-1; at++ {
		all[at+1] = all[at]
	}
	if all[0] == nil { // it was not visited before: the content of the first slot is not news
		all[0] = all[1]
	}
	s.News = make([]float64, s.Slots)
	for p := range periods {
		first := p * s.Slots
		periods[p] = slots.Period{Before: all[first], Slots: all[first+1 : first+1+s.Slots]}
		if periods[p].Before == nil {
			periods[p].Before = slots.NewSnapshot()
		}
		for t := range s.Slots {
			s.News[t] += float64(came(all[first+t], all[first+t+1])) / float64(s.Periods)
		}
	}
	return periods, nil
}

// items returns the leaves of a version that are its content to a reader.
func items(v *plat.Version) slots.Snapshot {
	var all []string
	for i := range v.Blocks {
		if b := &v.Blocks[i]; b.Leaf() && schedule.Weight(b) > 0 {
			all = append(all, string(b.Hash[:]))
		}
	}
	return slots.NewSnapshot(all...)
}

// came returns the number of new items.
func came(was, now slots.Snapshot) (n int) {
	for _, x := range now {
		if _, known := slices.BinarySearch(was, x); !known {
			n++
		}
	}
	return n
}

// plan tests whether changes repeat, makes plans, and chooses one.
func (s *Season) plan(ctx context.Context, periods []slots.Period, visits int) error {
	found, err := slots.Periodic(periods)
	if err != nil {
		return err
	}
	s.Correlation, s.P = found.Correlation, found.P
	s.Periodic = s.P <= chance && s.Correlation > 0
	last := len(periods) - 1
	for _, method := range []string{"even", "plan", "plan-dp"} {
		trained, err := planBy(ctx, method, periods[:last], visits)
		if err != nil {
			return err
		}
		if trained.Accuracy, err = slots.Accuracy(periods[last], trained.Visits); err != nil {
			return err
		}
		if trained.Freshness, err = slots.Freshness(periods[last], trained.Visits, 1); err != nil {
			return err
		}
		whole, err := planBy(ctx, method, periods, visits)
		if err != nil {
			return err
		}
		whole.Accuracy, whole.Freshness = trained.Accuracy, trained.Freshness
		s.Plans = append(s.Plans, whole)
	}
	s.choose()
	return nil
}

func planBy(ctx context.Context, method string, periods []slots.Period, visits int) (p SlotPlan, err error) {
	p.Method = method
	switch method {
	case "even":
		p.Visits, err = slots.Uniform(len(periods[0].Slots), visits)
	case "plan-dp":
		p.Visits, err = slots.PlanDP(periods, visits, slots.Goal{Accuracy: 1, Freshness: 1})
	default:
		var found slots.Planned
		found, err = slots.Plan(ctx, periods, visits, slots.Options{})
		p.Visits, p.Gap = found.Slots, found.Gap()
	}
	return p, err
}

// choose chooses the plan that was best on the last period, which was not used to make it. Without
// a period of its changes a page is visited at even intervals.
func (s *Season) choose() {
	worth := func(p SlotPlan) float64 { return p.Accuracy + p.Freshness }
	best := slices.MaxFunc(s.Plans, func(a, b SlotPlan) int {
		return cmp.Or(cmp.Compare(worth(a), worth(b)), cmp.Compare(b.Gap, a.Gap))
	})
	even := s.Plans[0]
	switch {
	case !s.Periodic:
		s.Chosen, s.Why = even.Method, fmt.Sprintf("its changes do not repeat from one period to the next (P %.3f), so it is best visited at even intervals", s.P)
	case best.Method == even.Method || worth(best) <= worth(even)+1e-9:
		s.Chosen, s.Why = even.Method, "its changes repeat, but no plan was better than even intervals in the last period"
	default:
		s.Chosen = best.Method
		s.Why = fmt.Sprintf("its changes repeat (P %.4f): in the last period %s found %.0f %% of what was new, %.0f %% in its slot, and even intervals %.0f %% and %.0f %%", s.P, best.Method, 100*best.Accuracy, 100*best.Freshness, 100*even.Accuracy, 100*even.Freshness)
	}
}

// chosen returns the slots of the chosen plan; even reports whether it has even intervals.
func (s *Season) chosen() (visits []int, even bool) {
	i := slices.IndexFunc(s.Plans, func(p SlotPlan) bool { return p.Method == s.Chosen })
	return s.Plans[i].Visits, i == 0
}

// Schedule returns the schedule that was chosen.
func (s *Season) Schedule() plat.Schedule {
	visits, even := s.chosen()
	if even {
		return plat.Schedule{Every: s.Slot * time.Duration(s.Slots) / time.Duration(len(visits))}
	}
	return plat.Schedule{Policy: "plan", Every: s.Slot, Slots: schedule.Slots{Of: s.Slots, Chosen: visits, At: s.At}.String()}
}

// Visits returns the times of visits in a period, by the chosen plan: the first period after those
// that were read. Nil for even intervals.
func (s *Season) Visits() (all []time.Time) {
	visits, even := s.chosen()
	if even {
		return nil
	}
	for _, k := range visits {
		all = append(all, s.Until.Add(time.Duration(k)*s.Slot+s.At))
	}
	return all
}
