package crawler

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"

	"plat/plat"
)

// Two processes steer: no page is requested twice, and one continues when the other stops.
func TestTwoSteerers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rng(12)
		w := newWorld(t, newWeb(r, 300))
		crawl := w.begin(func(c *plat.Crawl) { c.Pages = 250 })
		one, two := w.run(w.steerer(w.store)), w.run(w.steerer(w.store))
		defer two()
		defer w.keepWorking(r)()
		w.until("some pages", func() bool { return len(w.pages(crawl.ID)) > 50 })
		one()
		w.until("the end", func() bool { return w.state(crawl.ID) == plat.CrawlIsDone })
		if there, _, _, open := tally(crawl, w.pages(crawl.ID)); there != 250 || open != 0 {
			t.Errorf("%d pages, %d not answered", there, open)
		}
		for u, n := range w.visits {
			if n != 1 {
				t.Errorf("%s was visited %d times", u, n)
			}
		}
	})
}

// Two processes that have restored the same crawl choose the same pages. Each visits the pages
// that it has requested first, and the later one leaves the crawl to the first.
func TestTwoThatChooseTheSamePages(t *testing.T) {
	w := newWorld(t, newWeb(rng(15), 100))
	seeds := []string{seedURL, "https://h1.test/bird1", "https://h2.test/other2"}
	for round, ahead := range [][2]int{{8, 8}, {1, 3}, {3, 1}} {
		crawl := w.begin(func(c *plat.Crawl) { c.Seeds = seeds })
		w.queue = nil
		var steer [2]*course
		for i := range steer {
			s := w.steerer(w.store)
			s.Ahead = ahead[i]
			c, err := s.open(t.Context(), w.crawl(crawl.ID))
			if err != nil {
				t.Fatal(err)
			}
			steer[i] = c
		}
		if _, err := steer[0].step(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := steer[1].step(t.Context()); !errors.Is(err, plat.ErrConflict) {
			t.Errorf("round %d: the second one: %v, want plat.ErrConflict", round, err)
		}
		want := seeds[:min(len(seeds), max(ahead[0], ahead[1]))]
		if got := slices.Sorted(slices.Values(w.queue)); !slices.Equal(got, want) {
			t.Errorf("round %d: enlisted are %q, want %q, each once", round, got, want)
		}
	}
}
