package diff

import "slices"

// The matrix of Nakatsu, Kambayashi and Yajima: L(i,k) is the length of the shortest
// prefix of b that has a common subsequence of length k with the first i elements of
// a. Diagonal d holds the cells i = k+d, where d elements of a are unmatched. Their
// theorem 4,
//
//	L(i+1, k+1) = min( next(a[i+1], L(i,k)), L(i, k+1) ),
//
// gives each diagonal from itself and the previous one. The first that reaches the
// end of a has the length of the LCS, m−d.

// piece is a stretch of a diagonal that consumes b element by element: L(k+d+x, k+x)
// = j+x for 0 ≤ x < n. Versions of a page differ in few places, so a diagonal has few
// pieces, however long the page.
type piece struct{ k, j, n int32 }

func (p piece) at(k int32) int32 { return p.j + k - p.k }
func (p piece) end() int32       { return p.k + p.n - 1 } // the last k

// diagonal appends diagonal d to row, given the previous one (nil for d = 0), and reports whether it
// reached the end of a. spare is the number of elements of b that may stay unmatched: cells with more
// are omitted, and because that number never decreases along a diagonal, the diagonal ends there. It
// returns the steps it took.
//
// Where it meets the previous diagonal at the same element of b, it copies the rest of that piece:
// the next cell cannot be less than one more.
func diagonal(a, b []int32, d, spare int, prev, row []piece) (_ []piece, reached bool, steps int) {
	var k, j int32
	row = append(row, piece{0, 0, 1})
	last := len(row) - 1
	off, m, n := int32(d), int32(len(a)), int32(len(b))
	room := int32(min(spare, len(b)))
	pi := 0
	for {
		for pi < len(prev) && prev[pi].end() < k {
			pi++
		}
		if pi < len(prev) && prev[pi].at(k) == j {
			if r := prev[pi].end() - k; r > 0 {
				row[last].n += r
				k, j = k+r, j+r
			}
			pi++
		}
		i := k + off
		if i >= m {
			return row, true, steps + last
		}
		// The previous diagonal's piece that contains k+1, if any, bounds the next
		// cell.
		ni := pi
		if ni < len(prev) && prev[ni].end() == k {
			ni++
		}
		bound, above := k+1+room, int32(0)
		most := min(m-i, n-j)
		if ni < len(prev) {
			if above = prev[ni].at(k + 1); above <= bound {
				bound = above - 1
			}
			most = min(most, prev[ni].end()-k)
		}
		if above != j+1 {
			x := int32(0)
			for sa, sb := a[i:i+most], b[j:j+most]; x < most && sa[x] == sb[x]; {
				x++
			}
			if x > 0 {
				steps += int(x)
				row[last].n += x
				k, j = k+x, j+x
				continue
			}
		}
		to := int32(0)
		want := a[i]
		for p, e := j, min(bound, n); p < e; p++ {
			if b[p] == want {
				to = p + 1
				break
			}
		}
		switch {
		case to > 0:
			steps += int(to - j)
		case above > 0 && above <= k+1+room:
			to = above
			steps += int(to - j)
		default:
			return row, false, steps + int(max(0, min(bound, n)-j)) + last
		}
		k++
		if to == j+1 {
			row[last].n++
		} else {
			row = append(row, piece{k, to, 1})
			last = len(row) - 1
		}
		j = to
		steps++
	}
}

// outcome is the result of an exact search.
type outcome int

const (
	solved outcome = iota
	outOfWaste
	outOfMemory
	outOfWork
)

// rowsPerElement limits the pieces kept for the backtrace, per element of the longer
// sequence, so that memory stays linear. 16 pieces are 192 bytes.
const rowsPerElement = 16

// table computes and keeps diagonals until one reaches the end of a, then traces the cells back and
// emits the matches. waste is the number of elements of a that may stay unmatched. Requires len(a) ≤
// len(b).
func (s *solver) table(a, b []int32, x, y int, flip bool, waste int, work *int) outcome {
	waste = min(waste, len(a))
	spare := len(b) - len(a) + waste
	most := s.keep * (len(b) + 1)
	s.pieces, s.starts = s.pieces[:0], append(s.starts[:0], 0)
	for d := 0; d <= waste; d++ {
		var prev []piece
		if d > 0 {
			prev = s.pieces[s.starts[d-1]:s.starts[d]]
		}
		row, reached, steps := diagonal(a, b, d, spare, prev, s.pieces[s.starts[d]:])
		// The row may have been reallocated; then all rows move.
		if cap(s.pieces)-s.starts[d] < len(row) {
			s.pieces = slices.Grow(s.pieces, max(len(row), len(s.pieces)))
		}
		s.pieces = append(s.pieces[:s.starts[d]], row...)
		s.starts = append(s.starts, len(s.pieces))
		if *work -= steps; *work < 0 {
			return outOfWork
		}
		if reached {
			s.trace(d, int32(len(a)-d), x, y, flip)
			return solved
		}
		if d >= 2 && len(s.pieces) > most { // middle requires two unmatched elements
			return outOfMemory
		}
	}
	return outOfWaste
}

// row returns the pieces of diagonal d.
func (s *solver) row(d int) []piece { return s.pieces[s.starts[d]:s.starts[d+1]] }

// find returns the index of the piece of row that contains k, or len(row).
func find(row []piece, k int32) int {
	i, _ := slices.BinarySearchFunc(row, k, func(p piece, k int32) int {
		if p.end() < k {
			return -1
		}
		return 1
	})
	return i
}

// trace follows the cells back from (d, k). A cell equal to that of the previous
// diagonal came from there (a false match point: b's element there need not equal
// a's); any other is a match.
func (s *solver) trace(d int, k int32, x, y int, flip bool) {
	s.trail = s.trail[:0]
	for k > 0 {
		row := s.row(d)
		p := row[find(row, k)]
		low := max(p.k, 1)
		if d > 0 {
			before := s.row(d - 1)
			if i := find(before, k); i < len(before) {
				if before[i].at(k) == p.at(k) {
					d--
					continue
				}
				low = max(low, before[i].k)
			} else {
				low = max(low, before[len(before)-1].end()+1)
			}
		}
		s.trail = append(s.trail, Run{int(low) + d - 1, int(p.at(low)) - 1, int(k - low + 1)})
		k = low - 1
	}
	for i := len(s.trail) - 1; i >= 0; i-- {
		r := s.trail[i]
		s.emit(x+r.A, y+r.B, r.N, flip)
	}
}
