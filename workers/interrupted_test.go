package workers_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"plat/fixtures"
	"plat/plat"
	"plat/segment/markup"
	"plat/storage/history"
	"plat/storage/storagetest"
	"plat/workers"
)

var errFault = errors.New("simulated failure")

func TestInterruptedVisitIsCompletedByTheNext(t *testing.T) {
	one, two := fixtures.Snapshot(t, "site-1"), fixtures.Snapshot(t, "site-2")
	for step := 1; ; step++ {
		w := start(t, workers.Options{})
		w.visit(t, one)
		left := step // until a step fails
		fails := func() error {
			if left--; left == 0 {
				return errFault
			}
			return nil
		}
		f := &storagetest.Fake{Store: w.store, Around: func(ctx context.Context, c storagetest.Call, do func(context.Context) error) error {
			if !c.Writes() && !slices.Contains([]string{"Last", "Contents", "Layout"}, c.Method) {
				return do(ctx)
			}
			if err := fails(); err != nil { // before any write
				return err
			}
			err := do(ctx)
			if c.Method == "Commit" {
				if fault := fails(); fault != nil { // after all writes, before the result is returned
					return fault
				}
			}
			return err
		}}
		w.pages.snap = two
		_, err := newWorker(t, w.pages, f, workers.Options{}).Visit(t.Context(), plat.Job{URL: url})
		if err == nil && left > 0 {
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
		by := func() {
			if _, err := newWorker(t, other, w.store, workers.Options{}).Visit(t.Context(), plat.Job{URL: url}); err != nil {
				t.Error(err)
			}
		}
		w.pages.snap = two
		r, err := newWorker(t, w.pages, beforeCommit(w.store, &by), workers.Options{}).Visit(t.Context(), plat.Job{URL: url})
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

func TestPanicEndsOnlyItsVisit(t *testing.T) {
	w := start(t, workers.Options{})
	w.pages.snap = fixtures.Snapshot(t, "site-1")
	r, err := newWorker(t, w.pages, &storagetest.Fake{Store: w.store, Around: func(ctx context.Context, c storagetest.Call, do func(context.Context) error) error {
		if c.Method == "Commit" {
			panic("index out of range")
		}
		return do(ctx)
	}}, workers.Options{}).Visit(t.Context(), plat.Job{URL: url})
	if err == nil || r.Outcome != plat.OutcomeError || !strings.Contains(err.Error(), "index out of range") {
		t.Errorf("%+v, %v", r, err)
	}
}
