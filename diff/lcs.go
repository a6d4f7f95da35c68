package diff

// Run is a common stretch of two sequences: a[A:A+N] equals b[B:B+N], N ≥ 1.
type Run struct{ A, B, N int }

// LCS returns a longest common subsequence of a and b as runs in ascending order
// of both A and B. Neighbouring runs do not touch in both sequences at once.
//
// The method is that of Nakatsu, Kambayashi and Yajima, "A longest common subsequence
// algorithm suitable for similar text strings", Acta Informatica 18, 1982: time
// O(n(m−t)) for lengths m ≤ n and an LCS of length t, so little for nearly equal
// texts. Rows of its matrix are kept as runs, see diagonal. Memory is O(m+n): if the
// rows of all diagonals would take more, the problem is divided as in Kumar and
// Rangan, "A linear-space algorithm for the LCS problem", Acta Informatica 24, 1987.
// Sequences with few repetitions in a different order use the method of Hunt and
// Szymanski, see rare.
//
// The result is longest whenever m·n ≤ 2²², and beyond that as long as it takes no
// more than maxWork steps: sequences of 100,000 that differ in some hundred places,
// or have no frequent element, are still exact. Larger problems are split at elements
// that occur once in either part, else into equal pieces, and the result is a common
// subsequence that need not be longest.
func LCS[T comparable](a, b []T) []Run {
	pre := prefix(a, b)
	suf := suffix(a[pre:], b[pre:])
	ma, mb := a[pre:len(a)-suf], b[pre:len(b)-suf]

	s := newSolver()
	s.emit(0, 0, pre, false)
	if len(ma) > 0 && len(mb) > 0 {
		ids := make(map[T]int32, len(ma))
		ia, ib := make([]int32, len(ma)), make([]int32, len(mb))
		for i, v := range ma {
			id, ok := ids[v]
			if !ok {
				id = int32(len(ids))
				ids[v] = id
			}
			ia[i] = id
		}
		for i, v := range mb {
			id, ok := ids[v]
			if !ok {
				id = absent
			}
			ib[i] = id
		}
		s.common(ia, ib, len(ids), pre)
	}
	s.emit(len(a)-suf, len(b)-suf, suf, false)
	return s.out
}

const (
	// absent is the id of all elements that only b has: they never match.
	absent = -1

	// maxWork limits the steps of one exact search, a step being a comparison or a
	// written run, one to five nanoseconds. 2²⁶ limits the worst sequences of 100,000
	// to a second or two (BenchmarkLCSWorst).
	maxWork = 1 << 26

	// exactArea is the m·n up to which work is unlimited.
	exactArea = 1 << 22

	// firstWaste is the number of unmatched elements of a that a first search allows;
	// each further search allows growth times as many. Most pairs of versions need
	// only the first.
	firstWaste, growth = 8, 8
)

// solver collects the runs of one comparison.
type solver struct {
	keep   int // pieces kept per element, see rowsPerElement
	budget int // steps, see maxWork

	out    []Run
	ma, mb []int32 // positions before filter, nil if not filtered
	base   int     // of the ids' sequences in the caller's, both

	pieces []piece // concatenated rows of all diagonals
	starts []int   // where each begins, and the end of the last
	trail  []Run   // runs of one trace, last first
}

func newSolver() *solver { return &solver{keep: rowsPerElement, budget: maxWork} }

// emit adds a run found at x, y. flip reports that the sequences are swapped.
func (s *solver) emit(x, y, n int, flip bool) {
	if flip {
		x, y = y, x
	}
	if s.ma == nil {
		s.add(x+s.base, y+s.base, n)
		return
	}
	for i := range n {
		s.add(int(s.ma[x+i])+s.base, int(s.mb[y+i])+s.base, 1)
	}
}

func (s *solver) add(x, y, n int) {
	if n == 0 {
		return
	}
	if i := len(s.out) - 1; i >= 0 && s.out[i].A+s.out[i].N == x && s.out[i].B+s.out[i].N == y {
		s.out[i].N += n
		return
	}
	s.out = append(s.out, Run{x, y, n})
}

