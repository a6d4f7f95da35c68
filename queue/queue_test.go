package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"go.uber.org/goleak"

	"plat"
	"plat/queue/redistest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// each runs a test on every kind of server.
func each(t *testing.T, test func(t *testing.T, url string)) {
	t.Run("embedded", func(t *testing.T) {
		s, err := Embed("127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		test(t, s.URL())
	})
	t.Run("redis", func(t *testing.T) { test(t, redistest.Start(t).URL()) })
	t.Run("cluster", func(t *testing.T) {
		if testing.Short() {
			t.Skip("skipped: a cluster takes seconds to form, and this is a short run")
		}
		test(t, redistest.Cluster(t, "../scripts/redis-cluster"))
	})
}

// prefixes let tests share a server.
var prefixes struct {
	sync.Mutex
	n int
}

func open(t testing.TB, url string, change func(*Options)) *Queue {
	t.Helper()
	prefixes.Lock()
	prefixes.n++
	o := Options{URL: url, Prefix: fmt.Sprintf("t%d", prefixes.n)}
	prefixes.Unlock()
	if change != nil {
		change(&o)
	}
	q, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { q.Close() })
	return q
}

// begun is open with an empty frontier.
func begun(t testing.TB, url string, change func(*Options)) *Queue {
	t.Helper()
	q := open(t, url, change)
	if _, err := q.Rebuild(t.Context(), none, true); err != nil {
		t.Fatal(err)
	}
	return q
}

func none(func(plat.URLState, error) bool) {}

func add(t testing.TB, q *Queue, jobs ...plat.Job) {
	t.Helper()
	if _, err := q.Add(t.Context(), jobs); err != nil {
		t.Fatal(err)
	}
}

// lease polls until there is a job.
func lease(t testing.TB, q *Queue) *Lease {
	t.Helper()
	return leaseTo(t, q, "w")
}

func leaseTo(t testing.TB, q *Queue, worker string) *Lease {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; {
		l, wait, err := q.Lease(t.Context(), worker)
		if err != nil {
			t.Fatal(err)
		}
		if l != nil {
			return l
		}
		if time.Now().After(deadline) {
			t.Fatal("no job arrived")
		}
		time.Sleep(min(wait, 20*time.Millisecond))
	}
}

// empty fails if there is a job now, and returns when the next may come.
func empty(t testing.TB, q *Queue) time.Duration {
	t.Helper()
	l, wait, err := q.Lease(t.Context(), "w")
	if err != nil {
		t.Fatal(err)
	}
	if l != nil {
		t.Fatalf("leased %s", l.URL)
	}
	return wait
}

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func job(url string, priority float32) plat.Job { return plat.Job{URL: url, Priority: priority} }

func TestFrontier(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		for name, test := range map[string]func(*testing.T, string){
			"order":                orderOfURLs,
			"one host, one worker": oneHostOneWorker,
			"who has what":         whoHasWhat,
			"clocks":               clocks,
			"fencing":              fencing,
			"lost workers":         lostWorkers,
			"retries":              retries,
			"dead":                 deadLetters,
			"many dead":            manyDead,
			"revisits":             revisits,
			"merging":              merging,
			"again":                addedAgain,
			"rebuild":              rebuilt,
			"hosts rest":           hostsRestAfterARebuild,
			"inbox":                inboxIsTaken,
			"one takes":            oneTakesTheInbox,
			"pause":                paused,
			"unknown":              unknownURLs,
			"shards":               shardsAgree,
		} {
			t.Run(name, func(t *testing.T) { test(t, url) })
		}
	})
}

