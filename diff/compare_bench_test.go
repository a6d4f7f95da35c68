package diff

import (
	"fmt"
	"strings"
	"testing"

	"plat/plat"
)

// BenchmarkCompare compares pages of leaves of 50 words each, as a visit does: all
// texts in memory. changed is the share of leaves with other words; "all" replaces
// every one, the worst case of alignment. Judge by
//
//	go test ./diff -run '^$' -bench Compare -count 6
func BenchmarkCompare(b *testing.B) {
	for _, n := range []int{40, 400, 5000} {
		for _, changed := range []struct {
			name  string
			every int // every n-th leaf changed; 0: unchanged
			words int // per leaf
		}{{"none", 0, 0}, {"tenth", 10, 5}, {"all", 1, 50}} {
			b.Run(fmt.Sprintf("leaves=%d/changed=%s", n, changed.name), func(b *testing.B) {
				rng := seeded(31)
				var olds, news []plat.Block
				for i := range n {
					words := make([]string, 50)
					for k := range words {
						words[k] = fmt.Sprintf("w%d", rng.IntN(5000))
					}
					olds = append(olds, p(strings.Join(words, " ")))
					if changed.every > 0 && i%changed.every == 0 {
						for k := range changed.words {
							words[k] = fmt.Sprintf("w%d", rng.IntN(5000))
						}
					}
					news = append(news, p(strings.Join(words, " ")))
				}
				old, new := page(olds...), page(news...)
				old.Lineages = First(old.Blocks)
				b.ReportAllocs()
				for b.Loop() {
					Compare(old, new)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/leaf")
			})
		}
	}
}

// BenchmarkCompareAlike measures the worst case of candidate lookup: 5,000 leaves that share all
// shingles but one, each changed.
func BenchmarkCompareAlike(b *testing.B) {
	var olds, news []plat.Block
	for i := range 5000 {
		text := strings.Repeat("one row is like the other ", 8)
		olds = append(olds, p(fmt.Sprint(text, "old", i)))
		news = append(news, p(fmt.Sprint(text, "new", i)))
	}
	old, new := page(olds...), page(news...)
	b.ReportAllocs()
	for b.Loop() {
		Compare(old, new)
	}
}

// BenchmarkWords compares the words of consecutive versions of recorded pages, markup
// included, as for display. One operation is one pair.
func BenchmarkWords(b *testing.B) {
	pairs := histories(b, "docs", 100)
	bytes := 0
	for _, v := range pairs {
		bytes += len(v[0]) + len(v[1])
	}
	b.SetBytes(int64(bytes / len(pairs)))
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		v := pairs[i%len(pairs)]
		Words(v[0], v[1])
		i++
	}
}
