package watch_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"plat/fixtures"
	"plat/plat"
	"plat/segment"
	"plat/watch"
)

// BenchmarkLook examines stored snapshots of real pages, cut into blocks. No browser runs. The
// last page has the body of one of them repeated to 100,000 nodes. "Lists" reads the page and
// chooses its lists, "Look" also compares them with a memory of the same page, and "Grown" does so
// as if a line of the page were new. Judge a change by
//
//	go test ./watch -run '^$' -bench Look -benchmem -count 6 | tee new.txt
//	benchstat old.txt new.txt
func BenchmarkLook(b *testing.B) {
	pages := map[string]*plat.Snapshot{}
	names := []string{"activemq-front", "flink-community", "flink-downloads", "calcite-news"}
	for _, name := range names {
		pages[name] = fixtures.Snapshot(b, name)
	}
	names = append(names, "grown")
	pages["grown"] = fixtures.Grow(pages["calcite-news"], 100_000)
	for _, name := range names {
		s := pages[name]
		cut, err := segment.Segment(s, segment.Params{})
		if err != nil {
			b.Fatal(err)
		}
		p := &watch.Page{URL: "https://site.test/", Layout: &cut.Layout, Blocks: cut.Blocks}
		per := func(b *testing.B) {
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(s.Nodes)), "ns/node")
		}
		b.Run(fmt.Sprintf("Lists/page=%s/nodes=%d", name, len(s.Nodes)), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := watch.Find(p, watch.Options{}); err != nil {
					b.Fatal(err)
				}
			}
			per(b)
		})
		b.Run(fmt.Sprintf("Look/page=%s/nodes=%d", name, len(s.Nodes)), func(b *testing.B) {
			m := watch.New()
			b.ReportAllocs()
			for b.Loop() {
				if r, err := m.Look(p, watch.Options{}); err != nil || len(r.Items) > 0 {
					b.Fatal(r, err)
				}
			}
			per(b)
		})
		b.Run(fmt.Sprintf("Grown/page=%s/nodes=%d", name, len(s.Nodes)), func(b *testing.B) {
			lines := strings.Split(watch.Text(p.Blocks), "\n")
			at := slices.IndexFunc(lines, func(l string) bool { return len(l) > 20 })
			before := strings.Join(slices.Delete(lines, at, at+1), "\n")
			q := *p
			q.Before = func() (string, error) { return before, nil }
			m := watch.New()
			b.ReportAllocs()
			for b.Loop() {
				if _, err := m.Look(&q, watch.Options{}); err != nil {
					b.Fatal(err)
				}
			}
			per(b)
		})
	}
}
