package workers_test

import (
	"context"
	"testing"

	"plat"
	"plat/noise"
	"plat/storage"
	"plat/workers"
)

// overtaken is a store in which another worker stores a version just before the next one.
type overtaken struct {
	storage.Store
	by func()
}

func (s *overtaken) Commit(ctx context.Context, c *storage.Commit) (storage.Written, error) {
	if by := s.by; by != nil {
		s.by = nil
		by()
	}
	return s.Store.Commit(ctx, c)
}

// Where another worker has stored a version meanwhile, what the page does by itself is no
// news against that one either.
func TestSecondLooksOfWorkersThatRace(t *testing.T) {
	page := newTeller(t, true)
	w := newTown(t, nil)
	w.show = page.show
	o := workers.Options{SecondLook: noise.New}
	s := &overtaken{Store: w.store}
	one, other := workers.New(w, s, describer(t), o), workers.New(w, w.store, describer(t), o)
	visit := func(by *workers.Worker) workers.Report {
		t.Helper()
		r, err := by.Visit(t.Context(), plat.Job{URL: told})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	page.visit.Store(1)
	visit(one)
	page.visit.Store(2)
	s.by = func() { visit(other) }
	r := visit(one)
	v, err := w.store.Version(t.Context(), told, 0)
	if err != nil || v.N != 2 || r.Outcome != plat.OutcomeUnchanged {
		t.Errorf("version %d, news %v; %s, changes %v, by itself %v, %d looks, %v", v.N, v.News(), r.Outcome, r.Changes, r.ByItself, r.Looks, err)
	}
}
