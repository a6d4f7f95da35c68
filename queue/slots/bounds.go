package slots

import (
	"cmp"
	"math"
	"slices"
)

// bounds returns, by slot u, a lower bound of the similarity that r visits add to a partial plan,
// of which u is the first, without the similarity of u and the plan. The slots from from on are
// free.
//
// The i-th of the visits adds its similarity to the plan, to the visit before it, and to the i-2
// earlier ones. The first two are exact here, and the best sequence is found by dynamic
// programming, backward over (i, slot): O(n²r). The i-2 earlier ones are assumed to be the i-2
// farthest free slots, which are the first ones: they resemble it least, see [Matrix].
func (s *search) bounds(nd *node, from, r int) []float64 {
	n := s.n
	last := s.least[r*n : (r+1)*n]
	for v := from + r - 1; v < n; v++ {
		last[v] = 0
	}
	for i := r - 1; i >= 1; i-- {
		// Slots of the i-th visit: the ones before and after it need room.
		lo, hi := from+i-1, n-1-(r-i)
		least, after := s.least[i*n:(i+1)*n], s.least[(i+1)*n:(i+2)*n]
		for u := lo + 1; u <= hi+1; u++ {
			sums := s.sums[u*(n+1):]
			s.scores[u] = nd.reach[u] + after[u] + sums[from+i-1] - sums[from]
		}
		for v := lo; v <= hi; v++ {
			row, best := s.m.row(v)[:hi+2], math.Inf(1)
			for u := v + 1; u < len(row); u++ {
				if x := s.scores[u] + row[u]; x < best {
					best = x
				}
			}
			least[v] = best
		}
	}
	return s.least[n : 2*n]
}

// rivals is the number of nodes with which each is compared, at most; the most promising ones. 30
// slots need few; with 60, 32 rivals leave more than five times as many nodes as 512.
const rivals = 512

// undominated returns the nodes of a group that may lead to the best plan. All end in the
// slot before from, and r visits are left.
func (s *search) undominated(group []*node, from, r int) []*node {
	slices.SortStableFunc(group, func(a, b *node) int { return cmp.Compare(a.bound, b.bound) })
	kept := group[:0]
	for _, nd := range group {
		if slices.ContainsFunc(kept[:min(len(kept), rivals)], func(k *node) bool { return s.dominates(k, nd, from, r) }) {
			s.free = append(s.free, nd.reach)
			continue
		}
		kept = append(kept, nd)
	}
	clear(group[len(kept):])
	return kept
}

// dominates reports whether a is at least as good as b with every continuation. The slots of a
// continuation resemble each other in both; so it is enough that those r free slots that are worst
// for a, compared with b, do not cost a the advantage that it has now. Slots that are better for a
// count too: a continuation has r slots.
func (s *search) dominates(a, b *node, from, r int) bool {
	room, worst := b.total-a.total, 0.0
	excess := s.scores[from:]
	for i := range excess {
		excess[i] = a.reach[from+i] - b.reach[from+i]
		worst += max(excess[i], 0)
	}
	if worst <= room {
		return true
	}
	slices.Sort(excess)
	worst = 0
	for _, x := range excess[len(excess)-r:] {
		worst += x
	}
	return worst <= room
}
