// Package fit makes the models of [classifier] from examples.
package fit

import (
	"math"

	"plat/segment/classifier"
)

// Example is one case to learn.
type Example struct {
	X []float32
	Y []float32 // by class: its weight in this example; the sum is the example's weight

	// NotFirst is the weight of this example as one of a class other than the first, if it is unknown
	// which. It lowers the score of the first class, and changes none of the others.
	NotFirst float32
}

// tells reports whether an example says something about class k.
func (e *Example) tells(k int) bool { return k == 0 || e.NotFirst == 0 }

// weight returns the sum over all classes.
func (e *Example) weight() float64 {
	w := float64(e.NotFirst)
	for _, y := range e.Y {
		w += float64(y)
	}
	return w
}

// Options say how to learn. The linear part and the trees are fitted apart, and their
// scores averaged.
type Options struct {
	Rounds   int     // trees for each class
	Depth    int     // of each tree, ≤ 6
	Rate     float64 // share of each tree that is added
	Penalty  float64 // L2, on the values of leaves
	Least    float64 // sum of second derivatives in a leaf
	Features float64 // share of the features that each tree may use
	Sample   float64 // share of the examples that each tree sees
	Bins     int     // per feature, ≤ 255

	Steps         int     // of the descent that fits the linear part
	LinearPenalty float64 // L2, on the weights of standardised features

	Seed uint64
}

// Train fits a model on features of these names. The same examples and options give the same model.
func Train(names []string, examples []Example, o Options) *classifier.Model {
	m := &classifier.Model{Classes: len(examples[0].Y), Names: names, Edges: edges(examples, o.Bins)}
	l := line(examples, o)
	features := len(m.Edges)
	m.Linear, m.Start = make([]classifier.Term, features), make([]int16, m.Classes)
	for i := range m.Linear {
		t := &m.Linear[i]
		t.Mean, t.Deviation, t.Weights = float32(l.mean[i]), float32(l.deviation[i]), make([]int16, m.Classes)
		for k := range t.Weights {
			t.Weights[k] = quantum(l.weights[k][i] / 2)
		}
	}
	for k := range m.Start {
		m.Start[k] = quantum(l.weights[k][features] / 2)
	}
	m.Trees = trees(examples, o, m.Edges)
	for _, t := range m.Trees {
		for i := range t {
			t[i].Value = int16(math.Round(float64(t[i].Value) / 2))
		}
	}
	return classifier.MustDecode(m.Encode()) // with the rounding of the encoded form
}
