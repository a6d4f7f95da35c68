package window_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"plat/fixtures"
	"plat/plat"
	"plat/queue"
	"plat/queue/window"
	"plat/storage"
)

// A mortal loader dies at one of its calls, to the archive or the frontier: before it,
// or after it, so that the answer is lost.
type mortal struct {
	at    int // which call, from 1
	after bool

	dead  bool
	calls []string
}

func (m *mortal) call(name string, do func() error) error {
	if m.dead {
		return errDied
	}
	m.calls = append(m.calls, name)
	if m.dead = len(m.calls) == m.at; m.dead && !m.after {
		return errDied
	}
	if err := do(); err != nil || !m.dead {
		return err
	}
	return errDied
}

type mortalArchive struct {
	window.Archive
	*mortal
}

func (a mortalArchive) Wake(ctx context.Context, now time.Time, limit int) (woken map[string]float32, next time.Time, err error) {
	err = a.call("Wake", func() (err error) { woken, next, err = a.Archive.Wake(ctx, now, limit); return err })
	return woken, next, err
}

func (a mortalArchive) Ready(ctx context.Context, after storage.ReadyHost, limit int) (all []storage.ReadyHost, err error) {
	err = a.call("Ready", func() (err error) { all, err = a.Archive.Ready(ctx, after, limit); return err })
	return all, err
}

func (a mortalArchive) Load(ctx context.Context, now time.Time, hosts []storage.HostLimit) (all []storage.HostJobs, err error) {
	err = a.call("read", func() (err error) { all, err = a.Archive.Load(ctx, now, hosts); return err })
	return all, err
}

type mortalFrontier struct {
	window.Frontier
	*mortal
}

func (f mortalFrontier) Window(ctx context.Context, shard int) (w *queue.Window, err error) {
	err = f.call("Window", func() (err error) { w, err = f.Frontier.Window(ctx, shard); return err })
	return w, err
}

func (f mortalFrontier) Hosts(ctx context.Context, shard int, hosts []string) (all []queue.HostWindow, err error) {
	err = f.call("Hosts", func() (err error) { all, err = f.Frontier.Hosts(ctx, shard, hosts); return err })
	return all, err
}

func (f mortalFrontier) Announce(ctx context.Context, hosts map[string]float32) error {
	return f.call("Announce", func() error { return f.Frontier.Announce(ctx, hosts) })
}

func (f mortalFrontier) Load(ctx context.Context, hosts []queue.HostJobs) (n int, err error) {
	err = f.call("Load", func() (err error) { n, err = f.Frontier.Load(ctx, hosts); return err })
	return n, err
}

func (f mortalFrontier) Evict(ctx context.Context, shard, urls int, worse float32) (n int, err error) {
	err = f.call("Evict", func() (err error) { n, err = f.Frontier.Evict(ctx, shard, urls, worse); return err })
	return n, err
}

// A full window has to make room for more urgent hosts, and its loader dies before or after any of
// its calls. A second loader continues: no job is lost, none is visited twice, and the window
// keeps its bound. Without PLAT_LONG=1 it dies before every third call, and after the next of
// each.
func TestALoaderThatDiesWhilePushingOutLosesNothing(t *testing.T) {
	for phase, after := range []bool{false, true} {
		for at, died := 1, true; died; at++ {
			if (at+2*phase)%fixtures.OneIn(3) != 0 {
				continue
			}
			died = false // also if -run excludes this subtest
			t.Run(fmt.Sprintf("call %d, answer lost %v", at, after), func(t *testing.T) {
				m := &mortal{at: at, after: after}
				pushOut(t, m)
				died = m.dead
				t.Log(m.calls)
				if i := slices.Index(m.calls, "Evict"); !died && (i < 0 || !slices.Contains(m.calls[i:], "Load")) {
					t.Errorf("it did not push out and load: %v", m.calls)
				}
			})
			if t.Failed() || at > 100 {
				t.Fatalf("stopped after call %d", at)
			}
		}
	}
}

func pushOut(t *testing.T, m *mortal) {
	f := newFleet(t, 32, 8)
	all := jobs(8, 8, always(0.2))
	f.enlist(all...)
	f.tick()
	if f.most != 32 {
		t.Fatalf("%d URLs are in the window, want it full", f.most)
	}
	var held []*queue.Lease // their hosts are not pushed out
	for range 2 {
		l, _, err := f.queue.Lease(t.Context(), "w")
		if err != nil || l == nil {
			t.Fatal(l, err)
		}
		held = append(held, l)
	}
	f.set(f.now.Add(time.Second))
	f.tick() // it is full again
	var urgent []plat.Job
	for i := range 18 {
		urgent = append(urgent, plat.Job{URL: fmt.Sprintf("https://urgent%d.test/%d", i%3, i), Priority: 0.9})
	}
	f.enlist(urgent...)

	first, log := f.queue, slog.New(slog.DiscardHandler)
	dying := window.NewLoader(mortalArchive{f.store, m}, mortalFrontier{f.queue, m}, nil, log, nil)
	for range 4 {
		if _, err := dying.Tick(t.Context()); err != nil && !errors.Is(err, errDied) {
			t.Fatal(err)
		}
		if s, err := f.queue.Stats(t.Context()); err != nil || s.Queued > 32 {
			t.Fatalf("%d URLs are in a window of 32, %v", s.Queued, err)
		}
		f.set(f.now.Add(100 * time.Millisecond))
	}
	f.next = f.now.Add(time.Hour) // no loader runs
	for range 3 {
		f.visit(nil)
	}

	// A second process takes over.
	second, err := queue.Open(t.Context(), queue.Options{URL: f.redis.URL(), Size: 32, PerHost: 8})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { first.Close() }) // fleet closes the second
	f.queue, f.loader = second, window.NewLoader(f.store, second, nil, log, nil)
	f.set(f.now.Add(queue.LoaderTTL + time.Second))
	f.next = f.now
	for range 5 { // the remaining room is used up first, then hosts are pushed out
		f.tick()
		f.set(f.now.Add(100 * time.Millisecond))
	}
	before, left := len(f.order), 0
	for _, j := range urgent {
		left += 1 - f.visits[j.URL]
	}
	// Hosts that run low are refilled in turns, so a few less urgent URLs may come between.
	for n := 0; left > 0; n++ {
		if n == 2*len(urgent) {
			t.Fatalf("%d urgent URLs are left after %d visits: %v", left, n, f.order[before:])
		}
		f.visit(nil)
		if plat.HostOf(f.order[len(f.order)-1]) >= "urgent" {
			left--
		}
		f.set(f.now.Add(100 * time.Millisecond))
	}
	for _, l := range held {
		if err := f.store.Record(t.Context(), plat.Visit{URL: l.URL, Time: f.now, Outcome: plat.OutcomeUnchanged, Settles: l.Due}, 1); err != nil {
			t.Fatal(err)
		}
		f.visits[l.URL]++
		if err := second.Done(t.Context(), l, 0); err != nil {
			t.Fatal(err)
		}
	}
	f.visitAll(5 * time.Millisecond)
	f.allOnce(append(all, urgent...))
}
