package focusweb_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"plat/focus"
	"plat/focus/crawler"
	"plat/plat"
	"plat/storage"
	"plat/storage/sqlite"
	"plat/storage/sqlite/sqlitetest"
	"plat/web"
)

var day0 = time.Date(2026, 5, 1, 6, 0, 0, 0, time.UTC)

// begin stores a crawl about the migration of birds.
func begin(t testing.TB, store storage.Store, c plat.Crawl) {
	t.Helper()
	if c.State == "" {
		c.State = plat.CrawlRuns
	}
	if c.Made.IsZero() {
		c.Made = day0
	}
	if c.Seeds == nil {
		c.Seeds = []string{"https://s.test/"}
	}
	w := crawler.Settings{Crawl: c, About: "migration of birds"}
	if err := w.Fill(); err != nil {
		t.Fatal(err)
	}
	if err := store.PutCrawl(t.Context(), &w.Crawl); err != nil {
		t.Fatal(err)
	}
}

// visited is a page with a relevance.
func visited(u, title string, relevance float64) plat.CrawlPage {
	return plat.CrawlPage{URL: u, Score: .5, Visited: day0, Outcome: plat.OutcomeNew, Relevance: relevance, Version: 1, Title: title}
}

// found stores pages of a crawl in their order; they are answered if they were visited.
func found(t testing.TB, store storage.Store, id string, pages ...plat.CrawlPage) {
	t.Helper()
	for i := range pages {
		p := &pages[i]
		p.Crawl, p.N, p.Asked = id, i+1, day0
	}
	for from := 0; from < len(pages); from += 1000 {
		if _, err := store.Ask(t.Context(), pages[from:min(from+1000, len(pages))]); err != nil {
			t.Fatal(err)
		}
	}
	for i := range pages {
		if pages[i].Visited.IsZero() {
			continue
		}
		if err := store.Answer(t.Context(), &pages[i]); err != nil {
			t.Fatal(err)
		}
	}
}

func report(t testing.TB, store storage.Store, id string, r crawler.Report) {
	t.Helper()
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.PutReport(t.Context(), id, b); err != nil {
		t.Fatal(err)
	}
}

// reading is the stored reading of a page with words and links.
func reading(u, words string, links ...string) []byte {
	p := &focus.Page{URL: u}
	for _, w := range strings.Fields(words) {
		p.Words = append(p.Words, focus.TermOf(w))
	}
	for _, to := range links {
		p.Links = append(p.Links, focus.Link{URL: to, Text: "more", Heading: -1})
	}
	return p.Encode()
}

// birds is an archive with a crawl that runs: three pages belong, two do not, one is gone, one is
// not visited yet.
func birds(t testing.TB) *sqlite.Store {
	t.Helper()
	store := sqlitetest.Open(t)
	begin(t, store, plat.Crawl{ID: "birds", Name: "Birds", Pages: 100, PerHost: 20})
	seed := visited("https://s.test/", "Start", .6)
	seed.Reading = reading(seed.URL, "bird migrat", "https://s.test/best", "https://s.test/waits")
	best := visited("https://s.test/best", "The best", .95)
	best.Reading = reading(best.URL, "bird migrat bird ring")
	shop := visited("https://shop.test/", "A shop", .1)
	shop.Version, shop.Reading = 0, reading(shop.URL, "price")
	near := visited("https://shop.test/near", "A near miss", .4)
	near.Version, near.Reading = 0, reading(near.URL, "price bird")
	gone := visited("https://s.test/gone", "", 0)
	gone.Outcome, gone.Version = plat.OutcomeGone, 0
	third := visited("https://t.test/x?a=1&b=2", "", .7)
	third.Reading = reading(third.URL, "bird migrat")
	found(t, store, "birds", seed, best, shop, near, gone, third, plat.CrawlPage{URL: "https://s.test/later", Score: .5})
	report(t, store, "birds", crawler.Report{Time: day0, Terms: []string{"bird", "migrat"}, Counts: focus.Counts{Asked: 7, Pages: 5, Belong: 3, Missing: 1, Waiting: 1234},
		Curve: []crawler.Point{{Pages: 1, Belong: 1}, {Pages: 3, Belong: 2}, {Pages: 5, Belong: 3}}, Sites: []crawler.Site{{Host: "s.test", Pages: 2, Belong: 2}, {Host: "shop.test", Pages: 2, Belong: 0}},
		Waiting: []focus.Asked{{URL: "https://s.test/waits", Score: .61, From: "https://s.test/"}}, Missing: []string{"https://example.test/missing"}})
	return store
}

func serve(store storage.Store) http.Handler {
	return web.New(web.Options{Store: store, Version: "v1"})
}

// ask sends a request.
func ask(h http.Handler, method, target, body string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// get requests an address as a browser does.
func get(h http.Handler, target string) *httptest.ResponseRecorder {
	return ask(h, "GET", target, "", "Accept", "text/html")
}

// post sends a form of one of our pages.
func post(h http.Handler, target string, form url.Values, header ...string) *httptest.ResponseRecorder {
	return ask(h, "POST", target, form.Encode(), append([]string{"Content-Type", "application/x-www-form-urlencoded", "Sec-Fetch-Site", "same-origin", "Accept", "text/html"}, header...)...)
}

// crawls are those of a store, in words.
func crawls(t testing.TB, store storage.Store) (all []*plat.Crawl) {
	t.Helper()
	for c, err := range store.Crawls(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	return all
}

func text(t testing.TB, store storage.Store) string {
	var b strings.Builder
	for _, c := range crawls(t, store) {
		fmt.Fprintf(&b, "%+v\n", *c)
	}
	return b.String()
}
