package slots

import (
	"fmt"
	"math"
)

// Filter returns the slots that bring enough news to be chosen from (Algorithm 2): the
// first, and each whose snapshot resembles the one before it by less than delta in the mean
// over periods. Series is as for [NewMatrix]; delta is δ, at least 0.
func Filter(series [][]float64, delta float64) ([]int, error) {
	if err := checkSeries(series); err != nil {
		return nil, err
	}
	if !(delta >= 0) || math.IsInf(delta, 1) {
		return nil, fmt.Errorf("greatest similarity %v: give 0 to 1", delta)
	}
	kept := []int{0}
	for k := range series[0] {
		mean := 0.0
		for _, row := range series {
			mean += row[k] / float64(len(series))
		}
		if mean < delta {
			kept = append(kept, k+1)
		}
	}
	return kept, nil
}

// reduce returns the similarities of the slots that a filter has kept. As in Algorithm 2, M is
// made of those that it kept: changes in the slots between, each too small to pass δ, do not
// count.
func reduce(series [][]float64, kept []int) [][]float64 {
	out := make([][]float64, len(series))
	for k, row := range series {
		for _, t := range kept[1:] {
			out[k] = append(out[k], row[t-1])
		}
	}
	return out
}
