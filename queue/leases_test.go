package queue

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"plat/plat"
)

func whoHasWhat(t *testing.T, url string) {
	q := begun(t, url, nil)
	add(t, q, job("http://a.test/1", 1), job("http://b.test/a b", 1), job("http://c.test/", 0))
	if held, err := q.Held(t.Context()); err != nil || len(held) > 0 {
		t.Fatalf("before any lease: %v, %v", held, err)
	}
	var leases []*Lease
	for _, worker := range []string{"second", "first"} {
		leases = append(leases, leaseTo(t, q, worker))
	}
	held, err := q.Held(t.Context())
	ok(t, err)
	if len(held) != 2 || held[0].Worker != "first" || held[0].URL != leases[1].URL || held[0].Host != leases[1].Host ||
		held[1].Worker != "second" || held[1].URL != leases[0].URL || time.Since(held[0].Since).Abs() > time.Minute {
		t.Errorf("held are %+v, leased %+v", held, leases)
	}
	ok(t, q.Done(t.Context(), leases[0], 0))
	if held, err := q.Held(t.Context()); err != nil || len(held) != 1 || held[0].Worker != "first" {
		t.Errorf("after one is done: %v, %v", held, err)
	}
}

func oneHostOneWorker(t *testing.T, url string) {
	q := begun(t, url, nil)
	add(t, q, job("http://a.test/1", 1), job("http://a.test/2", 1), job("http://a.test:8080/", 0))
	first, second := lease(t, q), lease(t, q)
	if first.Host == second.Host {
		t.Fatalf("%s is leased twice", first.Host)
	}
	empty(t, q)
	if first.Host != "a.test" {
		first, second = second, first
	}
	ok(t, q.Done(t.Context(), first, 0))
	if l := lease(t, q); l.URL != "http://a.test/2" {
		t.Errorf("leased %s", l.URL)
	}
}

func clocks(t *testing.T, url string) {
	q := begun(t, url, nil)
	add(t, q, job("http://a.test/1", 1), job("http://a.test/2", 1))
	l := lease(t, q)
	const delay = time.Second // longer than a request takes on a busy machine
	before := time.Now()
	ok(t, q.Done(t.Context(), l, delay))
	if wait := empty(t, q); wait > delay+time.Millisecond || wait <= 0 {
		t.Errorf("told to wait %v of %v", wait, delay)
	}
	// URLs that come in during the delay wait as well.
	offer(t, q, job("http://a.test/3", 1))
	add(t, q, job("http://a.test/4", 1))
	lease(t, q)
	if passed := time.Since(before); passed < delay {
		t.Errorf("the host was leased again after %v", passed)
	}
}

func fencing(t *testing.T, url string) {
	q := begun(t, url, func(o *Options) { o.TTL = 500 * time.Millisecond })
	add(t, q, job("http://a.test/", 1))
	old := lease(t, q)
	now := lease(t, q) // after the first expired
	if now.URL != old.URL || now.Attempt != 2 || old.Attempt != 1 || !now.Due.Equal(old.Due) {
		t.Errorf("attempt %d of %s due %v, then %d of %s due %v", old.Attempt, old.URL, old.Due, now.Attempt, now.URL, now.Due)
	}
	for what, err := range map[string]error{
		"beat": q.Beat(t.Context(), old), "done": q.Done(t.Context(), old, 0),
		"retry": q.End(t.Context(), old, Retried, 0), "bury": q.End(t.Context(), old, Buried, 0), "back": q.Back(t.Context(), old, 0),
	} {
		if !errors.Is(err, ErrLost) {
			t.Errorf("%s under a lost lease: %v", what, err)
		}
	}
	// Heartbeats keep it alive.
	for range 5 {
		time.Sleep(120 * time.Millisecond)
		ok(t, q.Beat(t.Context(), now))
	}
	ok(t, q.Done(t.Context(), now, 0))
	if err := q.Done(t.Context(), now, 0); !errors.Is(err, ErrLost) {
		t.Errorf("settled twice: %v", err)
	}
	s, err := q.Stats(t.Context())
	if err != nil || s.Done != 1 || s.Expired != 1 || s.TooLate != 5 || s.Leased+s.Queued+s.Hosts != 0 {
		t.Errorf("%+v, %v", s, err)
	}
}

func lostWorkers(t *testing.T, url string) {
	q := begun(t, url, func(o *Options) { o.TTL, o.Attempts = 50*time.Millisecond, 3 })
	add(t, q, job("http://a.test/poison", 1))
	for i := range 5 { // the next worker finds that the attempts are used up
		if l := lease(t, q); l.Attempt != i+1 {
			t.Errorf("attempt %d, want %d", l.Attempt, i+1)
		}
	}
}

// A host whose worker was lost rests, since its last request may have been just now.
func restOfLostWorkers(t *testing.T, url string) {
	q := begun(t, url, func(o *Options) { o.TTL, o.Rest = 50*time.Millisecond, 300*time.Millisecond })
	add(t, q, job("http://a.test/", 1))
	first := lease(t, q)
	second := lease(t, q)
	if passed := second.Now.Sub(first.Now); passed < 350*time.Millisecond {
		t.Errorf("leased again after %v", passed)
	}
	if hold, want := q.Hold(), 337500*time.Microsecond; hold != want {
		t.Errorf("leases are held back for %v, want %v", hold, want)
	}
}

// with ends a lease one way.
func with(q *Queue, how Ending) func(context.Context, *Lease, time.Duration) error {
	return func(ctx context.Context, l *Lease, delay time.Duration) error { return q.End(ctx, l, how, delay) }
}

