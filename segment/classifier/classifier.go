// Package classifier classifies examples by the sum of a linear model and of gradient
// boosted decision trees (Friedman 2001, "Greedy function approximation: a gradient
// boosting machine", section 4.6).
//
// The linear part captures small effects that hold everywhere; the trees capture
// combinations of features. [fit] makes models from examples. Scores are integers, so
// that every machine computes the same result.
//
// [fit]: https://pkg.go.dev/plat/classifier/fit
package classifier

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Unit is the number of score units per natural logarithm of the odds.
const Unit = 256

// Probability returns the probability for a score, by the logistic function.
func Probability(score int32) float64 { return 1 / (1 + math.Exp(-float64(score)/Unit)) }

// A Model is a fitted model. It is immutable, and safe for concurrent use.
type Model struct {
	Classes int
	Names   []string    // of the features
	Linear  []Term      // by feature
	Start   []int16     // by class, in [Unit]: the score before any feature
	Edges   [][]float32 // by feature: ascending; value v is in bin i if Edges[i-1] < v ≤ Edges[i]
	Trees   []Tree      // of class i%Classes

	flat []flat // the trees in a form for fast evaluation; nil if they are too deep
}

// A Term is the share of one feature in the linear part: the value's distance from the
// mean in standard deviations, at most 3, times the weight of each class.
type Term struct {
	Mean, Deviation float32
	Weights         []int16 // by class, in [Unit]

	scale float64 // grain / Deviation
}

// A Tree is a list of nodes, parents before children.
type Tree []Node

// A Node is a decision between two nodes, or a leaf.
type Node struct {
	Feature int16 // -1: a leaf
	Bin     uint8 // of the feature: up to it the next node follows, beyond it Right
	Right   uint8 // index in the tree
	Value   int16 // in [Unit]: of a leaf; of a decision, the mean of the examples that reach it
}

// Input is the features of one case, as a model reads them. It can be used again.
type Input struct {
	bins  [maxFeatures]uint8
	steps []int16 // distance from the mean, in steps of [grain] standard deviations
}

// maxFeatures is the maximum number of features of a model.
const maxFeatures = 256

// grain is the number of steps per standard deviation.
const grain = 64

// Read prepares the values of all features. NaN counts as the mean, and as the smallest.
func (m *Model) Read(values []float32, in *Input) {
	in.steps = slices.Grow(in.steps[:0], len(m.Edges))[:len(m.Edges)]
	for i, edges := range m.Edges {
		v := values[i]
		lo, hi := 0, len(edges)
		for lo < hi {
			if mid := (lo + hi) / 2; v > edges[mid] {
				lo = mid + 1
			} else {
				hi = mid
			}
		}
		in.bins[i] = uint8(lo)
		t := &m.Linear[i]
		z := float64(v-t.Mean) * t.scale
		if z != z {
			z = 0
		}
		in.steps[i] = int16(math.RoundToEven(max(-3*grain, min(3*grain, z))))
	}
}

// Scores adds up the scores of the classes.
func (m *Model) Scores(in *Input, scores []int32) {
	scores = scores[:m.Classes]
	clear(scores)
	for i, step := range in.steps {
		if step == 0 {
			continue
		}
		for k, w := range m.Linear[i].Weights {
			scores[k] += int32(step) * int32(w)
		}
	}
	for k := range scores {
		scores[k] = scores[k]/grain + int32(m.Start[k])
	}
	if m.flat == nil {
		for i, t := range m.Trees {
			scores[i%m.Classes] += int32(t.reach(&in.bins).Value)
		}
	}
	n := m.Classes
	for k := range scores {
		i := k
		for ; i+3*n < len(m.flat); i += 4 * n {
			scores[k] += values(&m.flat[i], &m.flat[i+n], &m.flat[i+2*n], &m.flat[i+3*n], &in.bins)
		}
		for ; i < len(m.flat); i += n {
			scores[k] += m.flat[i].value(&in.bins)
		}
	}
}

// reach returns the leaf that the features lead to.
func (t Tree) reach(bins *[maxFeatures]uint8) *Node {
	at := 0
	n := &t[0]
	for n.Feature >= 0 {
		if bins[n.Feature] <= n.Bin {
			at++
		} else {
			at = int(n.Right)
		}
		n = &t[at]
	}
	return n
}

// Explain adds to worth the contribution of each feature to the score of a class, relative to a
// typical case: on the way to a leaf, the change of the mean at each decision counts for the deciding
// feature (Saabas 2014).
func (m *Model) Explain(in *Input, class int, sign int32, worth []int32) {
	for i, step := range in.steps {
		worth[i] += sign * int32(step) * int32(m.Linear[i].Weights[class]) / grain
	}
	for i := class; i < len(m.Trees); i += m.Classes {
		t := m.Trees[i]
		for at := 0; t[at].Feature >= 0; {
			n := &t[at]
			if in.bins[n.Feature] <= n.Bin {
				at++
			} else {
				at = int(n.Right)
			}
			worth[n.Feature] += sign * (int32(t[at].Value) - int32(n.Value))
		}
	}
}

