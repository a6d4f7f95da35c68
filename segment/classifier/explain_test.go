package classifier

import (
	"math"
	"testing"
)

// Stored models have scores of 256 for each logit.
func TestProbabilitiesOfScores(t *testing.T) {
	for score, want := range map[int32]float64{0: .5, 256: 1 / (1 + 1/math.E), -256: 1 / (1 + math.E), 2560: 1 / (1 + math.Exp(-10))} {
		if got := Probability(score); math.Abs(got-want) > 1e-12 {
			t.Errorf("a score of %d is a probability of %v, want %v", score, got, want)
		}
	}
}

// The worths of all features are the score of a class without that of a typical case: its start, and the means of its trees.
func TestWorthsAddUpToTheScore(t *testing.T) {
	m := &Model{
		Classes: 2, Start: []int16{10, -20}, Names: []string{"a", "b", "c"},
		Edges:  [][]float32{{1, 2}, {5}, nil},
		Linear: []Term{{Mean: 1, Deviation: 2, Weights: []int16{30, -40}}, {Deviation: 1, Weights: []int16{0, 7}}, {Mean: 3, Deviation: 1, Weights: []int16{-5, 0}}},
		Trees: []Tree{
			{{Feature: 0, Bin: 0, Right: 2, Value: 4}, {Feature: -1, Value: 100}, {Feature: 1, Bin: 0, Right: 4, Value: -9}, {Feature: -1, Value: -50}, {Feature: -1, Value: 60}},
			{{Feature: 1, Bin: 0, Right: 2, Value: 3}, {Feature: -1, Value: 8}, {Feature: -1, Value: -12}},
			{{Feature: -1, Value: 17}},
			{{Feature: -1, Value: 2}},
		},
	}
	read, err := Decode(m.Encode())
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		values []float32
		want   [2][3]int32 // worths for both classes
	}{
		{[]float32{1, 0, 3}, [2][3]int32{{96, 0, 0}, {0, 5, 0}}},
		{[]float32{3, 0, 3}, [2][3]int32{{30 - 13, -41, 0}, {-40, 5, 0}}},
		{[]float32{3, 3, 5}, [2][3]int32{{30 - 13, -41, -10}, {-40, 5 + 21, 0}}},
		{[]float32{-1, 6, 3}, [2][3]int32{{-30 + 96, 0, 0}, {40, -15 + 21, 0}}},
		{[]float32{99, 6, -99}, [2][3]int32{{90 - 13, 69, 15}, {-120, -15 + 21, 0}}},
	} {
		var in Input
		read.Read(tc.values, &in)
		scores := make([]int32, 2)
		read.Scores(&in, scores)
		for class, want := range tc.want {
			for _, sign := range []int32{1, -1} {
				worth := []int32{1000, 0, 0}
				read.Explain(&in, class, sign, worth)
				sum := int32(0)
				for i := range worth {
					got := worth[i] - []int32{1000, 0, 0}[i]
					if sum += sign * got; got != sign*want[i] {
						t.Errorf("%v, class %d, sign %d: feature %d is worth %d, want %d", tc.values, class, sign, i, got, sign*want[i])
					}
				}
				typical := int32(m.Start[class]) + []int32{4 + 17, 3 + 2}[class]
				if scores[class] != typical+sum {
					t.Errorf("%v: class %d has the score %d, a typical case %d, and the features are worth %d", tc.values, class, scores[class], typical, sum)
				}
			}
		}
	}
}

func TestDamagedBuiltInModelsPanic(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a damaged model is read")
		}
	}()
	MustDecode([]byte{1})
}
