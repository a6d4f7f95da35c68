package slots

import "math"

// PlanDP returns the f slots with the greatest worth for a goal, averaged over training
// periods, by dynamic programming over (last visit, visits left): O(n²f), the best n of N
// slots of Eckstein, Gal and Reiner (2005).
//
// It is exact for [Accuracy] and [Freshness] as they are defined here, whatever items do: both are
// sums over pairs of consecutive visits. That holds because an item that comes back counts as news
// again, both for the plan and for the visits in each slot that it is measured against. If each
// item counts once, it is exact only if no item comes back within a period; else its plan may find
// some items twice, and miss items that a different plan would find.
//
// Of plans with equal worth, it takes the one with the most even steps: the next period is not the
// same as the last ones.
func PlanDP(periods []Period, f int, goal Goal) ([]int, error) {
	w, err := worthOf(periods, f, goal)
	if err != nil {
		return nil, err
	}
	return w.plan(f), nil
}

// rest is the best continuation after a visit.
type rest struct {
	worth  float64
	uneven int // sum of the squares of steps, in slots
	next   int
}

func (a rest) better(b rest) bool {
	if d := a.worth - b.worth; math.Abs(d) > tiny {
		return d > 0
	}
	return a.uneven < b.uneven
}

func (w *worth) plan(f int) []int {
	n := w.n
	after := make([]rest, (f+1)*(n+1)) // of r visits left at p+1: after a visit in slot p
	for p := range n + 1 {
		after[p].uneven = (n - p + 1) * (n - p + 1) // to the end of the period
	}
	for r := 1; r <= f; r++ {
		for p := -1; p < n-r; p++ {
			best := rest{worth: math.Inf(-1)}
			for t := p + 1; t <= n-r; t++ {
				x := after[(r-1)*(n+1)+t+1]
				x.worth += w.at(p, t)
				x.uneven += (t - p) * (t - p)
				x.next = t
				if x.better(best) {
					best = x
				}
			}
			after[r*(n+1)+p+1] = best
		}
	}
	plan := make([]int, 0, f)
	for r, p := f, -1; r > 0; r-- {
		p = after[r*(n+1)+p+1].next
		plan = append(plan, p)
	}
	return plan
}
