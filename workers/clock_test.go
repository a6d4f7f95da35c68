package workers_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"plat/plat"
	"plat/queue"
	"plat/workers"
)

// elsewhen is a frontier with a clock of its own.
type elsewhen struct {
	*queue.Queue
	ahead time.Duration
}

func (e elsewhen) Lease(ctx context.Context, worker string) (*queue.Lease, time.Duration, error) {
	l, wait, err := e.Queue.Lease(ctx, worker)
	return e.moved(l), wait, err
}

func (e elsewhen) EndNext(ctx context.Context, l *queue.Lease, how queue.Ending, delay time.Duration, worker string) (*queue.Lease, error) {
	l, err := e.Queue.EndNext(ctx, l, how, delay, worker)
	return e.moved(l), err
}

func (e elsewhen) moved(l *queue.Lease) *queue.Lease {
	if l != nil {
		l.Now = l.Now.Add(e.ahead)
	}
	return l
}

func TestVisitsAreDatedByTheFleetClock(t *testing.T) {
	for _, tc := range []struct {
		ahead time.Duration
		says  string
	}{{time.Minute, "behind that of Redis"}, {-time.Minute, "ahead of that of Redis"}, {500 * time.Millisecond, ""}} {
		w := newTown(t, nil)
		ok := w.show("")
		gone := *ok
		gone.Status = 404
		w.show = func(url string) *plat.Snapshot {
			if strings.HasSuffix(url, "/gone") {
				return &gone
			}
			return ok
		}
		w.enqueue(plat.Job{URL: "http://a.test/"}, plat.Job{URL: "http://b.test/gone"})
		var log strings.Builder
		o := quick
		o.Log = slog.New(slog.NewTextHandler(&log, nil))
		before := time.Now()
		w.work(workers.NewCrew(workers.New(w, w.store, describer(t), workers.Options{}), elsewhen{w.queue, tc.ahead}, w.store, w, o))
		shift := tc.ahead
		if tc.says == "" {
			shift = 0
		}
		near := func(what string, at time.Time) {
			if at.Before(before.Add(shift-50*time.Millisecond)) || at.After(time.Now().Add(shift+50*time.Millisecond)) {
				t.Errorf("ahead %v: %s is dated %v, %v from now", tc.ahead, what, at, time.Until(at))
			}
		}
		v, err := w.store.Version(t.Context(), "http://a.test/", 0)
		if err != nil {
			t.Fatal(err)
		}
		near("the version", v.Taken)
		for _, url := range []string{"http://a.test/", "http://b.test/gone"} {
			for v, err := range w.store.Visits(t.Context(), url, 0) {
				if err != nil {
					t.Fatal(err)
				}
				near("a visit", v.Time)
			}
		}
		if n := strings.Count(log.String(), "this machine's clock is"); tc.says != "" && (n != 1 || !strings.Contains(log.String(), tc.says)) || tc.says == "" && n > 0 {
			t.Errorf("ahead %v: the log says %s", tc.ahead, log.String())
		}
	}
}
