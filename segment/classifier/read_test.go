package classifier

import (
	"math"
	"testing"
)

// TestValuesAreInTheirBins: value v is in bin i if Edges[i-1] < v ≤ Edges[i], and its step is its distance from the mean in
// 64ths of a standard deviation, at most three of these. NaN is the mean, and the smallest.
func TestValuesAreInTheirBins(t *testing.T) {
	edges := []float32{-1, 0, 2, 2.5, 7}
	m := &Model{Classes: 1, Edges: [][]float32{edges}, Linear: []Term{{Mean: 1, Deviation: 2, Weights: []int16{1}, scale: grain / 2.0}}}
	var in Input
	for _, v := range []float64{math.Inf(-1), -10, -1.5, -1, -0.5, 0, 0.01, 1, 2, 2.25, 2.5, 3, 6.9, 7, 7.5, 100, math.Inf(1)} {
		m.Read([]float32{float32(v)}, &in)
		bin := 0
		for bin < len(edges) && v > float64(edges[bin]) {
			bin++
		}
		step := int16(math.RoundToEven(64 * max(-3, min(3, (float64(float32(v))-1)/2))))
		if int(in.bins[0]) != bin || in.steps[0] != step {
			t.Errorf("%v is in bin %d at step %d, want bin %d at step %d", v, in.bins[0], in.steps[0], bin, step)
		}
	}
	m.Read([]float32{5}, &in) // leaves a step that is not 0
	if m.Read([]float32{float32(math.NaN())}, &in); in.bins[0] != 0 || in.steps[0] != 0 {
		t.Errorf("NaN is in bin %d at step %d, want the first and the mean", in.bins[0], in.steps[0])
	}
}
