package web

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"testing"

	"plat/plat"
	"plat/storage/sqlite"
	"plat/storage/sqlite/sqlitetest"
	"plat/storage/storagetest"
)

// hitsOf are the URLs of the page's hits, in order.
func hitsOf(t *testing.T, store *sqlite.Store, query string) (urls []string, page string) {
	t.Helper()
	w := get(New(Options{Store: store}), "GET", "/search?"+query, "Accept", "text/html")
	if w.Code != 200 {
		t.Fatalf("%s: %d, %s", query, w.Code, w.Body)
	}
	page = w.Body.String()
	_, list, _ := strings.Cut(page, `<ol class="hits">`)
	for part := range strings.SplitSeq(list, `<a href="/url?url=`) {
		u, _, ok := strings.Cut(part, `"`)
		if u, err := url.QueryUnescape(u); ok && err == nil && strings.HasPrefix(u, "http") {
			urls = append(urls, u)
		}
	}
	return urls, page
}

func TestTheSearchPageUsesItsFields(t *testing.T) {
	store := sqlitetest.Open(t)
	// Both were found on the first of May 2026, in a block labelled main.
	for _, u := range []string{"http://one.test/a", "http://two.test/b"} {
		if err := commitPage(t.Context(), store, u, "<p>The harbour is closed</p>", "The harbour"); err != nil {
			t.Fatal(err)
		}
	}
	for query, want := range map[string]int{
		"q=harbour": 2, "q=ferry": 0, "q=harbour&site=one.test": 1, "q=harbour&site=three.test": 0, "q=harbour&site=" + url.QueryEscape("http://two.test/"): 1,
		"q=harbour&label=main": 2, "q=harbour&label=footer": 0, "q=harbour&now=standing": 2, "q=harbour&now=gone": 0,
		"q=harbour&since=2026-05-02": 2, "q=harbour&until=2026-04-30": 0, "q=harbour&until=2026-05-01": 2, "q=harbour&label=&site=&since=&until=&now=": 2,
	} {
		if got, _ := hitsOf(t, store, query); len(got) != want {
			t.Errorf("%s finds %q, want %d", query, got, want)
		}
	}
	if _, page := hitsOf(t, store, "q=harbour"); !strings.Contains(page, "<mark>harbour</mark>") || !strings.Contains(page, "2026-05-01 00:00:00") {
		t.Error("a hit does not show the word, or when it was first seen")
	}
	s := New(Options{Store: store})
	for _, query := range []string{"/search?q=a&label=nonsense", "/search?q=a&now=then", "/search?q=a&since=yesterday", "/search?query=a", "/version?url=http://one.test/a&by=mood",
		"/frame?url=http://one.test/a&by=label", "/diff?url=http://one.test/a&old=1&new=1", "/diff?url=http://one.test/a", "/version?u=http://one.test/a", "/url?url=http://one.test/a&from=9"} {
		if w := get(s, "GET", query, "Accept", "text/html"); w.Code != 400 {
			t.Errorf("%s: %d, want 400", query, w.Code)
		}
	}
	if w := get(s, "POST", "/url?url=http://one.test/a"); w.Code != 405 || w.Header().Get("Allow") == "" {
		t.Errorf("POST to a page: %d, %q", w.Code, w.Header().Get("Allow"))
	}
}

func TestASearchSurvivesALostBlock(t *testing.T) {
	store := made(t)
	const lost = "<p>The harbour is closed</p>"
	for u, html := range map[string]string{"http://one.test/": lost, "http://two.test/": "<p>The harbour is open</p>"} {
		if err := commitPage(t.Context(), store, u, html, "Harbour"); err != nil {
			t.Fatal(err)
		}
	}
	s := New(Options{Store: &storagetest.Fake{Store: store, Around: func(ctx context.Context, c storagetest.Call, do func(context.Context) error) error {
		if c.Method == "Contents" && slices.Contains(c.Hashes, plat.HashOf([]byte(lost))) {
			return plat.ErrNotFound
		}
		return do(ctx)
	}}})
	for _, path := range []string{"/search?q=harbour", "/api/v1/search?q=harbour"} {
		w := get(s, "GET", path)
		if body := w.Body.String(); w.Code != 200 || !strings.Contains(body, "one.test") || !strings.Contains(body, "is open") {
			t.Errorf("%s: %d, %.300s", path, w.Code, body)
		}
	}
}
