package diff

import (
	"math"
	"slices"
)

// anchorDepth is the number of times that parts are split at unique elements before they are split
// into equal pieces: every split follows a failed search, and malicious input can offer one anchor at
// a time.
const anchorDepth = 2

// rough splits a problem that exceeds the work limit and solves the parts. The result
// is a common subsequence that need not be longest. Each part gets a share of the
// budget proportional to its length.
func (s *solver) rough(a, b []int32, x, y int, flip bool, budget, depth int) {
	cuts := [][2]int{}
	if depth < anchorDepth {
		cuts = anchors(a, b)
	}
	if len(cuts) == 0 {
		// Enough pieces to keep each within exactArea, so that no search fails.
		n := 1 + int(math.Sqrt(float64(len(a))*float64(len(b))/exactArea))
		for i := 1; i < n; i++ {
			cuts = append(cuts, [2]int{len(a) * i / n, len(b) * i / n})
		}
	}
	cuts = append(cuts, [2]int{len(a), len(b)})
	total := len(a) + len(b)
	la, lb := 0, 0
	for _, c := range cuts {
		pa, pb := a[la:c[0]], b[lb:c[1]]
		share := int(float64(budget) * float64(len(pa)+len(pb)) / float64(total))
		s.solve(pa, pb, x+la, y+lb, flip, share, depth+1)
		la, lb = c[0], c[1]
	}
}

// anchors returns the positions of elements that occur once in a and once in b, of
// these a longest set in the same order in both (as in patience diff). They begin the
// parts, so they are part of the result.
func anchors(a, b []int32) [][2]int {
	type seen struct{ a, b int32 } // position; -1: not seen; -2: several
	at := make(map[int32]seen, len(a))
	for i, v := range a {
		if _, ok := at[v]; ok {
			at[v] = seen{-2, -1}
		} else {
			at[v] = seen{int32(i), -1}
		}
	}
	for j, v := range b {
		e, ok := at[v]
		if !ok || e.a < 0 {
			continue
		}
		if e.b == -1 {
			e.b = int32(j)
		} else {
			e.b = -2
		}
		at[v] = e
	}
	var pairs []seen
	for _, e := range at {
		if e.a >= 0 && e.b >= 0 {
			pairs = append(pairs, e)
		}
	}
	slices.SortFunc(pairs, func(p, q seen) int { return int(p.a - q.a) })
	order := make([]int32, len(pairs))
	for i := range pairs {
		order[i] = pairs[i].b
	}
	var cuts [][2]int
	for i, in := range increasing(order) {
		// A split at the very beginning would not reduce the problem.
		if p := pairs[i]; in && (p.a > 0 || p.b > 0) {
			cuts = append(cuts, [2]int{int(p.a), int(p.b)})
		}
	}
	return cuts
}

// increasing marks the members of a longest strictly increasing subsequence of
// seq, in O(n log n).
func increasing(seq []int32) []bool {
	in := make([]bool, len(seq))
	if len(seq) == 0 {
		return in
	}
	tops := make([]int32, 0, len(seq)) // index of the least last element per length
	from := make([]int32, len(seq))    // index of the element before, -1 for the first
	for i, v := range seq {
		n, _ := slices.BinarySearchFunc(tops, v, func(t, v int32) int { return int(seq[t]) - int(v) })
		from[i] = -1
		if n > 0 {
			from[i] = tops[n-1]
		}
		if n == len(tops) {
			tops = append(tops, int32(i))
		} else {
			tops[n] = int32(i)
		}
	}
	for i := tops[len(tops)-1]; i >= 0; i = from[i] {
		in[i] = true
	}
	return in
}
