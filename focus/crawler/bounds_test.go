package crawler

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"plat/focus"
	"plat/plat"
	"plat/storage"
)

// A page with 100,000 links, more than are ever read, does not stop a crawl, and its stored data
// stays small.
func TestAPageOfMoreLinksThanAreRead(t *testing.T) {
	r := rng(20)
	site := web{}
	links := make([]string, 100_000)
	for i := range links {
		links[i] = fmt.Sprintf("https://h%d.test/section/other%d", i%500, i)
	}
	site.page(r, seedURL, true, links...)
	site.page(r, links[0], false)
	for _, u := range links {
		site[u] = &focus.Page{URL: u, Words: site[links[0]].Words}
	}
	w := newWorld(t, site)
	crawl := w.begin(func(c *plat.Crawl) { c.Pages = 30 })
	began := time.Now()
	c := w.follow(w.steerer(w.store), crawl.ID, r)
	w.agree(c)
	spent := time.Since(began)
	began = time.Now()
	if _, err := w.steerer(w.store).open(t.Context(), w.crawl(crawl.ID)); err != nil {
		t.Fatal(err)
	}
	restored := time.Since(began)
	report, err := w.store.Report(t.Context(), crawl.ID)
	if err != nil {
		t.Fatal(err)
	}
	p := w.pages(crawl.ID)[0]
	t.Logf("reading %d bytes, report %d bytes; %v to the end, %v to restore; %d links wait", len(p.Reading), len(report), spent, restored, c.focus.Counts().Waiting)
	if len(p.Reading) > storage.MaxCrawlReading || len(report) > 200<<10 || c.focus.Counts().Waiting < 90_000 {
		t.Errorf("reading %d bytes, report %d bytes, %d links wait", len(p.Reading), len(report), c.focus.Counts().Waiting)
	}
	if spent > 2*time.Minute || restored > 30*time.Second {
		t.Errorf("it took %v, and %v to restore", spent, restored)
	}
}

// Links with endless URLs do not make a report that cannot be stored.
func TestAReportOfLongLinksFits(t *testing.T) {
	r := rng(21)
	site := web{}
	links := make([]string, 200)
	for i := range links {
		links[i] = fmt.Sprintf("https://h%d.test/bird?%s%d", i, strings.Repeat("&", 16_000), i)
	}
	site.page(r, seedURL, true, links...)
	for _, u := range links[:10] {
		more := make([]string, 10)
		for k := range more {
			more[k] = fmt.Sprintf("%s-%d", u, k)
		}
		site.page(r, u, true, more...)
	}
	w := newWorld(t, site)
	crawl := w.begin(func(c *plat.Crawl) { c.Pages = 10 })
	c := w.follow(w.steerer(w.store), crawl.ID, r)
	b, err := w.store.Report(t.Context(), crawl.ID)
	report, failed := ReadReport(t.Context(), w.store, crawl.ID)
	if err != nil || failed != nil || len(b) > storage.MaxCrawlReport || len(report.Waiting) < 10 {
		t.Errorf("report of %d bytes, %v, %v", len(b), err, failed)
	}
	t.Logf("report of %d bytes with %d links", len(b), len(report.Waiting))
	assessor, err := focus.DecodeAssessor(report.Assessor)
	if err != nil || c == nil || !assessor.Assess(site[seedURL]).Belongs {
		t.Errorf("its assessor: %v", err)
	}
}

// A site that shows crawlers a different text is left and named, and a restored crawl knows it. A
// user's label that such a page belongs takes precedence.
func TestASiteThatCloaksIsLeft(t *testing.T) {
	t.Run("readers are shown something else", func(t *testing.T) { cloaked(t, .05) })
	t.Run("readers are shown another text on the topic", func(t *testing.T) { cloaked(t, .9) })
}

func cloaked(t *testing.T, as float64) {
	r := rng(22)
	site := web{}
	var honest, two []string
	for i := range 30 {
		honest = append(honest, fmt.Sprintf("https://honest.test/bird%d", i))
		two = append(two, fmt.Sprintf("https://two.test/bird%d", i))
	}
	site.page(r, seedURL, true, append(honest, two...)...)
	for _, u := range honest {
		site.page(r, u, true)
	}
	for _, u := range two {
		site.page(r, u, true, two...)
	}
	w := newWorld(t, site)
	w.cloakedAs = as
	w.cloaks = func(u string) bool { return strings.HasPrefix(u, "https://two.test/") }
	crawl := w.begin(nil)
	c := w.follow(w.steerer(w.store), crawl.ID, r)
	w.agree(c)
	cloaked := 0
	for _, p := range w.pages(crawl.ID) {
		if p.Outcome == plat.OutcomeCloaked {
			cloaked++
		}
	}
	if cloaked == 0 || cloaked > 8 { // the number under way
		t.Errorf("%d pages of a site that cloaks were visited", cloaked)
	}
	for range 2 {
		rep, err := ReadReport(t.Context(), w.store, crawl.ID)
		if err != nil || len(rep.Left) != 1 || rep.Left[0] != "two.test" || rep.Counts.Belong != 31 || rep.Counts.Waiting != 30-cloaked || rep.Counts.Capped != rep.Counts.Waiting {
			t.Errorf("report: %+v, %v", rep, err)
		}
		if got := w.crawl(crawl.ID); got.Reason != "every host with links has reached its limit of pages, or was left" {
			t.Errorf("done: %s", got.Reason)
		}
		w.edit(crawl.ID, func(c *plat.Crawl) { c.State, c.Reason = plat.CrawlRuns, "" })
		w.goOn(mustOpen(t, w, crawl.ID), r)
	}
	// The page shows its assessment for readers; a user's "yes" takes precedence.
	w.edit(crawl.ID, func(c *plat.Crawl) { c.State, c.Reason = plat.CrawlRuns, "" })
	for _, p := range w.pages(crawl.ID) {
		if p.Outcome == plat.OutcomeCloaked {
			w.edit(crawl.ID, func(c *plat.Crawl) { Label(c, w.clock(), PageLabel{URL: p.URL, Belongs: "yes"}) })
		}
	}
	again := mustOpen(t, w, crawl.ID)
	w.goOn(again, r)
	if len(again.left) != 0 || again.focus.Counts().Belong < 31+cloaked {
		t.Errorf("after people said yes: left %v, %+v", again.left, again.focus.Counts())
	}
}

func mustOpen(t *testing.T, w *world, id string) *course {
	t.Helper()
	c, err := w.steerer(w.store).open(t.Context(), w.crawl(id))
	if err != nil {
		t.Fatal(err)
	}
	return c
}
