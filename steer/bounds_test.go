package steer

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"plat"
	"plat/focus"
	"plat/storage"
)

// A page with 100,000 links, more than are ever read of one, keeps no crawl from going on, and what
// is stored of it stays small.
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
