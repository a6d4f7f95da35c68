package crawler

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"plat/plat"
)

func rng(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 7)) }

func TestACrawlRunsToItsEnd(t *testing.T) {
	r := rng(1)
	w := newWorld(t, newWeb(r, 120))
	crawl := w.begin(nil)
	c := w.follow(w.steerer(w.store), crawl.ID, r)
	w.agree(c)
	got := w.crawl(crawl.ID)
	if got.State != plat.CrawlIsDone || got.Reason != "no links are left" {
		t.Errorf("the crawl is %s: %q", got.State, got.Reason)
	}
	there, belong, missing, _ := tally(got, w.pages(crawl.ID))
	if there != 120 || belong < 38 || belong > 42 || missing == 0 {
		t.Errorf("%d pages, %d on topic, %d missing; of 120 pages 40 are about birds", there, belong, missing)
	}
	for u, n := range w.visits {
		if n != 1 {
			t.Errorf("%s was visited %d times", u, n)
		}
	}
	report, err := ReadReport(t.Context(), w.store, crawl.ID)
	if err != nil || report.Counts.Pages != there || report.Counts.Belong != belong || len(report.Waiting) != 0 || len(report.Sites) != 10 ||
		report.Curve[len(report.Curve)-1] != (Point{there, belong}) || !slices.Contains(report.Terms, "warbler") {
		t.Errorf("report %+v, %v", report, err)
	}
	sum := 0
	for _, s := range report.Sites {
		sum += s.Pages
	}
	if sum != there {
		t.Errorf("sites have %d pages in all, want %d", sum, there)
	}
}

func TestPagesAreFoundBehindOthers(t *testing.T) {
	r := rng(2)
	site := web{}
	site.page(r, seedURL, false, "https://a.test/one", "https://b.test/dull")
	site.page(r, "https://a.test/one", false, "https://a.test/two")
	site.page(r, "https://a.test/two", false, "https://a.test/bird")
	site.page(r, "https://a.test/bird", true, "https://c.test/bird")
	site.page(r, "https://c.test/bird", true)
	site.page(r, "https://b.test/dull", false)
	w := newWorld(t, site)
	crawl := w.begin(nil)
	w.agree(w.follow(w.steerer(w.store), crawl.ID, r))
	from := map[string]string{}
	for _, p := range w.pages(crawl.ID) {
		from[p.URL] = p.From
		if on := strings.HasSuffix(p.URL, "bird"); on != VerdictsOf(crawl, nil).Of(p).Belongs || on != (p.Version == 1) || on == (p.Outcome == plat.OutcomeOffTopic) {
			t.Errorf("%s: relevance %v, version %d, %s", p.URL, p.Relevance, p.Version, p.Outcome)
		}
	}
	if len(from) != 6 || from["https://c.test/bird"] != "https://a.test/bird" || from[seedURL] != "" {
		t.Errorf("found from %v", from)
	}
}

// The budget counts pages that are there: those that are gone do not use it.
func TestTheBudgetIsExact(t *testing.T) {
	for _, pages := range []int{1, 7, 30} {
		r := rng(uint64(pages))
		w := newWorld(t, newWeb(r, 120))
		crawl := w.begin(func(c *plat.Crawl) { c.Pages = pages })
		w.agree(w.follow(w.steerer(w.store), crawl.ID, r))
		if there, _, missing, open := tally(crawl, w.pages(crawl.ID)); there != pages || open != 0 {
			t.Errorf("%d pages, %d missing, %d not answered; want %d", there, missing, open, pages)
		}
		if c := w.crawl(crawl.ID); c.Reason != fmt.Sprintf("all %d pages were requested", pages) {
			t.Errorf("reason %q", c.Reason)
		}
	}
}

// A page and an address that leads to it count as two requests, also after a restart.
func TestTheBudgetIsExactWithRedirects(t *testing.T) {
	for seed := range uint64(20) {
		r := rng(seed)
		site := web{}
		var links []string
		for i := range 24 {
			u := fmt.Sprintf("https://h%d.test/bird%d", i%10, i)
			site.page(r, u, true)
			if links = append(links, u); i%2 == 0 {
				moved := fmt.Sprintf("https://h%d.test/birdmoved%d", (i+1)%10, i)
				copied := *site[u]
				site[moved], links = &copied, append(links, moved)
			}
		}
		r.Shuffle(len(links), func(i, j int) { links[i], links[j] = links[j], links[i] })
		site.page(r, seedURL, true, links...)
		w := newWorld(t, site)
		crawl := w.begin(func(c *plat.Crawl) { c.Pages = 18 })
		s := w.steerer(w.store)
		for {
			c, err := s.open(t.Context(), w.crawl(crawl.ID))
			if err != nil {
				t.Fatal(err)
			}
			for range 3 {
				if _, err := c.step(t.Context()); err != nil {
					t.Fatal(err)
				}
				w.later(time.Second)
				w.work(t.Context(), r, 2)
				if c.crawl.State != plat.CrawlRuns {
					break
				}
			}
			if w.crawl(crawl.ID).State != plat.CrawlRuns {
				break
			}
		}
		if there, _, _, open := tally(crawl, w.pages(crawl.ID)); there != 18 || open != 0 {
			t.Errorf("web %d: %d pages, %d not answered; want 18", seed, there, open)
		}
	}
}

