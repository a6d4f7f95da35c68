package diff

// rarePairs is the number of equal pairs (one of a, one of b), per element, up to
// which rare is used. Each takes 8 bytes and about 30 ns.
const rarePairs = 4

// rare finds an LCS from the list of all equal pairs, in O(r log r) for r pairs (Hunt
// and Szymanski, "A fast algorithm for computing longest common subsequences", CACM
// 20, 1977): a longest increasing subsequence of positions in b, taken element by
// element of a, those of one element descending. It handles the slow case of the
// diagonals: elements that occur once or twice on each side in a different order,
// such as the rows of a re-sorted table.
func (s *solver) rare(a, b []int32, symbols, pairs int) {
	last := filled(symbols)         // last position of an element in b
	before := make([]int32, len(b)) // previous position of the same element, -1 if absent
	for j, v := range b {
		before[j] = last[v]
		last[v] = int32(j)
	}
	from, to := make([]int32, 0, pairs), make([]int32, 0, pairs)
	for i, v := range a {
		for j := last[v]; j >= 0; j = before[j] {
			from, to = append(from, int32(i)), append(to, j)
		}
	}
	for k, in := range increasing(to) {
		if in {
			s.emit(int(from[k]), int(to[k]), 1, false)
		}
	}
}