func orderOfURLs(t *testing.T, url string) {
	q := begun(t, url, func(o *Options) { o.Shards = 1 })
	add(t, q,
		job("http://b.test/low", 0.2), job("http://a.test/1", 0.5), job("http://a.test/2", 0.5),
		job("http://a.test/best", 0.9), job("http://c.test/", 0.5), job("http://b.test/", 0.5), job("http://d.test/top", 1))
	var got []string
	for range 7 {
		l := lease(t, q)
		got = append(got, strings.TrimPrefix(l.URL, "http://"))
		ok(t, q.Done(t.Context(), l, time.Time{}, 0))
	}
	want := []string{"d.test/top", "a.test/best", "b.test/", "c.test/", "a.test/1", "a.test/2", "b.test/low"}
	if !slices.Equal(got, want) {
		t.Errorf("visited %v, want %v", got, want)
	}
	if wait := empty(t, q); wait < 30*time.Second {
		t.Errorf("told to ask again in %v, but the frontier is empty", wait)
	}
}

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
	ok(t, q.Done(t.Context(), leases[0], time.Time{}, 0))
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
	ok(t, q.Done(t.Context(), first, time.Time{}, 0))
	if l := lease(t, q); l.URL != "http://a.test/2" {
		t.Errorf("leased %s", l.URL)
	}
}

func clocks(t *testing.T, url string) {
	q := begun(t, url, nil)
	add(t, q, job("http://a.test/1", 1), job("http://a.test/2", 1))
	l := lease(t, q)
	before := time.Now()
	ok(t, q.Done(t.Context(), l, time.Time{}, 300*time.Millisecond))
	if wait := empty(t, q); wait > 301*time.Millisecond || wait <= 0 {
		t.Errorf("told to wait %v of 300 ms", wait)
	}
	// URLs added meanwhile wait as well.
	add(t, q, job("http://a.test/3", 1))
	lease(t, q)
	if passed := time.Since(before); passed < 300*time.Millisecond {
		t.Errorf("the host was leased again after %v", passed)
	}
}

func fencing(t *testing.T, url string) {
	q := begun(t, url, func(o *Options) { o.TTL = 200 * time.Millisecond })
	add(t, q, job("http://a.test/", 1))
	old := lease(t, q)
	now := lease(t, q) // after the first expired
	if now.URL != old.URL || now.Attempt != 2 || old.Attempt != 1 || !now.Due.Equal(old.Due) {
		t.Errorf("attempt %d of %s due %v, then %d of %s due %v", old.Attempt, old.URL, old.Due, now.Attempt, now.URL, now.Due)
	}
	for what, err := range map[string]error{
		"beat": q.Beat(t.Context(), old), "done": q.Done(t.Context(), old, time.Time{}, 0),
		"retry": q.Retry(t.Context(), old, 0, 0), "bury": q.Bury(t.Context(), old, DeadLetter{}, 0),
	} {
		if !errors.Is(err, ErrLost) {
			t.Errorf("%s under a lost lease: %v", what, err)
		}
	}
	// Heartbeats keep it alive.
	for range 5 {
		time.Sleep(80 * time.Millisecond)
		ok(t, q.Beat(t.Context(), now))
	}
	ok(t, q.Done(t.Context(), now, time.Time{}, 0))
	if err := q.Done(t.Context(), now, time.Time{}, 0); !errors.Is(err, ErrLost) {
		t.Errorf("settled twice: %v", err)
	}
	s, err := q.Stats(t.Context())
	if err != nil || s.Done != 1 || s.Expired != 1 || s.TooLate != 4 || s.Leased != 0 || s.Known != 1 {
		t.Errorf("%+v, %v", s, err)
	}
}

func lostWorkers(t *testing.T, url string) {
	q := begun(t, url, func(o *Options) { o.TTL, o.Attempts = 50*time.Millisecond, 3 })
	add(t, q, job("http://a.test/poison", 1))
	for i := range 3 {
		if l := lease(t, q); l.Attempt != i+1 {
			t.Errorf("attempt %d, want %d", l.Attempt, i+1)
		}
	}
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		empty(t, q)
		dead, err := q.Dead(t.Context())
		ok(t, err)
		if len(dead) == 1 {
			if d := dead[0]; d.URL != "http://a.test/poison" || d.Outcome != plat.OutcomeCrashed || d.Attempts != 3 {
				t.Errorf("%+v", d)
			}
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the URL is not dead")
		}
	}
}

