package queue

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"plat/plat"
)

// A host of many URLs is loaded in several calls, and no URL overtakes the later parts between
// them.
func parts(t *testing.T, url string) {
	q := begun(t, url, func(o *Options) { o.Shards = 1 })
	elect(t, q)
	var jobs []plat.Job
	var want []string
	for i := range 2*batch + 50 {
		jobs = append(jobs, page(fmt.Sprint(i), 0.5))
		want = append(want, fmt.Sprint(i))
	}
	if q.perHost < len(jobs) {
		q.perHost = len(jobs) + 1
	}
	h := HostJobs{Host: "a.test", Jobs: loaded(jobs...)}
	n, err := q.Load(t.Context(), []HostJobs{{Host: "b.test", Jobs: loaded(job("http://b.test/", 1))}, h})
	if n != len(jobs)+1 || err != nil {
		t.Fatalf("loaded %d, %v", n, err)
	}
	wantQueued(t, q, "a.test", want...)
	if h := hostNow(t, q, "a.test"); h.Stamp != 0 || h.Queued != len(jobs) {
		t.Errorf("%+v", h)
	}
	// The first part only.
	ok(t, q.Clear(t.Context()))
	elect(t, q)
	args := []any{q.name, q.shardSize(), q.perHost, "a.test", 0, "part", 0, 0, 1, jobs[0].URL, 0, 500, 0, 0}
	ok(t, q.run(t.Context(), loadScript, 0, args...).Err())
	offer(t, q, page("new", 0.5))
	wantQueued(t, q, "a.test", "0")
	_, err = q.Load(t.Context(), []HostJobs{{Host: "a.test", Jobs: loaded(jobs[1:3]...)}})
	ok(t, err)
	wantQueued(t, q, "a.test", "0", "1", "2")
	if h := hostNow(t, q, "a.test"); h.Stamp == 0 {
		t.Errorf("the new page is forgotten: %+v", h)
	}
	// If the bound was reached in the first part, the last one does not hide it.
	ok(t, q.Clear(t.Context()))
	q.perHost = 100
	_, err = q.Load(t.Context(), []HostJobs{h})
	ok(t, err)
	if h := hostNow(t, q, "a.test"); h.Stamp == 0 || h.Queued != 100 {
		t.Errorf("%+v", h)
	}
	// Nor if nothing came in by the first part, and there is room for the last one.
	ok(t, q.Clear(t.Context()))
	q.size = 1
	add(t, q, job("http://b.test/", 1))
	ok(t, q.run(t.Context(), loadScript, 0, q.name, q.shardSize(), q.perHost, "a.test", 0, "part", 0, 0, 1, jobs[0].URL, 0, 500, 0, 0).Err())
	checkKeys(t, q)
	ok(t, q.Done(t.Context(), lease(t, q), 0))
	_, err = q.Load(t.Context(), []HostJobs{{Host: "a.test", Jobs: loaded(jobs[1])}})
	ok(t, err)
	if h := hostNow(t, q, "a.test"); h.Stamp == 0 || h.Queued != 1 {
		t.Errorf("the first part is forgotten: %+v", h)
	}
	if _, err := q.Load(t.Context(), []HostJobs{{Host: "b.test", Jobs: h.Jobs}}); err == nil || !strings.Contains(err.Error(), "URL of \"b.test\"") {
		t.Errorf("URLs of another host: %v", err)
	}
}

// Hosts are not visited before the clock that the archive gives.
func clocksOfTheArchive(t *testing.T, url string) {
	q := begun(t, url, nil)
	elect(t, q)
	now, err := q.Now(t.Context())
	ok(t, err)
	until := now.Add(300 * time.Millisecond)
	load := func(h HostJobs) {
		t.Helper()
		_, err := q.Load(t.Context(), []HostJobs{h})
		ok(t, err)
	}
	load(HostJobs{Host: "a.test", Jobs: loaded(page("1", 1))}) // ready
	load(HostJobs{Host: "a.test", Clock: until})
	load(HostJobs{Host: "a.test", Clock: now.Add(10 * time.Millisecond), Jobs: loaded(page("2", 1))}) // an earlier one has no effect
	load(HostJobs{Host: "b.test", Clock: until})                                                      // without URLs
	load(HostJobs{Host: "b.test", Jobs: loaded(job("http://b.test/", 1))})
	load(HostJobs{Host: "c.test", Clock: now.Add(-time.Hour), Jobs: loaded(job("http://c.test/", 0))})
	c := lease(t, q)
	if c.Host != "c.test" && c.Now.Before(until) {
		t.Errorf("leased %s first", c.URL)
	}
	load(HostJobs{Host: "c.test", Clock: until, Jobs: loaded(job("http://c.test/2", 1))}) // also while it is leased
	ok(t, q.Done(t.Context(), c, 0))
	for range 3 {
		if l := lease(t, q); l.Now.Before(until) {
			t.Errorf("leased %s at %v, before %v", l.URL, l.Now, until)
		}
	}
}

