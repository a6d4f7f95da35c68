package browser

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"plat/fixtures/history"
	"plat/plat"
)

// BenchmarkResources renders real pages (webseg of the shared data, with their
// style sheets and images) without resources, with css and with all, each page
// in turn, and reports the time of the latter two relative to the first, as totals, and the
// resources of one page. Run it with
//
//	go test ./browser -run '^$' -bench Resources -benchtime 5x
//
// On 2 cores (AMD EPYC, 30 pages, headless shell 156): css takes 1.16, all 1.20 times as long as a
// rendering alone; 112 and 479 KB a page, 2.8 MB the largest. In an archive of SQLite, compressed
// and shared, that is 35 and 428 KB.
func BenchmarkResources(b *testing.B) {
	dir, ok := history.Dir()
	if !ok {
		b.Skipf("there is no data at %s (PLAT_DATA)", dir)
	}
	root := filepath.Join(dir, "webseg", "dev", "pages")
	entries, err := os.ReadDir(root)
	if err != nil {
		b.Fatal(err)
	}
	srv := serve(b, http.FileServer(http.Dir(root)))
	p := poolWith(b, func(o *Options) { o.Tabs, o.NoReuse = 1, true })
	sets := []plat.ResourceSet{plat.NoResources, plat.StyleResources, plat.AllResources}
	var spent [3]time.Duration
	var bytes, most [3]int64
	var left, largest int64
	pages := 0
	for b.Loop() {
		for _, e := range entries[:min(30, len(entries))] {
			pages++
			for _, i := range []int{0, 1, 2} {
				i = (i + pages) % 3 // each comes first equally often
				began := time.Now()
				s, err := p.Render(b.Context(), Request{URL: srv.URL + "/" + e.Name() + "/", Resources: sets[i]})
				if err != nil {
					b.Fatal(err)
				}
				spent[i] += time.Since(began)
				m := plat.ManifestOf(s.Resources)
				n, size := m.Kept()
				bytes[i] += size
				most[i] = max(most[i], size)
				left += int64(len(m) - n)
				for k := range m {
					largest = max(largest, m[k].Size)
				}
			}
		}
	}
	b.ReportMetric(float64(spent[1])/float64(spent[0]), "css/none")
	b.ReportMetric(float64(spent[2])/float64(spent[0]), "all/none")
	b.ReportMetric(float64(spent[0].Milliseconds())/float64(pages), "none-ms/page")
	b.ReportMetric(float64(bytes[1])/float64(pages)/1e3, "css-KB/page")
	b.ReportMetric(float64(bytes[2])/float64(pages)/1e3, "all-KB/page")
	b.ReportMetric(float64(slices.Max(most[:]))/1e3, "largest-page-KB")
	b.ReportMetric(float64(largest)/1e3, "largest-KB")
	b.ReportMetric(float64(left)/float64(pages)/2, "left-out/page")
}