func retries(t *testing.T, url string) {
	q := begun(t, url, nil)
	add(t, q, job("http://a.test/", 0.25))
	l := lease(t, q)
	due := l.Due
	ok(t, q.Retry(t.Context(), l, 400*time.Millisecond, 0))
	empty(t, q)
	l = lease(t, q)
	ok(t, q.Slow(t.Context(), l, 10*time.Millisecond, 0))
	l = lease(t, q)
	if l.Attempt != 2 || l.Throttled != 1 {
		t.Errorf("attempt %d, throttled %d", l.Attempt, l.Throttled)
	}
	ok(t, q.Back(t.Context(), l, 0))
	l = lease(t, q)
	if want := (Entry{URL: "http://a.test/", State: "leased", Due: due, Priority: 0.25, Attempt: 2, Throttled: 1}); l.Entry != want {
		t.Errorf("%+v, want %+v", l.Entry, want)
	}
}

// All dead URLs are revived, however many.
func manyDead(t *testing.T, url string) {
	q := begun(t, url, nil)
	const n = 1500
	var jobs []plat.Job
	for i := range n {
		jobs = append(jobs, job(fmt.Sprintf("http://%d.test/", i), 1))
	}
	add(t, q, jobs...)
	for range n {
		ok(t, q.Bury(t.Context(), lease(t, q), DeadLetter{}, 0))
	}
	if k, err := q.Revive(t.Context()); k != n || err != nil {
		t.Errorf("revived %d of %d, %v", k, n, err)
	}
}

func deadLetters(t *testing.T, url string) {
	q := begun(t, url, nil)
	for i := range 5 {
		add(t, q, job(fmt.Sprintf("http://%d.test/", i), 1))
		l := lease(t, q)
		ok(t, q.Bury(t.Context(), l, DeadLetter{Outcome: plat.OutcomeGone, Error: "404", Time: time.Unix(int64(i), 0).UTC()}, 0))
	}
	dead, err := q.Dead(t.Context())
	ok(t, err)
	if len(dead) != 5 || dead[0].URL != "http://4.test/" || dead[0].Attempts != 1 || dead[0].Outcome != plat.OutcomeGone || dead[0].Error != "404" {
		t.Fatalf("%+v", dead)
	}
	empty(t, q)
	if n, err := q.Revive(t.Context(), "http://2.test/", "http://unknown.test/"); n != 1 || err != nil {
		t.Errorf("revived %d, %v", n, err)
	}
	if l := lease(t, q); l.URL != "http://2.test/" || l.Attempt != 1 {
		t.Errorf("leased %+v", l.Entry)
	}
	if n, err := q.Revive(t.Context()); n != 4 || err != nil {
		t.Errorf("revived %d, %v", n, err)
	}
	if dead, err := q.Dead(t.Context()); len(dead) != 0 || err != nil {
		t.Errorf("%v, %v", dead, err)
	}
}

func revisits(t *testing.T, url string) {
	q := begun(t, url, nil)
	now, err := q.Now(t.Context())
	ok(t, err)
	soon := now.Add(400 * time.Millisecond)
	add(t, q, plat.Job{URL: "http://a.test/", Due: soon}, plat.Job{URL: "http://b.test/", Due: now.Add(time.Hour)})
	empty(t, q)
	l := lease(t, q)
	if l.URL != "http://a.test/" || !l.Due.Equal(soon) {
		t.Errorf("leased %s due %v, want due %v", l.URL, l.Due, soon)
	}
	next := soon.Add(200 * time.Millisecond)
	ok(t, q.Done(t.Context(), l, next, 0))
	if l = lease(t, q); !l.Due.Equal(next) || l.Attempt != 1 {
		t.Errorf("leased %+v, want due %v", l.Entry, next)
	}
	if at, _ := q.Now(t.Context()); at.Before(next) {
		t.Errorf("leased at %v, due %v", at, next)
	}
}

