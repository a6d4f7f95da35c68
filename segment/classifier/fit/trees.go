package fit

import (
	"math"
	"math/rand/v2"
	"slices"

	"plat/segment/classifier"
)

// trees fits the trees of a model whose edges are given: gradient boosting of several
// classes with soft labels, on values in bins (as in Chen and Guestrin 2016, "XGBoost",
// sections 2 and 3.2).
func trees(examples []Example, o Options, edges [][]float32) []classifier.Tree {
	b := booster{Options: o, n: len(examples), classes: len(examples[0].Y), random: rand.New(rand.NewPCG(o.Seed, 0))}
	features := len(edges)
	b.bins = make([][]uint8, features)
	for f := range b.bins {
		b.bins[f] = make([]uint8, b.n)
		for i := range examples {
			at, _ := slices.BinarySearch(edges[f], examples[i].X[f])
			b.bins[f][i] = uint8(at)
		}
	}
	b.weight = make([]float64, b.n)
	for i := range examples {
		b.weight[i] = examples[i].weight()
	}
	scores := make([]float64, b.n*b.classes)
	b.g, b.h = make([]float64, b.n), make([]float64, b.n)
	probs := make([]float64, b.n*b.classes)
	var all []classifier.Tree
	for range o.Rounds {
		soften(scores, probs, b.classes)
		rows := b.rows()
		for k := range b.classes {
			for i := range b.n {
				if b.g[i], b.h[i] = 0, 1e-6; examples[i].tells(k) {
					p := probs[i*b.classes+k]
					b.g[i] = b.weight[i]*p - float64(examples[i].Y[k])
					b.h[i] = max(1e-6, b.weight[i]*p*(1-p))
				}
			}
			b.asked = b.pick(features)
			t := b.grow(rows)
			for i := range b.n {
				scores[i*b.classes+k] += float64(b.reach(t, i)) / classifier.Unit
			}
			all = append(all, t)
		}
	}
	return all
}

type booster struct {
	Options
	n, classes int
	bins       [][]uint8 // by feature and example
	weight     []float64
	g, h       []float64 // first and second derivatives for the class at hand
	asked      []int     // features that the tree may use
	random     *rand.Rand
}

// soften turns scores into probabilities: by the softmax function, of one class by the logistic function.
func soften(scores, probs []float64, classes int) {
	if classes == 1 {
		for i, s := range scores {
			probs[i] = 1 / (1 + math.Exp(-s))
		}
		return
	}
	for i := 0; i < len(scores); i += classes {
		s, p := scores[i:i+classes], probs[i:i+classes]
		most, sum := slices.Max(s), 0.0
		for k, v := range s {
			p[k] = math.Exp(v - most)
			sum += p[k]
		}
		for k := range p {
			p[k] /= sum
		}
	}
}

func (b *booster) rows() []int32 {
	var rows []int32
	for i := range b.n {
		if b.Sample >= 1 || b.random.Float64() < b.Sample {
			rows = append(rows, int32(i))
		}
	}
	return rows
}

func (b *booster) pick(features int) []int {
	n := max(1, int(math.Ceil(b.Features*float64(features))))
	some := b.random.Perm(features)[:n]
	slices.Sort(some)
	return some
}

func (b *booster) grow(rows []int32) classifier.Tree {
	var t classifier.Tree
	b.split(&t, rows, b.Depth)
	return t
}

// split appends the node for some examples and all below it.
func (b *booster) split(t *classifier.Tree, rows []int32, depth int) {
	var g, h float64
	for _, i := range rows {
		g += b.g[i]
		h += b.h[i]
	}
	at := len(*t)
	value := -b.Rate * g / (h + b.Penalty)
	*t = append(*t, classifier.Node{Feature: -1, Value: quantum(value)})
	if depth == 0 || h < 2*b.Least {
		return
	}
	feature, bin, gain := -1, 0, 1e-9
	var gs, hs [256]float64
	for _, f := range b.asked {
		clear(gs[:])
		clear(hs[:])
		of := b.bins[f]
		for _, i := range rows {
			gs[of[i]] += b.g[i]
			hs[of[i]] += b.h[i]
		}
		left, under := 0.0, 0.0
		for k := range 255 {
			left += gs[k]
			under += hs[k]
			if hs[k] == 0 || under < b.Least {
				continue
			}
			if h-under < b.Least {
				break
			}
			if v := left*left/(under+b.Penalty) + (g-left)*(g-left)/(h-under+b.Penalty) - g*g/(h+b.Penalty); v > gain*(1+1e-9) {
				feature, bin, gain = f, k, v
			}
		}
	}
	if feature < 0 {
		return
	}
	// In place, keeping the order.
	of := b.bins[feature]
	var right []int32
	left := rows[:0:0]
	for _, i := range rows {
		if int(of[i]) <= bin {
			left = append(left, i)
		} else {
			right = append(right, i)
		}
	}
	b.split(t, left, depth-1)
	(*t)[at].Feature, (*t)[at].Bin, (*t)[at].Right = int16(feature), uint8(bin), uint8(len(*t))
	b.split(t, right, depth-1)
}

func quantum(v float64) int16 {
	return int16(math.Round(max(-math.MaxInt16, min(math.MaxInt16, v*classifier.Unit))))
}

func (b *booster) reach(t classifier.Tree, i int) int16 {
	at := 0
	for t[at].Feature >= 0 {
		if b.bins[t[at].Feature][i] <= t[at].Bin {
			at++
		} else {
			at = int(t[at].Right)
		}
	}
	return t[at].Value
}

// edges returns quantiles of the values of each feature, each between two different values that
// occur.
func edges(examples []Example, most int) [][]float32 {
	features := len(examples[0].X)
	all := make([][]float32, features)
	values := make([]float32, 0, len(examples))
	for f := range all {
		values = values[:0]
		for _, e := range examples {
			values = append(values, e.X[f])
		}
		slices.Sort(values)
		last := float32(math.Inf(-1))
		for k := 1; k < most; k++ {
			at := k * len(values) / most
			if at == 0 || at >= len(values) {
				continue
			}
			v := values[at]
			j, _ := slices.BinarySearch(values, v) // the first of its kind
			if j == 0 {
				// The smallest value: the edge is above it.
				j = at
				for j < len(values) && values[j] == v {
					j++
				}
				if j == len(values) {
					continue
				}
			}
			if e := (values[j-1] + values[j]) / 2; e > last && e < values[len(values)-1] {
				all[f] = append(all[f], e)
				last = e
			}
		}
	}
	return all
}