func TestHostsHaveTheirPages(t *testing.T) {
	r := rng(3)
	w := newWorld(t, newWeb(r, 120))
	crawl := w.begin(func(c *plat.Crawl) { c.PerHost = 3 })
	w.agree(w.follow(w.steerer(w.store), crawl.ID, r))
	hosts := map[string]int{}
	for _, p := range w.pages(crawl.ID) {
		if len(p.Reading) > 0 {
			hosts[plat.HostOf(p.URL)]++
		}
	}
	for h, n := range hosts {
		if n > 3 {
			t.Errorf("%d pages of %s, want 3", n, h)
		}
	}
	if c := w.crawl(crawl.ID); len(hosts) != 10 || c.Reason != "every host with links has reached its limit of pages" {
		t.Errorf("%d hosts; %q", len(hosts), c.Reason)
	}
}

func TestTheScopeIsKept(t *testing.T) {
	r := rng(4)
	w := newWorld(t, newWeb(r, 60))
	crawl := w.begin(func(c *plat.Crawl) { c.Scope, c.Seeds = "host", []string{seedURL, "https://h1.test/bird1"} })
	w.follow(w.steerer(w.store), crawl.ID, r)
	for _, p := range w.pages(crawl.ID) {
		if h := plat.HostOf(p.URL); h != "h0.test" && h != "h1.test" {
			t.Errorf("%s is out of scope", p.URL)
		}
	}
	w.visits = map[string]int{}
	bad := w.begin(func(c *plat.Crawl) { c.Scope = "everything(" })
	if _, err := w.steerer(w.store).open(t.Context(), bad); !isTopicError(err) {
		t.Errorf("a scope that cannot be read: %v", err)
	}
}

func isTopicError(err error) bool { _, ok := errors.AsType[*TopicError](err); return ok }

func TestLabelsChangeWhatBelongs(t *testing.T) {
	r := rng(5)
	w := newWorld(t, newWeb(r, 90))
	crawl := w.begin(func(c *plat.Crawl) { c.Pages = 50 })
	s := w.steerer(w.store)
	c := w.follow(s, crawl.ID, r)
	var on, off string
	for _, p := range w.pages(crawl.ID) {
		if VerdictsOf(crawl, nil).Of(p).Belongs {
			on = p.URL
		} else if len(p.Reading) > 0 {
			off = p.URL
		}
	}
	before := c.focus.Counts().Belong
	w.edit(crawl.ID, func(c *plat.Crawl) {
		Label(c, w.clock(), PageLabel{on, "no"})
		Label(c, w.clock(), PageLabel{off, "yes"})
		Label(c, w.clock(), PageLabel{"https://never.test/", "yes"})
		c.State, c.Pages = plat.CrawlRuns, 60
	})
	c, err := s.open(t.Context(), w.crawl(crawl.ID))
	if err != nil {
		t.Fatal(err)
	}
	if c.focus.Why(on).Belongs || !c.focus.Why(off).Belongs {
		t.Error("the pages that people spoke of are as they were before")
	}
	for _, term := range c.report(w.clock()).Terms {
		if term == "" {
			t.Error("the report has terms without a word")
		}
	}
	t.Logf("on topic before %d, after two labels %d", before, c.focus.Counts().Belong)
	w.goOn(c, r)
	if there, _, _, _ := tally(crawl, w.pages(crawl.ID)); there != 60 {
		t.Errorf("%d pages after going on, want 60", there)
	}
	w.edit(crawl.ID, func(c *plat.Crawl) {
		Label(c, w.clock(), PageLabel{on, "none"})
		Label(c, w.clock(), PageLabel{off, "none"})
	})
	if c, err = s.open(t.Context(), w.crawl(crawl.ID)); err != nil || !c.focus.Why(on).Belongs {
		t.Errorf("what was said is taken back: %v, %v", c.focus.Why(on), err)
	}
}

