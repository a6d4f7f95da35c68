package browser

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// heard records the requests to a site, and their headers.
type heard struct {
	mu  sync.Mutex
	all map[string]http.Header // by host and path
}

func (h *heard) note(r *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.all == nil {
		h.all = map[string]http.Header{}
	}
	path, _, _ := strings.Cut(r.RequestURI, "?")
	h.all[r.Host+path] = r.Header.Clone()
}

func (h *heard) forget() {
	h.mu.Lock()
	defer h.mu.Unlock()
	clear(h.all)
}

// of returns the headers of a request; nil: it did not arrive.
func (h *heard) of(at string) http.Header {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.all[strings.TrimPrefix(at, "http://")]
}

// serveOn serves at an address of this machine, with any port.
func serveOn(t *testing.T, address string, h http.Handler) *httptest.Server {
	t.Helper()
	l, err := net.Listen("tcp", address+":0")
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(h)
	s.Listener.Close()
	s.Listener = l
	s.Start()
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s
}

// everything is a site with a page that loads from its own and other sites in every way.
func (h *heard) everything(others *[]string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.note(r)
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Cache-Control", "no-store")
		kind := map[string]string{"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
		name := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
		_, end, _ := strings.Cut(name, ".")
		switch {
		case strings.HasPrefix(name, "away"):
			http.Redirect(w, r, r.URL.Query().Get("to"), http.StatusFound)
			return
		case end != "":
			w.Header().Set("Content-Type", kind[end])
		default:
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
		}
		switch end {
		case "svg":
			fmt.Fprint(w, `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>`)
			return
		case "css":
			fmt.Fprint(w, `p { color: red }`)
			return
		case "js":
			fmt.Fprint(w, `window.ran = (window.ran ?? 0) + 1`)
			return
		}
		if name != "" {
			fmt.Fprint(w, `<p>a frame<img src="in-frame.svg">`)
			return
		}
		fmt.Fprint(w, `<!doctype html><link rel=stylesheet href=own.css><script src=own.js></script><img src=own.svg><iframe src=own-frame></iframe><p>words</p>`)
		for i, other := range *others {
			fmt.Fprintf(w, `<link rel=stylesheet href="%[2]s/a.css"><script src="%[2]s/a.js"></script><img src="%[2]s/a.svg"><iframe src="%[2]s/frame"></iframe>
<img src="away-%[1]d?to=%[2]s/after.svg"><iframe src="away-frame-%[1]d?to=%[2]s/after-frame"></iframe>
<script>fetch('%[2]s/fetched')</script>`, i, other)
		}
		fmt.Fprint(w, `<script>fetch('own-fetched'); fetch('own-posted', {method: 'POST', body: 'x'})</script>`)
	})
}

var own = []string{"/", "/own.css", "/own.js", "/own.svg", "/own-frame", "/in-frame.svg", "/own-fetched", "/own-posted", "/away-0", "/away-frame-0"}
var foreign = []string{"/a.css", "/a.js", "/a.svg", "/frame", "/in-frame.svg", "/after.svg", "/after-frame", "/fetched"}

