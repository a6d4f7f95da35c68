package segment_test

import (
	"fmt"
	"testing"

	"plat/fixtures"
	"plat/plat"
	"plat/segment"
)

// BenchmarkSegment cuts stored snapshots of real pages; no browser runs. The
// last one is the body of a page repeated to 100,000 nodes. Judge a change by
//
//	go test ./segment -run '^$' -bench Segment -benchmem -count 6 | tee new.txt
//	benchstat old.txt new.txt
func BenchmarkSegment(b *testing.B) {
	for _, name := range []string{"activemq-front", "flink-community", "flink-downloads", "calcite-news"} {
		benchmark(b, name, func() *plat.Snapshot { return fixtures.Snapshot(b, name) })
	}
	for _, n := range []int{2_000, 100_000} {
		benchmark(b, fmt.Sprintf("grown-%d", n), func() *plat.Snapshot { return fixtures.Grow(fixtures.Snapshot(b, "activemq-front"), n) })
	}
}

// benchmark cuts one page. No other is in memory, where the garbage collector would read it.
func benchmark(b *testing.B, name string, page func() *plat.Snapshot) {
	s := page()
	b.Run(fmt.Sprintf("page=%s/nodes=%d", name, len(s.Nodes)), func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := segment.Segment(s, segment.Params{}); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(s.Nodes)), "ns/node")
	})
}
