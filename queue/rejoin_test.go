package queue

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"plat/queue/redistest"
)

// restarted restarts Redis, with its data or without, and begins the frontier again.
func restarted(t *testing.T, server *redistest.Server, q *Queue, forget bool, hold time.Duration) {
	t.Helper()
	server.Kill()
	if forget {
		ok(t, server.Forget())
	}
	ok(t, server.Restart())
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if _, _, err := q.Lease(t.Context(), "w"); errors.Is(err, ErrNone) {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the restart is not noticed")
		}
	}
	if is, err := q.Begin(t.Context(), hold); !is || err != nil {
		t.Fatalf("not begun: %v", err)
	}
}

// asks makes a process ask for a job, of which there is none before the release, and rejoin.
func asks(t *testing.T, q *Queue, name string, want bool) {
	t.Helper()
	for range q.Shards() { // a lease from one would hide the others
		l, _, err := q.Lease(t.Context(), "w")
		for end := time.Now().Add(5 * time.Second); err != nil && time.Now().Before(end); { // connections of before the restart
			l, _, err = q.Lease(t.Context(), "w")
		}
		if l != nil || err != nil {
			t.Fatalf("%s: leased %+v, %v", name, l, err)
		}
	}
	if is, err := q.Rejoin(t.Context(), name); is != want || err != nil {
		t.Fatalf("%s has rejoined: %v, %v; want %v", name, is, err, want)
	}
}

func releases(t *testing.T, q *Queue, want bool, names ...string) {
	t.Helper()
	if is, err := q.Release(t.Context(), names); is != want || err != nil {
		t.Fatalf("released for %q: %v, %v; want %v", names, is, err, want)
	}
}

// After a restart of Redis, leases are granted as soon as every worker has said that it holds none, and
// hosts that they have visited rest.
func TestAHoldEndsWhenAllHaveRejoined(t *testing.T) {
	for _, forget := range []bool{false, true} {
		t.Run(fmt.Sprintf("data lost %v", forget), func(t *testing.T) {
			server := redistest.Start(t)
			a := begun(t, server.URL(), func(o *Options) { o.TTL, o.Rest = time.Minute, 1500*time.Millisecond })
			b := open(t, server.URL(), func(o *Options) { *o = a.o })
			jobs := []string{"http://a.test/", "http://b.test/", "http://c.test/", "http://d.test/"}
			fill := func() {
				for i, u := range jobs {
					add(t, a, job(u, 1-float32(i)/10))
				}
			}
			fill()
			first, second, third := lease(t, a), lease(t, b), lease(t, b)
			ok(t, a.Done(t.Context(), first, 0)) // nothing was requested
			ok(t, b.Done(t.Context(), third, 1200*time.Millisecond))
			was := time.Now()
			restarted(t, server, a, forget, time.Minute)
			fill()
			asks(t, a, "A", true)
			releases(t, a, false, "A", "B")
			asks(t, b, "B", false) // it has a visit under way
			releases(t, b, false, "A", "B")
			if err := b.Beat(t.Context(), second); !errors.Is(err, ErrLost) {
				t.Errorf("its lease is valid: %v", err)
			}
			b.Over(second)
			asks(t, b, "B", true)
			releases(t, b, false, "A", "B", "C") // a worker that has crashed
			if s, err := b.Stats(t.Context()); err != nil || s.HeldFor < 50_000 {
				t.Errorf("%+v, %v", s, err)
			}
			releases(t, a, true, "A", "B")
			t.Logf("the first lease %v after the restart", time.Since(was).Round(time.Millisecond))
			asks2 := []string{lease(t, a).Host, lease(t, b).Host}
			if slices.Sort(asks2); !slices.Equal(asks2, []string{"a.test", "d.test"}) {
				t.Errorf("leased %v, while b.test and c.test rest", asks2)
			}
			if l := lease(t, a); l.Host != "c.test" || time.Since(was) < 1100*time.Millisecond {
				t.Errorf("leased %s after %v", l.Host, time.Since(was))
			}
			if l := lease(t, b); l.Host != "b.test" || time.Since(was) < 1500*time.Millisecond {
				t.Errorf("leased %s after %v", l.Host, time.Since(was))
			}
			if err := b.Done(t.Context(), second, 0); !errors.Is(err, ErrLost) {
				t.Errorf("settled a lease of before the restart: %v", err)
			}
			if m, err := a.rdb.HGetAll(t.Context(), a.keys[0][metaKey]).Result(); err != nil || m["said"]+m["hold"] != "" {
				t.Errorf("left: %v, %v", m, err)
			}
			checkKeys(t, a)
		})
	}
}

