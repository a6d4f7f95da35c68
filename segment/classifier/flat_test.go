package classifier

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Trees that are filled up come to the same scores as those that are walked.
func TestFlatTreesScoreTheSame(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const features = 9
	var grow func(depth int) Tree
	grow = func(depth int) Tree {
		if depth == 0 || r.IntN(4) == 0 {
			return Tree{{Feature: -1, Value: int16(r.IntN(2000) - 1000)}}
		}
		t := Tree{{Feature: int16(r.IntN(features)), Bin: uint8(r.IntN(256))}}
		for side := range 2 {
			if side == 1 {
				t[0].Right = uint8(len(t))
			}
			from := uint8(len(t))
			for _, n := range grow(depth - 1) {
				if n.Feature >= 0 {
					n.Right += from
				}
				t = append(t, n)
			}
		}
		return t
	}
	for _, classes := range []int{1, 2, 3, 5} {
		for _, rounds := range []int{1, 3, 4, 5, 11} { // four are evaluated together, the rest one by one
			m := Model{Classes: classes, Start: make([]int16, classes), Edges: make([][]float32, features), Linear: make([]Term, features)}
			for range rounds * classes {
				m.Trees = append(m.Trees, grow(flatDepth))
			}
			m.flatten()
			if m.flat == nil {
				t.Fatal("the trees are not flat")
			}
			walked := m
			walked.flat = nil
			for range 200 {
				var in Input
				for i := range features {
					in.bins[i] = uint8(r.IntN(256))
				}
				got, want := make([]int32, classes), make([]int32, classes)
				m.Scores(&in, got)
				walked.Scores(&in, want)
				if !slices.Equal(got, want) {
					t.Fatalf("%d classes, %d rounds: %v, walked %v", classes, rounds, got, want)
				}
			}
		}
	}
}
