package web

import (
	"html"
	"net/http"
	"regexp"
	"testing"

	"plat/plat"
	"plat/storage/sqlite/sqlitetest"
	"plat/storage/storagetest"
)

// The pages of a version link to the file that it shows, which is saved under its own name.
func TestAFileIsLinked(t *testing.T) {
	store := sqlitetest.Open(t)
	const url = "http://a.test/reports/tides%20of%202026.pdf?x=1"
	c := storagetest.NewPage(url, 1).Next()
	data := []byte("%PDF-1.4 tides")
	storagetest.SetResources(c, plat.Resource{URL: plat.FileURL, Type: "application/pdf", Status: 200, Size: int64(len(data)), Hash: plat.HashOf(data), Data: data})
	if _, err := store.Commit(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	s := New(Options{Store: store})
	for _, page := range []string{"/version", "/replay"} {
		w := get(s, "GET", page+param("url", c.Version.URL))
		m := regexp.MustCompile(`<a href="(/api/v1/resource/[^"]+)" download><bdi>([^<]*)</bdi></a> \(application/pdf, 14 B\)`).FindStringSubmatch(w.Body.String())
		if w.Code != http.StatusOK || m == nil {
			t.Fatalf("%s: %d, %s", page, w.Code, w.Body)
		}
		f := get(s, "GET", html.UnescapeString(m[1]))
		if f.Body.String() != string(data) || f.Header().Get("Content-Disposition") != `attachment; filename="tides of 2026.pdf"` {
			t.Errorf("the file is %q, %q", f.Body, f.Header())
		}
	}
}
