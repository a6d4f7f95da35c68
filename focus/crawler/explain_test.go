package crawler

import (
	"testing"
	"time"

	"plat/focus"
	"plat/plat"
)

// explained explains a URL of a crawl.
func (w *world) explained(id, u string) *Explanation {
	w.t.Helper()
	x, err := Explain(w.t.Context(), w.store, compiler(w.t), w.crawl(id), u)
	if err != nil {
		w.t.Fatal(err)
	}
	return x
}

// visitAll visits pages, in this order, and gives the crawl the results.
func (w *world) visitAll(c *course, urls ...string) {
	w.t.Helper()
	for _, u := range urls {
		w.later(time.Second)
		if err := w.visit(w.t.Context(), u); err != nil {
			w.t.Fatal(err)
		}
		w.later(time.Second)
		if _, err := c.step(w.t.Context()); err != nil {
			w.t.Fatal(err)
		}
	}
}

// A page is explained with the knowledge at its request: without the pages under way then, and
// without later labels.
func TestAnExplanationIsOfItsMoment(t *testing.T) {
	r := rng(60)
	const early, late, page, last = "https://early.test/bird", "https://late.test/bird", "https://page.test/bird", "https://last.test/bird"
	site := web{}
	site.page(r, seedURL, true, late, early)
	site.page(r, early, true, page)
	site.page(r, late, true, page, last)
	site.page(r, page, true)
	site.page(r, last, true)
	w := newWorld(t, site)
	crawl := w.begin(nil)
	c := mustOpen(t, w, crawl.ID)
	if _, err := c.step(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.visitAll(c, seedURL, early) // now the page is requested, while the late one is under way
	then := c.focus.Why(page)
	w.visitAll(c, late, page, last)
	x := w.explained(crawl.ID, page)
	if len(then.Links) != 1 || len(x.Links) != 1 || x.Links[0] != then.Links[0] || x.Links[0].Page != early || x.Score != x.Asked || x.N != 4 || x.From != early {
		t.Errorf("%+v; when it was asked for: %+v", x, then)
	}
	if x := w.explained(crawl.ID, last); len(x.Links) != 1 || x.Links[0].Page != late {
		t.Errorf("a page that was asked for later: %+v", x)
	}
	w.edit(crawl.ID, func(c *plat.Crawl) { Label(c, w.clock(), PageLabel{early, "no"}, PageLabel{page, "no"}) })
	after := w.explained(crawl.ID, page)
	if after.Links[0] != x.Links[0] || after.Score != x.Score || after.Label != "no" || after.Belongs || after.Relevance != 0 {
		t.Errorf("after labels: %+v; before: %+v", after, x)
	}
}

// Only seeds are called seeds: not targets of redirects, waiting links, or unknown URLs.
func TestWhatKindOfPageIsExplained(t *testing.T) {
	r := rng(61)
	const old, moved, waits = "https://old.test/bird", "https://moved.test/bird", "https://waits.test/bird"
	site := web{}
	site.page(r, seedURL, true, old, waits)
	site.page(r, moved, true)
	site[old] = site[moved]
	w := newWorld(t, site)
	crawl := w.begin(func(c *plat.Crawl) { c.Pages = 2 })
	c := mustOpen(t, w, crawl.ID)
	if _, err := c.step(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.visitAll(c, seedURL)
	asked := w.pages(crawl.ID)[1].URL
	w.visitAll(c, asked)
	if asked != old { // the other one came first: take its result
		t.Fatalf("it asked for %s first", asked)
	}
	for u, want := range map[string]Explanation{
		seedURL:              {Why: focus.Why{State: "visited", Belongs: true}, N: 1, Seed: true},
		old:                  {Why: focus.Why{State: "visited", Belongs: true}, N: 2},
		moved:                {Why: focus.Why{State: "visited", Belongs: true}, RedirectedFrom: old},
		waits:                {Why: focus.Why{State: "waiting"}},
		"https://none.test/": {Why: focus.Why{State: "unknown"}},
	} {
		x := w.explained(crawl.ID, u)
		if x.State != want.State || x.Belongs != want.Belongs || x.N != want.N || x.Seed != want.Seed || x.RedirectedFrom != want.RedirectedFrom {
			t.Errorf("%s: %+v, want %+v", u, x, want)
		}
		if words := len(x.Words) > 0; words != want.Belongs || (x.Relevance > .5) != want.Belongs {
			t.Errorf("%s: words %v, relevance %v", u, x.Words, x.Relevance)
		}
		if u == waits && (x.Score <= 0 || len(x.Links) != 1) {
			t.Errorf("a link that waits: %+v", x)
		}
	}
}

// The status shows the pages under way, since when, and the reason for their delay.
func TestTheStatusSaysWhatIsUnderWay(t *testing.T) {
	w := newWorld(t, web{})
	crawl := w.begin(func(c *plat.Crawl) { c.Seeds = []string{"https://down.test/", "https://new.test/"} })
	c := mustOpen(t, w, crawl.ID)
	for range 2 {
		if _, err := c.step(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.later(3 * time.Second)
	}
	asked := w.pages(crawl.ID)[0].Asked
	status := func() *Report {
		t.Helper()
		st, err := StatusOf(t.Context(), w.store, w.crawl(crawl.ID))
		if err != nil {
			t.Fatal(err)
		}
		return st.Report
	}
	if r := status(); r.Pending != 2 || len(r.Oldest) != 2 || r.Oldest[0] != (Pending{URL: "https://down.test/", Asked: asked}) {
		t.Fatalf("under way: %+v", r)
	}
	st, err := w.store.State(t.Context(), "https://down.test/")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.store.Record(t.Context(), plat.Visit{URL: "https://down.test/", Time: w.clock(), Outcome: plat.OutcomeUnreachable, Error: "no such host"}, 0); err != nil {
		t.Fatal(err)
	}
	if r := status(); r.Oldest[0].Outcome != plat.OutcomeUnreachable || !r.Oldest[0].Tried.Equal(w.clock()) || r.Oldest[1].Outcome != "" {
		t.Errorf("after an attempt: %+v; the job is %+v", r.Oldest, st)
	}
}
