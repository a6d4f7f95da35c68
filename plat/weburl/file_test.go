package weburl

import "testing"

func TestNamesFile(t *testing.T) {
	for url, want := range map[string]bool{
		"https://a.test/report.pdf":           true,
		"https://a.test/REPORT.PDF?v=2#page3": true,
		"/data/2026.csv":                      true,
		"https://a.test/x.tar.gz":             true,
		"https://a.test/photo.jpeg":           true,
		"https://a.test/":                     false,
		"https://a.zip":                       false,
		"https://a.zip?x=/y.pdf":              false,
		"https://a.zip/":                      false,
		"https://a.test/pdf":                  false,
		"https://a.test/report.pdf/":          false,
		"https://a.test/view?file=report.pdf": false,
		"https://a.test/index.html":           false,
		"https://a.test/feed.xml":             false,
		"":                                    false,
	} {
		if got := NamesFile(url); got != want {
			t.Errorf("%q: %v", url, got)
		}
	}
}