func TestADamagedReadingLosesOnlyItsLinks(t *testing.T) {
	r := rng(6)
	w := newWorld(t, newWeb(r, 60))
	crawl := w.begin(func(c *plat.Crawl) { c.Pages = 30 })
	s := w.steerer(w.store)
	c, err := s.open(t.Context(), w.crawl(crawl.ID))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.step(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.work(t.Context(), r, 1)
	for range 3 {
		if _, err := c.step(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	p := w.pages(crawl.ID)[1]
	for _, damaged := range []string{"\x01", "\x02future", "\x01\xff\xff\xff\xff"} {
		w.work(t.Context(), r, 1)
		for _, p := range w.pages(crawl.ID) {
			if p.Visited.IsZero() {
				a := &plat.CrawlPage{Crawl: crawl.ID, URL: p.URL, Visited: w.clock(), Outcome: plat.OutcomeNew, Relevance: .7, Version: 1, Reading: []byte(damaged)}
				if err := w.store.Answer(t.Context(), a); err != nil {
					t.Fatal(err)
				}
				break
			}
		}
		if _, err := c.step(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	w.edit(crawl.ID, func(c *plat.Crawl) { Label(c, w.clock(), PageLabel{p.URL, "yes"}) })
	c, err = s.open(t.Context(), w.crawl(crawl.ID))
	if err != nil {
		t.Fatal(err)
	}
	w.goOn(c, r)
	if there, _, _, open := tally(crawl, w.pages(crawl.ID)); there != 30 || open != 0 {
		t.Errorf("%d pages, %d not answered", there, open)
	}
	c, err = s.open(t.Context(), w.crawl(crawl.ID))
	if err != nil || c.focus.Counts().Pages != 30 {
		t.Errorf("restored: %+v, %v", c.focus.Counts(), err)
	}
	if why, err := Explain(t.Context(), w.store, compiler(t), w.crawl(crawl.ID), p.URL); err != nil || why.N != 2 {
		t.Errorf("%+v, %v", why, err)
	}
}

// run runs a steerer in a bubble of synctest until stop is called.
func (w *world) run(s *Steerer) (stop func()) {
	ctx, cancel := context.WithCancel(w.t.Context())
	s.Clock = nil
	done := make(chan struct{})
	go func() { s.Run(ctx); close(done) }()
	return func() { cancel(); <-done }
}

// keepWorking visits enlisted pages until stop is called.
func (w *world) keepWorking(r *rand.Rand) (stop func()) {
	ctx, cancel := context.WithCancel(w.t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			w.mu.Lock()
			w.now = time.Now()
			w.mu.Unlock()
			w.work(w.t.Context(), r, 3)
			select {
			case <-time.After(200 * time.Millisecond):
			case <-ctx.Done():
			}
		}
	}()
	return func() { cancel(); <-done }
}

func (w *world) until(what string, is func() bool) {
	w.t.Helper()
	for range 3000 {
		if is() {
			return
		}
		time.Sleep(time.Second)
	}
	w.t.Fatalf("it never came: %s", what)
}

func (w *world) state(id string) plat.CrawlState { return w.crawl(id).State }

func TestStopAndResume(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rng(9)
		w := newWorld(t, newWeb(r, 400))
		crawl := w.begin(func(c *plat.Crawl) { c.Pages = 300 })
		defer w.run(w.steerer(w.store))()
		defer w.keepWorking(r)()
		w.until("some pages", func() bool { return len(w.pages(crawl.ID)) > 20 })
		w.edit(crawl.ID, func(c *plat.Crawl) { c.State = plat.CrawlPaused })
		time.Sleep(10 * time.Second)
		n := len(w.pages(crawl.ID))
		time.Sleep(time.Minute)
		if now := len(w.pages(crawl.ID)); now != n || w.state(crawl.ID) != plat.CrawlPaused || n >= 300 {
			t.Errorf("a crawl that was stopped has asked for %d pages, then %d; it is %s", n, now, w.state(crawl.ID))
		}
		w.edit(crawl.ID, func(c *plat.Crawl) { c.State = plat.CrawlRuns })
		w.until("the end", func() bool { return w.state(crawl.ID) == plat.CrawlIsDone })
		if there, _, _, open := tally(crawl, w.pages(crawl.ID)); there != 300 || open != 0 {
			t.Errorf("%d pages, %d not answered", there, open)
		}
	})
}

func TestACrawlIsRemovedWhileItRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rng(10)
		w := newWorld(t, newWeb(r, 120))
		gone, other := w.begin(nil), w.begin(nil)
		defer w.run(w.steerer(w.store))()
		defer w.keepWorking(r)()
		w.until("some pages", func() bool { return len(w.pages(gone.ID)) > 20 })
		if err := w.store.RemoveCrawl(t.Context(), gone.ID); err != nil {
			t.Fatal(err)
		}
		w.until("the end of the other", func() bool { return w.state(other.ID) == plat.CrawlIsDone })
		if len(w.pages(gone.ID)) > 0 {
			t.Error("pages of the removed crawl are there again")
		}
	})
}
