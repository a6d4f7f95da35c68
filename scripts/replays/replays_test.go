package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"plat/browser"
)

// A page that does not come to rest once ended the measurement of all pages after it.
func TestAPageThatIsNotShownCostsNoOther(t *testing.T) {
	if _, err := browser.Find(os.Getenv("PLAT_CHROME")); err != nil {
		if os.Getenv("PLAT_REQUIRE_CHROME") == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	mux := http.NewServeMux()
	for path, html := range map[string]string{
		"/plain":  `<p>Pl<!-- -->ain <!-- --> wor<!-- --><!-- -->ds<img src="/missing.png">`,
		"/alerts": `<script>alert(1); if (confirm(2)) document.write("<p>confirmed"); prompt(3)</script><p>After alerts<script>alert(4)</script>`,
		"/leaves": `<p>Stay here<script>addEventListener("beforeunload", e => e.preventDefault())</script>`,
		"/hangs":  `<p>Hangs<script>for (;;);</script>`,
		"/asks":   `<p>Asks<script>for (;;) alert("again")</script>`,
	} {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.Write([]byte(html))
		})
	}
	site := httptest.NewServer(mux)
	defer site.Close()
	v := &viewer{ctx: t.Context()}
	defer v.close()
	for _, c := range []struct {
		path, words string // without words: not shown
	}{
		{"/alerts", "After alerts"}, {"/plain", "Plain words"}, {"/leaves", "Stay here"}, {"/plain", "Plain words"},
		{"/hangs", ""}, {"/plain", "Plain words"}, {"/asks", ""}, {"/plain", "Plain words"},
	} {
		limit := time.Minute
		if c.words == "" {
			limit = 4 * time.Second
		}
		s, err := v.look(site.URL+c.path, 0, limit)
		if c.words == "" {
			if err == nil {
				t.Errorf("%s was shown: %q", c.path, s.words)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", c.path, err)
		}
		if want := slices.Sorted(slices.Values(strings.Fields(c.words))); !slices.Equal(s.words, want) || len(s.picture) == 0 {
			t.Errorf("%s: words %q and a picture of %d bytes, want %q", c.path, s.words, len(s.picture), want)
		}
		if failed := c.path == "/plain"; failed != (len(s.failed) == 1) {
			t.Errorf("%s: failed requests %q", c.path, s.failed)
		}
	}
}

func TestAReplayThatIsNotShownIsCountedAndNamed(t *testing.T) {
	s := &score{name: "replay"}
	s.add("http://x.example/a", &seen{words: []string{"a"}}, nil, os.ErrDeadlineExceeded)
	lose([]*score{s}, "http://x.example/b", os.ErrDeadlineExceeded)
	out := s.text()
	for _, want := range []string{"1 pages, similarity 0.0000 (worst 0.0000), same words 0", "http://x.example/a  not shown: i/o timeout", "1 pages not compared", "not compared: http://x.example/b: i/o timeout"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in:\n%s", want, out)
		}
	}
}
