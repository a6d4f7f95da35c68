package slots

import (
	"math"
	"slices"
)

// exchange returns a plan that no exchange of one slot makes better: the best of three, from
// even steps, even steps up to both ends, and the slots at both ends.
func exchange(m *Matrix, f int) []int {
	n := m.n
	even, wide, ends := make([]int, f), make([]int, f), make([]int, f)
	for i := range f {
		even[i] = i * n / f
		wide[i] = i * (n - 1) / max(f-1, 1)
		if ends[i] = i; i >= (f+1)/2 {
			ends[i] = n - f + i
		}
	}
	var best []int
	least := math.Inf(1)
	for _, plan := range [][]int{even, wide, ends} {
		descend(m, plan)
		if total := m.Total(plan); total < least-tiny {
			best, least = plan, total
		}
	}
	slices.Sort(best)
	return best
}

// descend makes the best exchange of a slot in the plan for one outside it, until no exchange
// helps.
func descend(m *Matrix, plan []int) {
	in := make([]bool, m.n)
	load := make([]float64, m.n) // by slot: its similarity to the plan's other slots
	put := func(i int, sign float64) {
		in[i] = sign > 0
		for j, x := range m.row(i) {
			if j != i {
				load[j] += sign * x
			}
		}
	}
	for _, i := range plan {
		put(i, 1)
	}
	for {
		at, to, best := -1, -1, -tiny
		for k, i := range plan {
			for j, x := range m.row(i) {
				if gain := load[j] - x - load[i]; gain < best && !in[j] {
					at, to, best = k, j, gain
				}
			}
		}
		if at < 0 {
			return
		}
		put(plan[at], -1)
		put(to, 1)
		plan[at] = to
	}
}