func merging(t *testing.T, url string) {
	q := begun(t, url, nil)
	add(t, q, job("http://a.test/x", 0.1), job("http://a.test/y", 0.5))
	n, err := q.Add(t.Context(), []plat.Job{job("http://a.test/x", 0.9)})
	if n != 0 || err != nil {
		t.Errorf("added %d, %v", n, err)
	}
	add(t, q, job("http://a.test/x", 0.2))
	l := lease(t, q)
	if l.URL != "http://a.test/x" || l.Priority != 0.9 {
		t.Errorf("%+v", l.Entry)
	}
	// Also while it is leased.
	add(t, q, plat.Job{URL: "http://a.test/x", Priority: 1})
	ok(t, q.Done(t.Context(), l, time.Time{}, 0))
	if l := lease(t, q); l.URL != "http://a.test/y" {
		t.Errorf("leased %s", l.URL)
	}
}

func addedAgain(t *testing.T, url string) {
	q := begun(t, url, nil)
	again := func(u string) {
		t.Helper()
		if _, err := q.AddAgain(t.Context(), []plat.Job{job(u, 1)}); err != nil {
			t.Fatal(err)
		}
	}
	add(t, q, job("http://a.test/", 0.5))
	again("http://a.test/") // queued: no second visit
	l := lease(t, q)
	again("http://a.test/") // leased: no second visit
	ok(t, q.Done(t.Context(), l, time.Time{}, 0))
	empty(t, q)
	add(t, q, job("http://a.test/", 0.5))
	empty(t, q)
	again("http://a.test/")
	l2 := lease(t, q)
	if !l2.Due.After(l.Due) {
		t.Errorf("the second visit is due %v, the first was %v", l2.Due, l.Due)
	}
	// A URL waiting for a retry is retried now, as the same visit.
	ok(t, q.Retry(t.Context(), l2, time.Hour, 0))
	empty(t, q)
	again("http://a.test/")
	if l := lease(t, q); !l.Due.Equal(l2.Due) || l.Attempt != 1 {
		t.Errorf("%+v, want the visit due %v", l.Entry, l2.Due)
	} else {
		l2 = l
	}
	ok(t, q.Done(t.Context(), l2, time.Now().Add(time.Hour), 0))
	again("http://a.test/")
	l3 := lease(t, q)
	ok(t, q.Bury(t.Context(), l3, DeadLetter{}, 0))
	again("http://a.test/")
	lease(t, q)
	if dead, err := q.Dead(t.Context()); len(dead) != 0 || err != nil {
		t.Errorf("%v, %v", dead, err)
	}
}

func rebuilt(t *testing.T, url string) {
	q := open(t, url, func(o *Options) { o.TTL = 300 * time.Millisecond })
	if _, _, err := q.Lease(t.Context(), "w"); !errors.Is(err, ErrNone) {
		t.Fatalf("lease without a frontier: %v", err)
	}
	past := time.Now().Add(-time.Hour).UTC().Truncate(time.Millisecond)
	states := func() iter.Seq2[plat.URLState, error] {
		return func(yield func(plat.URLState, error) bool) {
			_ = yield(plat.URLState{URL: "http://a.test/due", Due: past, Priority: 0.7}, nil) &&
				yield(plat.URLState{URL: "http://a.test/known"}, nil) &&
				yield(plat.URLState{URL: "http://b.test/later", Due: time.Now().Add(time.Hour)}, nil)
		}
	}
	begun := time.Now()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if n, err := q.Rebuild(t.Context(), states(), false); n != 3 || err != nil {
				t.Errorf("rebuilt from %d, %v", n, err)
			}
		})
	}
	all.Wait()
	l := lease(t, q)
	if passed := time.Since(begun); passed < q.TTL() {
		t.Errorf("leased after %v: an old lease may still be held", passed)
	}
	if want := (Entry{URL: "http://a.test/due", Due: past, Priority: 0.7, State: "leased", Attempt: 1}); l.Entry != want {
		t.Errorf("%+v, want %+v", l.Entry, want)
	}
	ok(t, q.Done(t.Context(), l, time.Time{}, 0))
	empty(t, q)
	s, err := q.Stats(t.Context())
	if err != nil || !s.Exists || s.Known != 3 || s.Later != 1 {
		t.Errorf("%+v, %v", s, err)
	}
	ok(t, q.Clear(t.Context()))
	if _, _, err := q.Lease(t.Context(), "w"); !errors.Is(err, ErrNone) {
		t.Errorf("lease after clear: %v", err)
	}
	ok(t, q.Pause(t.Context(), true))
	ok(t, q.Clear(t.Context()))
	if s, err := q.Stats(t.Context()); err != nil || !s.Paused || s.Known != 0 {
		t.Errorf("after another clear: %+v, %v", s, err)
	}
	if err := q.Done(t.Context(), l, time.Time{}, 0); !errors.Is(err, ErrLost) {
		t.Errorf("settled after clear: %v", err)
	}
}

