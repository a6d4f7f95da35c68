package web

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"plat/export"
)

// reported serves the report of a URL, and counts other requests.
func reported(t *testing.T, a *archiver, u string) (base string, others *atomic.Int32) {
	t.Helper()
	var page bytes.Buffer
	if err := export.Report(t.Context(), &page, a.store, u, "test"); err != nil {
		t.Fatal(err)
	}
	if dir := os.Getenv("PLAT_SCREENS"); dir != "" {
		if err := os.WriteFile(dir+"/report.html", page.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	others = &atomic.Int32{}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.Write(page.Bytes())
		case "/favicon.ico": // requested by every browser
			http.NotFound(w, r)
		default:
			others.Add(1)
		}
	}))
	t.Cleanup(srv.Close)
	return srv.URL, others
}

func TestAReportIsSelfContained(t *testing.T) {
	a, u := sample(t)
	base, others := reported(t, a, u)
	e := newEye(t, base)
	for _, w := range []struct {
		name          string
		width, height int64
		dark          bool
	}{{"report", 1280, 900, false}, {"report-dark", 1280, 900, true}, {"report-phone", 360, 740, false}} {
		e.window(w.width, w.height, 1)
		e.dark(w.dark)
		e.open("/")
		e.keep(w.name)
		if wide := see[int](e, `document.scrollingElement.scrollWidth`); wide > int(w.width) {
			t.Errorf("at %d px it is %d px wide, so that one has to scroll sideways", w.width, wide)
		}
	}
	if n := see[int](e, `document.scripts.length`); n > 0 {
		t.Errorf("it has %d scripts", n)
	}
	said := see[string](e, `document.body.innerText`)
	for _, want := range []string{"Version 1", "Version 2", "Seals on the breakwater", "Blocks through time"} {
		if !strings.Contains(said, want) {
			t.Errorf("it lacks %q", want)
		}
	}
	if words := see[string](e, `[...document.querySelectorAll('#v2 ins, #v2 del')].map((x) => x.tagName + x.textContent.trim()).join()`); !strings.Contains(words, "DELtwo") || !strings.Contains(words, "INSthree") {
		t.Errorf("it marks %.200q", words)
	}
	if n := see[int](e, `[...document.querySelectorAll('svg.overlay image')].filter((x) => x.href.baseVal.startsWith('data:image/jpeg;')).length`); n != 2 {
		t.Errorf("%d versions have a picture, want 2", n)
	}
	missing := see[string](e, `[...document.querySelectorAll('a[href^="#"]')].filter((x) => !document.querySelector(x.href?.baseVal ?? x.hash)).map((x) => x.outerHTML).join()`)
	if missing != "" || others.Load() != 0 {
		t.Errorf("links lead nowhere: %.200q; %d things were asked for", missing, others.Load())
	}
	// Browsers request an icon if the page names no icon, and log the error.
	e.mu.Lock()
	for _, h := range e.heard {
		if !strings.Contains(h, "favicon.ico") {
			t.Errorf("the browser says %s", h)
		}
	}
	e.heard = nil
	e.mu.Unlock()
}

func TestAReportIsAccessible(t *testing.T) {
	axe := axe(t)
	a, u := sample(t)
	base, _ := reported(t, a, u)
	e := newEye(t, base)
	for _, dark := range []bool{false, true} {
		e.dark(dark)
		e.open("/")
		e.usable(axe, fmt.Sprintf("the report (dark %v)", dark))
	}
}

func TestAReportOfARecordedHistory(t *testing.T) {
	a, u := recorded(t, "activemq/index.html", 12)
	base, others := reported(t, a, u)
	e := newEye(t, base)
	e.window(360, 740, 1)
	e.open("/")
	e.keep("real-report")
	if wide := see[int](e, `document.scrollingElement.scrollWidth`); wide > 360 || others.Load() != 0 {
		t.Errorf("on a phone it is %d px wide; %d things were asked for", wide, others.Load())
	}
	if n := see[int](e, `document.querySelectorAll('section.edition').length`); n < 5 {
		t.Errorf("it tells of %d versions", n)
	}
}