func oneLoader(t *testing.T, url string) {
	q := begun(t, url, func(o *Options) { o.Shards = 1 })
	other := open(t, url, func(o *Options) { o.Prefix, o.Shards = q.o.Prefix, 1 })
	refused := func(q *Queue) {
		t.Helper()
		if n, err := q.Load(t.Context(), []HostJobs{{Host: "a.test", Jobs: loaded(page("x", 1))}}); n != 0 || !errors.Is(err, ErrNotLoader) {
			t.Errorf("loaded %d, %v", n, err)
		}
		if n, err := q.Evict(t.Context(), 0, 1, 1); n != 0 || !errors.Is(err, ErrNotLoader) {
			t.Errorf("evicted %d, %v", n, err)
		}
	}
	refused(q) // no loader is elected
	add(t, q, page("1", 0.5))
	if w, err := other.Window(t.Context(), 0); w != nil || err != nil {
		t.Errorf("two loaders: %+v, %v", w, err)
	}
	refused(other)
	elect(t, q)
	// It sends nothing for a while.
	loader, err := q.rdb.HGet(t.Context(), q.keys[0][metaKey], "loader").Result()
	ok(t, err)
	who, until, _ := strings.Cut(loader, " ")
	now, err := q.Now(t.Context())
	ok(t, err)
	if ms, _ := strconv.ParseInt(until, 10, 64); time.UnixMilli(ms).Sub(now) > LoaderTTL || time.UnixMilli(ms).Before(now.Add(LoaderTTL-2*time.Second)) {
		t.Errorf("elected until %s, now is %d", until, now.UnixMilli())
	}
	ok(t, q.rdb.HSet(t.Context(), q.keys[0][metaKey], "loader", fmt.Sprint(who, " ", now.UnixMilli())).Err())
	refused(q)
	elect(t, other)
	refused(q)
	if w, err := q.Window(t.Context(), 0); w != nil || err != nil {
		t.Errorf("two loaders: %+v, %v", w, err)
	}
	if n, err := other.Evict(t.Context(), 0, 1, 1); n != 1 || err != nil {
		t.Errorf("the loader evicted %d, %v", n, err)
	}
	// Without a frontier, Window returns ErrNone.
	ok(t, q.rdb.HDel(t.Context(), q.keys[0][metaKey], "generation").Err())
	if w, err := other.Window(t.Context(), 0); w != nil || !errors.Is(err, ErrNone) {
		t.Errorf("%+v, %v", w, err)
	}
	if _, err := other.Load(t.Context(), []HostJobs{{Host: "a.test"}}); !errors.Is(err, ErrNone) {
		t.Error(err)
	}
	if _, err := other.Evict(t.Context(), 0, 1, 1); !errors.Is(err, ErrNone) {
		t.Error(err)
	}
}

func clearKeepsLeases(t *testing.T, url string) {
	q := begun(t, url, func(o *Options) { o.Shards = 1 })
	ok(t, q.Pause(t.Context(), true))
	ok(t, q.Pause(t.Context(), false))
	add(t, q, page("1", 1), page("2", 1), job("http://b.test/1", 0.5), job("http://b.test/2", 0.5), job("http://c.test/", 0.1))
	l := lease(t, q)
	ok(t, q.Done(t.Context(), lease(t, q), time.Hour)) // b.test
	before, err := q.Window(t.Context(), 0)
	ok(t, err)
	ok(t, q.Clear(t.Context()))
	w, err := q.Window(t.Context(), 0)
	ok(t, err)
	if w.News == before.News || w.Queued != 0 || w.Hosts != 1 || w.LowTotal != 1 || w.Held {
		t.Errorf("%+v", w)
	}
	checkKeys(t, q)
	offer(t, q, page("3", 1)) // 2 is older
	wantQueued(t, q, "a.test")
	ok(t, q.Beat(t.Context(), l))
	ok(t, q.Done(t.Context(), l, 0))
	add(t, q, job("http://b.test/2", 0.5))
	if wait := empty(t, q); wait < 30*time.Second {
		t.Errorf("b.test may be visited in %v", wait)
	}
	add(t, q, job("http://c.test/", 0.1))
	if l := lease(t, q); l.Host != "c.test" {
		t.Errorf("leased %s", l.URL)
	}
	checkKeys(t, q)
}