// After a rebuild, the delays of hosts are restored from their last visits.
func hostsRestAfterARebuild(t *testing.T, url string) {
	q := open(t, url, func(o *Options) { o.TTL, o.Rest = 200*time.Millisecond, 700*time.Millisecond })
	visited, err := q.Now(t.Context())
	ok(t, err)
	states := func(yield func(plat.URLState, error) bool) {
		_ = yield(plat.URLState{URL: "http://a.test/", Last: visited, Status: 200}, nil) &&
			yield(plat.URLState{URL: "http://a.test/due", Due: visited, Priority: 1}, nil) &&
			yield(plat.URLState{URL: "http://b.test/due", Due: visited, Last: visited.Add(-time.Hour), Status: 503}, nil) &&
			yield(plat.URLState{URL: "http://c.test/due", Due: visited, Last: visited.Add(-time.Minute), Status: 503}, nil)
	}
	_, err = q.Rebuild(t.Context(), states, true)
	ok(t, err)
	if l := lease(t, q); l.URL != "http://b.test/due" {
		t.Errorf("leased %s first", l.URL)
	}
	l := lease(t, q)
	if rested := l.Now.Sub(visited); l.URL != "http://a.test/due" || rested < 700*time.Millisecond {
		t.Errorf("leased %s, %v after its host was visited", l.URL, rested)
	}
	if wait := empty(t, q); wait > time.Minute {
		t.Errorf("come back in %v", wait)
	}
	if hold, want := q.hold(), 850*time.Millisecond; hold != want {
		t.Errorf("leases are held back for %v, want %v", hold, want)
	}
}

// If two processes took the same entries, their pages would be visited twice.
func oneTakesTheInbox(t *testing.T, url string) {
	q := open(t, url, nil)
	other := open(t, url, func(o *Options) { o.Prefix = q.o.Prefix })
	ok(t, q.rdb.LPush(t.Context(), q.inbox(), "1", "2", "3").Err())
	get := func(q *Queue, want int) []InboxEntry {
		t.Helper()
		got, err := q.Inbox(t.Context(), 2)
		if err != nil || len(got) != want {
			t.Fatalf("%v, %v; want %d", got, err, want)
		}
		return got
	}
	first := get(q, 2)
	get(other, 0)
	get(q, 2) // it was interrupted, and begins again
	ok(t, q.Taken(t.Context(), first))
	rest := get(other, 1)
	get(q, 0)
	ok(t, other.Taken(t.Context(), rest))
	get(q, 0)
	if n, err := q.rdb.Exists(t.Context(), q.taker()).Result(); err != nil || n != 0 {
		t.Errorf("an empty inbox still has a taker: %d, %v", n, err)
	}
}

