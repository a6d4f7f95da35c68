package slots

import "context"

// Options are settings of [Plan].
type Options struct {
	// Delta is δ of Algorithm 2: slots whose snapshot resembles the one before it by so
	// much, in the mean over periods, are not chosen from. 0: all slots are.
	Delta float64

	// Nodes limits the search, see [Minimize]. 0: DefaultNodes.
	Nodes int
}

// Planned is a plan with its properties.
type Planned struct {
	// NoChange says that fewer than f slots pass the filter: the page changes too little for a
	// plan (the paper's mark "no change").
	NoChange bool

	Kept     int // slots that pass the filter: |M| of table 6
	Searched     // in terms of M over those slots, but Slots are of the period
}

// Plan returns the f slots whose snapshots resemble each other least (formulas 7 to 10 and
// Algorithm 2), from training periods. If ctx ends or the search reaches its limit of nodes, there
// is no error: the result is the best plan found, with its gap.
func Plan(ctx context.Context, periods []Period, f int, o Options) (Planned, error) {
	if err := checkPeriods(periods); err != nil {
		return Planned{}, err
	}
	if err := checkVisits(len(periods[0].Slots), f); err != nil {
		return Planned{}, err
	}
	series := make([][]float64, len(periods))
	for k, p := range periods {
		series[k] = PTS(p)
	}
	kept := upTo(len(periods[0].Slots))
	if o.Delta != 0 {
		var err error
		if kept, err = Filter(series, o.Delta); err != nil {
			return Planned{}, err
		}
	}
	if len(kept) < f {
		return Planned{NoChange: true, Kept: len(kept)}, nil
	}
	m, err := NewMatrix(reduce(series, kept))
	if err != nil {
		return Planned{}, err
	}
	found, err := Minimize(ctx, m, f, o.Nodes)
	if err != nil {
		return Planned{}, err
	}
	for i, t := range found.Slots {
		found.Slots[i] = kept[t]
	}
	return Planned{Kept: len(kept), Searched: found}, nil
}

// upTo returns 0 to n-1.
func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}
