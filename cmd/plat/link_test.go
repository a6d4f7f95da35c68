package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"plat/plat"
	"plat/storage/history"
	"plat/workers/batch"
)

// visits serves a site, and returns the URL of its home page, a new archive, and a function that
// visits that page.
func visits(t *testing.T, site http.HandlerFunc) (url, db string, visit func() batch.Page) {
	t.Helper()
	s := httptest.NewServer(site)
	t.Cleanup(s.Close)
	url, db = s.URL+"/", "--store=sqlite:"+filepath.Join(t.TempDir(), "a.db")
	return url, db, func() batch.Page {
		t.Helper()
		return jsonLines[batch.Page](t, must(t, "archive", "--json", url, db, "--allow-private=127.0.0.0/8", "--log-level=error"))[0]
	}
}

// A changed link target or visible attribute is found and named.
func TestALinkThatLeadsElsewhereIsShown(t *testing.T) {
	needChrome(t)
	var year atomic.Int32
	year.Store(2025)
	url, db, visit := visits(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, `<!doctype html><html lang=en><title>Prices</title><h1>Prices of the ferry</h1><p>All that we charge is in <a href="/price-%d.pdf" title="As of %[1]d">the price list</a>, for cars and for people.</p><p>Come and see us.</p>`, year.Load())
	})
	visit()
	year.Store(2026)
	if p := visit(); p.Version != 2 || p.Changes[plat.Link] != 1 || len(p.Changes) != 1 {
		t.Errorf("%+v", p)
	}
	out := must(t, "diff", url, db)
	for _, want := range []string{"1 link", `link “the price list”  /price-2025.pdf → /price-2026.pdf`, `a title “the price list”  As of 2025 → As of 2026`} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	d := jsonLines[history.Diff](t, must(t, "diff", url, db, "--json"))[0]
	want := []history.AttributeInfo{{Tag: "a", Name: "href", Text: "the price list", Old: "/price-2025.pdf", New: "/price-2026.pdf"}, {Tag: "a", Name: "title", Text: "the price list", Old: "As of 2025", New: "As of 2026"}}
	if len(d.Changes) != 1 || d.Changes[0].Kind != plat.Link || fmt.Sprint(d.Changes[0].Attributes) != fmt.Sprint(want) {
		t.Errorf("%+v", d.Changes)
	}
}

// A changed form target, or frame source, is found and named.
func TestAFormThatIsSentElsewhereIsShown(t *testing.T) {
	needChrome(t)
	var year atomic.Int32
	year.Store(2025)
	url, db, visit := visits(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if r.URL.Path != "/" {
			fmt.Fprint(w, "<!doctype html><title>Map</title><p>The harbour from above.")
			return
		}
		y := year.Load()
		fmt.Fprintf(w, `<!doctype html><html lang=en><title>Tickets</title><h1>Tickets of the ferry</h1><p>All that we sell is on this page, for cars and for people.</p>
			<form action="/order-%d" method=post><label>How many are you, with children? <input name=n></label> <button formaction="/gift-%[1]d">Give them away</button></form>
			<p>Here we are:</p><iframe src="/map-%[1]d" width=400 height=200></iframe>`, y)
	})
	visit()
	year.Store(2026)
	if p := visit(); p.Version != 2 || p.Changes[plat.Link] != 2 || len(p.Changes) != 1 {
		t.Errorf("%+v", p)
	}
	out := must(t, "diff", url, db)
	for _, want := range []string{"2 link", `form action  /order-2025 → /order-2026`, `button formaction “Give them away”  /gift-2025 → /gift-2026`, `iframe src  /map-2025 → /map-2026`} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	d := jsonLines[history.Diff](t, must(t, "diff", url, db, "--json"))[0]
	want := [][]history.AttributeInfo{
		{{Tag: "form", Name: "action", Old: "/order-2025", New: "/order-2026"}, {Tag: "button", Name: "formaction", Text: "Give them away", Old: "/gift-2025", New: "/gift-2026"}},
		{{Tag: "iframe", Name: "src", Old: "/map-2025", New: "/map-2026"}},
	}
	if len(d.Changes) != len(want) {
		t.Fatalf("%+v", d.Changes)
	}
	for i, c := range d.Changes {
		if c.Kind != plat.Link || fmt.Sprint(c.Attributes) != fmt.Sprint(want[i]) {
			t.Errorf("%s %+v, want %+v", c.Kind, c.Attributes, want[i])
		}
	}
}

// A page that is called otherwise says how it was called.
func TestAnotherTitleIsShown(t *testing.T) {
	t.Parallel()
	needChrome(t)
	var title string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<!doctype html><title>%s</title><h1>The harbour</h1><p>As it is today, seen from the pier.", title)
	}))
	defer srv.Close()
	db := "--store=sqlite:" + filepath.Join(t.TempDir(), "a.db")
	for _, title = range []string{"Harbour news", "Harbour closed"} {
		must(t, "archive", srv.URL+"/", db, "--allow-private=127.0.0.0/8", "--log-level=error")
	}
	if out := must(t, "diff", srv.URL+"/", db); !strings.Contains(out, "title  [-Harbour news-] {+Harbour closed+}") {
		t.Error(out)
	}
	d := jsonLines[history.Diff](t, must(t, "diff", srv.URL+"/", db, "--json"))[0]
	if d.OldTitle != "Harbour news" || d.NewTitle != "Harbour closed" {
		t.Errorf("%+v", d)
	}
}