// A full Redis grants no leases, because links found by the visit could not be
// stored, and retains those that are held.
func TestFullRedisGrantsNoLeasesAndKeepsHeldOnes(t *testing.T) {
	q := begun(t, redistest.Start(t).URL(), func(o *Options) { o.TTL = 2 * time.Second })
	full := func(bytes string) { t.Helper(); ok(t, q.rdb.ConfigSet(t.Context(), "maxmemory", bytes).Err()) }
	refused := func(what string, err error) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), "OOM") {
			t.Errorf("%s: %v", what, err)
		}
	}
	// One host is leased, one is ready, one's clock and one's retry are due.
	add(t, q, job("http://a.test/", 1), job("http://b.test/1", 0.9), job("http://b.test/2", 0.9), job("http://c.test/", 0.8), job("http://d.test/", 0.1))
	l := lease(t, q)
	ok(t, q.Done(t.Context(), lease(t, q), time.Time{}, time.Millisecond))
	ok(t, q.Retry(t.Context(), lease(t, q), time.Millisecond, 0))
	time.Sleep(5 * time.Millisecond)
	full("1")
	_, _, err := q.Lease(t.Context(), "w")
	refused("lease", err)
	_, err = q.Add(t.Context(), []plat.Job{job("http://e.test/", 1)})
	refused("add", err)
	ok(t, q.Beat(t.Context(), l))
	ok(t, q.Done(t.Context(), l, time.Time{}, 0))
	full("0")
	for range 3 {
		ok(t, q.Done(t.Context(), lease(t, q), time.Time{}, 0))
	}
	if s, err := q.Stats(t.Context()); err != nil || s.Done != 5 || s.Known != 5 || s.Queued+s.Leased+s.ReadyHosts != 0 {
		t.Errorf("%+v, %v", s, err)
	}
}

// A frontier that was cleared and refilled still detects a restart of Redis.
func TestRestartIsDetectedAfterClear(t *testing.T) {
	server := redistest.Start(t)
	q := begun(t, server.URL(), func(o *Options) { o.TTL = time.Second })
	ok(t, q.Clear(t.Context()))
	_, err := q.Rebuild(t.Context(), none, true)
	ok(t, err)
	add(t, q, job("http://a.test/", 1))
	server.Kill()
	ok(t, server.Restart())
	if l, _, err := q.Lease(t.Context(), "w"); err == nil {
		t.Fatalf("leased %v at once", l)
	}
	if l, _, err := q.Lease(t.Context(), "w"); !errors.Is(err, ErrNone) {
		t.Errorf("leased %v, %v; want a rebuild first", l, err)
	}
}

func inboxIsTaken(t *testing.T, url string) {
	q := open(t, url, nil)
	for _, e := range []string{"1", "2", "3", "3"} {
		ok(t, q.rdb.LPush(t.Context(), q.inbox(), e).Err())
	}
	got, err := q.Inbox(t.Context(), 3)
	if err != nil || !slices.Equal(got, []InboxEntry{{"1", 1}, {"2", 1}, {"3", 1}}) {
		t.Fatalf("%v, %v", got, err)
	}
	ok(t, q.Taken(t.Context(), got[:2]))
	ok(t, q.Taken(t.Context(), got[:2])) // another process took the same
	got, err = q.Inbox(t.Context(), 3)
	if err != nil || !slices.Equal(got, []InboxEntry{{"3", 1}, {"3", 1}}) {
		t.Errorf("%v, %v", got, err)
	}
	ok(t, q.Taken(t.Context(), got))

	// Of an entry too long for a seed only the beginning is read, and of many large
	// ones only some.
	huge := "\x00\xff" + strings.Repeat("x", 5<<20)
	for _, e := range []string{huge, huge + "y", huge} {
		ok(t, q.rdb.LPush(t.Context(), q.inbox(), e).Err())
	}
	for _, size := range []int{len(huge), len(huge) + 1, len(huge)} {
		got, err := q.Inbox(t.Context(), 3)
		if err != nil || len(got) != 1 || got[0].Bytes != size || got[0].Text != huge[:maxSeed] {
			t.Fatalf("%d entries, %v", len(got), err)
		}
		if _, err := got[0].Job(nil); err == nil || !strings.Contains(err.Error(), fmt.Sprint(size, " bytes")) {
			t.Errorf("%v", err)
		}
		ok(t, q.Taken(t.Context(), got))
	}
	if got, err := q.Inbox(t.Context(), 3); err != nil || len(got) != 0 {
		t.Errorf("%d entries remain, %v", len(got), err)
	}
	ok(t, q.Reject(t.Context(), strings.Repeat("x", 1e6), errors.New("nonsense")))
	list, err := q.Rejections(t.Context(), 10)
	if err != nil || len(list) != 1 || list[0].Reason != "nonsense" || len(list[0].Entry) > maxEntry+10 || list[0].Time.IsZero() {
		t.Errorf("%v, %v", list, err)
	}
}

