package slots

import (
	"errors"
	"fmt"
)

// Period holds the content of a page in each slot of a period.
type Period struct {
	Slots []Snapshot // n of them, in order of time

	// Before is the content when the period began: its items are not news. The paper's is empty,
	// so that all items of the first slot are new.
	Before Snapshot
}

var errNoPeriods = errors.New("no periods: give at least one")

// checkPeriods returns the error in periods, or nil.
func checkPeriods(periods []Period) error {
	if len(periods) == 0 {
		return errNoPeriods
	}
	n := len(periods[0].Slots)
	if n == 0 {
		return errors.New("period 1 has no slots: give a snapshot of each")
	}
	for k, p := range periods {
		if len(p.Slots) != n {
			return fmt.Errorf("period %d has %d slots, the first has %d: give each the same number", k+1, len(p.Slots), n)
		}
		if !ascends(p.Before) {
			return fmt.Errorf("period %d: Before is not in order: make it with NewSnapshot", k+1)
		}
		for i, s := range p.Slots {
			if !ascends(s) {
				return fmt.Errorf("period %d: the snapshot of slot %d is not in order: make it with NewSnapshot", k+1, i)
			}
		}
	}
	return nil
}

func ascends(s Snapshot) bool {
	for i := 1; i < len(s); i++ {
		if s[i] <= s[i-1] {
			return false
		}
	}
	return true
}

// checkVisits returns the error in the number of visits f in n slots, or nil.
func checkVisits(n, f int) error {
	switch {
	case n <= 0:
		return fmt.Errorf("%d slots: give at least one", n)
	case f <= 0:
		return fmt.Errorf("%d visits: give at least one", f)
	case f > n:
		return fmt.Errorf("%d visits in %d slots: give at most %d", f, n, n)
	}
	return nil
}

// checkPlan returns the error in a plan for n slots, or nil.
func checkPlan(n int, plan []int) error {
	last := -1
	for _, t := range plan {
		if t < 0 || t >= n {
			return fmt.Errorf("slot %d of a plan: there are slots 0 to %d", t, n-1)
		}
		if t <= last {
			return fmt.Errorf("slot %d after slot %d of a plan: sort it, each slot once", t, last)
		}
		last = t
	}
	return nil
}
