package workers_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"plat/plat"
	"plat/queue"
	"plat/storage/storagetest"
	"plat/workers"
)

var errFlood = errors.New("no answer")

func TestCrewWaitsForAnUnreachableStore(t *testing.T) {
	w := newTown(t, func(o *queue.Options) { o.Attempts = 1 })
	w.enqueue(plat.Job{URL: "http://a.test/"}, plat.Job{URL: "http://b.test/"})
	var out atomic.Bool // whether the store is unreachable
	f := &storagetest.Fake{Store: w.store, Around: func(ctx context.Context, c storagetest.Call, do func(context.Context) error) error {
		if out.Load() {
			return errFlood
		}
		return do(ctx)
	}}
	c := workers.NewCrew(workers.New(w, f, describer(t), workers.Options{}), w.queue, f, w, quick)
	w.fails = func(url string) error {
		if w.seen[url] == 1 && !out.Load() {
			out.Store(true)
			go func() {
				defer out.Store(false)
				for end := time.Now().Add(10 * time.Second); c.Ready() == nil; time.Sleep(10 * time.Millisecond) {
					if time.Now().After(end) {
						t.Error("Ready() = nil while the store is unreachable")
						return
					}
				}
			}()
		}
		return nil
	}
	w.work(c)
	// No attempt was counted, although there is only one.
	w.once("http://a.test/")
	w.once("http://b.test/")
	if c.Ready() != nil {
		t.Errorf("not ready: %v", c.Ready())
	}
}

// A crew without jobs finds out, too, that its store is unreachable, and that it is reachable again.
func TestAnIdleCrewWatchesItsStore(t *testing.T) {
	t.Parallel()
	w := newTown(t, nil)
	var out atomic.Bool
	f := &storagetest.Fake{Store: w.store, Around: func(ctx context.Context, c storagetest.Call, do func(context.Context) error) error {
		if out.Load() && c.Method == "Probe" {
			return errFlood
		}
		return do(ctx)
	}}
	c := workers.NewCrew(workers.New(w, f, describer(t), workers.Options{}), w.queue, f, w, quick)
	ctx, stop := context.WithCancel(t.Context())
	var ended sync.WaitGroup
	ended.Go(func() { c.Run(ctx, nil) })
	defer ended.Wait()
	defer stop()
	for _, down := range []bool{true, false} {
		out.Store(down)
		begun := time.Now()
		for c.Ready() != nil != down {
			if time.Since(begun) > 4*queue.AnnounceEvery {
				t.Fatalf("the store is unreachable: %t; Ready() = %v", down, c.Ready())
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
}

// full is a frontier that temporarily rejects writes.
type full struct {
	*queue.Queue
	until time.Time
}

func (f full) Offer(ctx context.Context, jobs []plat.Job) error {
	if time.Now().Before(f.until) {
		return errors.New("OOM command not allowed")
	}
	return f.Queue.Offer(ctx, jobs)
}

func TestFullFrontierCostsNoAttempt(t *testing.T) {
	w := newTown(t, func(o *queue.Options) { o.Attempts = 1 })
	first := page(t, "http://a.test/2")
	w.show = func(string) *plat.Snapshot { return first }
	w.enqueue(plat.Job{URL: "http://a.test/", Plan: plat.Plan{Scope: "host depth=1"}})
	w.work(workers.NewCrew(workers.New(w, w.store, describer(t), workers.Options{}), full{w.queue, time.Now().Add(500 * time.Millisecond)}, w.store, w, quick))
	w.once("http://a.test/")
	w.once("http://a.test/2")
}

func TestUnreadableURLIsGivenUpAlone(t *testing.T) {
	w := newTown(t, nil)
	w.enqueue(plat.Job{URL: "http://a.test/rotten"}, plat.Job{URL: "http://b.test/"})
	var log strings.Builder
	o := quick
	o.Log = slog.New(slog.NewTextHandler(&log, nil))
	s := &storagetest.Fake{Store: w.store, Around: func(ctx context.Context, c storagetest.Call, do func(context.Context) error) error {
		if c.Method == "State" && strings.HasSuffix(c.URL, "/rotten") {
			return plat.ErrCorrupt
		}
		return do(ctx)
	}}
	w.work(workers.NewCrew(workers.New(w, s, describer(t), workers.Options{}), w.queue, s, w, o))
	w.once("http://b.test/")
	if got := w.dead(); !slices.Equal(got, []string{"http://a.test/rotten"}) || w.seen["http://a.test/rotten"] > 0 {
		t.Errorf("dead: %v, visited: %v", got, w.seen)
	}
	if strings.Contains(log.String(), "unreachable") {
		t.Errorf("the whole archive is reported as unreachable: %s", log.String())
	}
}
