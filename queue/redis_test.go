package queue

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"plat/plat"
	"plat/queue/redistest"
)

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
