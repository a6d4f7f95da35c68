//go:build !race

package workers_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"plat/browser"
	"plat/browser/revalidate"
	"plat/diff/noise"
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
	news   workers.News
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
	s.Worker = workers.New(chrome{pool}, s.store, describer(s.t), workers.Options{News: s.news, Skip: &workers.Skipping{
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

// A state of a page that lasts for skipped visits is news when the other one comes back.
func TestSkippedVisitsCountAsVisitsOfAState(t *testing.T) {
	for name, quiet := range map[string]int{"several quiet visits": 5, "none": 0} {
		t.Run(name, func(t *testing.T) {
			s := newSkipper(t)
			s.news = workers.News{SecondLook: noise.New}
			s.restart(thePool(t))
			s.chance = 1 // skip whenever it is possible
			s.looks()
			page := strings.ReplaceAll(words, "</h1>", "</h1>SALE")
			states := []string{strings.ReplaceAll(page, "SALE", ""), strings.ReplaceAll(page, "SALE", "<p>SALE! while it lasts</p>")}
			s.site.tag("/", states[0])
			skipped, changed, last := 0, 0, 1
			for v := range 8 {
				s.site.tag("/", states[v%2])
				s.visit()
				if head, err := s.store.Version(t.Context(), s.site.URL+"/", 0); err != nil {
					t.Fatal(err)
				} else if head.N > 1 && head.N > last && head.News() {
					changed++
					last = head.N
				}
				for range quiet {
					if s.visit() == "skipped" {
						skipped++
					}
				}
			}
			if want := 7; quiet > 0 && (changed != want || skipped < 10) {
				t.Errorf("%d of %d changes are news, %d visits skipped", changed, want, skipped)
			}
			if quiet == 0 && changed > 3 {
				t.Errorf("%d changes between two variants are news", changed)
			}
		})
	}
}
