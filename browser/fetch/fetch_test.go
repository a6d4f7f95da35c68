package fetch_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"plat/browser/fetch"
	"plat/browser/fetch/robots"
	"plat/browser/fetch/sitemap"
	"plat/plat"
)

// site answers requests for all hosts.
type site struct {
	answer http.HandlerFunc
	asked  []string // paths
}

func (s *site) Do(r *http.Request) (*http.Response, error) {
	s.asked = append(s.asked, r.URL.Path)
	w := httptest.NewRecorder()
	s.answer(w, r)
	return w.Result(), nil
}

// down is a site that does not answer.
type down struct{}

func (down) Do(*http.Request) (*http.Response, error) { return nil, errors.New("no route to host") }

// inside is a guard that refuses requests to inside.test.
type inside struct{ *site }

type refusal struct{}

func (refusal) Error() string { return "blocked: private" }
func (refusal) Refused() bool { return true }

func (s inside) Do(r *http.Request) (*http.Response, error) {
	if r.URL.Hostname() == "inside.test" {
		return nil, &url.Error{Op: "Get", URL: r.URL.String(), Err: &net.OpError{Op: "dial", Err: refusal{}}}
	}
	return s.site.Do(r)
}

func TestWhatTheGuardRefusesIsRefusedAndNotTriedAgain(t *testing.T) {
	c := fetch.New(inside{&site{answer: files(map[string]string{"/robots.txt": "http://inside.test/robots.txt"})}}, fetch.Options{Agent: "plat"})
	for at, want := range map[string]string{"http://inside.test/": "dial: blocked: private", "http://a.test/": "redirected to http://inside.test/robots.txt: dial: blocked: private"} {
		_, err := c.Obey(t.Context(), at)
		var v *plat.VisitError
		if !errors.As(err, &v) || v.Outcome != plat.OutcomeRefused || v.Retry || errors.Is(err, fetch.ErrRobotsUnreachable) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want it refused: %s", at, err, want)
		}
	}
}

// files answers with texts by path; a number is a status, a path a redirect.
func files(all map[string]string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		text, ok := all[r.URL.Path]
		var status int
		switch _, err := fmt.Sscanf(text, "%d", &status); {
		case !ok:
			http.NotFound(w, r)
		case err == nil:
			w.WriteHeader(status)
		case strings.HasPrefix(text, "/"), strings.HasPrefix(text, "http"):
			http.Redirect(w, r, text, http.StatusFound)
		default:
			fmt.Fprint(w, text)
		}
	}
}

func outcome(err error) plat.Outcome {
	if failed := new(plat.VisitError); errors.As(err, &failed) {
		return failed.Outcome
	}
	return ""
}

