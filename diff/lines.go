package diff

// inPlace is the minimum share of the elements that two texts have in common, in any order, that a
// comparison of each line with the line in its place must find.
const inPlace = 0.6

// ByLines returns a common subsequence of two texts that are divided into lines, as runs like those
// of [LCS]. endsA and endsB are the ends of the lines, as element indexes. Texts with equal numbers
// of lines are compared line by line, unless that finds much less in common: otherwise sentences
// repeated in two lines would match across them. All remaining texts are compared as a whole.
func ByLines[T comparable](a, b []T, endsA, endsB []int) []Run {
	if len(endsA) != len(endsB) || len(endsA) < 2 {
		return LCS(a, b)
	}
	var runs []Run
	i, j, n := 0, 0, 0
	for k := range endsA {
		for _, r := range LCS(a[i:endsA[k]], b[j:endsB[k]]) {
			r.A, r.B, n = r.A+i, r.B+j, n+r.N
			if m := len(runs); m > 0 && runs[m-1].A+runs[m-1].N == r.A && runs[m-1].B+runs[m-1].N == r.B {
				runs[m-1].N += r.N
				continue
			}
			runs = append(runs, r)
		}
		i, j = endsA[k], endsB[k]
	}
	if float64(n) < inPlace*float64(common(a, b)) {
		return LCS(a, b)
	}
	return runs
}

// common returns the number of elements that two sequences have in common, in any order.
func common[T comparable](a, b []T) (n int) {
	left := make(map[T]int, len(a))
	for _, v := range a {
		left[v]++
	}
	for _, v := range b {
		if left[v]--; left[v] >= 0 {
			n++
		}
	}
	return n
}
