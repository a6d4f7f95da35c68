package workers_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"plat/plat"
	"plat/workers"
)

// withSitemaps answers the requests of a town that are not for pages, and counts
// them.
type withSitemaps struct {
	mu    sync.Mutex
	files map[string]string // by path; a number is a status
	asked map[string]int
}

func (s *withSitemaps) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked[r.URL.Path]++
	text, ok := s.files[r.URL.Path]
	var status int
	switch n, _ := fmt.Sscan(text, &status); {
	case !ok:
		http.NotFound(w, r)
	case n == 1:
		w.WriteHeader(status)
	default:
		fmt.Fprint(w, text)
	}
}

func (s *withSitemaps) times(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[path]
}

func urlset(entries ...string) string {
	return `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + strings.Join(entries, "") + `</urlset>`
}

func urlOf(loc, more string) string { return "<url><loc>" + loc + "</loc>" + more + "</url>" }

func newMapped(t *testing.T, files map[string]string) (*town, *withSitemaps, workers.CrewOptions) {
	w := newTown(t, nil)
	s := &withSitemaps{files: files, asked: map[string]int{}}
	w.robot = s.ServeHTTP
	blank := page(t)
	w.show = func(string) *plat.Snapshot { return blank }
	o := quick
	o.Sitemaps = true
	return w, s, o
}

func (w *town) rendered() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var urls []string
	for u := range w.seen {
		urls = append(urls, u)
	}
	slices.Sort(urls)
	return urls
}

const robotsOfA = "http://a.test/robots.txt"

func TestSitemapsAreReadByASeparateJob(t *testing.T) {
	w, s, o := newMapped(t, map[string]string{
		"/robots.txt": "User-agent: *\nDisallow: /private\nSitemap: http://a.test/index.xml\nSitemap: http://other.test/map.xml\n",
		"/index.xml":  `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap><loc>http://a.test/map.xml</loc></sitemap></sitemapindex>`,
		"/map.xml": urlset(urlOf("http://a.test/one", "<lastmod>2026-11-20T10:00:00Z</lastmod><changefreq>Daily</changefreq><priority>0.8</priority>"),
			urlOf("http://a.test/two", "<lastmod>soon</lastmod><changefreq>now and then</changefreq>"), urlOf("http://b.test/elsewhere", "")),
	})
	w.enqueue(plat.Job{URL: "http://a.test/", Priority: 1, Plan: plat.Plan{Scope: "host depth=2", Schedule: plat.Schedule{Every: time.Hour}}},
		plat.Job{URL: "http://c.test/alone", Priority: 1})
	w.work(w.crew(o))
	if got, want := w.rendered(), []string{"http://a.test/", "http://a.test/one", "http://a.test/two", "http://c.test/alone"}; !slices.Equal(got, want) {
		t.Errorf("rendered %v, want %v", got, want)
	}
	one, _ := w.state("http://a.test/one")
	want := plat.Plan{Depth: 1, Scope: "host depth=2", Schedule: plat.Schedule{Every: time.Hour},
		Signal: plat.Signal{Modified: time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC), ChangeFreq: "daily", Priority: 0.8, Source: plat.SignalSitemap}}
	if one.Plan != want {
		t.Errorf("the plan of /one is %+v, want %+v", one.Plan, want)
	}
	if two, _ := w.state("http://a.test/two"); two.Signal != (plat.Signal{}) {
		t.Errorf("the signal of /two is %+v", two.Signal)
	}
	st, _ := w.state(robotsOfA)
	if st.Kind != plat.FetchJob || st.Visits != 0 || st.Settled.IsZero() || st.Due.Before(st.Settled.Add(24*time.Hour)) {
		t.Errorf("%+v; want a settled job, due again in a day", st)
	}
	if n := s.times("/map.xml"); n != 1 {
		t.Errorf("the sitemap was read %d times", n)
	}
	if _, err := w.store.State(t.Context(), "http://c.test/robots.txt"); !errors.Is(err, plat.ErrNotFound) {
		t.Errorf("a seed without links had its host's sitemaps read: %v", err)
	}
}

