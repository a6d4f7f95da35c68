package window_test

import (
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"plat/plat"
	"plat/queue"
	"plat/queue/window"
	"plat/storage"
	"plat/storage/sqlite"
	"plat/storage/sqlite/sqlitetest"
)

// A fleet is an archive, a frontier with a clock of its own, and a loader.
type fleet struct {
	t       testing.TB
	store   *sqlite.Store
	redis   *queue.Server
	queue   *queue.Queue
	loader  *window.Loader
	planner window.Planner
	now     time.Time
	begun   time.Time
	next    time.Time // the loader's next tick

	visits map[string]int
	order  []string // of visits
	clocks map[string]time.Time
	delay  time.Duration
	most   int // URLs in the window
}

func newFleet(t testing.TB, size, perHost int) *fleet {
	t.Helper()
	f := &fleet{t: t, visits: map[string]int{}, clocks: map[string]time.Time{}}
	var err error
	f.store = sqlitetest.Open(t)
	if f.redis, err = queue.Embed("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.redis.Close() })
	// The archive's clock is that of this machine, an hour ahead of Redis'.
	f.begun = time.Now().UTC().Truncate(time.Second).Add(-time.Hour)
	f.set(f.begun)
	if f.queue, err = queue.Open(t.Context(), queue.Options{URL: f.redis.URL(), Size: size, PerHost: perHost}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.queue.Close() })
	f.begin()
	return f
}

func (f *fleet) begin() {
	f.t.Helper()
	if _, err := f.queue.Begin(f.t.Context(), 0); err != nil {
		f.t.Fatal(err)
	}
	f.loader = window.NewLoader(f.store, f.queue, f.planner, slog.New(slog.DiscardHandler), nil)
	f.next = f.now
}

func (f *fleet) set(now time.Time) {
	f.now = now
	f.redis.SetTime(now)
}

func (f *fleet) enlist(jobs ...plat.Job) {
	f.t.Helper()
	for i := range jobs {
		if jobs[i].Due.IsZero() {
			jobs[i].Due = f.now
		}
	}
	e, err := f.store.Enlist(f.t.Context(), jobs, storage.Again)
	if err != nil {
		f.t.Fatal(err)
	}
	if err := f.queue.Offer(f.t.Context(), e.Jobs); err != nil {
		f.t.Fatal(err)
	}
}

// tick runs the loader until its next time, and checks the window's bound.
func (f *fleet) tick() {
	f.t.Helper()
	for !f.now.Before(f.next) {
		wait, err := f.loader.Tick(f.t.Context())
		if err != nil {
			f.t.Fatal(err)
		}
		f.next = f.next.Add(max(wait, time.Millisecond))
	}
	s, err := f.queue.Stats(f.t.Context())
	if err != nil {
		f.t.Fatal(err)
	}
	if f.most = max(f.most, int(s.Queued)); f.most > f.queue.Size() {
		f.t.Fatalf("%d URLs are in a window of %d", f.most, f.queue.Size())
	}
}

// visit visits one URL, and settles it; next says when it is due again. It reports
// whether there was one.
func (f *fleet) visit(next func(url string) time.Time) bool {
	f.t.Helper()
	f.tick()
	l, _, err := f.queue.Lease(f.t.Context(), "w")
	if err != nil {
		f.t.Fatal(err)
	}
	if l == nil {
		return false
	}
	if clock := f.clocks[l.Host]; f.now.Before(clock) {
		f.t.Fatalf("%s is visited %v too soon", l.URL, clock.Sub(f.now))
	}
	f.clocks[l.Host] = f.now.Add(f.delay)
	v := plat.Visit{URL: l.URL, Time: f.now, Outcome: plat.OutcomeUnchanged, Settles: l.Due, Rest: f.delay}
	if next != nil {
		v.Next = next(l.URL)
	}
	err = f.store.Record(f.t.Context(), v, 1)
	if err != nil && !errors.Is(err, plat.ErrSettled) {
		f.t.Fatal(err)
	}
	if err == nil {
		f.visits[l.URL]++
		f.order = append(f.order, l.URL)
	}
	if err := f.queue.Done(f.t.Context(), l, f.delay); err != nil {
		f.t.Fatal(err)
	}
	return true
}

// visitAll visits one URL per step, until no URL comes for a while.
func (f *fleet) visitAll(step time.Duration) {
	f.t.Helper()
	for last := f.now; f.now.Sub(last) < 3*time.Second; f.set(f.now.Add(step)) {
		if f.visit(nil) {
			last = f.now
		}
		if f.now.Sub(last) > time.Second {
			step = 50 * time.Millisecond
		}
	}
}

// visitUntil visits until some time, as often as hosts allow.
func (f *fleet) visitUntil(end time.Time, next func(url string) time.Time) {
	f.t.Helper()
	for f.now.Before(end) {
		f.visit(next)
		f.set(f.now.Add(10 * time.Millisecond))
	}
}

func (f *fleet) allOnce(jobs []plat.Job) {
	f.t.Helper()
	for _, j := range jobs {
		if f.visits[j.URL] != 1 {
			f.t.Errorf("%s was visited %d times, want once", j.URL, f.visits[j.URL])
		}
	}
	s, err := f.queue.Stats(f.t.Context())
	if err != nil || s.Queued+s.Leased+s.Hosts != 0 {
		f.t.Errorf("left in the window: %+v, %v", s, err)
	}
	c, err := f.store.Counts(f.t.Context(), f.now)
	if err != nil || c != (storage.JobCounts{}) {
		f.t.Errorf("left in the archive: %+v, %v", c, err)
	}
}

func jobs(hosts, each int, priority func() float32) (all []plat.Job) {
	for i := range hosts * each {
		all = append(all, plat.Job{URL: fmt.Sprintf("https://h%d.test/%d", i%hosts, i/hosts), Priority: priority()})
	}
	return all
}

func always(p float32) func() float32 { return func() float32 { return p } }
