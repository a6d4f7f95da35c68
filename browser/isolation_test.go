package browser

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"plat/plat"
)

// hoarder writes to every storage that a page has; its image holds up the load event until the
// writes are done.
const hoarder = `<!doctype html><title>writes</title><iframe src="%[1]s/hoard-frame"></iframe>
<script>
document.cookie = 'script=1; max-age=3600';
localStorage.left = '1'; sessionStorage.left = '1'; window.name = 'left'; history.pushState({}, '', '?pushed');
const held = new Image();
Promise.all([
  new Promise((done) => { const r = indexedDB.open('left', 1); r.onsuccess = r.onerror = done; }),
  caches.open('left').then((c) => c.put('/left', new Response('left'))),
  navigator.serviceWorker.register('/worker.js').catch(() => {}),
  navigator.storage.getDirectory().then((d) => d.getFileHandle('left', { create: true })).catch(() => {}),
]).finally(() => { held.src = '/release?' + Math.random(); document.title = 'written'; });
document.body.append(Object.assign(new Image(), { src: '/held?' + Math.random() }));
</script>`

// reader shows the stored data that it finds.
const reader = `<!doctype html><iframe src="%[1]s/read-frame"></iframe><pre id=seen></pre><script>
const held = document.createElement('img'); held.src = '/held?' + Math.random(); document.body.append(held);
(async () => {
  const seen = {
    cookie: document.cookie, local: localStorage.left, session: sessionStorage.left, name: window.name, history: history.state, length: history.length,
    databases: (await indexedDB.databases()).length, caches: (await caches.keys()).length,
    workers: (await navigator.serviceWorker.getRegistrations()).length, controlled: !!navigator.serviceWorker.controller,
    files: 0, referrer: document.referrer,
  };
  for await (const _ of (await navigator.storage.getDirectory()).keys()) seen.files++;
  document.getElementById('seen').textContent = JSON.stringify(seen);
  new Image().src = '/release?' + Math.random();
})();
</script>`

func TestAPageFindsNothingOfTheOneBefore(t *testing.T) {
	t.Parallel()
	var documents, withCookie atomic.Int64
	release := make(chan struct{}, 64)
	mux := http.NewServeMux()
	page := func(path, body string) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
			if path == "/read" {
				documents.Add(1)
			}
			if r.Header.Get("Cookie") != "" {
				withCookie.Add(1)
			}
			w.Header().Set("Content-Type", "text/html")
			w.Header().Set("Cache-Control", "max-age=3600")
			if strings.HasPrefix(path, "/hoard") {
				http.SetCookie(w, &http.Cookie{Name: "http", Value: "1", MaxAge: 3600, Path: "/"})
			}
			fmt.Fprint(w, strings.ReplaceAll(body, "%[1]s", "http://"+strings.Replace(r.Host, "127.0.0.1", "127.0.0.2", 1)))
		})
	}
	page("/hoard", hoarder)
	page("/read", reader)
	page("/hoard-frame", `<script>document.cookie = 'framed=1; max-age=3600'; localStorage.framed = '1'; sessionStorage.framed = '1'; caches.open('x').then((c) => c.put('/framed', new Response('x')))</script>`)
	page("/read-frame", `<pre id=framed></pre><script>framed.textContent = document.cookie + (localStorage.framed ?? '') + (sessionStorage.framed ?? '')</script>`)
	mux.HandleFunc("GET /held", func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
	mux.HandleFunc("GET /release", func(http.ResponseWriter, *http.Request) { release <- struct{}{} })
	mux.HandleFunc("GET /worker.js", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		fmt.Fprint(w, "addEventListener('fetch', () => {})")
	})
	srv := serve(t, mux)
	p := poolWith(t, func(o *Options) { o.Tabs = 1 })

	seen := func(s *plat.Snapshot) string {
		var b strings.Builder
		for i := range s.Nodes {
			n := &s.Nodes[i]
			if id, _ := n.Attr("id"); id == "seen" || id == "framed" {
				for _, c := range s.Nodes[i+1 : n.End] {
					b.WriteString(c.Value)
				}
				b.WriteString("\n")
			}
		}
		return b.String()
	}
	clean := seen(render(t, p, srv.URL+"/read"))
	if !strings.Contains(clean, `"databases":0`) {
		t.Fatalf("the first page tells %q", clean)
	}
	for i := range 2 {
		// There are two slots, and either may be cleared first.
		for range 2 {
			if s := render(t, p, srv.URL+"/hoard"); s.Title != "written" {
				t.Errorf("the page that writes has title %q", s.Title)
			}
		}
		before := documents.Load()
		if got := seen(render(t, p, srv.URL+"/read")); got != clean {
			t.Errorf("round %d: the page sees\n%swant\n%s", i, got, clean)
		}
		if documents.Load() == before {
			t.Errorf("round %d: the document came from the cache", i)
		}
	}
	if n := withCookie.Load(); n > 0 {
		t.Errorf("%d requests for documents came with cookies", n)
	}
	uses := 0
	for range 2 { // both slots are at rest
		<-p.freed
	}
	p.mu.Lock()
	for _, s := range p.idle {
		if s.tab != nil {
			uses = max(uses, s.tab.Uses)
		}
	}
	p.mu.Unlock()
	for range 2 {
		p.freed <- struct{}{}
	}
	if uses < 2 {
		t.Error("no tab was used for two pages, so nothing was tested")
	}
}
