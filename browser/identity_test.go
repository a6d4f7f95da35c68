package browser

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"plat/plat"
)

// A crawler that names its operator does so everywhere: in the requests of pages and of their
// workers, and to scripts. Otherwise it is plain Chrome, so that pages are the same as for users.
func TestAPlainBrowserThatSaysWhoVisitsSaysSoEverywhere(t *testing.T) {
	t.Parallel()
	const about = "(compatible; plat/1; https://a.test/)"
	var mu sync.Mutex
	agents := map[string]string{}
	hints := ""
	workers := make(chan struct{}, 8) // a token for each worker that has sent a request
	srv := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		agents[r.URL.Path] = r.UserAgent()
		if r.URL.Path == "/" {
			hints = r.Header.Get("Sec-Ch-Ua")
		}
		mu.Unlock()
		if strings.HasPrefix(r.URL.Path, "/from-") {
			workers <- struct{}{}
		}
		switch r.URL.Path {
		case "/worker.js":
			w.Header().Set("Content-Type", "text/javascript")
			fmt.Fprint(w, `fetch('/from-' + self.constructor.name)`)
		case "/":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, `<p id=seen></p><script>
seen.textContent = 'agent ' + navigator.userAgent + ' driven ' + navigator.webdriver;
new Worker('/worker.js'); new SharedWorker('/worker.js?shared'); navigator.serviceWorker.register('/worker.js?service')</script>`)
		}
	}))
	p := poolWith(t, func(o *Options) { o.NoStealth, o.About = true, about })
	s, err := p.Render(t.Context(), Request{URL: srv.URL + "/", inspect: func(ctx context.Context, _ *visit, _ *plat.Snapshot) error {
		for range 3 {
			select {
			case <-workers:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	text := seenText(s)
	if !strings.Contains(text, " "+about+" driven true") || strings.Contains(text, "Headless") || !strings.Contains(text, " Chrome/") {
		t.Errorf("scripts see %q", text)
	}
	mu.Lock()
	defer mu.Unlock()
	for _, path := range []string{"/", "/worker.js", "/from-DedicatedWorkerGlobalScope", "/from-SharedWorkerGlobalScope", "/from-ServiceWorkerGlobalScope"} {
		if got := agents[path]; !strings.HasPrefix(got, "Mozilla/5.0 ") || !strings.HasSuffix(got, " Safari/537.36 "+about) || !strings.Contains(got, " Chrome/") {
			t.Errorf("%s was asked for by %q", path, got)
		}
	}
	if strings.Contains(hints, "Headless") || !strings.Contains(hints, "Chromium") {
		t.Errorf("the hints are %q", hints)
	}
	if got := p.UserAgent(); got != agents["/"] {
		t.Errorf("the pool says %q", got)
	}
}
