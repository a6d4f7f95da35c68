package window_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"plat/plat"
	"plat/queue/window"
	"plat/storage"
)

func TestEveryJobIsVisitedOnceThroughASmallWindow(t *testing.T) {
	for _, tc := range []struct{ hosts, each, size, perHost int }{
		{1, 150, 16, 16}, {3, 50, 16, 8}, {50, 3, 16, 8}, {30, 5, 1000, 100}, {100, 2, 30, 30},
	} {
		t.Run(fmt.Sprintf("%d hosts, %d each, window %d", tc.hosts, tc.each, tc.size), func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 1))
			f := newFleet(t, tc.size, tc.perHost)
			f.delay = 20 * time.Millisecond
			all := jobs(tc.hosts, tc.each, func() float32 { return float32(r.IntN(5)) / 4 })
			for part := range slices.Chunk(all, 70) {
				f.enlist(part...)
				for range 20 {
					f.visit(nil)
					f.set(f.now.Add(5 * time.Millisecond))
				}
			}
			f.visitAll(5 * time.Millisecond)
			f.allOnce(all)
		})
	}
}

// Hosts of equal urgency take turns, whatever their size: a host with many URLs does not block the
// rest, nor do many hosts block it.
func TestHostsOfEqualUrgencyTakeTurns(t *testing.T) {
	f := newFleet(t, 64, 16)
	big := jobs(1, 2000, always(0.5))
	for i := range big {
		big[i].URL = fmt.Sprintf("https://big.test/%d", i)
	}
	f.enlist(big...)
	small := jobs(100, 5, always(0.5))
	f.enlist(small...)
	f.delay = 100 * time.Millisecond
	first, bigs := map[string]int{}, 0
	for n := 0; len(f.order) < 520; f.set(f.now.Add(5 * time.Millisecond)) {
		if n++; n > 2000 {
			t.Fatalf("only %d visits", len(f.order))
		}
		f.visit(nil)
	}
	for i, u := range f.order {
		host := plat.HostOf(u)
		if _, ok := first[host]; !ok {
			first[host] = i
		}
		if host == "big.test" {
			bigs++
		}
	}
	if len(first) != 101 {
		t.Errorf("%d hosts were visited, want 101", len(first))
	}
	for host, i := range first {
		if i > 150 { // the first turns of all, and some second ones
			t.Errorf("the first visit of %s was number %d", host, i)
		}
	}
	if bigs < 5 {
		t.Errorf("the large host was visited %d times of 520", bigs)
	}
}

func TestAnUrgentHostComesInAtOnce(t *testing.T) {
	f := newFleet(t, 32, 16)
	f.delay = 10 * time.Millisecond
	f.enlist(jobs(40, 8, always(0.5))...)
	for range 50 {
		f.visit(nil)
		f.set(f.now.Add(time.Millisecond))
	}
	f.enlist(plat.Job{URL: "https://urgent.test/", Priority: 0.9})
	for i := 0; f.visits["https://urgent.test/"] == 0; i++ {
		if i > 120 { // a tick is 100 ms
			t.Fatal("an urgent host has to wait although the window holds less urgent ones")
		}
		f.visit(nil)
		f.set(f.now.Add(time.Millisecond))
	}
	f.visitAll(2 * time.Millisecond)
}

// The order of visits differs little from that of one queue of all jobs under the same
// politeness. scripts/frontier order measures it at full size.
func TestOrderOfASmallWindowIsNearlyExact(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	f := newFleet(t, 100, 16)
	f.delay = 200 * time.Millisecond
	all := jobs(40, 15, r.Float32)
	f.enlist(all...)
	f.visitAll(10 * time.Millisecond)
	f.allOnce(all)
	priority := map[string]float32{}
	for _, j := range all {
		priority[j.URL] = j.Priority
	}
	got, exact := 0.0, 0.0
	best := slices.SortedFunc(slices.Values(all), func(a, b plat.Job) int { return storage.Rank(a.Priority) - storage.Rank(b.Priority) })
	for i := range 120 {
		got += float64(priority[f.order[i]])
		exact += float64(best[i].Priority)
	}
	// Without politeness the best 120 would come first.
	if got < 0.85*exact {
		t.Errorf("the first 120 visits have a priority of %.1f, the best 120 URLs of %.1f", got, exact)
	}
}

