package focus

import (
	"math"
	"math/rand/v2"
	"testing"
)

// rankOf settles fully and returns all ranks.
func rankOf(t *testing.T, r *ranks) []float64 {
	t.Helper()
	if !r.settle(10_000_000) {
		t.Fatal("the ranks do not settle")
	}
	out := make([]float64, len(r.value))
	for i := range out {
		out[i] = r.of(int32(i))
	}
	return out
}

func TestRanksOfHandWorkedGraphs(t *testing.T) {
	for _, tc := range []struct {
		name   string
		out    [][]int32 // links by page
		weight [][]float32
		want   []float64
	}{
		{
			// A→B, A→C, B→C, C→A, all alike:
			//   a = 0.15 + 0.85c
			//   b = 0.15 + 0.85·a/2 = 0.15 + 0.425a
			//   c = 0.15 + 0.85(a/2 + b) = 0.15 + 0.425a + 0.1275 + 0.36125a = 0.2775 + 0.78625a
			// so a = 0.15 + 0.85·0.2775 + 0.85·0.78625a = 0.385875 + 0.6683125a =
			// 0.385875/0.3316875 = 1.163369.
			name: "PageRank of three pages",
			out:  [][]int32{{1, 2}, {2}, {0}}, weight: [][]float32{{1, 1}, {1}, {1}},
			want: []float64{1.163369, .644432, 1.192199},
		},
		{
			// The same with RW 0.9 of A→B and 0.1 of A→C:
			//   b = 0.15 + 0.85·0.9a = 0.15 + 0.765a
			//   c = 0.15 + 0.85(0.1a + b) = 0.15 + 0.085a + 0.1275 + 0.65025a = 0.2775 + 0.73525a
			// so a = 0.385875 + 0.6249625a = 0.385875/0.3750375 = 1.028897. Since B and C have one
			// link each, their RW have no effect.
			name: "IPageRank follows relevant links",
			out:  [][]int32{{1, 2}, {2}, {0}}, weight: [][]float32{{.9, .1}, {.2}, {.7}},
			want: []float64{1.028897, .937106, 1.033996},
		},
		{
			name: "of links without any relevance all count alike",
			out:  [][]int32{{1, 2}, {2}, {0}}, weight: [][]float32{{0, 0}, {0}, {0}},
			want: []float64{1.163369, .644432, 1.192199},
		},
		{
			// A→B and A→C with RW 3:1; the links of B and C are unknown: 0.15 + 0.85·¾·0.15, 0.15
			// + 0.85·¼·0.15.
			name: "pages that wait have ranks too",
			out:  [][]int32{{1, 2}}, weight: [][]float32{{.3, .1}},
			want: []float64{.15, .245625, .181875},
		},
		{
			// A→A: a = 0.15 + 0.85a = 1. (A crawl leaves such links out.)
			name: "a page that links to itself",
			out:  [][]int32{{0}}, weight: [][]float32{{1}},
			want: []float64{1},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var r ranks
			r.grow(len(tc.want))
			for page := range tc.out {
				r.link(int32(page), tc.out[page], tc.weight[page])
			}
			for i, got := range rankOf(t, &r) {
				if math.Abs(got-tc.want[i]) > 1e-3*tc.want[i] {
					t.Errorf("rank of page %d is %.6f, want %.6f", i, got, tc.want[i])
				}
			}
		})
	}
}

// denseRanks computes formula 3 by iterations on the full matrix.
func denseRanks(n int, out map[int32]map[int32]float64) []float64 {
	m := make([][]float64, n) // m[to][from]
	for i := range m {
		m[i] = make([]float64, n)
	}
	for from, links := range out {
		sum := 0.0
		for _, w := range links {
			sum += w
		}
		for to, w := range links {
			if sum == 0 {
				m[to][from] = 1 / float64(len(links))
			} else {
				m[to][from] = w / sum
			}
		}
	}
	v := make([]float64, n)
	for range 200 { // 0.85²⁰⁰ < 10⁻¹⁴
		next := make([]float64, n)
		for to := range next {
			sum := 0.0
			for from := range v {
				sum += m[to][from] * v[from]
			}
			next[to] = 1 - damping + damping*sum
		}
		v = next
	}
	return v
}

// Pages arrive one at a time in any order, some again with other links; between them ranks are
// settled or not. At all times a full settling gives the ranks of the graph, to a thousandth of each.
func TestRanksOfAGrowingGraphAreThoseOfTheWhole(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 1))
		n := 2 + rng.IntN(50)
		equal := seed%3 == 0
		var r, plain ranks
		out := map[int32]map[int32]float64{}
		known := 0
		for step := range 2 * n {
			page := int32(rng.IntN(n)) // some come again, and some never
			links := map[int32]float64{}
			var to []int32
			var weight []float32
			for range rng.IntN(6) {
				k := int32(rng.IntN(n))
				if _, twice := links[k]; twice {
					continue
				}
				w := float32(rng.IntN(4)) / 4 * rng.Float32()
				if equal {
					w = .3
				}
				links[k] = float64(w)
				to, weight = append(to, k), append(weight, w)
				known = max(known, int(k)+1)
			}
			known = max(known, int(page)+1)
			out[page] = links
			r.grow(known)
			r.link(page, to, weight)
			plain.grow(known)
			plain.link(page, to, make([]float32, len(to)))
			r.settle(rng.IntN(4)) // not enough
			if step%5 > 0 && step < 2*n-1 {
				continue
			}
			want := denseRanks(known, out)
			got := rankOf(t, &r)
			same := rankOf(t, &plain)
			for i := range want {
				if math.Abs(got[i]-want[i]) > 1e-3*want[i] {
					t.Fatalf("seed %d, step %d: rank of %d is %.6f, want %.6f", seed, step, i, got[i], want[i])
				}
				if equal && math.Abs(got[i]-same[i]) > 2e-3*want[i] {
					t.Fatalf("seed %d, step %d: with equal RW the IPageRank of %d is %.6f, and its PageRank %.6f", seed, step, i, got[i], same[i])
				}
			}
		}
	}
}

func TestSettlingPushesNoMorePagesThanItMay(t *testing.T) {
	var r ranks
	const n = 1_000
	r.grow(n)
	for i := range int32(n) {
		r.link(i, []int32{(i + 1) % n, (i * 7) % n}, []float32{1, 2})
	}
	for step := 0; ; step++ {
		before := make([]float64, n)
		copy(before, r.value)
		done := r.settle(10)
		changed := 0
		for i := range before {
			if before[i] != r.value[i] {
				changed++
			}
		}
		if changed > 10 {
			t.Fatalf("%d pages were pushed, of at most 10", changed)
		}
		if done {
			break
		}
		if step > 100_000 {
			t.Fatal("ranks do not settle")
		}
	}
	if !r.settle(0) {
		t.Error("settled ranks are said to be unsettled")
	}
	r.grow(n + 1)
	if r.settle(0) || !r.settle(1) {
		t.Error("a new page is settled by one push, and not by none")
	}
	if got := r.of(n + 7); got != 1-damping {
		t.Errorf("a page that is not known has rank %g", got)
	}
}
