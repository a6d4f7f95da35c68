package diff

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// lcsLength returns the length of an LCS by the textbook dynamic programme.
func lcsLength[T comparable](a, b []T) int {
	row := make([]int, len(b)+1)
	for i := range a {
		diag := 0
		for j := range b {
			up := row[j+1]
			if a[i] == b[j] {
				row[j+1] = diag + 1
			} else {
				row[j+1] = max(up, row[j])
			}
			diag = up
		}
	}
	return row[len(b)]
}

// checkRuns fails unless runs are ascending, separate, and equal in a and b. It
// returns their total length.
func checkRuns[T comparable](t testing.TB, a, b []T, runs []Run) int {
	t.Helper()
	n, x, y := 0, -1, -1
	for i, r := range runs {
		if r.N < 1 || r.A < x || r.B < y || r.A == x && r.B == y && i > 0 {
			t.Fatalf("LCS(%v, %v): run %d of %v is empty, out of order or touches the one before", a, b, i, runs)
		}
		if !slices.Equal(a[r.A:r.A+r.N], b[r.B:r.B+r.N]) {
			t.Fatalf("LCS(%v, %v): run %+v is not equal in both", a, b, r)
		}
		n, x, y = n+r.N, r.A+r.N, r.B+r.N
	}
	return n
}

// allStrings lists all strings of up to n letters over the first letters of the
// alphabet.
func allStrings(letters, n int) [][]byte {
	all := [][]byte{{}}
	for from := 0; n > 0; n-- {
		to := len(all)
		for _, s := range all[from:to] {
			for c := range letters {
				all = append(all, append(slices.Clone(s), byte('a'+c)))
			}
		}
		from = to
	}
	return all
}

func TestLCSIsLongestForAllShortStrings(t *testing.T) {
	for _, c := range []struct{ letters, n int }{{2, 8}, {3, 5}, {4, 4}} {
		all := allStrings(c.letters, c.n)
		for _, a := range all {
			for _, b := range all {
				if got, want := checkRuns(t, a, b, LCS(a, b)), lcsLength(a, b); got != want {
					t.Fatalf("LCS(%q, %q) has length %d, want %d", a, b, got, want)
				}
			}
		}
	}
}

// The example of Zhou and Guo, section 1.4: A = bcdabab, B = cbacbaaba, t = 5.
func TestLCSOfThePublishedExample(t *testing.T) {
	a, b := []byte("bcdabab"), []byte("cbacbaaba")
	if got := checkRuns(t, a, b, LCS(a, b)); got != 5 {
		t.Fatalf("length %d, want 5", got)
	}
}

// edited returns a copy of seq in which n places were changed, inserted or deleted.
func edited(rng *rand.Rand, seq []int32, n, symbols int) []int32 {
	out := slices.Clone(seq)
	for range n {
		i := rng.IntN(len(out) + 1)
		switch rng.IntN(3) {
		case 0:
			out = slices.Insert(out, i, int32(rng.IntN(symbols)))
		case 1:
			if i < len(out) {
				out = slices.Delete(out, i, i+1)
			}
		default:
			if i < len(out) {
				out[i] = int32(rng.IntN(symbols))
			}
		}
	}
	return out
}

func randomSeq(rng *rand.Rand, n, symbols int) []int32 {
	s := make([]int32, n)
	for i := range s {
		s[i] = int32(rng.IntN(symbols))
	}
	return s
}

func TestLCSIsLongestWithEveryMethod(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, way := range []struct {
		name string
		find func(s *solver, a, b []int32, symbols int)
	}{
		{"as LCS chooses", func(s *solver, a, b []int32, symbols int) { s.common(a, b, symbols, 0) }},
		{"with all rows kept", func(s *solver, a, b []int32, _ int) { s.solve(a, b, 0, 0, false, maxWork, 0) }},
		{"divided at the middle", func(s *solver, a, b []int32, _ int) {
			s.keep = 0
			s.solve(a, b, 0, 0, false, maxWork, 0)
		}},
		{"from all pairs", func(s *solver, a, b []int32, symbols int) { s.rare(a, b, symbols, 0) }},
	} {
		t.Run(way.name, func(t *testing.T) {
			for range 600 {
				symbols := 1 + rng.IntN(60)
				a := randomSeq(rng, rng.IntN(200), symbols)
				b := edited(rng, a, rng.IntN(100), symbols)
				if rng.IntN(3) == 0 {
					b = randomSeq(rng, rng.IntN(200), symbols)
				}
				s := newSolver()
				way.find(s, a, b, symbols)
				if got, want := checkRuns(t, a, b, s.out), lcsLength(a, b); got != want {
					t.Fatalf("length %d, want %d, of %v and %v", got, want, a, b)
				}
			}
		})
	}
}

