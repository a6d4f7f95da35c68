package crawler

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"plat/plat"
)

// dull returns a web of n linked pages that are not about birds, and three about birds at its end.
func dull(n int) web {
	r := rng(30)
	site := web{}
	name := func(i int) string { return fmt.Sprintf("https://h%d.test/other%d", i%10, i) }
	for i := range n {
		site.page(r, name(i), false, name(i+1), name(i+2), name(i+3))
	}
	for i := range 3 {
		site.page(r, name(n+i), true)
	}
	return site
}

// A crawl that ran out of patience resumes at a user's request, also after a restart: with its
// full patience.
func TestACrawlThatGaveUpGoesOn(t *testing.T) {
	r := rng(31)
	w := newWorld(t, dull(1_300))
	crawl := w.begin(nil)
	w.follow(w.steerer(w.store), crawl.ID, r)
	gaveUp := len(w.pages(crawl.ID))
	if c := w.crawl(crawl.ID); !strings.HasPrefix(c.Reason, "no page at the last 100") || gaveUp > 1_010 {
		t.Fatalf("it gave up after %d pages: %s", gaveUp, c.Reason)
	}
	c, err := Resume(t.Context(), w.store, crawl.ID, Resumption{})
	if err != nil || c.Resumed != gaveUp || c.State != plat.CrawlRuns {
		t.Fatalf("resumed: %+v, %v", c, err)
	}
	s := w.steerer(w.store)
	for range 3 { // as if the process died: patience is counted from where it was resumed
		c := mustOpen(t, w, crawl.ID)
		for range 5 {
			if _, err := c.step(t.Context()); err != nil {
				t.Fatal(err)
			}
			w.later(1e9)
			w.work(t.Context(), r, 5)
		}
	}
	w.follow(s, crawl.ID, r)
	if there, belong, _, _ := tally(crawl, w.pages(crawl.ID)); there != 1_303 || belong != 3 {
		t.Errorf("%d pages, %d on topic; %s", there, belong, w.crawl(crawl.ID).Reason)
	}
}

func TestACrawlGoesOnWithOtherLimits(t *testing.T) {
	r := rng(32)
	w := newWorld(t, newWeb(r, 120))
	crawl := w.begin(func(c *plat.Crawl) { c.PerHost, c.Pages = 3, 25 })
	goOn := func(o Resumption) int {
		t.Helper()
		if _, err := Resume(t.Context(), w.store, crawl.ID, o); err != nil {
			t.Fatal(err)
		}
		w.agree(w.follow(w.steerer(w.store), crawl.ID, r))
		there, _, _, _ := tally(crawl, w.pages(crawl.ID))
		return there
	}
	n := func(n int) *int { return &n }
	if there := goOn(Resumption{}); there != 25 {
		t.Fatalf("%d pages, want 25", there)
	}
	for _, refused := range []Resumption{{Pages: n(24)}, {Pages: n(-1)}, {Pages: n(MaxPages + 1)}, {PerHost: n(-1)}, {PerHost: n(MaxPages + 1)}} {
		if _, err := Resume(t.Context(), w.store, crawl.ID, refused); !errors.Is(err, ErrGoOn) {
			t.Errorf("%+v: %v", refused, err)
		}
	}
	if _, err := Resume(t.Context(), w.store, crawl.ID, Resumption{Pages: n(24)}); !strings.Contains(fmt.Sprint(err), "it has visited 25") {
		t.Error(err)
	}
	if c := w.crawl(crawl.ID); c.State != plat.CrawlIsDone || c.Pages != 25 {
		t.Errorf("what was refused is %+v", c)
	}
	if there := goOn(Resumption{Pages: n(0)}); there < 26 || there > 30 {
		t.Errorf("%d pages without a limit, at most three of ten hosts", there)
	}
	if c := w.crawl(crawl.ID); c.Reason != "every host with links has reached its limit of pages" {
		t.Errorf("done: %s", c.Reason)
	}
	if there := goOn(Resumption{PerHost: n(5)}); there < 40 || there > 50 {
		t.Errorf("%d pages, at most five of ten hosts", there)
	}
	if there := goOn(Resumption{PerHost: n(0)}); there != 120 {
		t.Errorf("%d pages without any limit", there)
	}
}

// A crawl without a report, or with an old one, resumes from the pages that it has requested.
func TestWhereACrawlGoesOnDoesNotDependOnItsReport(t *testing.T) {
	r := rng(33)
	w := newWorld(t, newWeb(r, 60))
	crawl := w.begin(func(c *plat.Crawl) { c.Pages = 20 })
	w.follow(w.steerer(w.store), crawl.ID, r)
	for _, report := range []string{`{}`, `{"counts":{"asked":7}}`} {
		if err := w.store.PutReport(t.Context(), crawl.ID, []byte(report)); err != nil {
			t.Fatal(err)
		}
		if c, err := Resume(t.Context(), w.store, crawl.ID, Resumption{}); err != nil || c.Resumed != len(w.pages(crawl.ID)) {
			t.Errorf("report %s: %+v, %v", report, c, err)
		}
	}
}

func TestStoppingLeavesWhatIsDone(t *testing.T) {
	w := newWorld(t, web{})
	for state, want := range map[plat.CrawlState]plat.CrawlState{plat.CrawlRuns: plat.CrawlPaused, plat.CrawlPaused: plat.CrawlPaused, plat.CrawlIsDone: plat.CrawlIsDone} {
		crawl := w.begin(func(c *plat.Crawl) { c.State, c.Reason = state, "because" })
		c, err := Stop(t.Context(), w.store, crawl.ID)
		if err != nil || c.State != want || (c.Reason != "") != (state == plat.CrawlIsDone) {
			t.Errorf("%s: %+v, %v", state, c, err)
		}
	}
	for _, do := range []error{func() error { _, err := Stop(t.Context(), w.store, "none"); return err }(), func() error { _, err := Resume(t.Context(), w.store, "none", Resumption{}); return err }()} {
		if !errors.Is(do, plat.ErrNotFound) {
			t.Errorf("no such crawl: %v", do)
		}
	}
}
