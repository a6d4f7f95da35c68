package workers_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"plat/fixtures"
	"plat/plat"
	"plat/segment/markup"
	"plat/storage"
	"plat/storage/history"
	"plat/workers"
)

// faulty fails the n-th call that may write.
type faulty struct {
	storage.Store
	left int
}

var errFault = errors.New("simulated failure")

func (f *faulty) step() error {
	if f.left--; f.left == 0 {
		return errFault
	}
	return nil
}

func (f *faulty) Version(ctx context.Context, u string, n int) (*plat.Version, error) {
	if err := f.step(); err != nil {
		return nil, err
	}
	return f.Store.Version(ctx, u, n)
}

func (f *faulty) Contents(ctx context.Context, h []plat.Hash) ([][]byte, error) {
	if err := f.step(); err != nil {
		return nil, err
	}
	return f.Store.Contents(ctx, h)
}

func (f *faulty) Layout(ctx context.Context, h plat.Hash) (plat.Layout, error) {
	if err := f.step(); err != nil {
		return plat.Layout{}, err
	}
	return f.Store.Layout(ctx, h)
}

func (f *faulty) Commit(ctx context.Context, c *storage.Commit) (storage.Written, error) {
	if err := f.step(); err != nil { // before any write
		return storage.Written{}, err
	}
	w, err := f.Store.Commit(ctx, c)
	if fault := f.step(); fault != nil { // after all writes, before the result is returned
		return w, fault
	}
	return w, err
}

func (f *faulty) Record(ctx context.Context, v plat.Visit, n int64) error {
	if err := f.step(); err != nil {
		return err
	}
	return f.Store.Record(ctx, v, n)
}

func TestInterruptedVisitIsCompletedByTheNext(t *testing.T) {
	one, two := fixtures.Snapshot(t, "site-1"), fixtures.Snapshot(t, "site-2")
	for step := 1; ; step++ {
		w := start(t, workers.Options{})
		w.visit(t, one)
		f := &faulty{Store: w.store, left: step}
		w.pages.snap = two
		_, err := newWorker(t, w.pages, f, workers.Options{}).Visit(t.Context(), plat.Job{URL: url})
		if err == nil && f.left > 0 {
			if step < 5 {
				t.Fatalf("only %d steps could fail", step-1)
			}
			return // no more steps
		}
		if !errors.Is(err, errFault) {
			t.Fatalf("step %d: %v", step, err)
		}
		w.clean(t)
		if r := w.visit(t, two); r.Version != 2 {
			t.Errorf("step %d: the next visit found version %d, want 2: %+v", step, r.Version, r)
		}
		got, err := history.Restore(t.Context(), w.store, url, 0)
		if err != nil || string(got) != string(markup.Serialize(two)) {
			t.Errorf("step %d: the head differs from the page (%v)", step, err)
		}
		w.clean(t)
	}
}

// racing stores its own version just before the first commit.
type racing struct {
	storage.Store
	other func()
}

func (r *racing) Commit(ctx context.Context, c *storage.Commit) (storage.Written, error) {
	if r.other != nil {
		other := r.other
		r.other = nil
		other()
	}
	return r.Store.Commit(ctx, c)
}

func TestRacingWorkerComparesWithTheWinner(t *testing.T) {
	one, two := fixtures.Snapshot(t, "site-1"), fixtures.Snapshot(t, "site-2")
	for _, tc := range []struct {
		name    string
		other   *plat.Snapshot
		outcome plat.Outcome
		version int
	}{
		{"the same page", two, plat.OutcomeUnchanged, 2},
		{"another page", edit(t, two, "three weeks", "four weeks"), plat.OutcomeChanged, 3},
	} {
		w := start(t, workers.Options{})
		w.visit(t, one)
		other := &pages{snap: tc.other, tick: time.Time{}.Add(time.Hour)}
		store := &racing{Store: w.store, other: func() {
			if _, err := newWorker(t, other, w.store, workers.Options{}).Visit(t.Context(), plat.Job{URL: url}); err != nil {
				t.Error(err)
			}
		}}
		w.pages.snap = two
		r, err := newWorker(t, w.pages, store, workers.Options{}).Visit(t.Context(), plat.Job{URL: url})
		if err != nil || r.Outcome != tc.outcome || r.Version != tc.version {
			t.Errorf("%s: %+v, %v", tc.name, r, err)
		}
		w.clean(t)
	}
}

func TestShutdownIsNotRecordedAsAFailure(t *testing.T) {
	w := start(t, workers.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w.pages.err = ctx.Err()
	r, err := w.Visit(ctx, plat.Job{URL: url})
	if err == nil || r.Outcome != plat.OutcomeInterrupted || !r.Retry {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := w.store.State(t.Context(), url); !errors.Is(err, plat.ErrNotFound) {
		t.Errorf("the visit was recorded: %v", err)
	}
}

// broken is a store with a bug.
type broken struct{ storage.Store }

func (broken) Commit(context.Context, *storage.Commit) (storage.Written, error) {
	panic("index out of range")
}

func TestPanicEndsOnlyItsVisit(t *testing.T) {
	w := start(t, workers.Options{})
	w.pages.snap = fixtures.Snapshot(t, "site-1")
	r, err := newWorker(t, w.pages, broken{w.store}, workers.Options{}).Visit(t.Context(), plat.Job{URL: url})
	if err == nil || r.Outcome != plat.OutcomeError || !strings.Contains(err.Error(), "index out of range") {
		t.Errorf("%+v, %v", r, err)
	}
}
