package web

import (
	"context"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestErrorsArePagesForBrowsersAndProblemsForPrograms(t *testing.T) {
	s := New(Options{Store: made(t)})
	for _, target := range []string{"/timegate/http://none.test/", "/web/2026/http://none.test/", "/timemap/link/http://none.test/"} {
		for accept, media := range map[string]string{
			"text/html,application/xhtml+xml;q=0.9": "text/html", "": "application/problem+json", "application/json": "application/problem+json",
		} {
			if w := get(s, "GET", target, "Accept", accept); w.Code != 404 || !strings.HasPrefix(w.Header().Get("Content-Type"), media) {
				t.Errorf("GET %s, Accept %q = %d %s", target, accept, w.Code, w.Header().Get("Content-Type"))
			}
		}
	}
}

// Internal errors are logged and not sent.
func TestInternalErrorsAreLoggedAndNotSent(t *testing.T) {
	var log strings.Builder
	store := made(t)
	s := New(Options{Store: store, Log: slog.New(slog.NewTextHandler(&log, nil))})
	store.Close()
	for _, e := range s.endpoints() {
		target := apiRoot + strings.ReplaceAll(e.path, "{hash}", strings.Repeat("0", 64))
		if len(e.params) > 0 && e.params[0] == "url" {
			target += param("url", long)
		} else if len(e.params) > 0 && e.params[0] == "host" {
			target += param("host", "a.test")
		}
		if strings.HasPrefix(e.path, "/queue") || strings.HasPrefix(e.path, "/openapi") || e.path == "/about" {
			continue // these do not use the archive
		}
		log.Reset()
		w := get(s, "GET", target)
		if w.Code != 500 || strings.Contains(w.Body.String(), "sql") || !strings.Contains(log.String(), "sql") {
			t.Errorf("GET %s = %d %.200s; the log has %.200q", target, w.Code, w.Body, log.String())
		}
	}
}

func TestATimedOutRequestMayBeRetried(t *testing.T) {
	s := New(Options{Store: made(t)})
	for _, target := range []string{"/api/v1/sites", "/feed/atom" + param("url", long), "/timegate/" + long} {
		ctx, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
		defer cancel()
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest("GET", target, nil).WithContext(ctx))
		if w.Code != 503 || w.Header().Get("Retry-After") == "" {
			t.Errorf("GET %s = %d %v", target, w.Code, w.Header())
		}
	}
}