func paused(t *testing.T, url string) {
	q := begun(t, url, nil)
	add(t, q, job("http://a.test/1", 1), job("http://b.test/", 1))
	l := lease(t, q)
	ok(t, q.Pause(t.Context(), true))
	empty(t, q)
	ok(t, q.Beat(t.Context(), l))
	ok(t, q.Done(t.Context(), l, time.Time{}, 0))
	ok(t, q.Pause(t.Context(), false))
	lease(t, q)
}

func unknownURLs(t *testing.T, url string) {
	q := begun(t, url, nil)
	add(t, q, job("http://a.test/", 1), job("http://b.test/", 1))
	got, err := q.Unknown(t.Context(), []string{"http://c.test/", "http://a.test/", "http://c.test/", "http://a.test/x"})
	if err != nil || !slices.Equal(got, []string{"http://a.test/x", "http://c.test/"}) {
		t.Errorf("%v, %v", got, err)
	}
	entries := map[string]string{}
	for e, err := range q.Entries(t.Context()) {
		ok(t, err)
		entries[e.URL] = e.State
	}
	if len(entries) != 2 || entries["http://a.test/"] != "queued" {
		t.Errorf("%v", entries)
	}
}

func shardsAgree(t *testing.T, url string) {
	q := open(t, url, func(o *Options) { o.Shards = 3 })
	_, err := Open(t.Context(), Options{URL: url, Prefix: q.o.Prefix, Shards: 4})
	if err == nil || !strings.Contains(err.Error(), "3 shards, not 4") {
		t.Errorf("%v", err)
	}
}

// However workers concurrently take, lose and settle leases, each job is settled once
// and no host is leased twice at a time.
func TestManyWorkers(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		q := begun(t, url, func(o *Options) { o.TTL, o.Attempts, o.Shards = 250*time.Millisecond, 100, 4 })
		const hosts, pages = 15, 8
		var jobs []plat.Job
		for h := range hosts {
			for p := range pages {
				jobs = append(jobs, job(fmt.Sprintf("http://h%d.test/%d", h, p), float32(p)/pages))
			}
		}
		add(t, q, jobs...)
		var mu sync.Mutex
		settled, held := map[string]int{}, map[string]time.Time{} // host -> latest end of its lease
		ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
		defer cancel()
		var work sync.WaitGroup
		for w := range 8 {
			work.Go(func() {
				for n := w; ctx.Err() == nil; n++ {
					mu.Lock()
					finished := len(settled) == hosts*pages
					mu.Unlock()
					if finished {
						return
					}
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
					if until := held[l.Host]; time.Now().Before(until) {
						t.Errorf("%s is leased while another holds it", l.Host)
					}
					held[l.Host] = l.Granted.Add(q.TTL())
					mu.Unlock()
					if n%7 == 3 {
						continue // simulate a crash of this worker
					}
					mu.Lock()
					delete(held, l.Host)
					mu.Unlock()
					if n%5 == 0 {
						err = q.Retry(ctx, l, time.Duration(n%3)*time.Millisecond, time.Millisecond)
					} else if err = q.Done(ctx, l, time.Time{}, 0); err == nil {
						mu.Lock()
						settled[l.URL]++
						mu.Unlock()
					}
					if err != nil && !errors.Is(err, ErrLost) {
						t.Error(err)
						return
					}
				}
			})
		}
		work.Wait()
		for _, j := range jobs {
			if settled[j.URL] != 1 {
				t.Errorf("%s was settled %d times", j.URL, settled[j.URL])
			}
		}
		s, err := q.Stats(t.Context())
		if err != nil || s.Queued+s.Later+s.Leased+s.ReadyHosts+s.WaitingHosts != 0 || s.Known != hosts*pages {
			t.Errorf("left: %+v, %v", s, err)
		}
	})
}