// The feed that a seed names is read by a job of its own, if it is on the seed's host: its new items are
// visited, and known ones get a signal.
func TestTheFeedOfASeedIsRead(t *testing.T) {
	rss := func(date string) string {
		return `<rss version="2.0"><channel><title>News</title><item><link>http://a.test/news</link><pubDate>` + date + `</pubDate></item></channel></rss>`
	}
	w, s, o := newMapped(t, map[string]string{"/feed.xml": rss("Fri, 20 Nov 2026 10:00:00 GMT")})
	blank := page(t)
	names := func(href string) *plat.Snapshot {
		x := *blank
		x.Nodes = slices.Clone(blank.Nodes)
		i := slices.IndexFunc(x.Nodes, func(n plat.Node) bool { return n.Name == "link" })
		x.Nodes[i].Attrs = []plat.Attr{{Name: "rel", Value: "alternate"}, {Name: "type", Value: "application/rss+xml"}, {Name: "href", Value: href}}
		return &x
	}
	w.show = func(url string) *plat.Snapshot {
		switch url {
		case "http://a.test/":
			return names("/feed.xml")
		case "http://c.test/":
			return names("http://a.test/other.xml")
		}
		return blank
	}
	w.enqueue(plat.Job{URL: "http://a.test/", Plan: plat.Plan{Scope: "host depth=2"}}, plat.Job{URL: "http://c.test/", Plan: plat.Plan{Scope: "host"}})
	w.work(w.crew(o))
	if got, want := w.rendered(), []string{"http://a.test/", "http://a.test/news", "http://c.test/"}; !slices.Equal(got, want) {
		t.Errorf("rendered %v, want %v", got, want)
	}
	if st, _ := w.state("http://a.test/news"); st.Signal != (plat.Signal{Modified: time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC), Source: plat.SignalFeed}) {
		t.Errorf("its signal is %+v", st.Signal)
	}
	if s.times("/feed.xml") != 1 || s.times("/other.xml") != 0 {
		t.Errorf("read %d times, that of another host %d times", s.times("/feed.xml"), s.times("/other.xml"))
	}
}

// A worker that is started later does not read them again; a seed with a different scope
// does.
func TestSitemapsAreReadOnceForTheFleet(t *testing.T) {
	w, s, o := newMapped(t, map[string]string{"/sitemap.xml": urlset(urlOf("http://a.test/docs/one", ""), urlOf("http://a.test/news", ""))})
	seed := plat.Job{URL: "http://a.test/docs/", Priority: 1, Plan: plat.Plan{Scope: "prefix=http://a.test/docs/"}}
	for range 3 {
		w.enqueue(seed)
		w.work(w.crew(o)) // a new one with empty caches
	}
	if n := s.times("/sitemap.xml"); n != 1 {
		t.Errorf("the sitemap was read %d times, want once", n)
	}
	if w.seen["http://a.test/docs/one"] != 1 || w.seen["http://a.test/news"] != 0 {
		t.Errorf("rendered %v", w.rendered())
	}
	w.enqueue(plat.Job{URL: "http://a.test/", Priority: 1, Plan: plat.Plan{Scope: "host"}})
	w.work(w.crew(o))
	if n := s.times("/sitemap.xml"); n != 2 {
		t.Errorf("the sitemap was read %d times, want once more for the other scope", n)
	}
	if w.seen["http://a.test/docs/one"] != 1 || w.seen["http://a.test/news"] != 1 {
		t.Errorf("rendered %v", w.rendered())
	}
	if st, _ := w.state("http://a.test/news"); st.Scope != "host" {
		t.Errorf("/news has the scope %q", st.Scope)
	}
}

// Sitemaps are hints: a missing or invalid one is not a failure.
func TestMissingSitemapIsNoFailure(t *testing.T) {
	for name, answer := range map[string]string{"none": "404", "gone": "410", "forbidden": "403", "failing": "500", "nonsense": "<html>hello"} {
		w, s, o := newMapped(t, map[string]string{"/sitemap.xml": answer})
		w.enqueue(plat.Job{URL: "http://a.test/", Priority: 1, Plan: plat.Plan{Scope: "host"}})
		w.work(w.crew(o))
		if s.times("/sitemap.xml") == 0 || w.seen["http://a.test/"] != 1 {
			t.Errorf("%s: asked %v, rendered %v", name, s.asked, w.rendered())
		}
		if dead := w.dead(); len(dead) != 0 {
			t.Errorf("%s: dead are %v", name, dead)
		}
		if st, _ := w.state(robotsOfA); st.Settled.IsZero() || !st.Due.IsZero() {
			t.Errorf("%s: %+v", name, st)
		}
	}
}

// An unreachable robots.txt temporarily forbids everything, sitemaps too.
func TestSitemapsWaitForRobots(t *testing.T) {
	w, s, o := newMapped(t, map[string]string{"/robots.txt": "500", "/sitemap.xml": urlset(urlOf("http://a.test/one", ""))})
	w.enqueue(plat.Job{URL: "http://a.test/", Priority: 1, Plan: plat.Plan{Scope: "host"}},
		plat.Job{URL: robotsOfA, Priority: 1, Plan: plat.Plan{Kind: plat.FetchJob, Scope: "host"}})
	w.work(w.crew(o))
	if s.times("/sitemap.xml") != 0 || len(w.seen) != 0 {
		t.Errorf("asked %v, rendered %v", s.asked, w.rendered())
	}
	if st, _ := w.state(robotsOfA); st.Visits != 0 {
		t.Errorf("%+v", st)
	}
}
