package slots

import (
	"fmt"
)

// Accuracy returns the share of a period's news that a plan finds (definition 7), from 0 to 1; 1 if
// there is no news. It counts as section 3.1.3 of the paper does: a visit finds the items that
// were not there at the plan's visit before it, the first visit those that were not there before
// the period; of all that visits in each slot find. An item that comes and goes between two visits
// is lost. An item that goes and comes back is news again.
func Accuracy(p Period, plan []int) (float64, error) {
	s, err := measured(p, plan)
	if err != nil {
		return 0, err
	}
	found, last := 0, -1
	for _, t := range plan {
		found += s.gain(last, t)
		last = t
	}
	return share(found, s.total), nil
}

// Freshness returns the share of a period's news that a plan finds at most age slots after they came
// (definition 8), from 0 to 1; 1 if there is no news. With age 1 only items that are new in the
// slot of a visit count, as in section 3.1.3; the paper's two days are age 2. An item counts at
// one visit at most each time that it comes.
func Freshness(p Period, plan []int, age int) (float64, error) {
	if age < 1 {
		return 0, fmt.Errorf("fresh for %d slots: give at least 1", age)
	}
	s, err := measured(p, plan)
	if err != nil {
		return 0, err
	}
	found, last := 0, -1
	for _, t := range plan {
		found += s.fresh(last, t, age)
		last = t
	}
	return share(found, s.total), nil
}

// Cost returns the share of the n slots that a plan visits.
func Cost(n int, plan []int) (float64, error) {
	if n <= 0 {
		return 0, checkVisits(n, len(plan))
	}
	if err := checkPlan(n, plan); err != nil {
		return 0, err
	}
	return float64(len(plan)) / float64(n), nil
}

// measured returns the news of a period in which a plan can be measured.
func measured(p Period, plan []int) (*news, error) {
	if err := checkPeriods([]Period{p}); err != nil {
		return nil, err
	}
	if err := checkPlan(len(p.Slots), plan); err != nil {
		return nil, err
	}
	return newsOf(p), nil
}
