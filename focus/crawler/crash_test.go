package crawler

import (
	"context"
	"errors"
	"iter"
	"testing"
	"time"

	"plat/fixtures"
	"plat/plat"
	"plat/storage"
)

// mortal is a store of a process that dies at its nth step, before that or after it.
type mortal struct {
	Store
	enlist func(context.Context, []plat.Job, storage.Intake) (storage.Enlisted, error)
	left   int
	after  bool
}

var errDead = errors.New("the process is dead")

func (m *mortal) step(f func() error) error {
	if m.left--; m.left > 0 {
		return f()
	}
	if m.left == 0 && m.after {
		f()
	}
	return errDead
}

func (m *mortal) PutCrawl(ctx context.Context, c *plat.Crawl) error {
	return m.step(func() error { return m.Store.PutCrawl(ctx, c) })
}
func (m *mortal) PutReport(ctx context.Context, id string, b []byte) error {
	return m.step(func() error { return m.Store.PutReport(ctx, id, b) })
}
func (m *mortal) Ask(ctx context.Context, pages []plat.CrawlPage) (stored []string, err error) {
	return stored, m.step(func() error { stored, err = m.Store.Ask(ctx, pages); return err })
}
func (m *mortal) Answer(ctx context.Context, p *plat.CrawlPage) error {
	return m.step(func() error { return m.Store.Answer(ctx, p) })
}
func (m *mortal) Answers(ctx context.Context, id string, urls []string) (all []*plat.CrawlPage, err error) {
	return all, m.step(func() error { all, err = m.Store.Answers(ctx, id, urls); return err })
}
func (m *mortal) Asked(ctx context.Context, id string, after int, readings bool) iter.Seq2[*plat.CrawlPage, error] {
	if err := m.step(func() error { return nil }); err != nil {
		return func(yield func(*plat.CrawlPage, error) bool) { yield(nil, err) }
	}
	return m.Store.Asked(ctx, id, after, readings)
}
func (m *mortal) Enlist(ctx context.Context, jobs []plat.Job, how storage.Intake) (e storage.Enlisted, err error) {
	return e, m.step(func() error { e, err = m.enlist(ctx, jobs, how); return err })
}

// Wherever the steering process dies, a second one continues: no page is requested twice, none is
// left out, and the crawl finds as many pages that belong as without a crash.
func TestACrawlSurvivesAnyCrash(t *testing.T) {
	rounds := uint64(200 / fixtures.OneIn(16))
	killed, whole, deaths := 0, 0, 0
	for seed := range rounds {
		site := newWeb(rng(seed), 150)
		quiet := newWorld(t, site)
		undisturbed := quiet.begin(func(c *plat.Crawl) { c.Pages = 40 })
		quiet.follow(quiet.steerer(quiet.store), undisturbed.ID, rng(seed))
		_, belong, _, _ := tally(undisturbed, quiet.pages(undisturbed.ID))
		whole += belong

		n, died := survive(t, newWorld(t, site), seed)
		killed, deaths = killed+n, deaths+died
		if t.Failed() {
			t.Fatalf("in round %d", seed)
		}
	}
	t.Logf("%d rounds, %d deaths: %d pages on topic, without deaths %d (%.3f)", rounds, deaths, killed, whole, float64(killed)/float64(whole))
	if share := float64(killed) / float64(whole); share < .9 || share > 1.1 {
		t.Errorf("crawls that were killed found %d pages on topic, others %d", killed, whole)
	}
}

func survive(t *testing.T, w *world, seed uint64) (belong, deaths int) {
	t.Helper()
	r := rng(seed)
	crawl := w.begin(func(c *plat.Crawl) { c.Pages = 40 })
	for w.crawl(crawl.ID).State == plat.CrawlRuns {
		m := &mortal{Store: w.store, enlist: w.store.Enlist, left: 1 + r.IntN(40), after: r.IntN(2) == 0}
		c, err := w.steerer(m).open(t.Context(), w.crawl(crawl.ID))
		for i := 0; err == nil && c.crawl.State == plat.CrawlRuns && i < 2000; i++ {
			_, err = c.step(t.Context())
			w.later(time.Duration(1+r.IntN(3)) * time.Second)
			if len(w.queue) == 0 {
				w.later(15 * time.Second)
			}
			w.work(t.Context(), r, r.IntN(4))
		}
		if err == nil {
			break
		}
		if !errors.Is(err, errDead) {
			t.Fatal(err)
		}
		if deaths++; deaths > 500 {
			t.Fatal("the crawl does not end")
		}
	}
	pages := w.pages(crawl.ID)
	there, belong, _, open := tally(crawl, pages)
	if there != 40 || open != 0 {
		t.Errorf("%d pages, %d not answered", there, open)
	}
	for u, n := range w.visits {
		if n != 1 {
			t.Errorf("%s was visited %d times", u, n)
		}
	}
	done := w.crawl(crawl.ID)
	c, err := w.steerer(w.store).open(t.Context(), done)
	if err != nil {
		t.Fatal(err)
	}
	w.agree(c)
	return belong, deaths
}
