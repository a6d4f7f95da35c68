package crawler

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"plat/focus"
	"plat/plat"
)

// counted returns the pages, and those that belong, as lists and exports count them.
func (w *world) counted(id string) (pages, belong int) {
	w.t.Helper()
	r, err := ReadReport(w.t.Context(), w.store, id)
	if err != nil {
		w.t.Fatal(err)
	}
	v := VerdictsOf(w.crawl(id), r)
	for _, p := range w.pages(id) {
		if x := v.Of(p); x.Counts {
			if pages++; x.Belongs {
				belong++
			}
		}
	}
	return pages, belong
}

// readersAgree fails if the report, lists and explanations of a crawl say different things.
func (w *world) readersAgree(id string) {
	w.t.Helper()
	c := w.crawl(id)
	r, err := ReadReport(w.t.Context(), w.store, id)
	if err != nil {
		w.t.Fatal(err)
	}
	if pages, belong := w.counted(id); r.Counts.Pages != pages || r.Counts.Belong != belong {
		w.t.Errorf("the report counts %d of %d pages on topic, lists have %d of %d", r.Counts.Belong, r.Counts.Pages, belong, pages)
	}
	sum := Point{}
	for _, s := range r.Sites {
		sum.Pages, sum.Belong = sum.Pages+s.Pages, sum.Belong+s.Belong
	}
	if sum != (Point{r.Counts.Pages, r.Counts.Belong}) || r.Curve[len(r.Curve)-1] != sum {
		w.t.Errorf("sites have %+v, the curve ends at %+v, the report counts %+v", sum, r.Curve[len(r.Curve)-1], r.Counts)
	}
	v := VerdictsOf(c, r)
	for i, p := range w.pages(id) {
		if i%7 != 0 && v.Label(p.URL) == "" {
			continue
		}
		x, err := Explain(w.t.Context(), w.store, compiler(w.t), c, p.URL)
		if err != nil {
			w.t.Fatal(err)
		}
		if shown := v.Page(p); x.Relevance != shown.Relevance || x.Belongs != shown.Belongs || x.Label != shown.Label || x.Asked != shown.Expected {
			w.t.Errorf("%s is explained as %+v, and listed as %+v", p.URL, x, shown)
		}
	}
}

// For any labels, the report, lists, exports and explanations agree on pages, and count a page
// with two addresses once.
func TestReadersAgree(t *testing.T) {
	for seed := range uint64(6) {
		r := rng(40 + seed)
		site := newWeb(r, 90)
		names := make([]string, 0, len(site))
		for u := range site {
			names = append(names, u)
		}
		slices.Sort(names)
		for i, u := range names[:20] { // other addresses of pages
			moved := fmt.Sprintf("https://moved.test/%d", i)
			copied := *site[u]
			site[moved] = &copied
			from := site[names[30+i]]
			from.Links = append(from.Links, focus.Link{URL: moved, Heading: -1})
		}
		w := newWorld(t, site)
		crawl := w.begin(nil)
		w.follow(w.steerer(w.store), crawl.ID, r)
		w.readersAgree(crawl.ID)
		pages, belong := w.counted(crawl.ID)
		if asked := len(w.pages(crawl.ID)); pages != 90 || asked < 100 {
			t.Errorf("web %d: %d pages of 90, %d URLs asked for", seed, pages, asked)
		}
		w.edit(crawl.ID, func(c *plat.Crawl) {
			for i, p := range w.pages(crawl.ID) {
				if i%9 == 0 {
					Label(c, w.clock(), PageLabel{p.URL, []string{"yes", "no"}[r.IntN(2)]})
				}
			}
			c.State = plat.CrawlRuns
		})
		w.follow(w.steerer(w.store), crawl.ID, r)
		w.readersAgree(crawl.ID)
		now, on := w.counted(crawl.ID)
		t.Logf("web %d: %d of %d pages on topic, after labels %d of %d", seed, belong, pages, on, now)
	}
}

// Labels of a crawl that is done or stopped take effect through any steerer, without further
// requests.
func TestLabelsOfACrawlThatDoesNotRunAreHeeded(t *testing.T) {
	for _, state := range []plat.CrawlState{plat.CrawlPaused, plat.CrawlIsDone} {
		synctest.Test(t, func(t *testing.T) {
			r := rng(50)
			w := newWorld(t, newWeb(r, 90))
			crawl := w.begin(func(c *plat.Crawl) { c.Pages = 40 })
			w.follow(w.steerer(w.store), crawl.ID, r)
			asked := len(w.pages(crawl.ID))
			w.edit(crawl.ID, func(c *plat.Crawl) { c.State = state })
			unheeded := func() bool {
				st, err := StatusOf(t.Context(), w.store, w.crawl(crawl.ID))
				if err != nil {
					t.Fatal(err)
				}
				return st.Unheeded
			}
			if unheeded() {
				t.Error("nobody has said anything")
			}
			_, before := w.counted(crawl.ID)
			defer w.run(w.steerer(w.store))()
			for _, said := range []string{"no", "none"} {
				synctest.Wait() // a steerer that is still at work may heed it at once
				w.edit(crawl.ID, func(c *plat.Crawl) {
					for _, p := range w.pages(crawl.ID) {
						if p.Relevance > .5 {
							Label(c, time.Now(), PageLabel{p.URL, said})
						}
					}
				})
				if !unheeded() {
					t.Errorf("%s is heeded at once", said)
				}
				w.until("it is heeded", func() bool { return !unheeded() })
				w.readersAgree(crawl.ID)
				if _, on := w.counted(crawl.ID); (on == before) != (said == "none") {
					t.Errorf("after %s %d pages belong, before %d", said, on, before)
				}
			}
			if c := w.crawl(crawl.ID); c.State != state || len(w.pages(crawl.ID)) != asked {
				t.Errorf("it is %s, and has asked for %d pages; it had for %d", c.State, len(w.pages(crawl.ID)), asked)
			}
		})
	}
}

func TestJudgementsAreKept(t *testing.T) {
	var j judgements
	for n, r := range map[int]focus.Result{1: {}, 2: {Relevance: 1, Belongs: true}, 5: {Relevance: .5, Belongs: true}, 6: {Relevance: .49999}} {
		for _, same := range []bool{false, true} {
			j.note(n, r, same)
			got, ok := j.of(n)
			if !ok || got.Belongs != r.Belongs || got.Same != same || math.Abs(got.Relevance-r.Relevance) > 1e-4 {
				t.Errorf("page %d: %+v, %t; want %+v", n, got, ok, r)
			}
		}
	}
	for _, n := range []int{-1, 0, 3, 10} {
		if v, ok := j.of(n); ok {
			t.Errorf("page %d, of which nothing is found: %+v", n, v)
		}
	}
}
