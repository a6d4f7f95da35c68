package window_test

import (
	"testing"
	"time"

	"plat/plat"
	"plat/queue"
	"plat/queue/window"
)

// underway checks what statistics say of leases.
func (f *fleet) underway(when string, urls ...string) {
	f.t.Helper()
	s, err := window.ReadStats(f.t.Context(), f.queue, f.store)
	if err != nil || s.Leased != int64(len(urls)) || s.Leased == 0 && s.OldestMS != 0 || s.Jobs == nil {
		f.t.Errorf("%s: %d leased, the oldest for %v, %v; want %d", when, s.Leased, s.Oldest(), err, len(urls))
	}
	all, err := window.Underway(f.t.Context(), f.queue, f.store)
	if err != nil || len(all) != len(urls) {
		f.t.Fatalf("%s: under way is %v, %v; want %v", when, all, err, urls)
	}
	for i, u := range urls {
		if all[i].URL != u {
			f.t.Errorf("%s: under way is %v, want %v", when, all, urls)
		}
	}
}

func (f *fleet) lease() *queue.Lease {
	f.t.Helper()
	f.tick()
	l, _, err := f.queue.Lease(f.t.Context(), "w")
	if l == nil || err != nil {
		f.t.Fatalf("leased %v, %v", l, err)
	}
	return l
}

// A worker that is killed after it has settled a job leaves a lease, which is no visit.
func TestStatsCountNoSettledJob(t *testing.T) {
	f := newFleet(t, 100, 16)
	f.enlist(plat.Job{URL: "https://a.test/", Priority: 0.5}, plat.Job{URL: "https://b.test/", Priority: 0.4})
	first, second := f.lease(), f.lease()
	f.set(f.now.Add(time.Second))
	v := plat.Visit{URL: first.URL, Time: f.now, Outcome: plat.OutcomeUnchanged, Settles: first.Due}
	if err := f.store.Record(t.Context(), v, 1); err != nil {
		t.Fatal(err)
	}
	f.set(f.now.Add(5 * time.Second))
	f.underway("one is settled", second.URL)
	f.set(f.now.Add(25 * time.Second))
	f.underway("both leases have ended")
}

// A page that was visited before and is visited again is under way.
func TestStatsCountALaterVisit(t *testing.T) {
	f := newFleet(t, 100, 16)
	f.enlist(plat.Job{URL: "https://a.test/"})
	f.visit(func(string) time.Time { return f.now.Add(time.Minute) })
	f.set(f.now.Add(2 * time.Minute))
	l := f.lease()
	f.underway("leased", l.URL)
	f.set(f.now.Add(6 * time.Second))
	f.underway("leased for 6 s", l.URL)
}
