package article_test

import (
	"fmt"
	"testing"
	"time"

	"plat/fixtures"
	"plat/plat"
	"plat/segment"
	"plat/segment/article"
)

// BenchmarkKeep finds and keeps the texts of stored snapshots of real pages: the additional time
// of a visit that stores a version. The metric is that time relative to the segmentation of the page.
//
//	go test ./segment/article -run '^$' -bench Keep -count 6
func BenchmarkKeep(b *testing.B) {
	for _, name := range []string{"flink-community", "calcite-news", "site-zh-1"} {
		s := fixtures.Snapshot(b, name)
		b.Run("page="+name, func(b *testing.B) {
			b.ReportAllocs()
			var page plat.Page
			cutting := time.Duration(0)
			for b.Loop() {
				b.StopTimer()
				at := time.Now()
				cut, err := segment.Segment(s, segment.Params{})
				if err != nil {
					b.Fatal(err)
				}
				page, cutting = cut.Page, cutting+time.Since(at)
				b.StartTimer()
				article.Extract(s).Keep(&page)
			}
			b.ReportMetric(float64(b.Elapsed())/float64(cutting), "of-segment")
		})
	}
}

// BenchmarkExtract processes stored snapshots of real pages, and one of them
// grown to 2,000 and to 100,000 nodes: ns/node must not grow with the page.
// Judge a change by
//
//	go test ./segment/article -run '^$' -bench Extract -benchmem -count 6 | tee new.txt
//	benchstat old.txt new.txt
func BenchmarkExtract(b *testing.B) {
	pages := map[string]*plat.Snapshot{}
	names := []string{"flink-community", "calcite-news", "site-zh-1"}
	for _, name := range names {
		pages[name] = fixtures.Snapshot(b, name)
	}
	for _, n := range []int{2_000, 100_000} {
		name := fmt.Sprintf("grown-%d", n)
		names = append(names, name)
		pages[name] = fixtures.Grow(fixtures.Snapshot(b, "activemq-front"), n)
	}
	for _, name := range names {
		s := pages[name]
		b.Run(fmt.Sprintf("page=%s/nodes=%d", name, len(s.Nodes)), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				article.Extract(s)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(s.Nodes)), "ns/node")
		})
	}
}
