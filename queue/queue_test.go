package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"go.uber.org/goleak"

	"plat/plat"
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

// begun opens a queue with an empty frontier.
func begun(t testing.TB, url string, change func(*Options)) *Queue {
	t.Helper()
	q := open(t, url, change)
	if _, err := q.Begin(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	return q
}

// elect makes a process the loader of all shards, or fails.
func elect(t testing.TB, q *Queue) {
	t.Helper()
	for shard := range q.Shards() {
		if w, err := q.Window(t.Context(), shard); err != nil || w == nil {
			t.Fatalf("not elected: %v, %v", w, err)
		}
	}
}

// add loads jobs of hosts without other jobs.
func add(t testing.TB, q *Queue, jobs ...plat.Job) {
	t.Helper()
	elect(t, q)
	var hosts []HostJobs
	index := map[string]int{}
	for _, j := range jobs {
		host := plat.HostOf(j.URL)
		i, found := index[host]
		if !found {
			i = len(hosts)
			index[host] = i
			hosts = append(hosts, HostJobs{Host: host})
		}
		hosts[i].Jobs = append(hosts[i].Jobs, LoadedJob{URL: j.URL, Due: j.Due, Priority: j.Priority})
	}
	if _, err := q.Load(t.Context(), hosts); err != nil {
		t.Fatal(err)
	}
}

func offer(t testing.TB, q *Queue, jobs ...plat.Job) {
	t.Helper()
	ok(t, q.Offer(t.Context(), jobs))
}

// hostNow returns the state of a host.
func hostNow(t testing.TB, q *Queue, host string) HostWindow {
	t.Helper()
	all, err := q.Hosts(t.Context(), q.ShardOf(host), []string{host})
	ok(t, err)
	return all[0]
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
			"order":                 orderOfURLs,
			"one host, one worker":  oneHostOneWorker,
			"who has what":          whoHasWhat,
			"clocks":                clocks,
			"clocks of the archive": clocksOfTheArchive,
			"fencing":               fencing,
			"lost workers":          lostWorkers,
			"rest of lost workers":  restOfLostWorkers,
			"endings":               endings,
			"offers":                offers,
			"bounds":                bounds,
			"stamps":                stamps,
			"parts":                 parts,
			"low hosts":             lowHosts,
			"turns":                 turnsOfLowHosts,
			"merging":               merging,
			"loader":                oneLoader,
			"eviction":              eviction,
			"clear":                 clearKeepsLeases,
			"begin":                 beginning,
			"idle":                  idleWindowIsEmpty,
			"inbox":                 inboxIsTaken,
			"one takes":             oneTakesTheInbox,
			"pause":                 paused,
			"entries":               entriesOfTheWindow,
			"shards":                shardsAgree,
			"sizes":                 sizes,
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
		ok(t, q.Done(t.Context(), l, 0))
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

// queued returns the queued URLs of a host in the order of visits.
func queued(t testing.TB, q *Queue, host string) []string {
	t.Helper()
	members, err := q.rdb.ZRange(t.Context(), q.keys[q.ShardOf(host)][1], 0, -1).Result()
	ok(t, err)
	var all []string
	for _, m := range members {
		if f := strings.SplitN(m, " ", 4); f[0] == host {
			all = append(all, strings.TrimPrefix(f[3], "http://"+host+"/"))
		}
	}
	return all
}

func wantQueued(t testing.TB, q *Queue, host string, want ...string) {
	t.Helper()
	if got := queued(t, q, host); !slices.Equal(got, want) {
		t.Errorf("queued of %s: %v, want %v", host, got, want)
	}
}

func page(name string, priority float32) plat.Job { return job("http://a.test/"+name, priority) }

func loaded(jobs ...plat.Job) []LoadedJob {
	var all []LoadedJob
	for _, j := range jobs {
		all = append(all, LoadedJob{URL: j.URL, Due: j.Due, Priority: j.Priority})
	}
	return all
}

// Offers bring in only URLs that are due, of hosts in the window.
func offers(t *testing.T, url string) {
	q := begun(t, url, func(o *Options) { o.Shards = 1 })
	now, err := q.Now(t.Context())
	ok(t, err)
	elect(t, q)
	before, err := q.Window(t.Context(), 0)
	ok(t, err)
	offer(t, q, page("1", 1))
	w, err := q.Window(t.Context(), 0)
	if ok(t, err); w.News == before.News || w.Queued+w.Hosts != 0 {
		t.Errorf("offered of another host: %+v before, %+v", before, w)
	}
	add(t, q, page("1", 0.5))
	offer(t, q, page("2", 0.5), plat.Job{URL: "http://a.test/later", Due: now.Add(time.Hour), Priority: 1}, plat.Job{URL: "http://a.test/3", Due: now, Priority: 0.5}, page("4", 0.6))
	wantQueued(t, q, "a.test", "4", "1", "2", "3")
	l := lease(t, q)
	offer(t, q, page("4", 1)) // it is being visited
	wantQueued(t, q, "a.test", "1", "2", "3")
	for range 3 {
		ok(t, q.Done(t.Context(), l, 0))
		l = lease(t, q)
	}
	offer(t, q, page("5", 0)) // its host is leased, so in the window
	ok(t, q.Done(t.Context(), l, 0))
	wantQueued(t, q, "a.test", "5")
	if h := hostNow(t, q, "a.test"); !h.In || h.Low || h.Queued != 1 || h.Stamp != 0 {
		t.Errorf("%+v", h)
	}
}

// The window has the first of a host's URLs: later URLs of equal priority never overtake those
// that are left in the archive.
func bounds(t *testing.T, url string) {
	q := begun(t, url, func(o *Options) { o.Shards, o.Size, o.PerHost = 1, 6, 4 })
	if q.Size() != 6 || q.PerHost() != 4 {
		t.Fatalf("%d URLs, %d per host", q.Size(), q.PerHost())
	}
	add(t, q, page("1", 0.5), page("2", 0.5), page("3", 0.7))
	offer(t, q, page("4", 0.5), page("5", 0.5)) // 5 exceeds the bound of a host
	wantQueued(t, q, "a.test", "3", "1", "2", "4")
	if h := hostNow(t, q, "a.test"); h.Stamp == 0 || !h.Low {
		t.Errorf("a URL was left to the archive: %+v", h)
	}
	offer(t, q, page("6", 0.6), page("7", 0.5)) // 6 pushes out 4
	wantQueued(t, q, "a.test", "3", "6", "1", "2")
	ok(t, q.Done(t.Context(), lease(t, q), 0))
	offer(t, q, page("8", 0.5)) // there is room, but 4 and 5 are older
	wantQueued(t, q, "a.test", "6", "1", "2")
	offer(t, q, page("9", 0.8)) // goes before all that are left to the archive
	wantQueued(t, q, "a.test", "9", "6", "1", "2")
	// The bound of the window.
	n, err := q.Load(t.Context(), []HostJobs{
		{Host: "b.test", Jobs: []LoadedJob{{URL: "http://b.test/1", Priority: 0.1}, {URL: "http://b.test/2", Priority: 0.1}, {URL: "http://b.test/3", Priority: 0.1}, {URL: "http://b.test/4", Priority: 0.2}}},
		{Host: "c.test", Jobs: []LoadedJob{{URL: "http://c.test/"}}},
	})
	if n != 3 || err != nil {
		t.Errorf("loaded %d, %v", n, err)
	}
	wantQueued(t, q, "b.test", "4", "1") // 4 in place of 2
	if h := hostNow(t, q, "b.test"); h.Stamp == 0 || !h.Low {
		t.Errorf("URLs were left to the archive: %+v", h)
	}
	if h := hostNow(t, q, "c.test"); h.In {
		t.Errorf("there was no room: %+v", h)
	}
	offer(t, q, job("http://b.test/5", 0.1))
	wantQueued(t, q, "b.test", "4", "1")
	w, err := q.Window(t.Context(), 0)
	ok(t, err)
	if w.Queued != 6 || w.Room != 0 || w.Hosts != 2 || w.LowTotal != 2 || w.Worst != 0.2 || w.Held {
		t.Errorf("%+v", w)
	}
}

// A job offered while the loader reads the archive is not forgotten.
func stamps(t *testing.T, url string) {
	q := begun(t, url, func(o *Options) { o.PerHost = 2 })
	load := func(h HostJobs) {
		t.Helper()
		h.Host = "a.test"
		_, err := q.Load(t.Context(), []HostJobs{h})
		ok(t, err)
	}
	elect(t, q)
	load(HostJobs{Jobs: loaded(page("1", 0.5), page("2", 0.5)), More: true})
	read := hostNow(t, q, "a.test")
	if read.Stamp == 0 {
		t.Fatal("the archive has more, but there is no stamp")
	}
	// The loader reads the archive: it has no further jobs. Meanwhile:
	ok(t, q.Done(t.Context(), lease(t, q), 0))
	offer(t, q, page("3", 0.5))
	load(HostJobs{Stamp: read.Stamp})
	read = hostNow(t, q, "a.test")
	if read.Stamp == 0 || !read.Low || read.Queued != 1 {
		t.Fatalf("page 3 is forgotten: %+v", read)
	}
	load(HostJobs{Jobs: loaded(page("3", 0.5)), Stamp: read.Stamp})
	if h := hostNow(t, q, "a.test"); h.Stamp != 0 || h.Low || h.Queued != 2 {
		t.Errorf("all is loaded, but %+v", h)
	}
	// Also if there was no stamp when the loader read.
	offer(t, q, page("4", 0.5))
	load(HostJobs{})
	if h := hostNow(t, q, "a.test"); h.Stamp == 0 {
		t.Errorf("page 4 is forgotten: %+v", h)
	}
}

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

// Hosts with few queued URLs count as low as long as the archive has more of them.
func lowHosts(t *testing.T, url string) {
	q := begun(t, url, func(o *Options) { o.Shards = 1 })
	elect(t, q)
	var jobs []plat.Job
	for i := range 6 {
		jobs = append(jobs, page(fmt.Sprint(i), 0.5))
	}
	_, err := q.Load(t.Context(), []HostJobs{{Host: "a.test", Jobs: loaded(jobs...), More: true}, {Host: "b.test", Jobs: loaded(job("http://b.test/", 0.4))}})
	ok(t, err)
	for i := range 6 {
		l := lease(t, q)
		left := 5 - i
		w, err := q.Window(t.Context(), 0)
		ok(t, err)
		if isLow := w.LowTotal == 1; isLow != (left <= 4) || isLow && (w.Low[0].Host != "a.test" || w.Low[0].Queued != left || w.Low[0].Stamp == 0) {
			t.Errorf("%d left: %+v", left, w)
		}
		ok(t, q.Done(t.Context(), l, 0))
	}
	if h := hostNow(t, q, "a.test"); !h.In || !h.Low || h.Queued != 0 || h.Leased {
		t.Errorf("the archive has more, but %+v", h)
	}
	ok(t, q.Done(t.Context(), lease(t, q), 0))
	empty(t, q)
	// The loader finds no job.
	_, err = q.Load(t.Context(), []HostJobs{{Host: "a.test", Stamp: hostNow(t, q, "a.test").Stamp}})
	ok(t, err)
	w, err := q.Window(t.Context(), 0)
	ok(t, err)
	if w.Hosts != 0 || w.LowTotal != 0 || w.Worst != 1 {
		t.Errorf("%+v", w)
	}
}

// Low hosts take turns.
func turnsOfLowHosts(t *testing.T, url string) {
	q := begun(t, url, func(o *Options) { o.Shards = 1 })
	elect(t, q)
	for _, h := range []string{"a.test", "b.test", "c.test"} {
		_, err := q.Load(t.Context(), []HostJobs{{Host: h, Jobs: loaded(job("http://"+h+"/", 0.5)), More: true}})
		ok(t, err)
	}
	var got []string
	for range 7 {
		w, err := q.Window(t.Context(), 0)
		ok(t, err)
		got = append(got, w.Low[0].Host)
		_, err = q.Load(t.Context(), []HostJobs{{Host: w.Low[0].Host, More: true, Stamp: w.Low[0].Stamp}})
		ok(t, err)
	}
	if want := []string{"a.test", "b.test", "c.test", "a.test", "b.test", "c.test", "a.test"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// A queued URL takes over later data from the archive.
func merging(t *testing.T, url string) {
	q := begun(t, url, nil)
	now, err := q.Now(t.Context())
	ok(t, err)
	at := func(ms int) time.Time { return now.Add(time.Duration(ms)*time.Millisecond - time.Minute) }
	add(t, q, plat.Job{URL: "http://a.test/x", Priority: 0.1, Due: at(1)}, page("y", 0.5))
	offer(t, q, plat.Job{URL: "http://a.test/x", Priority: 0.9, Due: at(1)})
	offer(t, q, plat.Job{URL: "http://a.test/x", Priority: 0.2, Due: at(5)}) // a later visit
	add(t, q, plat.Job{URL: "http://a.test/x", Priority: 0.3, Due: at(3)})   // read before
	wantQueued(t, q, "a.test", "x", "y")
	l := lease(t, q)
	if l.URL != "http://a.test/x" || l.Priority != 0.9 || !l.Due.Equal(at(5)) {
		t.Errorf("%+v", l.Entry)
	}
	// A leased URL stays unchanged.
	add(t, q, plat.Job{URL: "http://a.test/x", Priority: 1})
	offer(t, q, plat.Job{URL: "http://a.test/x", Priority: 1})
	ok(t, q.Done(t.Context(), l, 0))
	wantQueued(t, q, "a.test", "y")
	_, err = q.Load(t.Context(), []HostJobs{{Host: "a.test", Jobs: []LoadedJob{{URL: "http://a.test/y", Due: at(60_000 + 1), Priority: 0.1, Attempts: 2, Throttled: 1}}}})
	ok(t, err)
	if l := lease(t, q); l.URL != "http://a.test/y" || l.Priority != 0.5 {
		t.Errorf("%+v", l.Entry)
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

// Evict removes whole hosts, the least urgent first, but no leased host.
func eviction(t *testing.T, url string) {
	q := begun(t, url, func(o *Options) { o.Shards = 1 })
	var jobs []plat.Job
	for i, priority := range []float32{0.9, 0.1, 0.3, 0.5, 0.2} {
		for k := range 3 {
			jobs = append(jobs, job(fmt.Sprintf("http://%d.test/%d", i, k), priority-float32(k)*0.05))
		}
	}
	jobs = append(jobs, job("http://4.test/urgent", 0.8)) // a host counts by its best URL
	add(t, q, jobs...)
	l := lease(t, q)
	add(t, q, job("http://0.test/slow", 0)) // of the leased host
	evict := func(urls int, worse float32, want int, left ...string) {
		t.Helper()
		if n, err := q.Evict(t.Context(), 0, urls, worse); n != want || err != nil {
			t.Errorf("evicted %d, %v; want %d", n, err, want)
		}
		var got []string
		hosts, err := q.Hosts(t.Context(), 0, []string{"0.test", "1.test", "2.test", "3.test", "4.test"})
		ok(t, err)
		for i, h := range hosts {
			if h.In {
				got = append(got, fmt.Sprint(i))
			}
		}
		if !slices.Equal(got, left) {
			t.Errorf("left are %v, want %v", got, left)
		}
	}
	evict(10, 0.1, 0, "0", "1", "2", "3", "4") // no host is less urgent
	evict(1, 0.5, 3, "0", "2", "3", "4")
	evict(100, 0.5, 3, "0", "3", "4")
	w, err := q.Window(t.Context(), 0)
	ok(t, err)
	if w.Worst != 0.5 || w.Queued != 10 {
		t.Errorf("%+v", w)
	}
	evict(4, 1, 7, "0")
	evict(100, 1, 0, "0")
	ok(t, q.Done(t.Context(), l, 0))
	evict(100, 1, 3)
	empty(t, q)
	// Also if many less urgent ones are leased.
	var leases []*Lease
	for i := range mostEvictedHosts + 5 {
		add(t, q, job(fmt.Sprintf("http://l%d.test/1", i), 0.1), job(fmt.Sprintf("http://l%d.test/2", i), 0.1))
		leases = append(leases, lease(t, q))
	}
	add(t, q, job("http://1.test/", 0.2))
	evict(1, 0.5, 1)
	for _, l := range leases {
		ok(t, q.Done(t.Context(), l, 0))
	}
	if n, err := q.Evict(t.Context(), 0, 1000, 1); n != len(leases) || err != nil {
		t.Errorf("evicted %d, %v", n, err)
	}
	// Many URLs take several calls; clocks remain.
	until := time.Now().Add(time.Hour)
	var hosts []HostJobs
	for i := range 120 {
		h := HostJobs{Host: fmt.Sprintf("h%d.test", i), Clock: until}
		for k := range 10 {
			h.Jobs = append(h.Jobs, LoadedJob{URL: fmt.Sprintf("http://h%d.test/%d", i, k), Priority: 0.5})
		}
		hosts = append(hosts, h)
	}
	_, err = q.Load(t.Context(), hosts)
	ok(t, err)
	if n, err := q.Evict(t.Context(), 0, 1111, 0.6); n != 1120 || err != nil {
		t.Errorf("evicted %d, %v", n, err)
	}
	if n, err := q.rdb.ZCard(t.Context(), q.keys[0][3]).Result(); n != 120 || err != nil {
		t.Errorf("%d clocks remain, %v", n, err)
	}
	if s, err := q.Stats(t.Context()); err != nil || s.Hosts != 8 || s.WaitingHosts != 8 || s.ReadyHosts != 0 || s.Queued != 80 {
		t.Errorf("%+v, %v", s, err)
	}
	checkKeys(t, q)
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
// offered, and retains those that are held.
func TestFullRedisGrantsNoLeasesAndKeepsHeldOnes(t *testing.T) {
	q := begun(t, redistest.Start(t).URL(), func(o *Options) { o.TTL = 2 * time.Second })
	full := func(bytes string) { t.Helper(); ok(t, q.rdb.ConfigSet(t.Context(), "maxmemory", bytes).Err()) }
	refused := func(what string, err error) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), "OOM") {
			t.Errorf("%s: %v", what, err)
		}
	}
	// Two hosts are leased, two are ready, the clock of one is past.
	add(t, q, job("http://a.test/", 1), job("http://b.test/1", 0.9), job("http://b.test/2", 0.9), job("http://c.test/", 0.8), job("http://d.test/", 0.1), job("http://e.test/", 0))
	l := lease(t, q)
	ok(t, q.Done(t.Context(), lease(t, q), time.Millisecond))
	back := lease(t, q)
	time.Sleep(5 * time.Millisecond)
	full("1")
	_, _, err := q.Lease(t.Context(), "w")
	refused("lease", err)
	refused("offer", q.Offer(t.Context(), []plat.Job{job("http://a.test/2", 1)}))
	elect(t, q) // so that it can push out
	_, err = q.Load(t.Context(), []HostJobs{{Host: "f.test", Jobs: loaded(job("http://f.test/", 1))}})
	refused("load", err)
	if n, err := q.Evict(t.Context(), 0, 1, 0.2); n != 1 || err != nil { // e.test
		t.Errorf("evicted %d, %v", n, err)
	}
	ok(t, q.Beat(t.Context(), l))
	if next, err := q.EndNext(t.Context(), l, Finished, time.Millisecond, "w"); next != nil || err != nil {
		t.Errorf("settled, and leased %+v, %v", next, err)
	}
	if err := q.Done(t.Context(), l, 0); !errors.Is(err, ErrLost) {
		t.Errorf("settled twice: %v", err)
	}
	ok(t, q.Back(t.Context(), back, 0))
	full("0")
	for range 3 {
		ok(t, q.Done(t.Context(), lease(t, q), 0))
	}
	if s, err := q.Stats(t.Context()); err != nil || s.Done != 5 || s.Queued+s.Leased+s.ReadyHosts+s.Hosts != 0 {
		t.Errorf("%+v, %v", s, err)
	}
}

// A restart of Redis is detected, with its last data, with older data, and without data, also
// after the window was cleared.
func TestRestartIsDetected(t *testing.T) {
	server := redistest.Start(t)
	q := begun(t, server.URL(), func(o *Options) { o.TTL = time.Second })
	restarted := func() {
		t.Helper()
		if l, _, err := q.Lease(t.Context(), "w"); err == nil {
			t.Fatalf("leased %v at once", l)
		}
		if l, _, err := q.Lease(t.Context(), "w"); !errors.Is(err, ErrNone) {
			t.Errorf("leased %v, %v; want ErrNone", l, err)
		}
		if is, err := q.Begin(t.Context(), 0); !is || err != nil {
			t.Errorf("not begun: %v", err)
		}
		empty(t, q)
		checkKeys(t, q)
	}
	ok(t, q.Clear(t.Context()))
	add(t, q, job("http://a.test/", 1), job("http://b.test/", 1))
	l := lease(t, q)
	server.Kill()
	ok(t, server.Restart())
	restarted()
	if err := q.Done(t.Context(), l, 0); !errors.Is(err, ErrLost) {
		t.Errorf("settled a lease of before the restart: %v", err)
	}
	add(t, q, job("http://a.test/", 1))
	l = lease(t, q)
	server.Kill()
	ok(t, server.Forget())
	ok(t, server.Restart())
	restarted()
	if err := q.Beat(t.Context(), l); !errors.Is(err, ErrLost) {
		t.Errorf("extended a lease of before the restart: %v", err)
	}
	ok(t, q.rdb.FlushAll(t.Context()).Err())
	if _, _, err := q.Lease(t.Context(), "w"); !errors.Is(err, ErrNone) {
		t.Errorf("after FLUSHALL: %v", err)
	}
	_, err := q.Begin(t.Context(), 0)
	ok(t, err)
	add(t, q, job("http://a.test/", 1))
	lease(t, q)
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
	ok(t, q.Taken(t.Context(), got[:2])) // a different process took the same
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
	ok(t, q.Done(t.Context(), l, 0))
	ok(t, q.Pause(t.Context(), false))
	lease(t, q)
}

func entriesOfTheWindow(t *testing.T, url string) {
	q := begun(t, url, nil)
	due := time.UnixMilli(1_790_000_000_000).UTC()
	add(t, q, plat.Job{URL: "http://a.test/", Due: due, Priority: 1}, plat.Job{URL: "http://b.test/a b", Due: due, Priority: 0.5})
	ok(t, q.Back(t.Context(), lease(t, q), time.Hour))
	lease(t, q)
	entries := map[string]Entry{}
	for e, err := range q.Entries(t.Context()) {
		ok(t, err)
		entries[e.URL] = e
	}
	states := []string{entries["http://a.test/"].State, entries["http://b.test/a b"].State}
	if len(entries) != 2 || !slices.Contains(states, "queued") || !slices.Contains(states, "leased") ||
		entries["http://a.test/"].Priority != 1 || !entries["http://b.test/a b"].Due.Equal(due) {
		t.Errorf("%+v", entries)
	}
}

// The bounds of the window follow from Redis' memory, if they are not given.
func sizes(t *testing.T, url string) {
	for _, o := range []Options{{Size: -1}, {PerHost: -1}, {PerHost: 1_000_000}} {
		o.URL = url
		if _, err := Open(t.Context(), o); !errors.Is(err, ErrConfig) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	q := open(t, url, func(o *Options) { o.Size, o.Shards = 100, 3 })
	if q.Size() != 100 || q.PerHost() != 16 || q.shardSize() != 34 {
		t.Errorf("%d URLs, %d per host, %d per shard", q.Size(), q.PerHost(), q.shardSize())
	}
	q = open(t, url, nil)
	size, perHost := 100_000, 1000
	if strings.Contains(t.Name(), "embedded") {
		size, perHost = 2000, 250
	}
	if q.Size() != size || q.PerHost() != perHost {
		t.Errorf("%d URLs, %d per host", q.Size(), q.PerHost())
	}
}

func TestSizeFollowsMaxmemory(t *testing.T) {
	server := redistest.Start(t)
	for _, tc := range []struct {
		maxmemory string
		size      int
	}{{"100mb", 52_428}, {"100gb", 1_000_000}, {"10kb", 100}} {
		q := open(t, server.URL(), nil)
		ok(t, q.rdb.ConfigSet(t.Context(), "maxmemory", tc.maxmemory).Err())
		if n, err := q.defaultSize(t.Context()); n != tc.size || err != nil {
			t.Errorf("%s: %d, %v; want %d", tc.maxmemory, n, err, tc.size)
		}
		ok(t, q.rdb.ConfigSet(t.Context(), "maxmemory", "0").Err())
	}
}

// The rights that docs/redis.md lists suffice.
func TestTheListedRightsSuffice(t *testing.T) {
	text, err := os.ReadFile("../docs/redis.md")
	ok(t, err)
	_, rules, found := strings.Cut(string(text), "\nACL SETUSER plat on >PASSWORD ")
	rules, _, _ = strings.Cut(rules, "\n")
	if !found {
		t.Fatal("docs/redis.md lists no rights")
	}
	server := redistest.Start(t)
	command := []any{"ACL", "SETUSER", "plat", "on", ">secret"}
	for _, rule := range strings.Fields(rules) {
		command = append(command, rule)
	}
	ok(t, server.Do(t.Context(), command...))
	q := begun(t, "redis://plat:secret@"+server.Addr+"/0", func(o *Options) { o.Prefix = "plat" })
	if q.Size() != 100_000 {
		t.Errorf("%d URLs", q.Size())
	}
	add(t, q, page("1", 1), page("2", 1))
	offer(t, q, page("3", 1))
	l := lease(t, q)
	ok(t, q.Beat(t.Context(), l))
	ok(t, q.Back(t.Context(), l, 0))
	ok(t, q.Done(t.Context(), lease(t, q), 0))
	_, err = q.Evict(t.Context(), 0, 10, 1)
	ok(t, err)
	ok(t, q.Clear(t.Context()))
	_, err = q.Stats(t.Context())
	ok(t, err)
	for _, err := range q.Entries(t.Context()) {
		ok(t, err)
	}
	_, err = q.Held(t.Context())
	ok(t, err)
	ok(t, q.Put(t.Context(), []plat.Job{page("1", 1)}))
	_, err = q.Inbox(t.Context(), 1)
	ok(t, err)
	ok(t, server.Do(t.Context(), "ACL", "SETUSER", "plat", "-info"))
	if n, err := q.defaultSize(t.Context()); n != 100_000 || err != nil {
		t.Errorf("a window of %d URLs, %v", n, err)
	}
}

func shardsAgree(t *testing.T, url string) {
	q := open(t, url, func(o *Options) { o.Shards = 3 })
	_, err := Open(t.Context(), Options{URL: url, Prefix: q.o.Prefix, Shards: 4})
	if err == nil || !strings.Contains(err.Error(), "3 shards, not 4") {
		t.Errorf("%v", err)
	}
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

// Of the frontier of an older version only clocks and counters remain.
func TestOlderFrontierIsEmptied(t *testing.T) {
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
		future := time.Now().Add(time.Hour).UnixMilli()
		for name, k := range keys {
			name = strings.Replace(name, "plat", q.o.Prefix, 1)
			for field, value := range k.Hash {
				if name == q.keys[0][metaKey] && field == "run" {
					continue // belongs to a different server
				}
				if field == "docs.example" && strings.HasSuffix(name, ":clocks") {
					value = fmt.Sprint(future)
				}
				ok(t, q.rdb.HSet(t.Context(), name, field, value).Err())
			}
			for member, score := range k.ZSet {
				ok(t, q.rdb.ZAdd(t.Context(), name, redis.Z{Member: member, Score: score}).Err())
			}
		}
		ok(t, q.rdb.HSet(t.Context(), q.keys[0][7], "news.example", 1).Err())
		offer(t, q, job("https://docs.example/once", 0.7)) // the archive has it
		if _, _, err := q.Lease(t.Context(), "w"); !errors.Is(err, ErrNone) {
			t.Fatalf("leased from an older frontier: %v", err)
		}
		if w, err := q.Window(t.Context(), 0); w != nil || !errors.Is(err, ErrNone) {
			t.Errorf("%+v, %v", w, err)
		}
		ok(t, q.Clear(t.Context()))
		if is, err := q.Begin(t.Context(), 0); !is || err != nil {
			t.Fatalf("not begun: %v", err)
		}
		checkKeys(t, q)
		for i, key := range q.keys[0] {
			name := keyNames[i]
			n, err := q.rdb.Exists(t.Context(), key).Result()
			if want := name == "meta" || name == "clocks" || name == "waiting"; err != nil || (n == 1) != want {
				t.Errorf("%s: exists %d, %v", name, n, err)
			}
		}
		if c, err := q.rdb.HGetAll(t.Context(), q.keys[0][7]).Result(); err != nil || len(c) != 1 || c["docs.example"] != fmt.Sprint(future) {
			t.Errorf("clocks %v, %v", c, err)
		}
		add(t, q, job("https://docs.example/once", 0.7), job("https://gone.example/", 0.1))
		if l := lease(t, q); l.Host != "gone.example" {
			t.Errorf("leased %s", l.URL)
		}
		if wait := empty(t, q); wait < 20*time.Second {
			t.Errorf("docs.example may be visited in %v", wait)
		}
		if s, err := q.Stats(t.Context()); err != nil || s.Done != 1 || s.Buried != 1 || s.Queued != 1 || s.Leased != 1 || s.WaitingHosts != 1 {
			t.Errorf("%+v, %v", s, err)
		}
	})
}
