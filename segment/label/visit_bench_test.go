package label

import (
	"testing"

	"plat/fixtures"
	"plat/segment"
)

// BenchmarkVisit divides stored snapshots of real pages, labels their blocks and takes their text: the time that a
// visit takes for a new version, without rendering and storing it.
//
//	go test ./segment/label -run '^$' -bench Visit -count 6
func BenchmarkVisit(b *testing.B) {
	for _, name := range []string{"flink-community", "calcite-news", "site-zh-1"} {
		s := fixtures.Snapshot(b, name)
		b.Run("page="+name, func(b *testing.B) {
			d := newDescriber(b, Options{})
			b.ReportAllocs()
			for b.Loop() {
				page, err := d.Divide(s, segment.Params{}, nil)
				if err != nil {
					b.Fatal(err)
				}
				page.Article()
			}
		})
	}
}