func TestMiddleLiesOnALongestCommonSubsequence(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 400 {
		symbols := 2 + rng.IntN(8)
		a, b := randomSeq(rng, 1+rng.IntN(40), symbols), randomSeq(rng, 1+rng.IntN(40), symbols)
		if len(a) > len(b) {
			a, b = b, a
		}
		work := maxWork
		u, v, ok := middle(a, b, &work)
		if !ok {
			t.Fatal("work ran out")
		}
		if got, want := lcsLength(a[:u], b[:v])+lcsLength(a[u:], b[v:]), lcsLength(a, b); got != want {
			t.Fatalf("cut at %d, %d gives %d, want %d, of %v and %v", u, v, got, want, a, b)
		}
	}
}

// Beyond exactArea and without work budget the result is approximate, but common.
func TestApproximateLCSIsACommonSubsequence(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, symbols := range []int{2, 50, 5000} {
		a, b := randomSeq(rng, 9000, symbols), randomSeq(rng, 7000, symbols)
		s := solver{keep: rowsPerElement, budget: 1000}
		s.common(a, b, symbols, 0)
		got, want := checkRuns(t, a, b, s.out), lcsLength(a, b)
		t.Logf("%d symbols: %d of %d", symbols, got, want)
		if got == 0 || got > want {
			t.Fatalf("%d symbols: length %d, want 1 to %d", symbols, got, want)
		}
	}
}

func TestIncreasingIsALongestSubsequence(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 300 {
		seq := randomSeq(rng, rng.IntN(30), 40)
		var picked []int32
		for i, in := range increasing(seq) {
			if in {
				picked = append(picked, seq[i])
			}
		}
		sorted := slices.Clone(seq)
		slices.Sort(sorted)
		sorted = slices.Compact(sorted)
		for i := 1; i < len(picked); i++ {
			if picked[i] <= picked[i-1] {
				t.Fatalf("%v of %v does not rise", picked, seq)
			}
		}
		if want := lcsLength(seq, sorted); len(picked) != want {
			t.Fatalf("%v of %v, want %d of them", picked, seq, want)
		}
	}
}

func FuzzLCS(f *testing.F) {
	f.Add([]byte("bcdabab"), []byte("cbacbaaba"))
	f.Add([]byte{}, []byte("a"))
	f.Add([]byte("the same and more"), []byte("more and the same"))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		a, b = a[:min(len(a), 2000)], b[:min(len(b), 2000)]
		want := lcsLength(a, b)
		if got := checkRuns(t, a, b, LCS(a, b)); got != want {
			t.Fatalf("length %d, want %d", got, want)
		}
		s := solver{budget: maxWork}
		ia, ib := make([]int32, len(a)), make([]int32, len(b))
		for i, c := range a {
			ia[i] = int32(c)
		}
		for i, c := range b {
			ib[i] = int32(c)
		}
		s.solve(ia, ib, 0, 0, false, maxWork, 0)
		if got := checkRuns(t, ia, ib, s.out); got != want {
			t.Fatalf("divided: length %d, want %d", got, want)
		}
	})
}

// TestPartsOfARoughSearchCoverAll: each part begins where the one before ends, with the first elements in the first part.
func TestPartsOfARoughSearchCoverAll(t *testing.T) {
	for _, tc := range []struct {
		a, b []int32
		want string
	}{
		{[]int32{9, 1, 2, 3}, []int32{1, 2, 3, 8}, "[{1 0 3}]"}, {[]int32{1, 2, 3, 8}, []int32{9, 1, 2, 3}, "[{0 1 3}]"}, {[]int32{1, 1, 2, 2}, []int32{1, 2, 1, 2}, "[{0 0 1} {2 1 1} {3 3 1}]"}, {[]int32{1, 2}, []int32{3, 4}, "[]"}, {[]int32{5, 1, 6, 2, 7}, []int32{1, 6, 2}, "[{1 0 3}]"},
	} {
		for depth := range anchorDepth + 1 {
			s := newSolver()
			s.rough(tc.a, tc.b, 0, 0, false, maxWork, depth)
			if got := fmt.Sprint(s.out); got != tc.want {
				t.Errorf("%v and %v at depth %d: %s, want %s", tc.a, tc.b, depth, got, tc.want)
			}
		}
	}
}
