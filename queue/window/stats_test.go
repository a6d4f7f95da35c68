package window_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"plat/plat"
	"plat/queue"
	"plat/queue/window"
)

// counting is an archive that counts the states it is asked for, and may be out of order.
type counting struct {
	window.Records
	asked int
	fails error
}

func (c *counting) State(ctx context.Context, url string) (plat.URLState, error) {
	c.asked++
	if c.fails != nil {
		return plat.URLState{}, c.fails
	}
	return c.Records.State(ctx, url)
}

// leasedMetric returns the number of leased URLs that Prometheus receives.
func leasedMetric(t testing.TB, stats func(context.Context) (queue.Stats, error)) int64 {
	t.Helper()
	r := prometheus.NewPedanticRegistry()
	r.MustRegister(queue.NewCollector(stats))
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if l := m.GetLabel(); f.GetName() == "plat_queue_urls" && l[0].GetValue() == "leased" {
				return int64(m.GetGauge().GetValue())
			}
		}
	}
	t.Fatal("there is no plat_queue_urls of leased ones")
	return 0
}

// underway checks what statistics say of leases: those of a command, and those that a fleet shares,
// which all processes ask the archive for once.
func (f *fleet) underway(when string, urls ...string) {
	f.t.Helper()
	archive := &counting{Records: f.store}
	for range 3 {
		shared := window.FleetCounter{Queue: f.queue, Archive: archive}
		if n := leasedMetric(f.t, window.StatsOf(f.queue, shared)); n != int64(len(urls)) {
			f.t.Errorf("%s: plat_queue_urls of leased ones is %d, want %d", when, n, len(urls))
		}
		if s, err := window.ReadStats(f.t.Context(), f.queue, shared); err != nil || s.Leased != int64(len(urls)) {
			f.t.Errorf("%s: of the fleet %d are leased, %v; want %d", when, s.Leased, err, len(urls))
		}
	}
	if archive.asked > 2 {
		f.t.Errorf("%s: the archive was asked for %d states", when, archive.asked)
	}
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
	broken := &counting{Records: f.store, fails: errors.New("no answer")}
	if n := leasedMetric(t, window.StatsOf(f.queue, broken)); n != 2 || broken.asked == 0 {
		t.Errorf("without the archive, %d are leased, want both", n)
	}
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
