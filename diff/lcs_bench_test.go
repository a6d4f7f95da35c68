package diff

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/aymanbagabas/go-udiff/lcs"
)

// idPair is a pair of versions as sequences of ids, the input of both algorithms.
type idPair struct {
	a, b    []int32
	ra, rb  []rune
	symbols int
}

func intern(a, b []string) idPair {
	ids := map[string]int32{}
	number := func(words []string) (out []int32, runes []rune) {
		for _, w := range words {
			id, ok := ids[w]
			if !ok {
				id = int32(len(ids))
				ids[w] = id
			}
			out, runes = append(out, id), append(runes, rune(id))
		}
		return out, runes
	}
	p := idPair{}
	p.a, p.ra = number(a)
	p.b, p.rb = number(b)
	p.symbols = len(ids)
	return p
}

// BenchmarkLCS compares consecutive versions of recorded pages, by word and by line,
// with the package's LCS and with Myers' algorithm (go-udiff's two-sided one, which
// abandons optimality after some differences). Both get integers; one operation is
// all pairs of a bucket. near: at most 1 in 50 elements differs; far: more. Judge by
//
//	go test ./diff -run '^$' -bench LCS -count 6
func BenchmarkLCS(b *testing.B) {
	for _, unit := range []struct {
		name string
		cut  func(string) []string
	}{{"words", strings.Fields}, {"lines", lines}} {
		buckets := map[string][]idPair{}
		for _, set := range []string{"news", "docs"} {
			for _, v := range histories(b, set, 150) {
				p := intern(unit.cut(v[0]), unit.cut(v[1]))
				s := newSolver()
				s.common(p.a, p.b, p.symbols, 0)
				if t, n := length(s.out), max(len(p.a), len(p.b)); 50*t >= 49*n {
					buckets["near"] = append(buckets["near"], p)
				} else {
					buckets["far"] = append(buckets["far"], p)
				}
			}
		}
		for _, name := range []string{"near", "far"} {
			pairs := buckets[name]
			at := fmt.Sprintf("unit=%s/pairs=%s-%d", unit.name, name, len(pairs))
			b.Run(at+"/engine=nakatsu", func(b *testing.B) {
				b.ReportAllocs()
				found := 0
				for b.Loop() {
					found = 0
					for i := range pairs {
						s := newSolver()
						s.common(pairs[i].a, pairs[i].b, pairs[i].symbols, 0)
						found += length(s.out)
					}
				}
				b.ReportMetric(float64(found), "common")
			})
			b.Run(at+"/engine=myers", func(b *testing.B) {
				b.ReportAllocs()
				found := 0
				for b.Loop() {
					found = 0
					for i := range pairs {
						found += len(pairs[i].ra)
						for _, d := range lcs.DiffRunes(pairs[i].ra, pairs[i].rb) {
							found -= d.End - d.Start
						}
					}
				}
				b.ReportMetric(float64(found), "common")
			})
		}
	}
}

func length(runs []Run) int {
	n := 0
	for _, r := range runs {
		n += r.N
	}
	return n
}

// BenchmarkLCSWorst compares sequences of 100,000 elements that share only their
// vocabulary, which exceeds the work limit.
func BenchmarkLCSWorst(b *testing.B) {
	for _, symbols := range []int{2, 1000, 50_000} {
		b.Run(fmt.Sprintf("symbols=%d", symbols), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(9, 9))
			x, y := randomSeq(rng, 100_000, symbols), randomSeq(rng, 100_000, symbols)
			b.ReportAllocs()
			for b.Loop() {
				s := newSolver()
				s.common(x, y, symbols, 0)
				b.ReportMetric(float64(length(s.out)), "common")
			}
		})
	}
}