func TestVisitsComeWhenTheyAreDue(t *testing.T) {
	f := newFleet(t, 32, 16)
	all := jobs(20, 2, always(0.5))
	f.enlist(all...)
	every := 10 * time.Second
	late := time.Duration(0)
	due := map[string]time.Time{}
	for f.now.Before(f.begun.Add(time.Minute)) {
		f.visit(func(url string) time.Time {
			if at := due[url]; !at.IsZero() {
				late = max(late, f.now.Sub(at))
				if f.now.Before(at) {
					t.Errorf("%s is visited %v before it is due", url, at.Sub(f.now))
				}
			}
			due[url] = f.now.Add(every).Truncate(time.Millisecond)
			return due[url]
		})
		f.set(f.now.Add(50 * time.Millisecond))
	}
	for _, j := range all {
		if n := f.visits[j.URL]; n < 5 || n > 6 {
			t.Errorf("%s was visited %d times in a minute", j.URL, n)
		}
	}
	if late > 2*time.Second {
		t.Errorf("a visit was %v late", late)
	}
	if s, err := f.queue.Stats(t.Context()); err != nil || s.Queued > 5 {
		t.Errorf("what is not due is in the window: %+v, %v", s, err)
	}
}

// A URL becomes due while its host has many URLs in the window, or as many as fit into it. It is
// visited in its turn by priority, as if it had been there.
func TestWhatBecomesDueComesInByItsPriority(t *testing.T) {
	for _, c := range []struct {
		size  int
		links bool // each visit finds a new page of the host
	}{{200, false}, {60, false}, {200, true}, {60, true}, {20, true}} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			f := newFleet(t, c.size, min(60, c.size))
			f.delay = 100 * time.Millisecond
			all := jobs(1, 100, always(0.5))
			all[0].Priority, all[1].Priority = 0.9, 0.4
			f.enlist(all...)
			again := f.now.Add(3 * time.Second)
			var seen time.Time
			f.visitUntil(again.Add(2*time.Second), func(url string) (next time.Time) {
				if c.links {
					f.enlist(plat.Job{URL: fmt.Sprintf("https://h0.test/link/%d", len(f.visits)), Priority: 0.5})
				}
				switch {
				case url == all[0].URL && f.visits[url] == 0:
					next = again
				case url == all[0].URL:
					seen = f.now
				case url == all[1].URL:
					t.Error("the least urgent one came before others")
				}
				return next
			})
			if late := seen.Sub(again); seen.IsZero() || late > 300*time.Millisecond {
				t.Errorf("visited %v after it was due", late)
			}
			if n := len(f.visits); n < 45 {
				t.Errorf("%d URLs visited; the host was not visited all the time", n)
			}
		})
	}
}

// Redis loses everything, again and again; and so do loaders.
func TestALostWindowIsFilledAgain(t *testing.T) {
	f := newFleet(t, 32, 16)
	all := jobs(30, 10, always(0.5))
	f.enlist(all...)
	for i := range 400 {
		f.visit(nil)
		f.set(f.now.Add(time.Millisecond))
		switch i % 100 {
		case 30:
			if err := f.queue.Clear(t.Context()); err != nil {
				t.Fatal(err)
			}
		case 60:
			f.begin()
		}
	}
	f.visitAll(time.Millisecond)
	f.allOnce(all)
}

// A store whose steps fail at random simulates loaders that die at any point.
type failing struct {
	window.Archive
	r *rand.Rand
}

var errDied = errors.New("died")

func (s failing) Load(ctx context.Context, now time.Time, hosts []storage.HostLimit) ([]storage.HostJobs, error) {
	if s.r.IntN(3) == 0 {
		return nil, errDied
	}
	all, err := s.Archive.Load(ctx, now, hosts)
	if s.r.IntN(3) == 0 {
		return nil, errDied // after the hosts' rows were written
	}
	return all, err
}

func TestALoaderThatDiesAnywhereLosesNothing(t *testing.T) {
	f := newFleet(t, 32, 16)
	f.loader = window.NewLoader(failing{f.store, rand.New(rand.NewPCG(5, 5))}, f.queue, nil, slog.New(slog.DiscardHandler), nil)
	all := jobs(30, 10, always(0.5))
	f.enlist(all...)
	for i := 0; len(f.order) < len(all); i++ {
		if i > 50_000 {
			t.Fatalf("%d of %d were visited", len(f.order), len(all))
		}
		if _, err := f.loader.Tick(t.Context()); err != nil && !errors.Is(err, errDied) {
			t.Fatal(err)
		}
		f.next = f.now.Add(time.Hour) // visit does not tick
		f.visit(nil)
		f.set(f.now.Add(10 * time.Millisecond))
	}
	f.loader = window.NewLoader(f.store, f.queue, nil, slog.New(slog.DiscardHandler), nil)
	f.next = f.now
	f.visitAll(time.Millisecond)
	f.allOnce(all)
}

