package sitemap_test

import (
	"strings"
	"testing"

	"plat/browser/fetch/sitemap"
)

// BenchmarkRead reads a file of 10,000 entries in each form. Judge a change by
//
//	go test ./browser/fetch/sitemap -run '^$' -bench Read -count 6 | tee new.txt
//	benchstat old.txt new.txt
func BenchmarkRead(b *testing.B) {
	const n = 10_000
	xml := open + strings.Repeat(entry, n) + end
	for _, form := range []struct{ name, file string }{
		{"xml", xml},
		{"xml-gzip", zip(xml)},
		{"loc-only", open + strings.Repeat("<url><loc>https://www.example.com/section/story-12345.html</loc></url>\n", n) + end},
		{"text", strings.Repeat("https://www.example.com/section/story-12345.html\n", n)},
		{"rss", "<rss><channel>" + strings.Repeat("<item><title>A story</title><link>https://www.example.com/section/story-12345.html</link><pubDate>Mon, 26 Mar 2007 18:38:58 GMT</pubDate></item>\n", n) + "</channel></rss>"},
	} {
		b.Run("form="+form.name, func(b *testing.B) {
			b.SetBytes(int64(len(form.file)))
			b.ReportAllocs()
			for b.Loop() {
				res, err := sitemap.Read(strings.NewReader(form.file), sitemap.Limits{}, func(sitemap.Kind, sitemap.Entry) error { return nil })
				if err != nil || res.Entries != n {
					b.Fatal(res, err)
				}
			}
			b.ReportMetric(float64(b.N*n)/b.Elapsed().Seconds(), "entries/s")
		})
	}
}
