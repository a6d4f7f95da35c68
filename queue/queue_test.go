package queue

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

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
			"newer frontier":        newerFrontier,
			"formats of a fleet":    formatsOfAFleet,
			"idle":                  idleWindowIsEmpty,
			"workers":               workersAreListed,
			"a shared text":         textsAreShared,
			"express lane":          expressLaneGoesFirst,
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
