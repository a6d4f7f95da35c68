package web

import (
	"fmt"
	"testing"
	"time"

	"plat/storage/sqlite/sqlitetest"
	"plat/storage/storagetest"
)

// BenchmarkAnswers requests one address repeatedly, from an archive of 10,000
// versions: 100 URLs with 50 each, requested in turn, and one with 5,000, requested
// by the cases named long. first-ms is the time with an empty cache. Building the
// archive takes half a minute.
//
//	go test ./web -run '^$' -bench Answers -benchtime 1s
func BenchmarkAnswers(b *testing.B) {
	store := sqlitetest.Open(b)
	var urls []string
	for i := range 100 {
		p := storagetest.NewPage(fmt.Sprintf("http://h%d.test/", i), uint64(i))
		urls = append(urls, p.URL)
		grow(b, store, p, 50)
	}
	grow(b, store, storagetest.NewPage(long, 1000), 5000)
	if err := store.Index(b.Context(), nil); err != nil {
		b.Fatal(err)
	}
	for _, bc := range []struct{ name, target string }{
		{"sites", "/api/v1/sites?limit=50"}, {"urls", "/api/v1/urls?limit=50"}, {"url", "/api/v1/url?url="},
		{"versions", "/api/v1/versions?url="}, {"versions-long", "/api/v1/versions?url=" + long}, {"version", "/api/v1/version?url="},
		{"page", "/api/v1/page?version=1&url="}, {"diff", "/api/v1/diff?url="}, {"visits-long", "/api/v1/visits?url=" + long},
		{"blocks", "/api/v1/blocks?label=main"}, {"search", "/api/v1/search?q=version"},
		{"spans", "/api/v1/spans?url="}, {"spans-long", "/api/v1/spans?url=" + long},
		{"feed", "/feed/atom?url="}, {"feed-long", "/feed/atom?url=" + long}, {"feed-block-long", "/feed/atom?lineage=3&url=" + long},
		{"timegate", "/timegate/"}, {"timegate-long", "/timegate/" + long}, {"timemap-long", "/timemap/link/" + long},
	} {
		b.Run("answer="+bc.name, func(b *testing.B) {
			s := New(Options{Store: store})
			i := 0
			ask := func() {
				to := bc.target
				if last := to[len(to)-1]; last == '=' || last == '/' {
					to += urls[i%len(urls)]
					i++
				}
				if w := get(s, "GET", to); w.Code >= 400 {
					b.Fatalf("%s = %d %.200s", to, w.Code, w.Body)
				}
			}
			begun := time.Now()
			ask()
			first := time.Since(begun)
			for b.Loop() {
				ask()
			}
			b.ReportMetric(float64(first.Microseconds())/1000, "first-ms")
		})
	}
}
