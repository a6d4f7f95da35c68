package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"plat/storage"
)

// Forgotten versions are gone from the server's cache too; kept versions are served unchanged.
func TestWhatIsForgottenIsGoneFromTheInterface(t *testing.T) {
	store := made(t)
	s := New(Options{Store: store})
	q := "url=" + url.QueryEscape(long)
	gone := []string{
		"/version?" + q + "&version=7", "/api/v1/version?" + q + "&version=7", "/diff?" + q + "&old=7&new=58", "/api/v1/diff?" + q + "&old=7&new=8",
		"/replay?" + q + "&version=7", "/version?" + q + "&version=50", "/api/v1/version?" + q + "&version=50", "/web/" + stamp(t, store, 7) + "id_/" + long,
	}
	kept := []string{
		"/version?" + q + "&version=51", "/version?" + q + "&version=51&by=age", "/version?" + q + "&version=51&by=change", "/api/v1/version?" + q + "&version=51",
		"/diff?" + q + "&old=51&new=60", "/diff?" + q, "/url?" + q, "/api/v1/versions?" + q, "/block?" + q, "/urls?host=a.test",
		"/timemap/link/" + long, "/feed/atom?" + q, "/replay?" + q + "&version=60", "/api/v1/url?" + q, "/api/v1/diff?" + q,
	}
	for _, at := range append(gone, kept...) { // all of it is cached
		if w := get(s, http.MethodGet, at); w.Code != http.StatusOK {
			t.Fatalf("%s: %d %s", at, w.Code, w.Body)
		}
	}
	if _, err := store.Forget(t.Context(), long, storage.Cut{KeepLast: 10}, false); err != nil {
		t.Fatal(err)
	}
	for _, at := range gone {
		want := http.StatusGone
		if strings.HasPrefix(at, "/web/") {
			want = http.StatusFound // to the nearest that is kept
		}
		if w := get(s, http.MethodGet, at); w.Code != want {
			t.Errorf("after it was forgotten %s: %d %.300s, want %d", at, w.Code, w.Body, want)
		}
	}
	for _, at := range kept {
		w := get(s, http.MethodGet, at)
		if w.Code != http.StatusOK {
			t.Errorf("what is kept, %s: %d %.300s", at, w.Code, w.Body)
		}
		if body := w.Body.String(); strings.Contains(body, "version=50&") || strings.Contains(body, `"version":50,`) {
			t.Errorf("%s leads to a version that is gone", at)
		}
	}
	if w := get(s, http.MethodGet, "/api/v1/versions?"+q+"&limit=200"); strings.Count(w.Body.String(), `"version":`) != 10 {
		t.Errorf("versions: %s", w.Body)
	}
	if w := get(s, http.MethodGet, "/timemap/link/"+long); strings.Count(w.Body.String(), "memento\"") != 10 {
		t.Errorf("the timemap has %d mementos", strings.Count(w.Body.String(), "memento\""))
	}
	if w := get(s, http.MethodGet, "/api/v1/url?"+q); !strings.Contains(w.Body.String(), `"forgotten":50`) {
		t.Errorf("the state does not say it: %s", w.Body)
	}

	if _, err := store.Forget(t.Context(), long, storage.Cut{}, false); err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{"/version?" + q + "&version=60", "/api/v1/version?" + q, "/version?" + q, "/timemap/link/" + long, "/timegate/" + long, "/diff?" + q + "&old=59&new=60", "/replay?" + q} {
		if w := get(s, http.MethodGet, at); w.Code != http.StatusGone {
			t.Errorf("of a page that was forgotten, %s: %d %.300s, want 410", at, w.Code, w.Body)
		}
	}
	for _, at := range []string{"/url?" + q, "/blocks?" + q, "/api/v1/url?" + q, "/api/v1/versions?" + q, "/api/v1/visits?" + q, "/api/v1/spans?" + q, "/api/v1/diff?" + q, "/feed/atom?" + q, "/feed/json?" + q} {
		if w := get(s, http.MethodGet, at); w.Code != http.StatusGone || strings.Contains(w.Body.String(), "version=60") {
			t.Errorf("of a page that was forgotten, %s: %d %.300s, want 410", at, w.Code, w.Body)
		}
	}
	for _, at := range []string{"/api/v1/urls?host=a.test", "/urls?host=a.test"} {
		if w := get(s, http.MethodGet, at); w.Code != http.StatusOK {
			t.Errorf("of a page that was forgotten, %s: %d %.300s", at, w.Code, w.Body)
		}
	}
}

// stamp is the time of a version in replay addresses.
func stamp(t *testing.T, store storage.Store, n int) string {
	t.Helper()
	v, err := store.Version(t.Context(), long, n)
	if err != nil {
		t.Fatal(err)
	}
	return v.Taken.UTC().Truncate(time.Second).Format("20060102150405")
}