// common finds the runs of two sequences of ids below symbols. base is added to
// all positions.
func (s *solver) common(a, b []int32, symbols, base int) {
	s.base = base
	defer func() { s.base, s.ma, s.mb = 0, nil, nil }()

	// For few differences this is faster than counting elements.
	pre := prefix(a, b)
	suf := suffix(a[pre:], b[pre:])
	ca, cb := a[pre:len(a)-suf], b[pre:len(b)-suf]
	s.emit(0, 0, pre, false)
	if !s.few(ca, cb, pre) {
		fa, fb, pairs := s.filter(ca, cb, symbols, pre)
		if pairs <= rarePairs*(len(fa)+len(fb)) {
			s.rare(fa, fb, symbols, pairs)
		} else {
			s.solve(fa, fb, 0, 0, false, s.budget, 0)
		}
		s.ma, s.mb = nil, nil
	}
	s.emit(len(a)-suf, len(b)-suf, suf, false)
}

// few solves problems with at most firstWaste unmatched elements in the shorter
// sequence, and reports whether it did.
func (s *solver) few(a, b []int32, at int) bool {
	if len(a) == 0 || len(b) == 0 {
		return true
	}
	x, y, flip := a, b, false
	if len(x) > len(y) {
		x, y, flip = y, x, true
	}
	work := s.budget
	return s.table(x, y, at, at, flip, firstWaste, &work) == solved
}

// filter removes elements that the other sequence does not have. That preserves the
// common subsequences and reduces the unmatched elements: new words of a text rarely
// occur elsewhere in it. pairs is the number of equal pairs, one of a and one of b.
func (s *solver) filter(a, b []int32, symbols, at int) (fa, fb []int32, pairs int) {
	inA, inB := make([]int32, symbols), make([]int32, symbols)
	for _, v := range a {
		if v >= 0 {
			inA[v]++
		}
	}
	for _, v := range b {
		if v >= 0 {
			inB[v]++
		}
	}
	keep := func(seq, other []int32) (ids, where []int32) {
		ids, where = make([]int32, 0, len(seq)), make([]int32, 0, len(seq))
		for i, v := range seq {
			if v >= 0 && other[v] > 0 {
				ids, where = append(ids, v), append(where, int32(i+at))
			}
		}
		return ids, where
	}
	fa, s.ma = keep(a, inB)
	fb, s.mb = keep(b, inA)
	for v := range inA {
		pairs += int(inA[v]) * int(inB[v])
	}
	return fa, fb, pairs
}

// solve finds the runs of a and b, which begin at x and y.
func (s *solver) solve(a, b []int32, x, y int, flip bool, budget, depth int) {
	pre := prefix(a, b)
	s.emit(x, y, pre, flip)
	a, b, x, y = a[pre:], b[pre:], x+pre, y+pre
	suf := suffix(a, b)
	a, b = a[:len(a)-suf], b[:len(b)-suf]
	if len(a) > 0 && len(b) > 0 {
		if len(a) > len(b) {
			s.core(b, a, y, x, !flip, budget, depth)
		} else {
			s.core(a, b, x, y, flip, budget, depth)
		}
	}
	s.emit(x+len(a), y+len(b), suf, flip)
}

// core solves a trimmed problem with len(a) ≤ len(b).
func (s *solver) core(a, b []int32, x, y int, flip bool, budget, depth int) {
	if len(a)*len(b) <= exactArea {
		budget = int(^uint(0) >> 1)
	}
	work := budget
	outcome := outOfWaste
	for waste := firstWaste; outcome == outOfWaste; waste *= growth {
		outcome = s.table(a, b, x, y, flip, waste, &work)
	}
	switch outcome {
	case outOfMemory:
		if u, v, ok := middle(a, b, &work); ok {
			s.solve(a[:u], b[:v], x, y, flip, budget, depth)
			s.solve(a[u:], b[v:], x+u, y+v, flip, budget, depth)
			return
		}
		s.rough(a, b, x, y, flip, budget, depth)
	case outOfWork:
		s.rough(a, b, x, y, flip, budget, depth)
	}
}

func prefix[T comparable](a, b []T) int {
	n := min(len(a), len(b))
	a, b = a[:n], b[:n]
	for i := range a {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

func suffix[T comparable](a, b []T) int {
	n := min(len(a), len(b))
	a, b = a[len(a)-n:], b[len(b)-n:]
	for i := n - 1; i >= 0; i-- {
		if a[i] != b[i] {
			return n - 1 - i
		}
	}
	return n
}