func TestHeadersGoToThePagesOwnSiteAlone(t *testing.T) {
	t.Parallel()
	var h heard
	var others []string
	site := serve(t, h.everything(&others))
	for _, address := range []string{"127.0.0.1", "127.0.0.2"} {
		others = append(others, serveOn(t, address, h.everything(&others)).URL)
	}
	secrets := map[string]string{"X-Key": "one, two", "Authorization": "Bearer hush", "Cookie": "sid=hush; b=2", "Accept-Language": "tlh"}
	given := http.Header{"X-Key": {"one", "two"}}
	for _, name := range []string{"Authorization", "Cookie", "Accept-Language"} {
		given.Set(name, secrets[name])
	}
	p := poolWith(t, func(o *Options) { o.Header = given; o.Tabs = 1 })
	for visit := range 4 { // the last in a tab that was cleared
		h.forget()
		render(t, p, site.URL+"/")
		for _, path := range own {
			got := h.of(site.URL + path)
			if got == nil {
				t.Errorf("visit %d: the site was not asked for %s", visit, path)
				continue
			}
			for name, want := range secrets {
				if v := strings.Join(got.Values(name), ", "); v != want {
					t.Errorf("visit %d: with %s came %s %q, want %q", visit, path, name, v, want)
				}
			}
		}
		if doc := h.of(site.URL + "/"); visit == 3 && doc.Get("Cache-Control") != "no-cache" {
			t.Errorf("visit %d: the document may come from a cache: %q", visit, doc)
		}
		for _, other := range others {
			for _, path := range foreign {
				got := h.of(other + path)
				if got == nil {
					t.Errorf("visit %d: %s was not asked for %s", visit, other, path)
				}
				for name, hush := range secrets {
					if slices.Contains(got.Values(name), hush) {
						t.Errorf("visit %d: %s%s was told %s %q", visit, other, path, name, hush)
					}
				}
			}
		}
	}
}

// Requests between hosts of a site carry the headers too, and the page sees the same as without
// them: no request fails because of headers that no script has set.
func TestHeadersReachAllHostsOfASite(t *testing.T) {
	t.Parallel()
	var h heard
	srv := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.note(r)
		_, port, _ := net.SplitHostPort(r.Host)
		sub := "http://sub.a.localhost:" + port
		switch r.URL.Path {
		case "/set":
			w.Header().Set("Set-Cookie", "sid=renewed")
		case "/":
			fmt.Fprint(w, strings.ReplaceAll(`<script src=set></script><img src="SUB/image"><link rel=stylesheet href="SUB/css"><iframe src="SUB/frame"></iframe>
<script type=module src="SUB/module"></script><img src="after"><script>
fetch('SUB/plain').catch(() => document.body.append('un' + 'told'));
fetch('SUB/login', {credentials: 'include'}).catch(() => document.body.append('un' + 'told'));
</script><body>`, "SUB", sub))
		case "/module":
			w.Header().Set("Content-Type", "text/javascript")
			fallthrough
		case "/plain":
			w.Header().Set("Access-Control-Allow-Origin", "*")
		case "/login":
			w.Header().Set("Access-Control-Allow-Origin", r.Header.Get("Origin"))
			w.Header().Set("Access-Control-Allow-Credentials", "true")
		}
	}))
	p := poolWith(t, func(o *Options) { o.Header = http.Header{"X-Key": {"one"}, "Cookie": {"sid=given; b=2"}} })
	at := strings.Replace(srv.URL, "127.0.0.1", "www.a.localhost", 1)
	if text := seenText(render(t, p, at+"/")); strings.Contains(text, "untold") {
		t.Errorf("the page shows %q", text)
	}
	sub := strings.Replace(at, "www.", "sub.", 1)
	for _, path := range []string{"/image", "/css", "/frame", "/module", "/plain", "/login"} {
		if got := h.of(sub + path); got.Get("X-Key") != "one" || got.Get("Cookie") != "sid=given; b=2" {
			t.Errorf("with %s came %v", path, got)
		}
	}
	if got := h.of(at + "/after").Get("Cookie"); got != "sid=renewed; b=2" {
		t.Errorf("when the site had set a cookie anew it was sent %q", got)
	}
}

func TestHeadersGoEverywhereWhereThatIsWanted(t *testing.T) {
	t.Parallel()
	var h heard
	var others []string
	site := serve(t, h.everything(&others))
	others = []string{serveOn(t, "127.0.0.2", h.everything(&others)).URL}
	p := poolWith(t, func(o *Options) { o.Header, o.HeaderEverywhere = http.Header{"X-Key": {"one"}}, true })
	render(t, p, site.URL+"/")
	for _, at := range []string{site.URL + "/", site.URL + "/own.css", others[0] + "/a.css", others[0] + "/after.svg", others[0] + "/frame"} {
		if got := h.of(at); got.Get("X-Key") != "one" {
			t.Errorf("%s was told %v", at, got)
		}
	}
}
