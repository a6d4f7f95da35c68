package slots

import (
	"context"
	"math"
	"slices"
)

// DefaultNodes is the limit of a search without an explicit one. In a sweep over every f and kinds
// of similarities, 30 slots took up to 1,300 nodes (5 ms) and 40 slots 8,600 (0.14 s); of 48
// slots, with similarities from 0.8 to 1 and f near the half, 20,000 were too few (0.8 s).
const DefaultNodes = 20000

// tiny is far below every relevant difference between plans, and above the sum of rounding errors
// in a total.
const tiny = 1e-12

// Searched is the result of a search for the least [Matrix.Total].
type Searched struct {
	Slots []int
	Total float64 // of Slots
	Bound float64 // no plan has less; equal to Total if the search ended
	Nodes int     // partial plans that were continued
}

// Gap returns an upper bound of the excess over the best plan, 0 for the best.
func (s Searched) Gap() float64 { return s.Total - s.Bound }

// Minimize returns f slots with the least total similarity, by branch and bound.
//
// Partial plans are extended from left to right, all with the same number of visits at a time. A
// partial plan is dropped if its bound is not below the best plan known ([search.bounds]), or if
// one that ends in the same slot makes every continuation at least as good ([search.dominates]). A
// plan found by exchanges is there from the start.
//
// The search ends early, with a gap, when ctx ends or after so many nodes; 0 means
// [DefaultNodes].
func Minimize(ctx context.Context, m *Matrix, f, nodes int) (Searched, error) {
	if err := checkVisits(m.n, f); err != nil {
		return Searched{}, err
	}
	if nodes <= 0 {
		nodes = DefaultNodes
	}
	s := newSearch(m, f)
	layer := make([][]*node, m.n+1) // by the slot after the last one
	layer[0] = []*node{{reach: make([]float64, m.n)}}
	done := 0
	for c := range f {
		next := make([][]*node, m.n+1)
		for from, group := range layer {
			for i, nd := range group {
				if nd.bound >= s.total-tiny {
					continue
				}
				if done == nodes || ctx.Err() != nil {
					layer[from] = group[i:]
					return s.result(done, min(s.open(layer[from:]), s.open(next))), nil
				}
				done++
				s.extend(nd, from, f-c, next)
				s.free = append(s.free, nd.reach)
			}
		}
		for from, group := range next {
			next[from] = s.undominated(group, from, f-c-1)
		}
		layer = next
	}
	return s.result(done, s.total), nil
}

// node is a partial plan.
type node struct {
	before *node // without the last slot; nil for the empty plan
	slot   int
	total  float64   // similarity of its slots
	bound  float64   // no plan that begins so has less
	reach  []float64 // by slot after the last one: its similarity to all slots of the plan
}

// search is the state of one [Minimize].
type search struct {
	m     *Matrix
	n     int
	best  []int
	total float64 // of best

	sums   []float64   // n×(n+1): of slot u at k, the similarity of u and the slots before k
	least  []float64   // (f+1)×n, see bounds
	scores []float64   // n, scratch
	free   [][]float64 // reaches to use again
}

func newSearch(m *Matrix, f int) *search {
	n := m.n
	s := &search{m: m, n: n, best: exchange(m, f), sums: make([]float64, n*(n+1)), least: make([]float64, (f+1)*n), scores: make([]float64, n)}
	s.total = m.Total(s.best)
	for u := range n {
		sums := s.sums[u*(n+1):]
		for a := range n {
			sums[a+1] = sums[a] + m.At(a, u)
		}
	}
	return s
}

// extend adds the plans that have one slot more to next. The slots from from on are free,
// and r visits are left to plan.
func (s *search) extend(nd *node, from, r int, next [][]*node) {
	least := s.bounds(nd, from, r)
	for u := from; u <= s.n-r; u++ {
		total := nd.total + nd.reach[u]
		bound := max(nd.bound, total+least[u])
		if bound >= s.total-tiny {
			continue
		}
		child := &node{before: nd, slot: u, total: total, bound: bound}
		if r == 1 {
			s.best, s.total = child.plan(), total
			continue
		}
		child.reach = s.reach()
		row := s.m.row(u)
		for x := u + 1; x < s.n; x++ {
			child.reach[x] = nd.reach[x] + row[x]
		}
		next[u+1] = append(next[u+1], child)
	}
}

func (s *search) reach() []float64 {
	if last := len(s.free) - 1; last >= 0 {
		reach := s.free[last]
		s.free = s.free[:last]
		return reach
	}
	return make([]float64, s.n)
}

// plan returns the slots of a node.
func (nd *node) plan() []int {
	var plan []int
	for ; nd.before != nil; nd = nd.before {
		plan = append(plan, nd.slot)
	}
	slices.Reverse(plan)
	return plan
}

// open returns the least bound of nodes that were not continued.
func (s *search) open(layer [][]*node) float64 {
	least := math.Inf(1)
	for _, group := range layer {
		for _, nd := range group {
			least = min(least, nd.bound)
		}
	}
	return least
}

// result returns the best plan. Its total is summed again, in one order for all searches.
//
// Between two changes all slots are equal; each visit moves to the first of them, where its news
// is newest.
func (s *search) result(nodes int, bound float64) Searched {
	for k, t := range s.best {
		for t > 0 && s.m.At(t-1, t) >= 1-tiny && (k == 0 || s.best[k-1] < t-1) {
			t--
		}
		s.best[k] = t
	}
	total := s.m.Total(s.best)
	if bound >= s.total-tiny {
		bound = total
	}
	return Searched{Slots: s.best, Total: total, Bound: bound, Nodes: nodes}
}