func TestRobotsAreObeyed(t *testing.T) {
	const rules = "User-agent: *\nDisallow: /private/\nCrawl-delay: 3\n"
	const no, away, slow = plat.OutcomeDisallowed, plat.OutcomeUnreachable, 3 * time.Second
	for _, tc := range []struct {
		name    string
		files   map[string]string // nil: the site does not exist
		change  func(*fetch.Options)
		open    plat.Outcome // of /open; empty: it may be visited
		private plat.Outcome
		delay   time.Duration
		said    robots.Access
	}{
		{"rules", map[string]string{"/robots.txt": rules}, nil, "", no, slow, robots.Found},
		{"a longer delay than its own is kept", map[string]string{"/robots.txt": rules}, func(o *fetch.Options) { o.Delay = time.Minute }, "", no, time.Minute, robots.Found},
		{"its delay is limited", map[string]string{"/robots.txt": rules}, func(o *fetch.Options) { o.MaxDelay = 2 * time.Second }, "", no, 2 * time.Second, robots.Found},
		{"for another crawler", map[string]string{"/robots.txt": "User-agent: other\nDisallow: /\n"}, nil, "", "", time.Second, robots.Found},
		{"none", map[string]string{}, nil, "", "", time.Second, robots.Unavailable},
		{"server error", map[string]string{"/robots.txt": "503"}, nil, away, away, time.Second, robots.Unreachable},
		{"no answer", nil, nil, away, away, time.Second, robots.Unreachable},
		{"redirect", map[string]string{"/robots.txt": "/rules", "/rules": rules}, nil, "", no, slow, robots.Found},
		{"redirect to another host", map[string]string{"/robots.txt": "http://b.test/rules", "/rules": rules}, nil, "", no, slow, robots.Found},
		{"redirect loop", map[string]string{"/robots.txt": "/robots.txt"}, nil, "", "", time.Second, robots.Unavailable},
		{"redirect to nowhere", map[string]string{"/robots.txt": "302"}, nil, "", "", time.Second, robots.Unavailable},
		{"ten megabytes", map[string]string{"/robots.txt": rules + strings.Repeat("# nothing\n", 1<<20)}, nil, "", no, slow, robots.Found},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var said []robots.Access
			s := &site{answer: files(tc.files)}
			o := fetch.Options{Agent: "plat", Delay: time.Second, MaxDelay: 30 * time.Second, Answered: func(a robots.Access) { said = append(said, a) }}
			if tc.change != nil {
				tc.change(&o)
			}
			c := fetch.New(s, o)
			if tc.files == nil {
				c = fetch.New(down{}, o)
			}
			delay, err := c.Obey(t.Context(), "http://a.test/open")
			_, private := c.Obey(t.Context(), "http://a.test/private/x?y")
			if outcome(err) != tc.open || outcome(private) != tc.private || delay != tc.delay {
				t.Errorf("%v and %v, delay %v; want %q and %q, %v", err, private, delay, tc.open, tc.private, tc.delay)
			}
			if errors.Is(err, fetch.ErrRobotsUnreachable) != (tc.open == away) {
				t.Errorf("%v is the wrong kind of error", err)
			}
			if !slices.Equal(said, []robots.Access{tc.said}) {
				t.Errorf("robots.txt was asked for with the results %v, want %v once", said, tc.said)
			}
		})
	}
}

// counted counts requests, and answers them on release.
type counted struct {
	let   chan struct{}
	asked atomic.Int64
}

func (c *counted) Do(r *http.Request) (*http.Response, error) {
	c.asked.Add(1)
	select {
	case <-c.let:
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	w := httptest.NewRecorder()
	fmt.Fprint(w, "User-agent: *\nDisallow: /private\n")
	return w.Result(), nil
}

func TestAHostIsAskedOnceForItsRobotsHoweverManyWantThem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := &counted{let: make(chan struct{})}
		c := fetch.New(site, fetch.Options{Agent: "plat"})
		impatient, cancel := context.WithCancel(t.Context())
		var work sync.WaitGroup
		work.Go(func() {
			if _, err := c.Obey(impatient, "http://a.test/"); !errors.Is(err, context.Canceled) {
				t.Errorf("whoever leaves is told %v", err)
			}
		})
		synctest.Wait()
		for i := range 8 {
			work.Go(func() {
				want := plat.Outcome("")
				at := "http://a.test/open"
				if i%2 == 0 {
					at, want = "http://a.test/private", plat.OutcomeDisallowed
				}
				if _, err := c.Obey(t.Context(), at); outcome(err) != want {
					t.Errorf("%s: %v", at, err)
				}
			})
		}
		late, leave := context.WithCancel(t.Context())
		work.Go(func() {
			if _, err := c.Obey(late, "http://a.test/"); !errors.Is(err, context.Canceled) {
				t.Errorf("whoever waits and leaves is told %v", err)
			}
		})
		synctest.Wait()
		leave()
		cancel() // the caller that requests leaves: a waiting one requests in its place
		synctest.Wait()
		close(site.let)
		work.Wait()
		if n := site.asked.Load(); n != 2 {
			t.Errorf("robots.txt was asked for %d times", n)
		}
	})
}

func TestIgnoredRobotsAreNotAskedFor(t *testing.T) {
	s := &site{answer: files(map[string]string{"/robots.txt": "User-agent: *\nDisallow: /\nSitemap: http://a.test/map.xml\n"})}
	c := fetch.New(s, fetch.Options{Agent: "plat", IgnoreRobots: true, Delay: time.Second})
	if delay, err := c.Obey(t.Context(), "http://a.test/"); err != nil || delay != time.Second {
		t.Errorf("%v, %v", delay, err)
	}
	if got, want := c.Sitemaps(t.Context(), "http://a.test"), []string{"http://a.test/sitemap.xml"}; !slices.Equal(got, want) {
		t.Errorf("sitemaps %q, want %q", got, want)
	}
	if len(s.asked) > 0 {
		t.Errorf("asked for %q", s.asked)
	}
}

