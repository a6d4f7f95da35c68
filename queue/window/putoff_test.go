package window_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"plat/plat"
	"plat/queue/window"
	"plat/storage"
	"plat/storage/storagetest"
)

// until is a planner: URLs with a "late" in them wait until some time.
type until struct {
	time.Time
	asked int
}

func (u *until) Waits(_ context.Context, now time.Time, urls []*plat.URLState) ([]time.Time, error) {
	all := make([]time.Time, len(urls))
	for i, st := range urls {
		u.asked++
		if strings.Contains(st.URL, "late") && now.Before(u.Time) {
			all[i] = u.Time
		}
	}
	return all, errors.New("in part")
}

// Jobs that are not worth a visit yet stay outside the window until they are; the rest of their
// host does not wait. Their attempts are kept.
func TestJobsThatAreNotWorthAVisitYet(t *testing.T) {
	f := newFleet(t, 16, 8)
	p := &until{Time: f.begun.Add(20 * time.Second)}
	f.planner = p
	f.begin()
	budget := plat.Plan{Schedule: plat.Schedule{Budget: "9/day"}}
	var all []plat.Job
	for i := range 60 {
		name := []string{"soon", "late"}[i%2]
		all = append(all, plat.Job{URL: fmt.Sprintf("https://h%d.test/%s/%d", i%3, name, i), Priority: 0.5, Plan: budget})
	}
	f.enlist(all...)
	next := f.now.Add(5 * time.Second)
	f.visitUntil(next, func(string) time.Time { return next })
	if len(f.visits) != len(all) {
		t.Fatalf("%d of %d were visited once", len(f.visits), len(all))
	}
	one := all[1]
	if err := f.store.Defer(t.Context(), storage.Deferral{URL: one.URL, Due: next, At: next, Attempts: 2, Throttled: 3}); err != nil {
		t.Fatal(err)
	}
	f.visitUntil(p.Time, nil)
	for _, j := range all {
		if n := 2 - strings.Count(j.URL, "late"); f.visits[j.URL] != n {
			t.Errorf("%s was visited %d times, want %d", j.URL, f.visits[j.URL], n)
		}
	}
	if s, err := f.queue.Stats(t.Context()); err != nil || s.PutOff != 30 || p.asked < 60 {
		t.Errorf("%d were put off, %d asked, %v", s.PutOff, p.asked, err)
	}
	if st, err := f.store.State(t.Context(), one.URL); err != nil || st.Attempts != 2 || st.Throttled != 3 || !st.NotBefore.Equal(p.Time) {
		t.Errorf("%+v, %v", st, err)
	}
	f.visitUntil(p.Time.Add(5*time.Second), nil)
	for _, j := range all {
		if f.visits[j.URL] != 2 {
			t.Errorf("%s was visited %d times", j.URL, f.visits[j.URL])
		}
	}
}

// Jobs that were put off are counted, even if the worker ends meanwhile.
func TestWhatIsPutOffIsCountedAtTheEnd(t *testing.T) {
	f := newFleet(t, 16, 8)
	job := plat.Job{URL: "https://h.test/late", Priority: 0.5, Plan: plat.Plan{Schedule: plat.Schedule{Budget: "9/day"}}}
	f.enlist(job)
	next := f.now.Add(5 * time.Second)
	f.visitUntil(next, func(string) time.Time { return next })
	ctx, end := context.WithCancel(t.Context())
	ending := &storagetest.Fake{Store: f.store, Around: func(ctx context.Context, c storagetest.Call, do func(context.Context) error) error {
		if c.Method == "Defer" {
			defer end()
		}
		return do(ctx)
	}}
	l := window.NewLoader(ending, f.queue, &until{Time: next.Add(time.Hour)}, slog.New(slog.DiscardHandler), nil)
	for i := 0; ctx.Err() == nil && i < 100; i++ {
		f.set(f.now.Add(time.Second))
		_, _ = l.Tick(ctx) // it may fail: all ends
	}
	if s, err := f.queue.Stats(t.Context()); err != nil || s.PutOff != 1 {
		t.Errorf("%d were put off, %v", s.PutOff, err)
	}
}
