package browser

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"plat/browser/origin"
)

// guarded is a site that requires a password for paths that begin with /in, and counts requests.
type guarded struct {
	mu    sync.Mutex
	given map[string]int // by host and path, with the password right or wrong
	asked map[string]int
	more  map[string]http.HandlerFunc
}

func (g *guarded) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	at := r.Host + r.URL.Path
	user, password, ok := r.BasicAuth()
	g.mu.Lock()
	if g.asked == nil {
		g.asked, g.given = map[string]int{}, map[string]int{}
	}
	g.asked[at]++
	if ok {
		g.given[at]++
	}
	g.mu.Unlock()
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Type", "text/html")
	if strings.HasPrefix(r.URL.Path, "/in") && (user != "anna" || password != "hush") {
		w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	if h := g.more[r.URL.Path]; h != nil {
		h(w, r)
		return
	}
	fmt.Fprint(w, "<p>inside")
}

func (g *guarded) counts(at string) (asked, given int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	at = strings.TrimPrefix(at, "http://")
	return g.asked[at], g.given[at]
}

func passwordFor(t *testing.T, server, password string) map[origin.Server]Login {
	t.Helper()
	s, err := origin.ParseServer(server)
	if err != nil {
		t.Fatal(err)
	}
	return map[origin.Server]Login{s: {User: "anna", Password: password}}
}

func TestThePageItselfIsAnsweredItsPassword(t *testing.T) {
	t.Parallel()
	g := &guarded{}
	g.more = map[string]http.HandlerFunc{
		"/in": func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, `<p>inside<img src="/in/image">`) },
		"/to": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/in", http.StatusFound) },
	}
	srv := serve(t, g)
	for _, server := range []string{srv.URL, strings.TrimPrefix(srv.URL, "http://")} {
		p := poolWith(t, func(o *Options) { o.Auth, o.Tabs = passwordFor(t, server, "hush"), 1 })
		for _, path := range []string{"/in", "/to", "/in", "/in"} { // the last in a tab that was cleared
			s := render(t, p, srv.URL+path)
			if s.Status != 200 || seenText(s) == "" {
				t.Errorf("password for %s, %s: status %d", server, path, s.Status)
			}
		}
	}
	// As in any browser after a login.
	if _, given := g.counts(srv.URL + "/in/image"); given == 0 {
		t.Error("what the page loads from its own origin was not let in")
	}
}

func TestAWrongPasswordOfAServerIsGivenOnce(t *testing.T) {
	t.Parallel()
	g := &guarded{}
	srv := serve(t, g)
	p := poolWith(t, func(o *Options) { o.Auth = passwordFor(t, srv.URL, "wrong") })
	if s := render(t, p, srv.URL+"/in"); s.Status != http.StatusUnauthorized {
		t.Errorf("status %d", s.Status)
	}
	if asked, given := g.counts(srv.URL + "/in"); asked != 2 || given != 1 {
		t.Errorf("in %d requests the password was given %d times", asked, given)
	}
}

// Only the page itself may receive a password: not its resources, and not a page that redirects
// to a different site.
func TestAPasswordIsForThePageItselfAlone(t *testing.T) {
	t.Parallel()
	victim := &guarded{more: map[string]http.HandlerFunc{
		"/public": func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, `<iframe src="/in/own-frame"></iframe><img src="/in/own-image"><script>fetch('/in/own-fetched')</script>`)
		},
	}}
	v := serve(t, victim)
	other := serve(t, victim) // the same address, a different port
	foreign := &guarded{more: map[string]http.HandlerFunc{
		"/": func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, `<iframe src="%[1]s/in/frame"></iframe><img src="%[1]s/in/image"><script src="%[1]s/in/script"></script>
<link rel=stylesheet href="%[1]s/in/style"><script>fetch('%[1]s/in/fetched', {credentials: 'include'})</script>`, v.URL)
		},
		"/away": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, v.URL+"/in/away", http.StatusFound) },
		"/script": func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, `<script>location = '%s/in/script-led'</script>`, v.URL)
		},
	}}
	f := serveOn(t, "127.0.0.2", foreign)
	secure := strings.Replace(v.URL, "http:", "https:", 1)
	for _, tc := range []struct {
		server, page string
		asked        []string // URLs on the server with the password
	}{
		{v.URL, f.URL + "/", []string{"/in/frame", "/in/image", "/in/script", "/in/style", "/in/fetched"}},
		{v.URL, v.URL + "/public", []string{"/in/own-frame", "/in/own-image", "/in/own-fetched"}},
		{v.URL, f.URL + "/away", []string{"/in/away"}},
		{v.URL, f.URL + "/script", []string{"/in/script-led"}},
		{secure, v.URL + "/in/insecure", []string{"/in/insecure"}},
		{"127.0.0.1", v.URL + "/in/port", []string{"/in/port"}},
		{strings.TrimPrefix(other.URL, "http://"), v.URL + "/in/other-port", []string{"/in/other-port"}},
	} {
		p := poolWith(t, func(o *Options) { o.Auth = passwordFor(t, tc.server, "hush") })
		render(t, p, tc.page)
		for _, path := range tc.asked {
			if asked, given := victim.counts(v.URL + path); asked == 0 || given != 0 {
				t.Errorf("password for %s, page %s: %s was asked for %d times and got the password %d times", tc.server, tc.page, path, asked, given)
			}
		}
		p.Close()
	}
}