// However a lease is settled, the URL leaves the window, unless it is given back.
func endings(t *testing.T, url string) {
	q := begun(t, url, nil)
	due := time.UnixMilli(1_790_000_000_000).UTC()
	want := Entry{URL: "http://a.test/", State: "leased", Due: due, Priority: 0.25, Attempt: 3, Throttled: 1}
	for name, end := range map[string]func(context.Context, *Lease, time.Duration) error{"done": q.Done, "retry": with(q, Retried), "slow": with(q, Slowed), "bury": with(q, Buried), "later": with(q, PutOff)} {
		elect(t, q)
		_, err := q.Load(t.Context(), []HostJobs{{Host: "a.test", Jobs: []LoadedJob{{URL: want.URL, Due: due, Priority: 0.25, Attempts: 2, Throttled: 1}}}})
		ok(t, err)
		l := lease(t, q)
		if l.Entry != want {
			t.Errorf("%+v, want %+v", l.Entry, want)
		}
		ok(t, q.Back(t.Context(), l, 0))
		if l = lease(t, q); l.Entry != want {
			t.Errorf("after it was given back: %+v, want %+v", l.Entry, want)
		}
		ok(t, end(t.Context(), l, 0))
		empty(t, q)
		if h := hostNow(t, q, "a.test"); h != (HostWindow{}) {
			t.Errorf("%s: the window still has %+v", name, h)
		}
	}
	s, err := q.Stats(t.Context())
	if err != nil || s.Done != 1 || s.Retried != 1 || s.Slowed != 1 || s.Buried != 1 || s.PutOff != 1 || s.Returned != 5 || s.Leases != 10 || s.Added != 5 || s.Queued+s.Leased+s.Hosts != 0 {
		t.Errorf("%+v, %v", s, err)
	}
}

func paused(t *testing.T, url string) {
	q := begun(t, url, nil)
	add(t, q, job("http://a.test/1", 1), job("http://b.test/", 1))
	l := lease(t, q)
	ok(t, q.Pause(t.Context(), true))
	empty(t, q)
	ok(t, q.Beat(t.Context(), l))
	ok(t, q.Done(t.Context(), l, 0))
	ok(t, q.Pause(t.Context(), false))
	lease(t, q)
}

// However workers concurrently take, lose and settle leases, and loaders fill a small
// window, each job is settled once, no host is leased twice at a time, and nothing is
// left.
func TestManyWorkers(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		change := func(o *Options) {
			o.TTL, o.Attempts, o.Shards, o.Size, o.PerHost = 250*time.Millisecond, 100, 4, 40, 5
		}
		q := begun(t, url, change)
		const hosts, pages = 15, 8
		a := newArchive()
		for h := range hosts {
			for p := range pages / 2 {
				a.put(fmt.Sprintf("http://h%d.test/%d", h, p), float32(p)/pages)
			}
		}
		var mu sync.Mutex
		settled, held := map[string]int{}, map[string]time.Time{} // host -> latest end of its lease
		ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
		defer cancel()
		finished := func() bool {
			mu.Lock()
			defer mu.Unlock()
			return len(settled) == hosts*pages
		}
		var work sync.WaitGroup
		for range 2 {
			loader := open(t, url, func(o *Options) { change(o); o.Prefix = q.o.Prefix })
			work.Go(func() {
				for ctx.Err() == nil && !finished() {
					if err := a.fill(ctx, loader, 3); err != nil && ctx.Err() == nil {
						t.Error(err)
						return
					}
					time.Sleep(5 * time.Millisecond)
				}
			})
		}
		for w := range 8 {
			work.Go(func() {
				for n := w; ctx.Err() == nil && !finished(); n++ {
					l, wait, err := q.Lease(ctx, fmt.Sprint(w))
					switch {
					case err != nil:
						t.Error(err)
						return
					case l == nil:
						time.Sleep(min(wait, 10*time.Millisecond))
						continue
					}
					mu.Lock()
					// A lease that has ended before this check takes nothing from the next one.
					end, now := l.Granted.Add(q.TTL()), time.Now()
					if now.Before(held[l.Host]) && now.Before(end) {
						t.Errorf("%s is leased while another holds it", l.Host)
					}
					if end.After(held[l.Host]) {
						held[l.Host] = end
					}
					mu.Unlock()
					if n%7 == 3 {
						continue // simulate a crash of this worker
					}
					mu.Lock()
					delete(held, l.Host)
					mu.Unlock()
					if n%5 == 0 {
						err = q.End(ctx, l, Retried, time.Millisecond)
					} else {
						if a.done(l.URL) { // before the lease ends
							mu.Lock()
							settled[l.URL]++
							mu.Unlock()
							if p := plat.HostOf(l.URL); !strings.HasSuffix(l.URL, "-link") {
								link := a.put(l.URL+"-link", 0.5)
								if err := q.Offer(ctx, []plat.Job{{URL: link, Due: l.Due, Priority: 0.5}}); err != nil {
									t.Error(p, err)
									return
								}
							}
						}
						err = q.Done(ctx, l, 0)
					}
					if err != nil && !errors.Is(err, ErrLost) {
						t.Error(err)
						return
					}
				}
			})
		}
		work.Wait()
		if !finished() {
			t.Errorf("%d of %d are settled", len(settled), hosts*pages)
		}
		for u, n := range settled {
			if n != 1 {
				t.Errorf("%s was settled %d times", u, n)
			}
		}
		checkKeys(t, q)
	})
}
