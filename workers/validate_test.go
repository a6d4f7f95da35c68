//go:build !race

// With a browser, one visit follows another: the race detector has nothing to find here, and need not
// build the browser.

package workers_test

import (
	"context"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"plat/browser"
	"plat/browser/egress"
	"plat/browser/revalidate"
	"plat/plat"
	"plat/storage/sqlite"
	"plat/storage/sqlite/sqlitetest"
	"plat/workers"
)

// site is a server whose responses the test controls.
type site struct {
	*httptest.Server
	mu      sync.Mutex
	answers map[string]http.HandlerFunc
	asked   map[string][]http.Header // by path, from browser and checker
	checks  int                      // requests of the checker
}

func newSite(t *testing.T) *site {
	s := &site{answers: map[string]http.HandlerFunc{}, asked: map[string][]http.Header{}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asked[r.URL.Path] = append(s.asked[r.URL.Path], r.Header.Clone())
		if r.Header.Get("Sec-Fetch-Mode") == "" && r.Header.Get("Upgrade") == "" && !strings.HasPrefix(r.URL.Path, "/favicon") {
			s.checks++
		}
		h := s.answers[r.URL.Path]
		s.mu.Unlock()
		if h == nil {
			http.NotFound(w, r)
			return
		}
		h(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *site) on(path string, h http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers[path] = h
}

// put sets the response for path: a body and headers, "Name: value" each.
func (s *site) put(path, body string, headers ...string) {
	kind := map[string]string{".css": "text/css", ".js": "text/javascript", ".json": "application/json", ".svg": "image/svg+xml"}[filepath.Ext(path)]
	if kind == "" {
		kind = "text/html; charset=utf-8"
	}
	s.on(path, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", kind)
		for _, h := range headers {
			name, value, _ := strings.Cut(h, ": ")
			w.Header().Add(name, value)
		}
		if tag := w.Header().Get("ETag"); tag != "" && r.Header.Get("If-None-Match") == tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		if at := w.Header().Get("Last-Modified"); at != "" && r.Header.Get("If-Modified-Since") == at {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		fmt.Fprint(w, body)
	})
}

// tag is put with an entity tag derived from the body.
func (s *site) tag(path, body string) {
	s.put(path, body, fmt.Sprintf(`ETag: "%.16s"`, plat.HashOf([]byte(body))))
}

// skipper visits with a real browser and may skip.
type skipper struct {
	*workers.Worker
	t      *testing.T
	site   *site
	path   string // of the page
	store  *sqlite.Store
	chance float64
	setup  string
}

// chrome adapts the shared browser to workers.
type chrome struct{ pool *browser.Pool }

func (c chrome) Render(ctx context.Context, url string, evidence func(*plat.Snapshot) plat.Attachments) (*plat.Snapshot, error) {
	return c.pool.Render(ctx, browser.Request{URL: url, Decide: evidence, Loads: true})
}

func (c chrome) RenderMoved(ctx context.Context, url string, clock time.Time, seed uint64) (*plat.Snapshot, error) {
	return c.pool.Render(ctx, browser.Request{URL: url, Loads: true, Clock: clock, Seed: seed})
}

type localNames struct{}

func (localNames) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
}

var browserOnce = sync.OnceValues(func() (*browser.Pool, error) {
	guard, err := egress.New(egress.Options{AllowPrivate: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Resolver: localNames{}})
	if err != nil {
		return nil, err
	}
	theGuard = guard
	return browser.New(context.Background(), browser.Options{Guard: guard})
})

var theGuard *egress.Guard

func TestMain(m *testing.M) {
	code := m.Run()
	if theGuard != nil {
		if p, err := browserOnce(); err == nil {
			p.Close()
		}
		theGuard.Close()
	}
	os.Exit(code)
}

// thePool is the shared browser. Without Chrome it skips the test, or fails where Chrome must
// be there.
func thePool(t *testing.T) *browser.Pool {
	t.Helper()
	if _, err := browser.Find(""); err != nil {
		if os.Getenv("PLAT_REQUIRE_CHROME") == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	pool, err := browserOnce()
	if err != nil {
		t.Fatal(err)
	}
	return pool
}

func newSkipper(t *testing.T) *skipper {
	t.Helper()
	pool := thePool(t)
	s := &skipper{t: t, site: newSite(t), path: "/", chance: 0.5, setup: "a browser"}
	s.store = sqlitetest.Open(t)
	s.restart(pool)
	return s
}

// restart replaces everything but the archive.
func (s *skipper) restart(pool *browser.Pool) {
	client := theGuard.Client()
	s.t.Cleanup(client.CloseIdleConnections)
	s.Worker = workers.New(chrome{pool}, s.store, describer(s.t), workers.Options{Skip: &workers.Skipping{
		Check:  revalidate.NewChecker(client, revalidate.Options{UserAgent: pool.UserAgent(), Language: "en-US,en"}),
		Setup:  func() string { return s.setup },
		Chance: func() float64 { return s.chance },
	}})
}

// visit returns the outcome of a visit, or "skipped".
func (s *skipper) visit() string {
	s.t.Helper()
	time.Sleep(2 * time.Millisecond) // visits of one millisecond are one
	r, err := s.Visit(s.t.Context(), plat.Job{URL: s.site.URL + s.path})
	if err != nil && r.Outcome == "" {
		s.t.Fatal(err)
	}
	if r.Skipped {
		if r.Outcome != plat.OutcomeUnchanged || r.Status != 200 || r.PageBytes == 0 || r.Version == 0 {
			s.t.Errorf("a skipped visit is %+v", r)
		}
		return "skipped"
	}
	return string(r.Outcome)
}

// expect visits once per expected outcome.
func (s *skipper) expect(why string, want ...string) {
	s.t.Helper()
	var got []string
	for range want {
		got = append(got, s.visit())
	}
	if !slices.Equal(got, want) {
		s.t.Errorf("%s: the visits are %v; want %v (%s)", why, got, want, brief(s.state()))
	}
}

func brief(s revalidate.State) string {
	var by []revalidate.By
	for i := range s.Loads {
		by = append(by, s.Loads[i].By)
	}
	return fmt.Sprintf("ended %q, unfit %q, inert %v, sourced %v, scripts %v, streak %d, misses %d, document by %d, loads by %d, %d tokens", s.Ended, s.Unfit, s.Inert,
		s.Sourced, s.Scripts, s.Streak, s.Misses, s.Document.By, by, len(s.Tokens))
}

func (s *skipper) state() revalidate.State {
	s.t.Helper()
	u, err := s.store.State(s.t.Context(), s.site.URL+s.path)
	if err != nil {
		s.t.Fatal(err)
	}
	memory, err := plat.DecodeMemory(u.Memory)
	if err != nil {
		s.t.Fatal(err)
	}
	st, err := revalidate.Decode([]byte(memory.Skip))
	if err != nil {
		s.t.Fatalf("memory of %d bytes: %v", len(u.Memory), err)
	}
	return *st
}

const words = `<!doctype html><title>A page</title><link rel=stylesheet href=/a.css><h1>Heading</h1><p>Words that a reader sees.</p><p class=late>More words.</p><img src=/a.svg>`

func (s *skipper) looks() {
	s.site.tag("/a.css", "p { color: navy }")
	s.site.tag("/a.svg", `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>`)
}

func (s *skipper) never(why string, visits int) {
	s.t.Helper()
	for range visits {
		if got := s.visit(); got == "skipped" {
			s.t.Fatalf("%s: a visit was skipped (%s)", why, brief(s.state()))
		}
	}
}

func TestInertPageIsSkippedByValidators(t *testing.T) {
	old := "Last-Modified: " + time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat)
	for name, header := range map[string]string{"ETag": `ETag: "one"`, "weak ETag": `ETag: W/"one"`, "Last-Modified": old} {
		t.Run(name, func(t *testing.T) {
			s := newSkipper(t)
			s.looks()
			s.site.put("/", words, header)
			s.expect("nothing changes", "new", "skipped", "skipped", "skipped")
			s.site.mu.Lock()
			last := s.site.asked["/"][3]
			s.site.mu.Unlock()
			if last.Get("If-None-Match") == "" && last.Get("If-Modified-Since") == "" {
				t.Errorf("the last request was not conditional: %v", last)
			}
			s.site.put("/", words+"<p>News.</p>", strings.Replace(strings.Replace(header, "one", "two", 1), old, "Last-Modified: "+time.Now().Add(-2*time.Minute).UTC().Format(http.TimeFormat), 1))
			s.expect("the page changes", "changed", "skipped")
			n := 0
			for v, err := range s.store.Visits(t.Context(), s.site.URL+"/", 0) {
				if err != nil {
					t.Fatal(err)
				}
				if v.Skipped {
					n++
				}
			}
			if n != 4 {
				t.Errorf("%d visits are recorded as skipped; want 4", n)
			}
		})
	}
}

func TestInertPageIsSkippedByBodyHash(t *testing.T) {
	slow(t)
	s := newSkipper(t)
	s.looks()
	s.site.put("/", words, "Cache-Control: no-store")
	s.expect("nothing changes", "new", "unchanged", "skipped", "skipped")
	s.site.put("/", strings.Replace(words, "More", "Other", 1), "Cache-Control: no-store")
	s.expect("the page changes", "changed", "skipped")
}

func TestNoncesAreIgnoredOnceProvenIrrelevant(t *testing.T) {
	slow(t)
	s := newSkipper(t)
	s.looks()
	n := 0
	page := words
	s.site.on("/", func(w http.ResponseWriter, r *http.Request) {
		n++
		nonce := plat.HashOf(fmt.Append(nil, n)).String()[:24]
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Security-Policy", "style-src 'self' 'nonce-"+nonce+"'")
		fmt.Fprintf(w, "%s<style nonce=%q>h1 { color: red }</style>", page, nonce)
	})
	s.expect("nothing but a nonce changes", "new", "unchanged", "unchanged", "unchanged", "unchanged", "unchanged", "skipped", "skipped")
	page += "<p>News.</p>"
	s.expect("words change too", "changed")
}

func TestRelevantTokensAreNeverMasked(t *testing.T) {
	slow(t)
	s := newSkipper(t)
	n := 0
	s.site.on("/", func(w http.ResponseWriter, r *http.Request) {
		n++
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<!doctype html><p>Words</p><form><input type=hidden name=csrf value=%.40s></form>`, plat.HashOf(fmt.Append(nil, n)))
	})
	s.never("a token of a form", 10)
}

func TestSubresourcesAreRevalidated(t *testing.T) {
	s := newSkipper(t)
	s.looks()
	s.site.tag("/", words)
	s.expect("nothing changes", "new", "skipped")
	s.site.tag("/a.css", ".late { display: none }")
	s.expect("the style sheet hides something", "changed", "skipped")
	s.site.tag("/a.svg", `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><path/></svg>`)
	s.expect("the image is another one", "unchanged", "skipped")
	s.site.on("/a.svg", nil)
	s.expect("the image is gone", "unchanged", "skipped")
	s.looks()
	s.expect("the image returns", "changed", "skipped")
}

func TestPageWithScriptsIsSkippedOnceProven(t *testing.T) {
	slow(t)
	s := newSkipper(t)
	s.looks()
	s.site.tag("/", words+`<script src=/a.js></script>`)
	s.site.tag("/a.js", `document.querySelector('h1').textContent += ' by script'`)
	s.expect("nothing changes", "new", "unchanged", "unchanged", "unchanged", "skipped", "skipped")
	if st := s.state(); !st.Proven || st.Streak != revalidate.Streak {
		t.Errorf("the state is %s", brief(st))
	}
	s.site.tag("/a.js", `document.querySelector('h1').textContent += ' by another script'`)
	s.expect("the script changes", "changed", "unchanged", "unchanged", "unchanged", "skipped")
	s.site.tag("/", words+`<p>News.</p><script src=/a.js></script>`)
	s.expect("the words change, and not the script", "changed", "unchanged", "skipped")
}

func TestSelfRemovingScriptCounts(t *testing.T) {
	slow(t)
	s := newSkipper(t)
	s.site.tag("/", `<!doctype html><p>Words</p><script>document.querySelector('p').textContent += new Date().getFullYear(); document.currentScript.remove()</script>`)
	s.never("the DOM has no script", 8)
	if st := s.state(); st.Ended != revalidate.Unproven {
		t.Errorf("the state is %s", brief(st))
	}
}

func TestPagesDependingOnClockOrChanceAreNeverSkipped(t *testing.T) {
	slow(t)
	for name, script := range map[string]string{
		"the time":         `p.textContent = Date.now()`,
		"the day":          `p.textContent = new Date().toDateString()`,
		"the weekday":      `p.textContent = [0, 6].includes(new Date().getDay()) ? 'weekend' : 'working day'`,
		"the half of day":  `p.textContent = new Date().getHours() < 12 ? 'Good morning' : 'Good afternoon'`,
		"the year, Intl":   `p.textContent = new Intl.DateTimeFormat('en', {year: 'numeric'}).format()`,
		"how long ago":     `p.textContent = Math.floor((Date.now() - 17e11) / 864e5) + ' days ago'`,
		"chance":           `p.textContent = Math.random()`,
		"chance, crypto":   `p.textContent = crypto.getRandomValues(new Uint32Array(1))[0]`,
		"rarely by chance": `p.textContent = Math.random() < 1e-9 ? 'a' : 'b'; p.id = crypto.randomUUID()`,
		"clock in a URL":   `fetch('/data.json?day=' + new Date().toISOString().slice(0, 10))`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSkipper(t)
			s.site.tag("/data.json", `{}`)
			s.site.tag("/", `<!doctype html><h1>Heading</h1><p>Words</p><script>const p = document.querySelector('p'); `+script+`</script>`)
			s.never(name, 6) // a page that is proven is skipped at the fifth
		})
	}
}

func TestFetchedDataIsRevalidated(t *testing.T) {
	slow(t)
	for name, put := range map[string]func(s *site, path, body string){
		"with validators": func(s *site, path, body string) { s.tag(path, body) },
		"without":         func(s *site, path, body string) { s.put(path, body) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newSkipper(t)
			s.site.tag("/", `<!doctype html><p>Words</p><script>fetch('/data.json').then((r) => r.json()).then((d) => { document.querySelector('p').textContent = d.words })</script>`)
			put(s.site, "/data.json", `{"words": "some"}`)
			skipped := false
			for range 8 {
				skipped = s.visit() == "skipped" || skipped
			}
			if !skipped {
				t.Errorf("no visit was skipped: %s", brief(s.state()))
			}
			put(s.site, "/data.json", `{"words": "others"}`)
			s.expect("the data changes", "changed")
		})
	}
}

func TestCachedResponsesAreNotTreatedAsCurrent(t *testing.T) {
	slow(t)
	s := newSkipper(t)
	s.site.tag("/", `<!doctype html><p>Words</p><script>fetch('/data.json').then((r) => r.json()).then((d) => { document.querySelector('p').textContent = d.words })</script>`)
	s.site.put("/data.json", `{"words": "some"}`, "Cache-Control: max-age=3")
	s.never("learning", 4)
	s.site.put("/data.json", `{"words": "others"}`, "Cache-Control: max-age=3")
	for end := time.Now().Add(20 * time.Second); ; {
		got := s.visit()
		if got == "changed" {
			break
		}
		if got == "skipped" || time.Now().After(end) {
			t.Fatalf("before the change is found, a visit is %s (%s)", got, brief(s.state()))
		}
	}
}

func TestLivePagesAreNeverSkipped(t *testing.T) {
	if testing.Short() {
		t.Skip("long: live pages are rendered to the end of their time")
	}
	for name, script := range map[string]string{
		"WebSocket":    `new WebSocket('ws://' + location.host + '/socket')`,
		"event stream": `new EventSource('/events')`,
		"poll":         `const ask = () => fetch('/data.json', {cache: 'no-store'}); ask().then(ask)`,
		"worker":       `new Worker('/a.js')`,
		"POST":         `fetch('/data.json', {method: 'POST', body: 'x'})`,
		"frame":        `document.body.append(Object.assign(document.createElement('iframe'), {src: '/a.svg'}))`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // it is waiting, most of all
			s := newSkipper(t)
			s.looks()
			s.site.tag("/data.json", `{}`)
			s.site.tag("/a.js", ``)
			s.site.on("/events", func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				fmt.Fprint(w, "data: x\n\n")
			})
			s.site.tag("/", `<!doctype html><p>Words</p><script>`+script+`</script>`)
			s.never(name, 4)
			s.site.mu.Lock()
			defer s.site.mu.Unlock()
			if s.site.checks > 1 {
				t.Errorf("the site was asked %d times although the page can never be skipped", s.site.checks)
			}
		})
	}
}

func TestChangedRedirectIsAChange(t *testing.T) {
	s := newSkipper(t)
	s.looks()
	s.path = "/start"
	to := "/one"
	s.site.on("/start", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusFound) })
	s.site.tag("/one", words)
	s.site.tag("/two", words+"<p>Two.</p>")
	s.expect("nothing changes", "new", "skipped", "skipped")
	to = "/two"
	s.expect("it leads elsewhere", "changed", "skipped")
	s.site.tag("/three", words+"<p>Two.</p>")
	to = "/three"
	s.expect("it leads to a copy", "unchanged", "skipped")
}

func TestFailuresOfSkippablePages(t *testing.T) {
	s := newSkipper(t)
	s.looks()
	s.site.tag("/", words)
	s.expect("nothing changes", "new", "skipped")
	for _, tc := range []struct {
		status int
		want   plat.Outcome
	}{{404, plat.OutcomeGone}, {500, plat.OutcomeHTTPError}, {429, plat.OutcomeHTTPError}, {403, plat.OutcomeHTTPError}} {
		s.site.on("/", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("ETag", fmt.Sprintf(`"%.16s"`, plat.HashOf([]byte(words))))
			w.WriteHeader(tc.status)
		})
		s.expect(fmt.Sprint("the server says ", tc.status), string(tc.want))
		s.site.tag("/", words)
		s.expect("the page is available again", "skipped")
	}
}

func TestContradictionDisablesSkipping(t *testing.T) {
	s := newSkipper(t)
	s.looks()
	answer := words
	s.site.on("/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("ETag", `"always the same"`)
		fmt.Fprint(w, answer)
	})
	s.expect("nothing changes", "new", "skipped", "skipped")
	answer = words + "<p>News.</p>"
	s.expect("the validator is wrong", "skipped")
	s.chance = 0
	s.expect("a random rendering detects it", "changed")
	s.chance = 0.5
	if st := s.state(); st.Ended != revalidate.Contradicted {
		t.Errorf("the state is %s", brief(st))
	}
	s.never("it was contradicted", 4)
}

func TestEveryTwentiethVisitIsRendered(t *testing.T) {
	slow(t)
	s := newSkipper(t)
	s.looks()
	s.site.tag("/", words)
	want := []string{"new"}
	for range 2 {
		want = append(append(want, slices.Repeat([]string{"skipped"}, revalidate.Every-1)...), "unchanged")
	}
	s.expect("nothing changes", want...)
}

func TestSkippingAfterNewSettingsOrARestart(t *testing.T) {
	s := newSkipper(t)
	s.looks()
	s.site.tag("/", words)
	s.expect("nothing changes", "new", "skipped")
	s.setup = "another browser"
	s.expect("another browser renders", "unchanged", "skipped")
	s.setup = ""
	s.expect("the setup is unknown", "unchanged")
	s.setup = "another browser"
	s.restart(thePool(t))
	s.expect("after a restart", "skipped")
	time.Sleep(2 * time.Millisecond) // not in the millisecond of the last visit, nor of the next
	v := plat.Visit{URL: s.site.URL + "/", Time: time.Now().UTC(), Outcome: plat.OutcomeGone, Memory: "unreadable"}
	time.Sleep(2 * time.Millisecond)
	if err := s.store.Record(t.Context(), v, 0); err != nil {
		t.Fatal(err)
	}
	s.expect("the memory cannot be read", "unchanged", "skipped")
}

func TestCheckerSendsTheBrowsersHeaders(t *testing.T) {
	s := newSkipper(t)
	s.looks()
	s.site.put("/", words)
	s.expect("the body is compared", "new", "unchanged")
	s.site.mu.Lock()
	defer s.site.mu.Unlock()
	for _, path := range slices.Sorted(maps.Keys(s.site.asked)) {
		var theirs, ours http.Header
		for _, h := range s.site.asked[path] {
			if h.Get("Sec-Fetch-Mode") != "" {
				theirs = h
			} else {
				ours = h
			}
		}
		if theirs == nil || ours == nil {
			continue
		}
		// Image formats change with Chrome's version; compare only the general type.
		if a, b := ours.Get("Accept"), theirs.Get("Accept"); !strings.HasPrefix(a, b[:strings.IndexAny(b, "/*")]) {
			t.Errorf("%s: Accept is %q, the browser's %q", path, a, b)
		}
		for _, name := range []string{"User-Agent", "Accept-Language", "Referer", "Cookie"} {
			if ours.Get(name) != theirs.Get(name) {
				t.Errorf("%s: %s is %q, the browser's %q", path, name, ours.Get(name), theirs.Get(name))
			}
		}
	}
}
