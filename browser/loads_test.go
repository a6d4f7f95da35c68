package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"plat/plat"
)

// loadsOf renders a page and returns its loads by path.
func loadsOf(t *testing.T, p *Pool, url string) (map[string]plat.Load, *plat.Snapshot) {
	t.Helper()
	s, err := p.Render(t.Context(), Request{URL: url, Loads: true})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]plat.Load{}
	for _, l := range s.Loads {
		_, path, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(l.URL, "https://"), "http://"), "/")
		if l.Kind == plat.LoadLive {
			path = "live"
		}
		all[path] = l
	}
	return all, s
}

// everything serves a page with loads of all kinds.
func everything(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("ETag", `"`+r.URL.Path+`"`)
	w.Header().Set("Cache-Control", "max-age=60")
	switch r.URL.Path {
	case "/":
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><link rel=stylesheet href=a.css><img src=moved.png><img src=gone.png><p>Words</p>
			<script src=a.js></script><script>fetch('data.json').then(() => fetch('data.json', {method: 'POST', body: 'x'}))</script>`)
	case "/plain":
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><link rel=stylesheet href=a.css><p>Words</p>`)
	case "/a.css":
		w.Header().Set("Content-Type", "text/css")
		fmt.Fprint(w, `p { background: url(b.svg) }`)
	case "/b.svg":
		w.Header().Set("Content-Type", "image/svg+xml")
		w.Header().Set("Vary", "Accept-Encoding")
		fmt.Fprint(w, `<svg xmlns="http://www.w3.org/2000/svg"/>`)
	case "/a.js":
		w.Header().Set("Content-Type", "text/javascript")
	case "/moved.png":
		http.Redirect(w, r, "/b.svg?moved", http.StatusFound)
	case "/data.json":
		w.Header().Del("Cache-Control")
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{}`)
	default:
		http.NotFound(w, r)
	}
}

func TestLoadsAreListedByHTTPAndByHTTPS(t *testing.T) {
	t.Parallel()
	plain := httptest.NewServer(http.HandlerFunc(everything))
	defer plain.Close()
	secure := httptest.NewTLSServer(http.HandlerFunc(everything))
	defer secure.Close()
	p := poolWith(t, func(o *Options) { o.Flags = []string{"--ignore-certificate-errors"} })
	for _, url := range []string{plain.URL, secure.URL} {
		got, s := loadsOf(t, p, url+"/")
		if !s.LoadsKnown {
			t.Errorf("%s: the loads are not known", url)
		}
		want := map[string]plat.Load{
			"a.css":       {Kind: plat.LoadStyle, Status: 200, ETag: `"/a.css"`, CacheControl: "max-age=60"},
			"b.svg":       {Kind: plat.LoadImage, Status: 200, ETag: `"/b.svg"`, CacheControl: "max-age=60", Vary: "Accept-Encoding"},
			"b.svg?moved": {Kind: plat.LoadImage, Status: 200, ETag: `"/b.svg"`, CacheControl: "max-age=60", Vary: "Accept-Encoding"},
			"moved.png":   {Kind: plat.LoadImage, Status: 302, ETag: `"/moved.png"`, CacheControl: "max-age=60", Location: "/b.svg?moved"},
			"gone.png":    {Kind: plat.LoadImage, Status: 404},
			"a.js":        {Kind: plat.LoadScript, Status: 200, ETag: `"/a.js"`, CacheControl: "max-age=60"},
		}
		for path, w := range want {
			g := got[path]
			if g.Kind != w.Kind || g.Status != w.Status || w.ETag != "" && g.ETag != w.ETag || w.CacheControl != "" && g.CacheControl != w.CacheControl || g.Vary != w.Vary || g.Location != w.Location {
				t.Errorf("%s/%s is listed as %+v; want %+v", url, path, g, w)
			}
		}
		post := slices.ContainsFunc(s.Loads, func(l plat.Load) bool { return l.Method == http.MethodPost })
		data := slices.ContainsFunc(s.Loads, func(l plat.Load) bool {
			return l.Method == http.MethodGet && l.Kind == plat.LoadData && l.Status == 200
		})
		if !post || !data || len(s.Loads) < len(want)+2 {
			t.Errorf("%s: data by GET listed: %v, by POST: %v, of %d loads", url, data, post, len(s.Loads))
		}
		for _, l := range s.Loads {
			if l.URL == url+"/" {
				t.Errorf("the document is listed among its loads: %+v", l)
			}
		}
	}
}

func TestLoadsFromATabsCacheAreListed(t *testing.T) {
	t.Parallel()
	for _, secure := range []bool{false, true} {
		asked, cached := 0, 0
		site := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/a.css" {
				asked++
			}
			everything(w, r)
		}))
		if secure {
			site.StartTLS()
		} else {
			site.Start()
		}
		p := poolWith(t, func(o *Options) { o.Tabs, o.Flags = 1, []string{"--ignore-certificate-errors"} })
		for i := range 6 {
			got, s := loadsOf(t, p, fmt.Sprintf("%s/plain?%d", site.URL, i))
			if got["a.css"].Cached {
				cached++
			}
			if !s.LoadsKnown || got["a.css"].ETag != `"/a.css"` || got["b.svg"].ETag != `"/b.svg"` {
				t.Errorf("https %v, page %d: known %v, %+v", secure, i, s.LoadsKnown, got)
			}
		}
		if asked >= 6 || cached != 6-asked {
			t.Errorf("https %v: of 6 pages %d asked for the style sheet, %d say that they took it from the cache", secure, asked, cached)
		}
		site.Close()
	}
}

func TestWhatStaysConnectedIsListed(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"WebSocket":    `new WebSocket('ws://' + location.host + '/socket')`,
		"event stream": `new EventSource('/events')`,
		"worker":       `new Worker('/worker.js')`,
		"blob worker":  `new Worker(URL.createObjectURL(new Blob(['postMessage(1)'])))`,
		"shared":       `new SharedWorker('/worker.js')`,
		"service":      `navigator.serviceWorker.register('/worker.js')`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // most of it is waiting
			site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch r.URL.Path {
				case "/":
					w.Header().Set("Content-Type", "text/html")
					fmt.Fprintf(w, "<!doctype html><p>Words</p><script>%s</script>", script)
				case "/worker.js":
					w.Header().Set("Content-Type", "text/javascript")
				case "/events":
					w.Header().Set("Content-Type", "text/event-stream")
					fmt.Fprint(w, "data: x\n\n")
				default:
					http.NotFound(w, r)
				}
			}))
			defer site.Close()
			got, s := loadsOf(t, pool(t), site.URL+"/")
			if _, live := got["live"]; !live && s.LoadsKnown {
				t.Errorf("nothing live is listed: %+v", got)
			}
		})
	}
}

func TestAMovedClockAndOtherChanceShow(t *testing.T) {
	t.Parallel()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><p></p><script>
			const b = crypto.getRandomValues(new Uint8Array(4));
			document.querySelector('p').textContent = [new Date().getFullYear(), Date().includes(' 2041 '), new Date(Date.now()).getFullYear(),
				new Date(0).getTime(), new Date() instanceof Date, new Intl.DateTimeFormat('en', {year: 'numeric'}).format(),
				document.lastModified.slice(6, 10), globalThis.Temporal ? Temporal.Now.plainDateISO().year : 'none'].join(' ');
			document.title = [Math.random(), b, crypto.randomUUID()].join(' ');
		</script>`)
	}))
	defer site.Close()
	at := time.Date(2041, 6, 15, 12, 0, 0, 0, time.UTC)
	render := func(r Request) (words, title string) {
		t.Helper()
		r.URL = site.URL + "/"
		s, err := pool(t).Render(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		for i := range s.Nodes {
			if n := &s.Nodes[i]; n.Kind == plat.TextNode && n.HasBox {
				words = n.Value
			}
		}
		return words, s.Title
	}
	words, one := render(Request{Clock: at, Seed: 7})
	if words != "2041 true 2041 0 true 2041 2041 2041" && words != "2041 true 2041 0 true 2041 2041 none" {
		t.Errorf("with the clock in 2041 the page shows %q", words)
	}
	if _, two := render(Request{Clock: at, Seed: 7}); one != two {
		t.Errorf("the same seed gave %q and %q", one, two)
	}
	if _, three := render(Request{Clock: at, Seed: 8}); one == three {
		t.Errorf("two seeds gave %q", one)
	}
	if words, four := render(Request{}); strings.Contains(words, "2041") || four == one {
		t.Errorf("the page after it shows %q %q: the tab has kept its clock or its chance", words, four)
	}
}
