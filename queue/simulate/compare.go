package simulate

import (
	"context"
	"runtime"
	"slices"
	"sync"
)

// Comparison holds the results of a policy with a budget.
type Comparison struct {
	Policy          string
	VisitsPerChange float64
	Of              []Result // by trace
	Mean            Result   // each trace counts alike; visits, budgets and planning times are sums
	Best            int      // traces on which no other policy keeps pages fresher
}

// Compare runs policies on traces, at several budgets. report is called when a run begins or has
// ended, by one goroutine at a time; it may be nil.
func Compare(ctx context.Context, traces []*Trace, visitsPerChange []float64, policies []string, signals Signals, report func(Progress)) ([]Comparison, error) {
	var all []Comparison
	for _, v := range visitsPerChange {
		for _, p := range policies {
			all = append(all, Comparison{Policy: p, VisitsPerChange: v, Of: make([]Result, len(traces))})
		}
	}
	watch := newWatch(traces, all, report)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i := range all {
		for k, t := range traces {
			wg.Go(func() {
				free <- struct{}{}
				defer func() { <-free }()
				watch.begins(&all[i], t)
				r, err := Run(ctx, t, all[i].VisitsPerChange, all[i].Policy, signals)
				if err != nil {
					cancel(err)
					return
				}
				all[i].Of[k] = r
				watch.ended(&all[i], t)
			})
		}
	}
	wg.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	for i := range all {
		all[i].Mean = mean(all[i].Of)
		for k := range traces {
			best := !slices.ContainsFunc(all, func(c Comparison) bool {
				return c.VisitsPerChange == all[i].VisitsPerChange && c.Of[k].Fresh > all[i].Of[k].Fresh
			})
			if best {
				all[i].Best++
			}
		}
	}
	return all, nil
}

// mean returns the mean of results; visits, budgets and planning times are sums.
func mean(all []Result) (m Result) {
	n, blocks := float64(max(1, len(all))), 0.0
	for _, r := range all {
		if r.Blocks {
			blocks++
		}
	}
	for _, r := range all {
		m.Visits, m.Budget, m.Planning = m.Visits+r.Visits, m.Budget+r.Budget, m.Planning+r.Planning
		m.Fresh += r.Fresh / n
		m.Staleness += r.Staleness / n
		m.Captured += r.Captured / n
		if r.Blocks {
			m.Blocks = true
			m.BlockStaleness += r.BlockStaleness / blocks
		}
		m.Wasted += r.Wasted / n
		m.Asked += r.Asked / n
		m.Delay[0] += r.Delay[0] / n
		m.Delay[1] += r.Delay[1] / n
	}
	return m
}
