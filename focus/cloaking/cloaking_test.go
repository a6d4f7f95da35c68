package cloaking

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"plat/focus"
	"plat/segment/label"
)

const (
	crawler = "plat/1.0"
	reader  = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36"
)

var theDescriber = sync.OnceValues(func() (*label.Describer, error) { return label.New(label.Options{}) })

// aboutBirds decides by one word.
func aboutBirds(p *focus.Page) (focus.Result, error) {
	if slices.Contains(p.Words, focus.TermOf("bird")) {
		return focus.Result{Relevance: .9, Belongs: true}, nil
	}
	return focus.Result{Relevance: .1}, nil
}

// ask checks a site, and returns the User-Agents of its visitors.
func ask(t *testing.T, names Options, times int, site func(w http.ResponseWriter, name string, n int)) (found int, agents []string) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		agents = append(agents, r.UserAgent())
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		site(w, r.UserAgent(), len(agents))
	}))
	defer s.Close()
	d, err := theDescriber()
	if err != nil {
		t.Fatal(err)
	}
	client := s.Client()
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	c := New(client, d, names)
	for i := range times {
		paused := 0
		before := len(agents)
		p, r, err := c.Check(t.Context(), "birds", fmt.Sprintf("%s/%d", s.URL, i), aboutBirds, func() error { paused++; return nil })
		if err != nil {
			t.Fatal(err)
		}
		if paused != len(agents)-before {
			t.Errorf("%d pauses before %d requests", paused, len(agents)-before)
		}
		if p != nil {
			found++
			if seen, _ := aboutBirds(p); seen != r || slices.Contains(p.Words, focus.TermOf("crawler")) || len(p.Links) > 0 || p.URL != fmt.Sprintf("%s/%d", s.URL, i) {
				t.Errorf("as readers see it: %+v, %+v", r, p)
			}
		}
	}
	return found, agents
}

func named(c, r string) Options {
	return Options{Crawler: func() string { return c }, Reader: func() string { return r }, Language: "en"}
}

func birdsAnd(links bool) string {
	if links {
		return `<p>birds, and <a href="/x">more</a></p>`
	}
	return `<p>casino <a href="/x">birds2</a></p>`
}

// text returns the text of a page for crawlers or readers, and of a number: 200 words that no
// other page has.
func text(whose string, n int) string {
	var b strings.Builder
	if whose == crawler {
		b.WriteString("crawler ")
	}
	for i := range 200 {
		fmt.Fprintf(&b, "word%x ", uint32(focus.TermOf(fmt.Sprint(whose, n, i))))
	}
	return b.String()
}

func TestCheck(t *testing.T) {
	for _, tc := range []struct {
		name     string
		site     func(w http.ResponseWriter, name string, n int)
		found    int
		requests int
	}{
		{"the same for all", func(w http.ResponseWriter, _ string, _ int) { fmt.Fprint(w, birdsAnd(true)) }, 0, 2},
		{"the topic for crawlers alone", func(w http.ResponseWriter, name string, _ int) { fmt.Fprint(w, birdsAnd(name == crawler)) }, 1, 4},
		{"the topic for readers alone: what visits see does not belong", func(w http.ResponseWriter, name string, _ int) { fmt.Fprint(w, birdsAnd(name != crawler)) }, 0, 1},
		{"by turns, whoever asks", func(w http.ResponseWriter, _ string, n int) { fmt.Fprint(w, birdsAnd(n%4 != 2)) }, 0, 4},
		{"by threes, whoever asks", func(w http.ResponseWriter, _ string, n int) { fmt.Fprint(w, birdsAnd(n%3 != 2)) }, 0, 4},
		{"readers are led elsewhere", func(w http.ResponseWriter, name string, _ int) {
			if name != crawler {
				w.Header().Set("Location", "/consent")
				w.WriteHeader(http.StatusFound)
			}
			fmt.Fprint(w, birdsAnd(true))
		}, 0, 2},
		{"readers are turned away", func(w http.ResponseWriter, name string, _ int) {
			if name != crawler {
				w.WriteHeader(http.StatusForbidden)
			}
			fmt.Fprint(w, birdsAnd(name == crawler))
		}, 0, 2},
		{"no HTML", func(w http.ResponseWriter, name string, _ int) {
			w.Header().Set("Content-Type", "image/png")
			fmt.Fprint(w, birdsAnd(name == crawler))
		}, 0, 1},
		{"the connection breaks", func(w http.ResponseWriter, _ string, _ int) { panic(http.ErrAbortHandler) }, 0, 1},
		{"another text on the topic", func(w http.ResponseWriter, name string, _ int) { fmt.Fprint(w, "bird ", text(name, 0)) }, 1, 4},
		{"another text on the topic each time, whoever asks", func(w http.ResponseWriter, _ string, n int) { fmt.Fprint(w, "bird ", text("", n)) }, 0, 4},
		{"the beginning for readers, and where to pay", func(w http.ResponseWriter, name string, _ int) {
			if fmt.Fprint(w, "bird ", text("", 0)[:400]); name == crawler {
				fmt.Fprint(w, text("", 0)[400:])
			} else {
				fmt.Fprint(w, "… Subscribe now to read all of this article, from one euro a month. Sign in, register, choose a plan, give a gift.")
			}
		}, 0, 2},
		{"few words", func(w http.ResponseWriter, name string, _ int) {
			if fmt.Fprint(w, "bird "); name == crawler {
				fmt.Fprint(w, "crawler of yours")
			}
		}, 0, 2},
		{"endless", func(w http.ResponseWriter, name string, _ int) {
			fmt.Fprint(w, birdsAnd(name == crawler))
			for range maxBody / 1000 * 2 {
				if _, err := fmt.Fprint(w, strings.Repeat("x ", 500)); err != nil {
					return
				}
			}
		}, 1, 4},
	} {
		t.Run(tc.name, func(t *testing.T) {
			found, names := ask(t, named(crawler, reader), 1, tc.site)
			if found != tc.found || len(names) != tc.requests {
				t.Errorf("found %d, want %d; %d requests, want %d", found, tc.found, len(names), tc.requests)
			}
			for i, n := range names {
				if want := []string{crawler, reader}[i%2]; n != want {
					t.Errorf("request %d is of %q", i, n)
				}
			}
		})
	}
}