// An absent or lost frontier grants leases again when it is begun, after the hold.
func beginning(t *testing.T, url string) {
	q := open(t, url, func(o *Options) { o.Shards = 3 })
	other := open(t, url, func(o *Options) { o.Prefix, o.Shards = q.o.Prefix, 3 })
	none := func() {
		t.Helper()
		if _, _, err := q.Lease(t.Context(), "w"); !errors.Is(err, ErrNone) {
			t.Fatalf("lease without a frontier: %v", err)
		}
		offer(t, q, page("1", 1)) // the archive has it
		if s, err := q.Stats(t.Context()); err != nil || s.Exists {
			t.Errorf("%+v, %v", s, err)
		}
	}
	begin := func(hold time.Duration) {
		t.Helper()
		begun := time.Now()
		var first atomic.Int32
		var all sync.WaitGroup
		for _, q := range []*Queue{q, other, q, other} {
			all.Go(func() {
				if is, err := q.Begin(t.Context(), hold); err != nil {
					t.Error(err)
				} else if is {
					first.Add(1)
				}
			})
		}
		all.Wait()
		if n := first.Load(); n < 1 {
			t.Errorf("%d processes began it", n)
		}
		add(t, q, job("http://z.test/", 0))
		s, err := q.Stats(t.Context())
		if err != nil || !s.Exists || hold > 0 && (s.HeldFor <= 0 && time.Since(begun) < hold || s.HeldFor > hold.Milliseconds()+1) || hold == 0 && s.HeldFor > 0 {
			t.Errorf("%+v, %v", s, err)
		}
		l := lease(t, q)
		if passed := time.Since(begun); passed < hold {
			t.Errorf("leased after %v, held for %v", passed, hold)
		}
		ok(t, q.Done(t.Context(), l, 0))
	}
	none()
	begin(300 * time.Millisecond)
	if is, err := q.Begin(t.Context(), time.Hour); is || err != nil {
		t.Errorf("begun twice: %v", err)
	}
	// Redis has lost a part of it.
	before, err := q.Window(t.Context(), 0)
	ok(t, err)
	add(t, q, page("1", 1), page("2", 1), job("http://b.test/", 0.9), job("http://c.test/", 0.8))
	old := lease(t, q)
	resting := lease(t, q)
	ok(t, q.Done(t.Context(), resting, time.Hour))
	ok(t, q.Pause(t.Context(), true))
	for _, keys := range q.keys {
		ok(t, q.rdb.HSet(t.Context(), keys[metaKey], "lost", 1).Err())
	}
	none()
	ok(t, q.Pause(t.Context(), false))
	begin(200 * time.Millisecond)
	if after, err := q.Window(t.Context(), 0); err != nil || after.News == before.News {
		t.Errorf("the loader is not told: %+v, %v", after, err)
	}
	if err := q.Done(t.Context(), old, 0); !errors.Is(err, ErrLost) {
		t.Errorf("settled a lease of before: %v", err)
	}
	add(t, q, job("http://"+resting.Host+"/again", 1))
	if wait := empty(t, q); wait < 30*time.Second {
		t.Errorf("%s may be visited in %v", resting.Host, wait)
	}
	s, err := q.Stats(t.Context())
	if err != nil || s.Leased != 0 || s.Queued != 1 || s.WaitingHosts != 1 || s.Done != 3 {
		t.Errorf("%+v, %v", s, err)
	}
	checkKeys(t, q)
	// And all of it.
	for _, keys := range q.keys {
		for _, key := range keys {
			ok(t, q.rdb.Del(t.Context(), key).Err())
		}
	}
	none()
	begin(0)
}

// When all jobs are done, Redis holds only meta.
func idleWindowIsEmpty(t *testing.T, url string) {
	q := begun(t, url, func(o *Options) { o.Shards = 2 })
	for i := range 10 {
		for k := range 3 {
			add(t, q, job(fmt.Sprintf("http://h%d.test/%d", i, k), 0.5))
		}
	}
	for i := range 30 {
		l := lease(t, q)
		ok(t, []func(context.Context, *Lease, time.Duration) error{q.Done, with(q, Retried), with(q, Slowed), with(q, Buried), with(q, PutOff)}[i%5](t.Context(), l, time.Duration(i%5)*time.Millisecond))
	}
	time.Sleep(10 * time.Millisecond)
	for range 20 { // a random shard each
		empty(t, q)
	}
	for _, keys := range q.keys {
		for i, key := range keys {
			if n, err := q.rdb.Exists(t.Context(), key).Result(); err != nil || n != 0 && i != metaKey {
				t.Errorf("%s is left, %v", key, err)
			}
		}
	}
}