func TestLeasesAreWaitedForWhereSomebodyMayHoldThem(t *testing.T) {
	f := newFleet(t, 32, 16)
	log := slog.New(slog.DiscardHandler)
	const hold = 8 * time.Second
	held := func(l *window.Leases) time.Duration {
		t.Helper()
		d, err := l.Held(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	a := window.NewLeases(f.store, "a", hold, log)
	if a.May() || held(a) != 0 {
		t.Errorf("at first: leases may be taken: %v, and are held for %v", a.May(), held(a))
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { a.Keep(ctx); close(done) }()
	time.Sleep(20 * time.Millisecond)
	if notes, err := f.store.Notes(t.Context(), "leases/"); err != nil || len(notes) != 0 || a.May() || a.Wanted() {
		t.Errorf("before there is a frontier to lease from, the notes are %v, %v", notes, err)
	}
	a.Want()
	for !a.May() {
		time.Sleep(time.Millisecond)
	}
	if d := held(a); d != 0 {
		t.Errorf("a worker that has taken no lease waits %v for itself", d)
	}
	// A second worker with the same name, after the loss of the frontier.
	b := window.NewLeases(f.store, "a", time.Second, log)
	if d := held(b); d < hold-time.Second || d > hold {
		t.Errorf("a worker's leases are held for %v, want %v", d, hold)
	}
	a.Taken()
	if d := held(a); d < hold-time.Second || d > hold {
		t.Errorf("a worker's own leases are held for %v, want %v", d, hold)
	}
	stop()
	<-done
	if a.May() || held(b) != 0 {
		t.Errorf("after its end: leases may be taken: %v, and are held for %v", a.May(), held(b))
	}
	// Notes of long-dead workers, and unreadable notes, are removed.
	for name, text := range map[string]string{"leases/x/1": `{"until":"2020-01-01T00:00:00Z","hold":1000000000}`, "leases/x/2": "?"} {
		if err := f.store.SetNote(t.Context(), name, text); err != nil {
			t.Fatal(err)
		}
	}
	if d := held(b); d != 0 {
		t.Errorf("held for %v", d)
	}
	if notes, err := f.store.Notes(t.Context(), ""); err != nil || len(notes) != 0 {
		t.Errorf("notes %v, %v", notes, err)
	}
}

// Many urgent hosts do not come into a full window one after the other.
func TestManyUrgentHostsComeInAtOnce(t *testing.T) {
	f := newFleet(t, 64, 16)
	f.enlist(jobs(100, 1, always(0.5))...)
	for range 20 { // no visits
		f.tick()
		f.set(f.now.Add(50 * time.Millisecond))
	}
	var urgent []plat.Job
	var hosts []string
	for i := range 50 {
		hosts = append(hosts, fmt.Sprintf("urgent%d.test", i))
		urgent = append(urgent, plat.Job{URL: "https://" + hosts[i] + "/", Priority: 0.9})
	}
	f.enlist(urgent...)
	for range 3 { // a tick is 100 ms
		f.set(f.now.Add(50 * time.Millisecond))
		f.tick()
	}
	in, err := f.queue.Hosts(t.Context(), 0, hosts)
	if err != nil {
		t.Fatal(err)
	}
	out := 0
	for _, h := range in {
		if !h.In {
			out++
		}
	}
	if out > 0 {
		t.Errorf("%d of %d urgent hosts are not in the window after 150 ms", out, len(hosts))
	}
	f.visitAll(2 * time.Millisecond)
}

// Whoever may hold a lease is asked before leases are granted sooner: also a worker whose note is past,
// as it may not reach the archive, but none of long ago.
func TestAllWhoMayHoldLeasesAreAsked(t *testing.T) {
	f := newFleet(t, 32, 16)
	a := window.NewLeases(f.store, "a", time.Second, slog.New(slog.DiscardHandler))
	want := []string{a.Name(), "fresh", "old", "unreadable"}
	for name, text := range map[string]string{
		"b/fresh":      time.Now().Add(time.Second).UTC().Format(time.RFC3339),
		"a/old":        time.Now().Add(-2 * time.Minute).UTC().Format(time.RFC3339),
		"x y/long":     time.Now().Add(-time.Hour).UTC().Format(time.RFC3339),
		"b/unreadable": "?",
	} {
		if err := f.store.SetNote(t.Context(), "leases/"+name, fmt.Sprintf(`{"until":%q,"hold":1000000000}`, text)); err != nil {
			t.Fatal(err)
		}
	}
	all, err := a.Holders(t.Context())
	slices.Sort(all)
	slices.Sort(want)
	if err != nil || !slices.Equal(all, want) {
		t.Errorf("%q, %v; want %q", all, err, want)
	}
}
