package main

import (
	"context"
	"time"

	"plat/queue/slots"
)

// measures are means over pages, 0 to 1.
type measures struct {
	Accuracy  float64 `json:"accuracy"`
	Freshness float64 `json:"freshness"`
	Two       float64 `json:"freshness_two_slots"`
}

// row is the result of a strategy with a number of visits.
type row struct {
	Strategy string        `json:"strategy"`
	Visits   int           `json:"visits"`
	Pages    int           `json:"pages"` // with a plan
	Kept     float64       `json:"kept"`  // slots that a plan is chosen from: |M|
	Gap      float64       `json:"gap"`   // by how much the similarity of a plan may be too great, at most
	Cost     float64       `json:"cost"`
	Training measures      `json:"training"`
	Test     measures      `json:"test"`
	Time     time.Duration `json:"time_ns"` // of planning, a page
}

// compare makes the plans of f visits and measures them.
func compare(ctx context.Context, pages []recorded, f int, deltas []float64) ([]row, error) {
	var rows []row
	for _, s := range strategies(deltas) {
		r := row{Strategy: s.name, Visits: f}
		plans := 0
		for _, p := range pages {
			all := p.periods
			if *begin {
				all = known(all)
			}
			done := false
			for _, make := range s.plans {
				from := time.Now()
				m, err := make(ctx, all[:training], f)
				if err != nil {
					return nil, err
				}
				if m.plan == nil {
					continue
				}
				r.Time += time.Since(from)
				r.Kept += float64(m.kept)
				r.Gap = max(r.Gap, m.gap)
				if err := r.add(all, m.plan); err != nil {
					return nil, err
				}
				done = true
				plans++
			}
			if done {
				r.Pages++
			}
		}
		r.divide(float64(plans))
		rows = append(rows, r)
	}
	return rows, nil
}

// add adds the result of a plan.
func (r *row) add(all []slots.Period, plan []int) error {
	cost, err := slots.Cost(n, plan)
	if err != nil {
		return err
	}
	r.Cost += cost
	for k, p := range all {
		to, share := &r.Training, 1.0/training
		if k >= training {
			to, share = &r.Test, 1.0/(periods-training)
		}
		a, err := slots.Accuracy(p, plan)
		if err != nil {
			return err
		}
		fresh, err := slots.Freshness(p, plan, 1)
		if err != nil {
			return err
		}
		two, err := slots.Freshness(p, plan, 2)
		if err != nil {
			return err
		}
		to.Accuracy += a * share
		to.Freshness += fresh * share
		to.Two += two * share
	}
	return nil
}

// divide makes means of sums.
func (r *row) divide(plans float64) {
	if plans == 0 {
		return
	}
	for _, x := range []*float64{&r.Kept, &r.Cost, &r.Training.Accuracy, &r.Training.Freshness, &r.Training.Two, &r.Test.Accuracy, &r.Test.Freshness, &r.Test.Two} {
		*x /= plans
	}
	r.Time = time.Duration(float64(r.Time) / plans)
}

// repeats is the result of a test for a period in the changes of a page.
type repeats struct {
	Page        string  `json:"page"`
	Correlation float64 `json:"correlation"`
	P           float64 `json:"p"`
}

// repeating tests the training periods of each page.
func repeating(pages []recorded) ([]repeats, error) {
	var out []repeats
	for _, p := range pages {
		found, err := slots.Periodic(known(p.periods)[:training])
		if err != nil {
			return nil, err
		}
		out = append(out, repeats{p.Page, found.Correlation, found.P})
	}
	return out, nil
}
