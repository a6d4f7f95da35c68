package main

import (
	"context"
	"errors"
	"fmt"

	"plat/queue/slots"
)

// A strategy makes a plan for one page from training periods. No plan without an error: the
// page changes too little for it, or the search did not end in time.
type strategy struct {
	name  string
	plans []func(ctx context.Context, training []slots.Period, f int) (made, error) // more than one: their mean counts
}

// made is a plan of a strategy, with facts of its search.
type made struct {
	plan []int
	kept int // slots that it was chosen from
	gap  float64
}

// draws is the number of random plans of a page.
const draws = 100

func strategies(deltas []float64) []strategy {
	random := strategy{name: "random"}
	for seed := range uint64(draws) {
		random.plans = append(random.plans, func(_ context.Context, _ []slots.Period, f int) (made, error) {
			plan, err := slots.Random(n, f, seed)
			return made{plan: plan, kept: n}, err
		})
	}
	var all []strategy
	if *limit > 0 {
		all = append(all, one("exhaustive", bySimilarity), one("exhaustive, accuracy", byAccuracy))
	}
	all = append(all, random,
		one("uniform", func(_ context.Context, _ []slots.Period, f int) (made, error) {
			plan, err := slots.Uniform(n, f)
			return made{plan: plan, kept: n}, err
		}),
		one("plan", planned(0)))
	for _, d := range deltas {
		all = append(all, one(fmt.Sprintf("plan, δ %g", d), planned(d)))
	}
	return append(all,
		one("plan-dp, accuracy", byDP(slots.Goal{Accuracy: 1})),
		one("plan-dp, freshness", byDP(slots.Goal{Freshness: 1})),
		one("plan-dp, both", byDP(slots.Goal{Accuracy: 1, Freshness: 1})))
}

type plan = func(ctx context.Context, training []slots.Period, f int) (made, error)

func one(name string, p plan) strategy { return strategy{name, []plan{p}} }

func planned(delta float64) plan {
	return func(ctx context.Context, training []slots.Period, f int) (made, error) {
		p, err := slots.Plan(ctx, training, f, slots.Options{Delta: delta})
		return made{p.Slots, p.Kept, p.Gap()}, err
	}
}

func byDP(g slots.Goal) plan {
	return func(_ context.Context, training []slots.Period, f int) (made, error) {
		p, err := slots.PlanDP(training, f, g)
		return made{plan: p, kept: n}, err
	}
}

// bySimilarity tries each plan for the least similarity, as the paper's exhaustive strategy.
func bySimilarity(ctx context.Context, training []slots.Period, f int) (made, error) {
	ctx, stop := context.WithTimeout(ctx, *limit)
	defer stop()
	var series [][]float64
	for _, p := range training {
		series = append(series, slots.PTS(p))
	}
	m, err := slots.NewMatrix(series)
	if err != nil {
		return made{}, err
	}
	p, err := slots.Exhaustive(ctx, m, f)
	return ended(p, err)
}

// byAccuracy tries each plan for the best accuracy.
func byAccuracy(ctx context.Context, training []slots.Period, f int) (made, error) {
	ctx, stop := context.WithTimeout(ctx, *limit)
	defer stop()
	p, err := slots.ExhaustiveGoal(ctx, training, f, slots.Goal{})
	return ended(p, err)
}

// ended is no plan if the search took too long.
func ended(plan []int, err error) (made, error) {
	if errors.Is(err, context.DeadlineExceeded) {
		return made{}, nil
	}
	return made{plan: plan, kept: n}, err
}