// Redirects lead where they lead browsers.
func TestRedirectsAreReadAsBrowsersReadThem(t *testing.T) {
	for location, want := range map[string]string{
		`\rules\r.txt`: "/rules/r.txt", "http:/rules/r.txt": "/rules/r.txt", "rules/r.txt#x": "/rules/r.txt", "//a.test/rules/%2e%2e/50%": "/50%25", "/r\xfc.txt": "/r%FC.txt", "/r ü.txt": "/r%20%C3%BC.txt",
	} {
		s := &site{answer: func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.RequestURI() {
			case "/robots.txt":
				w.Header().Set("Location", location)
				w.WriteHeader(http.StatusFound)
			case want:
				fmt.Fprint(w, "User-agent: *\nDisallow: /private\nSitemap: http://a.test/map.xml\n")
			case "/map.xml":
				w.Header().Set("Location", `\maps\m.xml`)
				w.WriteHeader(http.StatusFound)
			case "/maps/m.xml":
				fmt.Fprint(w, "<urlset><url><loc>http://a.test/x</loc></url></urlset>")
			default:
				http.NotFound(w, r)
			}
		}}
		c := fetch.New(s, fetch.Options{Agent: "plat"})
		if _, err := c.Obey(t.Context(), "http://a.test/private"); outcome(err) != plat.OutcomeDisallowed {
			t.Errorf("a robots.txt at %q: %v, requested are %q", location, err, s.asked)
		}
		found := 0
		err := c.Sitemap(t.Context(), "http://a.test/map.xml", func(sitemap.Kind, sitemap.Entry) error { found++; return nil })
		if err != nil || found != 1 {
			t.Errorf("a redirected sitemap has %d entries, %v", found, err)
		}
	}
}

func TestLocationIsWhereAURLRedirectsTo(t *testing.T) {
	s := &site{answer: files(map[string]string{"/robots.txt": "User-agent: *\nDisallow: /private\n", "/old": "/new", "/new": "a page", "/private": "/new", "/odd": "302"})}
	c := fetch.New(s, fetch.Options{Agent: "plat"})
	for path, want := range map[string]string{"/old": "/new", "/new": "", "/missing": "", "/private": "", "/odd": ""} {
		if got := c.Location(t.Context(), "http://a.test"+path); got != want {
			t.Errorf("%s redirects to %q, want %q", path, got, want)
		}
	}
	if slices.Contains(s.asked, "/private") {
		t.Error("what robots.txt forbids was requested")
	}
}

func TestSitemapsAreThoseThatRobotsList(t *testing.T) {
	s := &site{answer: files(map[string]string{"/robots.txt": "Sitemap: http://a.test/one.xml\nSitemap: http://a.test/two.xml\n"})}
	got := fetch.New(s, fetch.Options{}).Sitemaps(t.Context(), "http://a.test")
	if want := []string{"http://a.test/one.xml", "http://a.test/two.xml"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestASitemapIsReadThroughRedirectsOfItsHost(t *testing.T) {
	const list = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>http://a.test/one</loc></url></urlset>`
	s := &site{answer: files(map[string]string{"/map.xml": "/moved.xml", "/moved.xml": list, "/away.xml": "http://b.test/map.xml", "/loop.xml": "/loop.xml", "/broken.xml": "500"})}
	c := fetch.New(s, fetch.Options{})
	for path, want := range map[string]string{"/map.xml": "", "/away.xml": "redirected to", "/loop.xml": "too many redirects", "/none.xml": "status 404", "/broken.xml": "status 500"} {
		var got []string
		err := c.Sitemap(t.Context(), "http://a.test"+path, func(_ sitemap.Kind, e sitemap.Entry) error { got = append(got, e.Loc); return nil })
		switch {
		case want == "" && (err != nil || !slices.Equal(got, []string{"http://a.test/one"})):
			t.Errorf("%s: %q, %v", path, got, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}
