package classifier

import (
	"errors"
	"math"
	"testing"
)

// A model that would score wrongly or fail is refused.
func TestModelsThatCannotScoreAreRefused(t *testing.T) {
	model := func() *Model {
		return &Model{
			Classes: 2, Start: []int16{1, 2}, Names: []string{"a", "b"},
			Edges:  [][]float32{{1, 2, 3}, nil},
			Linear: []Term{{Mean: 1, Deviation: 2, Weights: []int16{3, 4}}, {Deviation: 1, Weights: []int16{5, 6}}},
			Trees:  []Tree{{{Feature: -1, Value: 7}}, {{Feature: -1, Value: 8}}},
		}
	}
	if m, err := Decode(model().Encode()); err != nil || m.Classes != 2 || len(m.Trees) != 2 || len(m.Edges[0]) != 3 {
		t.Fatalf("a model is read as %+v, %v", m, err)
	}
	for name, change := range map[string]func(*Model){
		"edges out of order":      func(m *Model) { m.Edges[0] = []float32{1, 3, 2} },
		"a deviation of 0":        func(m *Model) { m.Linear[1].Deviation = 0 },
		"a negative deviation":    func(m *Model) { m.Linear[1].Deviation = -1 },
		"a deviation of nothing":  func(m *Model) { m.Linear[0].Deviation = float32(math.NaN()) },
		"a round without a class": func(m *Model) { m.Trees = m.Trees[:1] },
		"no classes":              func(m *Model) { *m = Model{} },
	} {
		m := model()
		change(m)
		if _, err := Decode(m.Encode()); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	whole := model().Encode()
	for n := range whole {
		if _, err := Decode(whole[:n]); !errors.Is(err, ErrFormat) {
			t.Errorf("%d of %d bytes: error %v", n, len(whole), err)
		}
	}
	if _, err := Decode(append(whole, 0)); !errors.Is(err, ErrFormat) {
		t.Errorf("one byte more: error %v", err)
	}
}