const magic = "plat classifier 1\n"

// Encode writes a model; it takes some bytes for each node.
func (m *Model) Encode() []byte {
	b := []byte(magic)
	b = binary.AppendUvarint(b, uint64(m.Classes))
	b = binary.AppendUvarint(b, uint64(len(m.Edges)))
	for _, v := range m.Start {
		b = binary.AppendVarint(b, int64(v))
	}
	for i, edges := range m.Edges {
		t := &m.Linear[i]
		b = append(binary.AppendUvarint(b, uint64(len(m.Names[i]))), m.Names[i]...)
		b = float(float(b, t.Mean), t.Deviation)
		for _, w := range t.Weights {
			b = binary.AppendVarint(b, int64(w))
		}
		b = binary.AppendUvarint(b, uint64(len(edges)))
		for _, e := range edges {
			b = float(b, e)
		}
	}
	b = binary.AppendUvarint(b, uint64(len(m.Trees)))
	for _, t := range m.Trees {
		b = binary.AppendUvarint(b, uint64(len(t)))
		for _, n := range t {
			b = binary.AppendUvarint(b, uint64(n.Feature+1))
			if n.Feature >= 0 {
				b = append(b, n.Bin, n.Right)
			}
			b = binary.AppendVarint(b, int64(n.Value))
		}
	}
	return b
}

func float(b []byte, v float32) []byte {
	return binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
}

// ErrFormat is returned for bytes that are not an encoded model.
var ErrFormat = errors.New("classifier: not an encoded model")

// Decode reads a model and checks it: no input makes [Model.Scores] fail or run on.
func Decode(b []byte) (*Model, error) {
	if len(b) < len(magic) || string(b[:len(magic)]) != magic {
		return nil, ErrFormat
	}
	r := reader{b: b[len(magic):]}
	m := &Model{Classes: r.count(1 << 8)}
	features := r.count(maxFeatures)
	m.Start = r.values(m.Classes)
	for range features {
		m.Names = append(m.Names, string(r.take(r.count(math.MaxUint8))))
		t := Term{Mean: r.float(), Deviation: r.float()}
		t.Weights = r.values(m.Classes)
		edges := make([]float32, r.count(math.MaxUint8))
		for k := range edges {
			edges[k] = r.float()
		}
		if r.failed || !slices.IsSorted(edges) || !(t.Deviation > 0) {
			return nil, ErrFormat
		}
		t.scale = grain / float64(t.Deviation)
		m.Linear, m.Edges = append(m.Linear, t), append(m.Edges, edges)
	}
	for range r.count(1 << 16) {
		t := r.tree(features)
		if r.failed {
			return nil, ErrFormat
		}
		m.Trees = append(m.Trees, t)
	}
	if r.failed || m.Classes == 0 || len(r.b) > 0 || len(m.Trees)%m.Classes != 0 {
		return nil, ErrFormat
	}
	m.flatten()
	return m, nil
}

// MustDecode decodes a model that is part of the program.
func MustDecode(b []byte) *Model {
	m, err := Decode(b)
	if err != nil {
		panic(fmt.Sprintf("%v, in %d bytes", err, len(b)))
	}
	return m
}

type reader struct {
	b      []byte
	failed bool
}

func (r *reader) fail() { r.failed, r.b = true, nil }

func (r *reader) count(most uint64) int {
	v, n := binary.Uvarint(r.b)
	if n <= 0 || v > most {
		r.fail()
		return 0
	}
	r.b = r.b[n:]
	return int(v)
}

func (r *reader) values(n int) []int16 {
	all := make([]int16, n)
	for i := range all {
		v, n := binary.Varint(r.b)
		if n <= 0 || v < math.MinInt16 || v > math.MaxInt16 {
			r.fail()
			return all
		}
		all[i], r.b = int16(v), r.b[n:]
	}
	return all
}

func (r *reader) take(n int) []byte {
	if len(r.b) < n {
		r.fail()
		return make([]byte, n)
	}
	t := r.b[:n]
	r.b = r.b[n:]
	return t
}

func (r *reader) float() float32 { return math.Float32frombits(binary.LittleEndian.Uint32(r.take(4))) }

// tree reads a tree whose nodes lead forward, and whose last node is a leaf.
func (r *reader) tree(features int) Tree {
	t := make(Tree, r.count(math.MaxUint8))
	for k := range t {
		n := &t[k]
		if n.Feature = int16(r.count(uint64(features))) - 1; n.Feature >= 0 {
			two := r.take(2)
			n.Bin, n.Right = two[0], two[1]
			if int(n.Right) <= k+1 || int(n.Right) >= len(t) {
				r.fail()
			}
		}
		n.Value = r.values(1)[0]
	}
	if len(t) == 0 { // the last node is a leaf: it has no node to lead to
		r.fail()
	}
	return t
}
