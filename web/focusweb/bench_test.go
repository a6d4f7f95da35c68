package focusweb_test

import (
	"fmt"
	"testing"
	"time"

	"plat/plat"
	"plat/storage/sqlite/sqlitetest"
	"plat/web"
)

// BenchmarkPages requests pages of a crawl that has visited 50,000. first-ms is the time with an
// empty cache, in which all pages are read.
//
//	go test ./web/focusweb -run '^$' -bench Pages -benchtime 20x
func BenchmarkPages(b *testing.B) {
	store := sqlitetest.Open(b)
	begin(b, store, plat.Crawl{ID: "many", State: plat.CrawlPaused})
	const many = 50_000
	pages := make([]plat.CrawlPage, many)
	for n := range pages {
		pages[n] = visited(fmt.Sprintf("https://h%d.test/a/path/to/the/page/%d", n%500, n), fmt.Sprintf("Title of the page %d", n), float64(n*7919%1000)/1000)
		pages[n].Reading = make([]byte, 5000)
	}
	found(b, store, "many", pages...)
	for _, x := range []struct{ name, target string }{
		{"one", "/focus/many"}, {"others", "/focus/many?show=others&from=100"}, {"list", "/focus"},
		{"api-pages", "/api/v1/focus/many/pages?limit=500&after=40000"}, {"api-belongs", "/api/v1/focus/many/pages?limit=500&after=40000&belongs=true"},
	} {
		b.Run("page="+x.name, func(b *testing.B) {
			s := web.New(web.Options{Store: store})
			request := func() {
				if w := ask(s, "GET", x.target, "", "Accept", "text/html"); w.Code != 200 {
					b.Fatalf("%s = %d %.200s", x.target, w.Code, w.Body)
				}
			}
			begun := time.Now()
			request()
			first := time.Since(begun)
			for b.Loop() {
				request()
			}
			b.ReportMetric(float64(first.Microseconds())/1000, "first-ms")
			b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(b.N), "ms/op")
		})
	}
}
