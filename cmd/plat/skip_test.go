package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"plat/workers/batch"
)

func TestAPageThatCannotHaveChangedIsNotRendered(t *testing.T) {
	t.Parallel()
	needChrome(t)
	body := `<!doctype html><title>Tides</title><h1>Tides</h1><p>High at noon.</p>`
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("ETag", `"`+strings.Repeat("n", strings.Count(body, "<p>"))+`"`)
		if r.Header.Get("If-None-Match") == w.Header().Get("ETag") {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		w.Write([]byte(body))
	}))
	defer s.Close()
	db := "--store=sqlite:" + filepath.Join(t.TempDir(), "a.db")
	visit := func(more ...string) batch.Page {
		t.Helper()
		var a batch.Page
		out := must(t, append([]string{"archive", "--json", "--allow-private=127.0.0.0/8", "--log-level=error", db, s.URL + "/"}, more...)...)
		if err := json.Unmarshal([]byte(out), &a); err != nil {
			t.Fatalf("%q: %v", out, err)
		}
		return a
	}
	if a := visit(); a.Outcome != "new" || !a.Rendered {
		t.Errorf("the first visit is %+v", a)
	}
	// One in twenty is rendered by chance: of a few visits in a row some are not.
	skipped := 0
	for range 4 {
		if a := visit(); a.Outcome != "unchanged" || a.Version != 1 || a.Status != 200 || a.PageBytes == 0 {
			t.Errorf("a visit that finds nothing new is %+v", a)
		} else if !a.Rendered {
			skipped++
		}
	}
	if skipped == 0 {
		t.Error("all of four visits that found nothing new were rendered")
	}
	if a := visit("--always-render"); a.Outcome != "unchanged" || !a.Rendered {
		t.Errorf("with --always-render a visit is %+v", a)
	}
	said := ""
	for range 4 {
		said += must(t, "archive", "--allow-private=127.0.0.0/8", "--log-level=error", db, s.URL+"/")
	}
	if !strings.Contains(said, "(not rendered)") || !strings.Contains(said, "1 unchanged (1 not rendered)") {
		t.Errorf("what is printed says nothing of it: %s", said)
	}
	body += "<p>Low at six.</p>"
	if a := visit(); a.Outcome != "changed" || !a.Rendered {
		t.Errorf("a visit after a change is %+v", a)
	}
}
