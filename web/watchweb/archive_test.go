package watchweb_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"plat/plat"
	"plat/storage"
	"plat/storage/sqlite"
	"plat/storage/sqlite/sqlitetest"
	"plat/storage/storagetest"
	"plat/web"
)

// origin is that of requests by httptest.
const origin = "http://example.com"

// day0 is when the first item was seen.
var day0 = time.Date(2026, 5, 1, 6, 0, 0, 0, time.UTC)

// subscribe stores a subscription, and items that were found for it.
func subscribe(t testing.TB, store storage.Store, s plat.Subscription, items ...plat.Item) {
	t.Helper()
	if s.Made.IsZero() {
		s.Made = day0
	}
	if err := store.Subscribe(t.Context(), &s); err != nil {
		t.Fatal(err)
	}
	if items != nil {
		find(t, store, s.ID, "", items...)
	}
}

// find stores items of a subscription; broken is the reason if it has no items.
func find(t testing.TB, store storage.Store, id, broken string, items ...plat.Item) {
	t.Helper()
	s, err := store.Subscription(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	e := &storage.Examination{ID: id, Was: map[string]int{}, Following: plat.Following{Broken: broken, Since: day0, Entries: len(items)}}
	for _, p := range s.Pages {
		e.Was[p.URL] = p.Examined
	}
	e.Following.Pages = []plat.FollowedPage{{URL: s.URL, Depth: 1, Examined: e.Was[s.URL] + 1}}
	for _, it := range items {
		it.Subscription = id
		if it.Page == "" {
			it.Page = s.URL
		}
		if it.Kind == "" {
			it.Kind = plat.ItemNew
		}
		e.Items = append(e.Items, it)
	}
	if err := store.Examined(t.Context(), e); err != nil {
		t.Fatal(err)
	}
}

// item is one of a subscription; the number says when it was seen.
func item(id string, n int) plat.Item {
	return plat.Item{ID: fmt.Sprintf("%s-%04d", id, n), Title: fmt.Sprintf("Item %d of %s", n, id), URL: fmt.Sprintf("https://%s.test/%d", id, n),
		Excerpt: fmt.Sprintf("What else stands at %d.", n), Version: 1 + n, Lineage: 3, Seen: day0.Add(time.Duration(n) * time.Hour)}
}

// news are two subscriptions with items: of a with the tag work in the group Papers, and of b.
func news(t testing.TB) *sqlite.Store {
	t.Helper()
	store := sqlitetest.Open(t)
	var a, b []plat.Item
	for n := range 60 {
		a = append(a, item("a", n))
	}
	for n := range 5 {
		b = append(b, item("b", 10*n))
	}
	subscribe(t, store, plat.Subscription{ID: "a", URL: "https://a.test/", Title: "The Notice", Group: "Papers", Tags: []string{"work"}}, a...)
	subscribe(t, store, plat.Subscription{ID: "b", URL: "https://b.test/"}, b...)
	return store
}

func serve(store storage.Store) http.Handler {
	return web.New(web.Options{Store: store, Version: "v1"})
}

// get requests an address as a browser does.
func get(h http.Handler, target string, header ...string) *httptest.ResponseRecorder {
	return ask(h, "GET", target, "", append([]string{"Accept", "text/html"}, header...)...)
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

// post sends a form of one of our pages.
func post(h http.Handler, target string, form url.Values, header ...string) *httptest.ResponseRecorder {
	return ask(h, "POST", target, form.Encode(), append([]string{"Content-Type", "application/x-www-form-urlencoded", "Sec-Fetch-Site", "same-origin", "Accept", "text/html"}, header...)...)
}

// all are the subscriptions of a store.
func all(t testing.TB, store storage.Store) (subs []*storage.Subscribed) {
	t.Helper()
	for s, err := range store.Subscriptions(t.Context(), storage.Which{}) {
		if err != nil {
			t.Fatal(err)
		}
		subs = append(subs, s)
	}
	return subs
}

// grow commits versions of a page.
func grow(t testing.TB, store storage.Store, u string, versions int) *plat.Version {
	t.Helper()
	page := storagetest.NewPage(u, 1)
	for range versions {
		if _, err := store.Commit(t.Context(), page.Next()); err != nil {
			t.Fatal(err)
		}
	}
	v, err := store.Version(t.Context(), u, 0)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
