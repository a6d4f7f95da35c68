package slots

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// partial makes the node of a plan.
func partial(m *Matrix, plan []int) *node {
	nd := &node{reach: make([]float64, m.n)}
	for _, u := range plan {
		next := &node{before: nd, slot: u, total: nd.total + nd.reach[u], reach: slices.Clone(nd.reach)}
		for x := range m.n {
			next.reach[x] += m.At(u, x)
		}
		nd = next
	}
	return nd
}

// TestBoundsAndDominanceHold checks each pruned node against all continuations: a plan found by
// exchanges is nearly always the best, so that a search that prunes too much still finds it.
func TestBoundsAndDominanceHold(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 1))
	dominated, exact := 0, 0
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		for range 150 {
			n := 4 + r.IntN(8)
			m, err := NewMatrix(randomSeries(r, 1+r.IntN(3), n, kinds[name]))
			if err != nil {
				t.Fatal(err)
			}
			from := 1 + r.IntN(n-2)
			c := 1 + r.IntN(from)
			rest := 1 + r.IntN(n-from)
			ends := func() *node {
				plan, _ := Random(from, c, r.Uint64())
				plan[c-1] = from - 1
				return partial(m, plan)
			}
			a, b := ends(), ends()
			s := newSearch(m, c+rest)
			// The least total that the continuations add, by first slot.
			least := slices.Repeat([]float64{math.Inf(1)}, n)
			better := false
			choices(n-from, rest, func(plan []int) {
				plan = slices.Clone(plan)
				for i := range plan {
					plan[i] += from
				}
				first := plan[0]
				add := m.Total(append(a.plan(), plan...)) - a.total - a.reach[first]
				least[first] = min(least[first], add)
				if m.Total(append(b.plan(), plan...)) < m.Total(append(a.plan(), plan...))-1e-9 {
					better = true
				}
			})
			bounds := s.bounds(a, from, rest)
			for u := from; u <= n-rest; u++ {
				if bounds[u] > least[u]+1e-9 || rest <= 2 && bounds[u] < least[u]-1e-9 {
					t.Fatalf("%s, %v and %d of the slots from %d on, the first %d: bound %v, brute force %v", name, a.plan(), rest, from, u, bounds[u], least[u])
				}
				if bounds[u] > least[u]-1e-9 {
					exact++
				}
			}
			if s.dominates(a, b, from, rest) {
				dominated++
				if better {
					t.Fatalf("%s, %d of the slots from %d on: %v does not dominate %v", name, rest, from, a.plan(), b.plan())
				}
			}
		}
	}
	if dominated < 100 || exact < 100 {
		t.Errorf("dominated %d times, %d bounds are exact: the test shows little", dominated, exact)
	}
}