// A crawler with a reader's User-Agent sees the page for readers. A host is checked seldom until a
// difference is found.
func TestWhatIsChecked(t *testing.T) {
	two := func(w http.ResponseWriter, name string, _ int) { fmt.Fprint(w, birdsAnd(name == crawler)) }
	same := func(w http.ResponseWriter, _ string, _ int) { fmt.Fprint(w, birdsAnd(true)) }
	for _, tc := range []struct {
		name            string
		names           Options
		site            func(w http.ResponseWriter, name string, n int)
		found, requests int
	}{
		{"as a reader", named(reader, reader), two, 0, 0},
		{"no browser runs", named("", reader), two, 0, 0},
		{"an honest host", named(crawler, reader), same, 0, 6},
		{"a host that cloaks", named(crawler, reader), two, 120, 480},
		{"a host whose first pages tell nothing", named(crawler, reader), func(w http.ResponseWriter, name string, n int) {
			if n <= 4 && name != crawler { // two pages: readers are turned away
				w.WriteHeader(http.StatusForbidden)
			}
			fmt.Fprint(w, birdsAnd(name == crawler))
		}, 118, 2*2 + 118*4},
		{"a host that tells nothing", named(crawler, reader), func(w http.ResponseWriter, name string, _ int) {
			if name != crawler {
				w.WriteHeader(http.StatusForbidden)
			}
			fmt.Fprint(w, birdsAnd(true))
		}, 0, 3*2 + 2*2},
	} {
		if found, names := ask(t, tc.names, 120, tc.site); found != tc.found || len(names) != tc.requests {
			t.Errorf("%s: found %d of 120, want %d; %d requests, want %d", tc.name, found, tc.found, len(names), tc.requests)
		}
	}
}

// Errors of the judge and of the pause end the check.
func TestErrorsEndACheck(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, birdsAnd(true)) }))
	defer s.Close()
	d, err := theDescriber()
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	if _, _, err := New(s.Client(), d, named(crawler, reader)).Check(t.Context(), "birds", s.URL, aboutBirds, func() error { return broken }); !errors.Is(err, broken) {
		t.Errorf("pause: %v", err)
	}
	if _, _, err := New(s.Client(), d, named(crawler, reader)).Check(t.Context(), "birds", s.URL, func(*focus.Page) (focus.Result, error) { return focus.Result{}, broken }, func() error { return nil }); !errors.Is(err, broken) {
		t.Errorf("judge: %v", err)
	}
}

// Each crawl checks a host separately: for a different topic it may show the same page to all.
func TestCrawlsAreCheckedApart(t *testing.T) {
	asked := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, birdsAnd(r.UserAgent() == crawler))
	}))
	defer s.Close()
	d, err := theDescriber()
	if err != nil {
		t.Fatal(err)
	}
	c := New(s.Client(), d, named(crawler, reader))
	all := func(*focus.Page) (focus.Result, error) { return focus.Result{Relevance: 1, Belongs: true}, nil }
	for i, x := range []struct {
		crawl string
		judge func(*focus.Page) (focus.Result, error)
		found bool
		asked int
	}{{"all", all, false, 2}, {"birds", aboutBirds, true, 4}, {"all", all, false, 0}, {"birds", aboutBirds, true, 4}} {
		before := asked
		p, _, err := c.Check(t.Context(), x.crawl, s.URL+"/", x.judge, func() error { return nil })
		if err != nil || (p != nil) != x.found || asked-before != x.asked {
			t.Errorf("check %d, of %s: found %t, %v, %d requests; want %t, %d", i+1, x.crawl, p != nil, err, asked-before, x.found, x.asked)
		}
	}
}
