package fit_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"plat/segment/classifier"
	"plat/segment/classifier/fit"
)

var options = fit.Options{
	Rounds: 40, Depth: 3, Rate: .2, Penalty: 1, Least: .1, Features: 1, Sample: .8, Bins: 32, Steps: 80, LinearPenalty: 1, Seed: 7,
}

// examples have two classes that depend on whether two features are on the same side, which no sum of
// both shows, and a third that depends on one feature; the last feature is irrelevant.
func examples(seed uint64, n int) []fit.Example {
	r := rand.New(rand.NewPCG(seed, 1))
	all := make([]fit.Example, n)
	for i := range all {
		x := []float32{r.Float32()*2 - 1, r.Float32()*2 - 1, r.Float32(), r.Float32()}
		all[i] = fit.Example{X: x, Y: make([]float32, 3)}
		all[i].Y[class(x)] = 1
	}
	return all
}

func class(x []float32) int {
	switch {
	case x[2] > .8:
		return 2
	case (x[0] > 0) == (x[1] > 0):
		return 1
	}
	return 0
}

var names = []string{"a", "b", "c", "noise"}

func best(m *classifier.Model, x []float32) int {
	var in classifier.Input
	scores := make([]int32, m.Classes)
	m.Read(x, &in)
	m.Scores(&in, scores)
	k := 0
	for i, s := range scores {
		if s > scores[k] {
			k = i
		}
	}
	return k
}

func TestTrainLearnsWhatHoldsOnlyTogether(t *testing.T) {
	m := fit.Train(names, examples(1, 2000), options)
	right := 0
	others := examples(2, 1000)
	for _, e := range others {
		if best(m, e.X) == class(e.X) {
			right++
		}
	}
	if right < 950 {
		t.Errorf("%d of %d are right", right, len(others))
	}
	// The feature that identifies the third class is named for it.
	var in classifier.Input
	m.Read([]float32{.5, .5, .95, .5}, &in)
	worth := make([]int32, len(names))
	m.Explain(&in, 2, 1, worth)
	for k, w := range worth {
		if k != 2 && w >= worth[2] {
			t.Errorf("%s is worth %d, and %s %d", names[k], w, names[2], worth[2])
		}
	}
}

func TestTrainIsDeterministic(t *testing.T) {
	a, b := fit.Train(names, examples(1, 500), options), fit.Train(names, examples(1, 500), options)
	if !bytes.Equal(a.Encode(), b.Encode()) {
		t.Error("the same examples gave two models")
	}
}

func TestModelsAreReadAsTheyWereWritten(t *testing.T) {
	m := fit.Train(names, examples(1, 500), options)
	b := m.Encode()
	again, err := classifier.Decode(b)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(again.Encode(), b) {
		t.Error("it is written differently")
	}
	var in, also classifier.Input
	s, z := make([]int32, 3), make([]int32, 3)
	for _, e := range examples(3, 200) {
		m.Read(e.X, &in)
		m.Scores(&in, s)
		again.Read(e.X, &also)
		again.Scores(&also, z)
		for k := range s {
			if s[k] != z[k] {
				t.Fatalf("%v: %v, then %v", e.X, s, z)
			}
		}
	}
	for n := range b {
		if _, err := classifier.Decode(b[:n]); err == nil {
			t.Fatalf("the first %d of %d bytes are a model", n, len(b))
		}
	}
}

// FuzzDecode checks that a model accepted by Decode can be evaluated.
func FuzzDecode(f *testing.F) {
	o := options
	o.Rounds, o.Bins = 2, 4
	m := fit.Train(names, examples(1, 60), o)
	f.Add(m.Encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := classifier.Decode(b)
		if err != nil {
			return
		}
		var in classifier.Input
		x := make([]float32, len(m.Edges))
		m.Read(x, &in)
		m.Scores(&in, make([]int32, m.Classes))
		m.Explain(&in, m.Classes-1, 1, make([]int32, len(x)))
	})
}
