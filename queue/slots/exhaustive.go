package slots

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// Exhaustive returns the plan of least total similarity as the paper's exhaustive strategy does:
// it tries each choice of f of n slots, for comparison with [Minimize]. Of 30 slots, 11 are chosen
// in 54,627,300 ways, which takes about a second. If ctx ends before, its error is returned.
func Exhaustive(ctx context.Context, m *Matrix, f int) ([]int, error) {
	if err := checkVisits(m.n, f); err != nil {
		return nil, err
	}
	return exhaust(ctx, m.n, f, func(plan []int, t int) float64 {
		row, total := m.row(t), 0.0
		for _, p := range plan {
			total -= row[p]
		}
		return total
	})
}

// ExhaustiveGoal returns the plan that is worth most for a goal, in the mean over periods, by
// trying each. It is for comparison with [PlanDP].
func ExhaustiveGoal(ctx context.Context, periods []Period, f int, goal Goal) ([]int, error) {
	w, err := worthOf(periods, f, goal)
	if err != nil {
		return nil, err
	}
	return exhaust(ctx, w.n, f, func(plan []int, t int) float64 {
		if len(plan) == 0 {
			return w.at(-1, t)
		}
		return w.at(plan[len(plan)-1], t)
	})
}

// exhaust returns the choice of f of n slots with the greatest sum, where adds returns the term of
// each slot, given those before it; of equal ones the first.
func exhaust(ctx context.Context, n, f int, adds func(plan []int, t int) float64) ([]int, error) {
	plan := make([]int, 0, f)
	var best []int
	most, tried := math.Inf(-1), 0
	var try func(from int, sum float64) error
	try = func(from int, sum float64) error {
		if len(plan) == f {
			if sum > most+tiny {
				best, most = append(best[:0], plan...), sum
			}
			if tried++; tried%(1<<16) == 0 && ctx.Err() != nil {
				return fmt.Errorf("after %d plans of %d visits in %d slots: %w", tried, f, n, ctx.Err())
			}
			return nil
		}
		for t := from; t <= n-f+len(plan); t++ {
			add := adds(plan, t)
			plan = append(plan, t)
			err := try(t+1, sum+add)
			plan = plan[:len(plan)-1]
			if err != nil {
				return err
			}
		}
		return nil
	}
	if err := try(0, 0); err != nil {
		return nil, err
	}
	return slices.Clip(best), nil
}
