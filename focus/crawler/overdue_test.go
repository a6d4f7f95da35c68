package crawler

import (
	"context"
	"slices"
	"testing"
	"time"

	"plat/plat"
	"plat/storage"
)

// Requests without a result are checked.
func TestOverduePages(t *testing.T) {
	r := rng(7)
	site := web{}
	all := []string{"https://a.test/settled", "https://b.test/unknown", "https://c.test/waits", "https://d.test/refused", "https://e.test/alias", "https://f.test/before"}
	site.page(r, seedURL, true, all...)
	for _, u := range all {
		site.page(r, u, true)
	}
	w := newWorld(t, site)
	// A page of the archive, settled before the crawl requests it.
	if _, err := w.store.Enlist(t.Context(), []plat.Job{{URL: all[5], Due: w.clock()}}, storage.IfNew); err != nil {
		t.Fatal(err)
	}
	if err := w.visit(t.Context(), all[5]); err != nil {
		t.Fatal(err)
	}
	w.refuses[all[3]] = true
	w.deaf[all[0]] = true // its job is settled without an answer
	crawl := w.begin(nil)
	s := w.steerer(w.store)
	visit, lost := s.Visit, map[string]bool{all[1]: true, all[5]: true}
	s.Visit = func(ctx context.Context, jobs []plat.Job) ([]string, error) {
		return visit(ctx, slices.DeleteFunc(jobs, func(j plat.Job) bool { // the process dies before it enlists these
			was := lost[j.URL]
			delete(lost, j.URL)
			return was
		}))
	}
	c, err := s.open(t.Context(), w.crawl(crawl.ID))
	if err != nil {
		t.Fatal(err)
	}
	step := func() {
		t.Helper()
		if _, err := c.step(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	step()
	w.work(t.Context(), r, 1)
	step()
	w.queue = slices.DeleteFunc(w.queue, func(u string) bool { return u == all[2] || u == all[4] })
	st, err := w.store.State(t.Context(), all[4])
	if err != nil {
		t.Fatal(err)
	}
	w.work(t.Context(), r, 10)
	if err := w.store.Record(t.Context(), plat.Visit{URL: all[4], Time: w.clock(), Outcome: plat.OutcomeUnreachable, Settles: st.Due}, 0); err != nil {
		t.Fatal(err)
	}
	step()
	if len(c.flying) != 5 {
		t.Fatalf("%d pages are under way, want 5", len(c.flying))
	}
	for range 3 {
		w.later(61 * time.Second)
		step()
		w.work(t.Context(), r, 10)
		step()
	}
	outcomes := map[string]plat.Outcome{}
	for _, p := range w.pages(crawl.ID) {
		outcomes[p.URL] = p.Outcome
	}
	for i, want := range []plat.Outcome{plat.OutcomeOffTopic, plat.OutcomeNew, "", plat.OutcomeRefused, plat.OutcomeUnreachable, plat.OutcomeNew} {
		if outcomes[all[i]] != want {
			t.Errorf("%s: %q, want %q", all[i], outcomes[all[i]], want)
		}
	}
	if len(c.flying) != 1 || w.visits[all[0]] != 2 || w.visits[all[1]] != 1 {
		t.Errorf("%d are under way, want the one that waits; visits %v", len(c.flying), w.visits)
	}
	w.queue = []string{all[2]}
	w.work(t.Context(), r, 1)
	w.goOn(c, r)
	w.agree(c)
}

// A result that arrives while a failure is recorded takes precedence.
func TestALateAnswerCounts(t *testing.T) {
	r := rng(8)
	site := web{}
	site.page(r, seedURL, true)
	w := newWorld(t, site)
	crawl := w.begin(nil)
	c, err := w.steerer(&answersLate{Store: w.store, w: w}).open(t.Context(), crawl)
	if err != nil {
		t.Fatal(err)
	}
	for range 8 {
		if _, err := c.step(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.later(61 * time.Second)
	}
	w.agree(c)
	if n := c.focus.Counts(); n.Pages != 1 || n.Missing != 0 {
		t.Errorf("%+v", n)
	}
	w.work(t.Context(), r, 10)
	if w.visits[seedURL] != 1 {
		t.Errorf("the page is visited %d times", w.visits[seedURL])
	}
}

// answersLate visits the page between the reads of its result and of its state.
type answersLate struct {
	Store
	w *world
}

func (a *answersLate) State(ctx context.Context, u string) (plat.URLState, error) {
	if err := a.w.visit(ctx, u); err != nil {
		return plat.URLState{}, err
	}
	return a.Store.State(ctx, u)
}

// While workers are busy, a crawl requests no more pages than may be under way; while no results
// arrive at all, it tries further pages.
func TestBusyWorkersAreNotSlow(t *testing.T) {
	r := rng(13)
	w := newWorld(t, newWeb(r, 200))
	crawl := w.begin(nil)
	s := w.steerer(w.store)
	c, err := s.open(t.Context(), crawl)
	if err != nil {
		t.Fatal(err)
	}
	step := func() {
		t.Helper()
		if _, err := c.step(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for range 40 {
		step()
		w.later(4 * time.Second)
		w.work(t.Context(), r, 1)
		if len(c.flying) > s.Ahead*3/2 { // a few may be overtaken by chance
			t.Fatalf("%d pages are under way, want about %d", len(c.flying), s.Ahead)
		}
	}
	for range 3 {
		w.later(20 * time.Second)
		step()
	}
	if len(c.flying) < 2*s.Ahead {
		t.Errorf("%d pages are under way after a minute without an answer, want more than %d", len(c.flying), 2*s.Ahead)
	}
}
