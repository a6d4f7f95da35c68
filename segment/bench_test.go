package segment_test

import (
	"fmt"
	"testing"

	"plat"
	"plat/fixtures"
	"plat/segment"
)

// BenchmarkSegment cuts stored snapshots of real pages; no browser runs. The
// last one is the body of a page repeated to 100,000 nodes. Judge a change by
//
//	go test ./segment -run '^$' -bench Segment -benchmem -count 6 | tee new.txt
//	benchstat old.txt new.txt
func BenchmarkSegment(b *testing.B) {
	pages := map[string]*plat.Snapshot{}
	names := []string{"activemq-front", "flink-community", "flink-downloads", "calcite-news"}
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
				if _, err := segment.Segment(s, segment.Params{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(s.Nodes)), "ns/node")
		})
	}
}
