package slots

import (
	"fmt"
	"math"
)

// Goal is the objective of [PlanDP]: the mean over periods of Accuracy and Freshness, each times
// its weight. The zero Goal is accuracy.
type Goal struct {
	Accuracy  float64 // weight, at least 0
	Freshness float64 // weight, at least 0
	Age       int     // for how many slots items are fresh; 0: 1
}

// checked returns the goal with its defaults, and the greater weight 1.
func (g Goal) checked() (Goal, error) {
	for _, w := range []float64{g.Accuracy, g.Freshness} {
		if !(w >= 0) || math.IsInf(w, 1) {
			return g, fmt.Errorf("weight %v of a goal: give 0 or more", w)
		}
	}
	if g.Age < 0 {
		return g, fmt.Errorf("fresh for %d slots: give at least 1", g.Age)
	}
	if g.Accuracy == 0 && g.Freshness == 0 {
		g.Accuracy = 1
	}
	scale := max(g.Accuracy, g.Freshness) // the plan does not depend on it, and sums stay finite
	g.Accuracy, g.Freshness, g.Age = g.Accuracy/scale, g.Freshness/scale, max(g.Age, 1)
	return g, nil
}

// worth holds the worths of visits for a goal, (n+1)×n: row p+1 at t has that of a visit in slot t
// after one in slot p, row 0 that of a first visit. The worth of a plan is the sum of those of its
// visits: dynamic programming is exact for this reason.
type worth struct {
	n    int
	cell []float64
}

func (w *worth) at(p, t int) float64 { return w.cell[(p+1)*w.n+t] }

// worthOf returns the mean worths of visits over periods.
func worthOf(periods []Period, f int, g Goal) (*worth, error) {
	if err := checkPeriods(periods); err != nil {
		return nil, err
	}
	n := len(periods[0].Slots)
	if err := checkVisits(n, f); err != nil {
		return nil, err
	}
	g, err := g.checked()
	if err != nil {
		return nil, err
	}
	w := &worth{n: n, cell: make([]float64, (n+1)*n)}
	for _, p := range periods {
		s := newsOf(p)
		if s.total == 0 {
			continue // without news, every plan finds all of it
		}
		each := 1 / (float64(len(periods)) * float64(s.total))
		for last := -1; last < n-1; last++ {
			for t := last + 1; t < n; t++ {
				found := g.Accuracy * float64(s.gain(last, t))
				if g.Freshness > 0 {
					found += g.Freshness * float64(s.fresh(last, t, g.Age))
				}
				w.cell[(last+1)*n+t] += found * each
			}
		}
	}
	return w, nil
}
