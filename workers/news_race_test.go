package workers_test

import (
	"context"
	"testing"
	"time"

	"plat/diff/noise"
	"plat/fixtures"
	"plat/plat"
	"plat/storage"
	"plat/storage/storagetest"
	"plat/workers"
)

// If a second worker has stored a version meanwhile, self-changes are no news against that version
// either.
func TestSecondLooksOfWorkersThatRace(t *testing.T) {
	page := newTeller(t, true)
	w := newTown(t, nil)
	w.show = page.show
	o := workers.Options{News: workers.News{SecondLook: noise.New}}
	var by func()
	s := beforeCommit(w.store, &by)
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
	by = func() { visit(other) }
	r := visit(one)
	v, err := w.store.Version(t.Context(), told, 0)
	if err != nil || v.N != 2 || r.Outcome != plat.OutcomeUnchanged {
		t.Errorf("version %d, news %v; %s, changes %v, by itself %v, %d looks, %v", v.N, v.News(), r.Outcome, r.Changes, r.SelfChanges, r.Looks, err)
	}
}

// styled is a page of which only the style sheet changes.
type styled struct {
	snap  *plat.Snapshot
	css   string
	taken time.Time // the last time
}

func (p *styled) Render(_ context.Context, u string, evidence func(*plat.Snapshot) plat.Attachments) (*plat.Snapshot, error) {
	s := *p.snap
	p.taken = p.taken.Add(time.Second)
	s.URL, s.FinalURL, s.Status, s.Taken = u, u, 200, p.taken
	if data := []byte(p.css); evidence(&s).Resources != plat.NoResources {
		s.Resources = []plat.Resource{{URL: u + "a.css", Type: "text/css", Size: int64(len(data)), Hash: plat.HashOf(data), Data: data}}
	}
	return &s, nil
}

// Files are compared with the version that a second worker has stored meanwhile, as blocks are.
func TestFilesOfWorkersThatRace(t *testing.T) {
	w := start(t, workers.Options{})
	o := workers.Options{Capture: workers.Capture{Resources: plat.StyleResources}}
	page := &styled{snap: fixtures.Snapshot(t, "site-1"), css: "p { top: 1px }", taken: time.Now()}
	var by func()
	s := beforeCommit(w.store, &by)
	one, other := workers.New(page, s, describer(t), o), workers.New(page, w.store, describer(t), o)
	visit := func(by *workers.Worker) workers.Report {
		t.Helper()
		r, err := by.Visit(t.Context(), plat.Job{URL: url})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	visit(one)
	page.css = "p { top: 2px }"
	by = func() {
		page.css = "p { top: 3px }"
		visit(other)
	}
	if r := visit(one); r.Outcome != plat.OutcomeChanged || r.Version != 3 || r.Changes[plat.Image] != 1 {
		t.Errorf("%s, version %d, changes %v", r.Outcome, r.Version, r.Changes)
	}
}

// beforeCommit returns a store in which *by is called just before the next Commit, once.
func beforeCommit(s storage.Store, by *func()) storage.Store {
	return &storagetest.Fake{Store: s, Around: func(ctx context.Context, c storagetest.Call, do func(context.Context) error) error {
		if f := *by; f != nil && c.Method == "Commit" {
			*by = nil
			f()
		}
		return do(ctx)
	}}
}
