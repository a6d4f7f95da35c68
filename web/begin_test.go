package web

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"plat/plat"
	"plat/queue/aliases"
	"plat/storage/sqlite"
	"plat/storage/sqlite/sqlitetest"
)

// The start page of an empty archive offers what the server can do, and commands for the rest.
func TestAnEmptyArchiveSaysHowToBegin(t *testing.T) {
	add := func(context.Context, []plat.Job) (int, error) { return 1, nil }
	path := filepath.Join(t.TempDir(), "a.db")
	sqlitetest.OpenAt(t, path, sqlite.Options{}).Close()
	for _, tc := range []struct {
		name              string
		options           sqlite.Options
		adds              bool
		form, watch, says bool // the form that archives, the one that watches, and the commands
	}{
		{"with workers", sqlite.Options{}, true, true, true, false},
		{"without workers", sqlite.Options{}, false, false, true, true},
		{"read-only", sqlite.Options{ReadOnly: true}, false, false, false, true},
	} {
		o := Options{Store: aliases.Store{Store: sqlitetest.OpenAt(t, path, tc.options)}} // as Service.Show serves it
		if tc.adds {
			o.Add = add
		}
		page := get(New(o), "GET", "/").Body.String()
		for what, want := range map[string]bool{
			`action="/add"`: tc.form, `action="/watch/add"`: tc.watch, `<code class="command">plat archive https://example.com/</code>`: tc.says,
			`<code class="command">plat import FILE</code>`: true, `<code class="command">plat watch import FILE</code>`: true, "Nothing is archived yet": true, "visits no pages itself": tc.says, "Find URLs that begin": false,
		} {
			if strings.Contains(page, what) != want {
				t.Errorf("%s: %s is there: %v\n%s", tc.name, what, !want, page)
			}
		}
	}
	for adds, want := range map[bool]bool{true: true, false: false} {
		o := Options{Store: made(t)}
		if adds {
			o.Add = add
		}
		page := get(New(o), "GET", "/").Body.String()
		if strings.Contains(page, "<summary>Add pages</summary>") != want || strings.Contains(page, "plat archive https") {
			t.Errorf("an archive with pages, takes URLs %v:\n%s", adds, page)
		}
	}
}

func TestTheFormOfTheStartPageAddsURLs(t *testing.T) {
	var got []plat.Job
	var fails error
	s := New(Options{Store: made(t), Add: func(_ context.Context, jobs []plat.Job) (int, error) { got = append(got, jobs...); return 1, fails }})
	post := func(s *Server, form url.Values, header ...string) *httptest.ResponseRecorder {
		r := httptest.NewRequest("POST", "/add", strings.NewReader(form.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		for i := 0; i+1 < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		return w
	}
	w := post(s, url.Values{"url": {"News.test/a?utm_source=x"}, "scope": {""}, "every": {""}})
	if w.Code != 303 || w.Header().Get("Location") != "/urls?prefix=https%3A%2F%2Fnews.test%2Fa%3Futm_source%3Dx" || len(got) != 1 || got[0].Schedule.Every != 0 {
		t.Errorf("a page: %d %s %+v", w.Code, w.Header().Get("Location"), got)
	}
	for _, scope := range beginScopes[1:] {
		for _, every := range beginTimes[1:] {
			got = nil
			w = post(s, url.Values{"url": {"http://news.test:8080/"}, "scope": {scope.Value}, "every": {every.Value}})
			if w.Code != 303 || w.Header().Get("Location") != "/urls?host=news.test%3A8080" || len(got) != 1 || got[0].Schedule.Every == 0 || !strings.HasPrefix(got[0].Scope, "host") {
				t.Errorf("%v %v: %d %s %+v", scope, every, w.Code, w.Header().Get("Location"), got)
			}
		}
	}
	got = nil
	for _, tc := range []struct {
		form   url.Values
		header string
		code   int
		says   string
	}{
		{url.Values{"url": {""}}, "", 400, "write the URL"},
		{url.Values{"url": {"ftp://a.test/"}}, "", 400, "only http and https"},
		{url.Values{"url": {"a.test"}, "scope": {"moon"}}, "", 400, "moon"},
		{url.Values{"url": {"a.test"}, "every": {"now and then"}}, "", 400, "now and then"},
		{url.Values{"url": {"a.test"}, "depth": {"3"}}, "", 400, "no field"},
		{url.Values{"url": {"a.test"}}, "cross-site", 403, "cross-origin"},
	} {
		if w := post(s, tc.form, "Sec-Fetch-Site", tc.header); w.Code != tc.code || !strings.Contains(w.Body.String(), tc.says) || len(got) > 0 {
			t.Errorf("%v: %d %s %v", tc.form, w.Code, w.Body, got)
		}
	}
	fails = errors.New("secret details")
	if w := post(s, url.Values{"url": {"a.test"}}); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" || strings.Contains(w.Body.String(), "secret") {
		t.Errorf("a failure: %d %s", w.Code, w.Body)
	}
	if w := post(New(Options{Store: made(t)}), url.Values{"url": {"a.test"}}); w.Code != 404 || !strings.Contains(w.Body.String(), "plat up") {
		t.Errorf("without workers: %d %s", w.Code, w.Body)
	}
}