// The frontier of an older plat can be continued.
func TestOlderFrontierCanBeContinued(t *testing.T) {
	text, err := os.ReadFile("../fixtures/formats/frontier.json")
	ok(t, err)
	var keys map[string]struct {
		String string
		Hash   map[string]string
		ZSet   map[string]float64
	}
	ok(t, json.Unmarshal(text, &keys))
	each(t, func(t *testing.T, url string) {
		q := open(t, url, func(o *Options) { o.Shards = 1 })
		for name, k := range keys {
			name = strings.Replace(name, "plat", q.o.Prefix, 1)
			for field, value := range k.Hash {
				if name == q.keys[0][9] && field == "run" {
					continue // belongs to another server
				}
				ok(t, q.rdb.HSet(t.Context(), name, field, value).Err())
			}
			for member, score := range k.ZSet {
				ok(t, q.rdb.ZAdd(t.Context(), name, redis.Z{Member: member, Score: score}).Err())
			}
		}
		if n, err := q.Add(t.Context(), []plat.Job{job("https://docs.example/new", 0.7), job("https://gone.example/", 0.1)}); n != 1 || err != nil {
			t.Errorf("%d were unknown, %v", n, err)
		}
		// Its leases and its hosts' delays ended long ago.
		ok(t, q.rdb.ZAdd(t.Context(), q.keys[0][5], redis.Z{Member: "docs.example", Score: 1}).Err())
		for host := range keys["{plat:0}:clocks"].Hash {
			ok(t, q.rdb.HSet(t.Context(), q.keys[0][7], host, 1).Err())
		}
		var got []Entry
		for range 4 {
			l := lease(t, q)
			got = append(got, l.Entry)
			ok(t, q.Done(t.Context(), l, time.Time{}, 0))
		}
		at := func(ms int64) time.Time { return time.UnixMilli(ms).UTC() }
		want := []Entry{
			{URL: "https://docs.example/new", State: "leased", Due: got[0].Due, Priority: 0.7, Attempt: 1},
			{URL: "https://docs.example/新闻", State: "leased", Due: at(1795176002000), Priority: 0.5, Attempt: 1, Throttled: 1},
			{URL: "https://docs.example/once", State: "leased", Due: at(1795176003000), Priority: 0.5, Attempt: 2},
			{URL: "https://gone.example/", State: "leased", Due: at(1795176004000), Priority: 0.25, Attempt: 1},
		}
		slices.SortFunc(got, func(a, b Entry) int { return strings.Compare(a.URL, b.URL) })
		slices.SortFunc(want, func(a, b Entry) int { return strings.Compare(a.URL, b.URL) })
		if !slices.Equal(got, want) {
			t.Errorf("leased\n%+v, want\n%+v", got, want)
		}
		empty(t, q)
		if n, err := q.Revive(t.Context()); n != 1 || err != nil {
			t.Errorf("revived %d, %v", n, err)
		}
		if l := lease(t, q); l.URL != "https://news.example/a?x=1&y=<2>" || l.Priority != 0.81 {
			t.Errorf("revived %+v", l.Entry)
		}
		if s, err := q.Stats(t.Context()); err != nil || s.Known != 7 || s.Later != 2 || s.Leased != 1 || s.Queued != 0 {
			t.Errorf("%+v, %v", s, err)
		}
	})
}