// If a worker has crashed with Redis, the whole time is waited.
func TestAHoldLastsIfAWorkerHasCrashed(t *testing.T) {
	server := redistest.Start(t)
	a := begun(t, server.URL(), func(o *Options) { o.TTL = time.Minute })
	b := open(t, server.URL(), func(o *Options) { *o = a.o })
	add(t, a, job("http://a.test/", 1), job("http://b.test/", 0.5))
	lease(t, b) // and it is never heard of again
	const hold = 2 * time.Second
	was := time.Now()
	restarted(t, server, a, false, hold)
	add(t, a, job("http://a.test/", 1), job("http://b.test/", 0.5))
	for time.Since(was) < hold-300*time.Millisecond {
		asks(t, a, "A", true)
		releases(t, a, false, "A", "B")
		time.Sleep(50 * time.Millisecond)
	}
	lease(t, a)
	if passed := time.Since(was); passed < hold {
		t.Errorf("leased after %v", passed)
	}
	if is, err := a.Rejoin(t.Context(), "A"); is || err != nil {
		t.Errorf("still held: %v, %v", is, err)
	}
}

// A second restart during a hold asks all workers again.
func TestAHoldBeginsAgain(t *testing.T) {
	server := redistest.Start(t)
	a := begun(t, server.URL(), nil)
	b := open(t, server.URL(), func(o *Options) { *o = a.o })
	add(t, a, job("http://a.test/", 1))
	lease(t, a)
	restarted(t, server, b, false, time.Minute)
	asks(t, b, "B", true)
	asks(t, a, "A", false)
	restarted(t, server, b, false, time.Minute)
	asks(t, b, "B", true)
	releases(t, b, false, "A", "B")
	// What is said to an earlier frontier does not count, and nobody releases that.
	if n, err := a.run(t.Context(), rejoinScript, 0, a.holdings.shards[0].generation, "A").Int(); n != 0 || err != nil {
		t.Errorf("rejoined an earlier frontier: %d, %v", n, err)
	}
	if n, err := a.run(t.Context(), releaseScript, 0, a.holdings.shards[0].generation).Int(); n != -1 || err != nil {
		t.Errorf("released an earlier frontier: %d, %v", n, err)
	}
	releases(t, b, false, "A", "B")
}

// An answer that was on its way when a process heard of a later frontier grants nothing.
func TestLateLeasesAreRefused(t *testing.T) {
	asked := time.Now()
	for _, tc := range []struct {
		name  string
		knows []string // generations, in this order
		lease string
		late  bool // asked before the last of these was heard of
		want  bool
	}{
		{"the first", nil, "1", false, true},
		{"the same", []string{"1"}, "1", true, true},
		{"an earlier one", []string{"1", "2"}, "1", false, false},
		{"an unknown one, asked before", []string{"2"}, "1", true, false},
		{"a new one, asked since", []string{"1"}, "2", false, true},
	} {
		h := newHoldings(1)
		for _, g := range tc.knows {
			h.wait(0, g, time.Now())
		}
		l := &Lease{Host: "a.test", token: "t", Granted: asked}
		if !tc.late {
			l.Granted = time.Now()
		}
		if got := h.grant(l, tc.lease); got != tc.want || len(h.leases) == 1 != tc.want {
			t.Errorf("%s: %v, %v; want %v", tc.name, got, h.leases, tc.want)
		}
	}
}

// Rests are forgotten when they are over.
func TestRestsDoNotGrow(t *testing.T) {
	h := newHoldings(1)
	for i := range 5000 {
		l := &Lease{Host: fmt.Sprint(i), token: fmt.Sprint(i), Granted: time.Now()}
		if !h.grant(l, "1") {
			t.Fatal("not granted")
		}
		h.over(l, time.Nanosecond)
	}
	if len(h.rests) > 1000 || len(h.leases) > 0 {
		t.Errorf("%d rests, %d leases", len(h.rests), len(h.leases))
	}
}
