package diff

import "slices"

// middle finds a point (u, v) on an LCS of a and b: the LCS of a[:u] and b[:v] plus
// that of a[u:] and b[v:] is longest. It computes diagonals from both ends
// alternately until two meet, so each part has half of a's unmatched elements, and
// keeps only the last diagonal of either end (Kumar and Rangan 1987). ok is false if
// the work budget was exhausted.
//
// Requires at least two unmatched elements in a; then both parts are smaller than the
// whole.
func middle(a, b []int32, work *int) (u, v int, ok bool) {
	ra, rb := slices.Clone(a), slices.Clone(b)
	slices.Reverse(ra)
	slices.Reverse(rb)
	m, n := len(a), len(b)
	for waste := growth * firstWaste; ; waste *= growth {
		waste = min(waste, m)
		spare := n - m + waste
		var head, tail, old []piece
		heads, tails := 0, 0
		for w := 0; w <= waste; w++ {
			var steps int
			if w%2 == 1 || w == 0 {
				d := heads
				heads++
				next, _, st := diagonal(a, b, d, spare, head, old[:0])
				head, old, steps = next, head, st
			}
			if w%2 == 0 {
				d := tails
				tails++
				next, _, st := diagonal(ra, rb, d, spare, tail, old[:0])
				tail, old, steps = next, tail, steps+st
			}
			if k, j, met := meet(head, tail, int32(m-w), int32(n)); met {
				return int(k) + heads - 1, int(j), true
			}
			if *work -= steps + len(head) + len(tail); *work < 0 {
				return 0, 0, false
			}
		}
	}
}

// meet finds a k such that k matches from the front and t−k from the back fit into n
// elements of b: head(k) + tail(t−k) ≤ n. Inside a piece both grow by one per match,
// one with k and one against it, so their sum must be checked only once per pair of
// pieces.
func meet(head, tail []piece, t, n int32) (k, j int32, ok bool) {
	k = max(0, t-tail[len(tail)-1].end())
	for h, l := find(head, k), find(tail, t-k); h < len(head) && k <= t; {
		if head[h].at(k)+tail[l].at(t-k) <= n {
			return k, head[h].at(k), true
		}
		// The first k after this piece of head, and after this one of tail.
		nh, nl := head[h].end()+1, t-tail[l].k+1
		k = min(nh, nl)
		if nh == k {
			h++
		}
		if nl == k {
			l--
		}
		if l < 0 {
			break
		}
	}
	return 0, 0, false
}
