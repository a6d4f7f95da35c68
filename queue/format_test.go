package queue

import (
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"
)

// everything returns the data of all keys of a shard.
func everything(t *testing.T, q *Queue) map[string]any {
	t.Helper()
	all := map[string]any{}
	for _, key := range q.keys[0] {
		kind, err := q.rdb.Type(t.Context(), key).Result()
		ok(t, err)
		switch kind {
		case "hash":
			all[key], err = q.rdb.HGetAll(t.Context(), key).Result()
		case "zset":
			all[key], err = q.rdb.ZRangeWithScores(t.Context(), key, 0, -1).Result()
		case "none":
		default:
			t.Fatalf("%s is a %s", key, kind)
		}
		ok(t, err)
	}
	return all
}

// A worker that meets the frontier of a newer plat changes nothing of it, and goes on when the format is
// one that it understands.
func newerFrontier(t *testing.T, url string) {
	q := begun(t, url, func(o *Options) { o.Shards = 1 })
	add(t, q, job("http://a.test/", 1), job("http://b.test/", 0.5))
	held := lease(t, q)
	meta := q.keys[0][metaKey]
	ok(t, q.rdb.HSet(t.Context(), meta, "format", Format+1, "new", "x").Err())
	for _, lost := range []bool{false, true} {
		if lost {
			ok(t, q.rdb.HSet(t.Context(), meta, "lost", 1).Err())
		}
		before := everything(t, q)
		if l, _, err := q.Lease(t.Context(), "w"); !errors.Is(err, ErrNone) {
			t.Errorf("leased %+v, %v", l, err)
		}
		if is, err := q.Begin(t.Context(), 0); is || !errors.Is(err, ErrNewer) {
			t.Errorf("lost %v: begun %v, %v; want ErrNewer", lost, is, err)
		}
		if is, err := q.Begun(t.Context()); is || err != nil {
			t.Errorf("there is a frontier that this plat can use: %v, %v", is, err)
		}
		if _, err := q.Load(t.Context(), []HostJobs{{Host: "c.test", Jobs: loaded(job("http://c.test/", 1))}}); !errors.Is(err, ErrNone) {
			t.Errorf("loaded: %v", err)
		}
		if w, err := q.Window(t.Context(), 0); w != nil || !errors.Is(err, ErrNone) {
			t.Errorf("the window is %+v, %v", w, err)
		}
		if _, err := q.Evict(t.Context(), 0, 10, 1); !errors.Is(err, ErrNone) {
			t.Errorf("evicted: %v", err)
		}
		offer(t, q, job("http://a.test/2", 1))
		ok(t, q.Announce(t.Context(), map[string]float32{"a.test": 1}))
		ok(t, q.Clear(t.Context()))
		if now := everything(t, q); !reflect.DeepEqual(now, before) {
			t.Errorf("lost %v: it is now\n%v\nit was\n%v", lost, now, before)
		}
		if s, err := q.Stats(t.Context()); err != nil || !s.Newer() || s.Exists || s.Leased != 0 {
			t.Errorf("%+v, %v", s, err)
		}
	}
	ok(t, q.rdb.HDel(t.Context(), meta, "lost").Err())
	ok(t, q.rdb.HSet(t.Context(), meta, "format", Format).Err())
	ok(t, q.Done(t.Context(), held, 0))
	ok(t, q.Done(t.Context(), lease(t, q), 0))
	// A fleet that goes back to an older plat removes meta; the rest is then of no frontier.
	ok(t, q.rdb.HSet(t.Context(), meta, "format", Format+1).Err())
	ok(t, q.rdb.Del(t.Context(), meta).Err())
	if is, err := q.Begin(t.Context(), 0); !is || err != nil {
		t.Errorf("not begun without meta: %v", err)
	}
	checkKeys(t, q)
}

// While an older worker is alive, a newer one begins frontiers that both understand.
func formatsOfAFleet(t *testing.T, url string) {
	older := open(t, url, func(o *Options) { o.Shards = 1 })
	newer := open(t, url, func(o *Options) { o.Prefix, o.Shards = older.o.Prefix, 1 })
	newer.latest = Format + 1
	ok(t, older.AnnounceWorker(t.Context(), Worker{Name: "older"}))
	ok(t, newer.AnnounceWorker(t.Context(), Worker{Name: "newer"}))
	begins := func(want int) {
		t.Helper()
		ok(t, newer.rdb.HDel(t.Context(), newer.keys[0][metaKey], "generation").Err())
		if is, err := newer.Begin(t.Context(), 0); !is || err != nil {
			t.Fatalf("not begun: %v", err)
		}
		if s, err := newer.Stats(t.Context()); err != nil || s.Format != want {
			t.Errorf("the frontier has format %d, %v; want %d", s.Format, err, want)
		}
	}
	begins(Format)
	add(t, older, job("http://a.test/", 1))
	ok(t, older.Done(t.Context(), lease(t, older), 0))
	ok(t, older.RemoveWorker(t.Context())) // it was the last of its version
	begins(Format + 1)
	if _, err := older.Begin(t.Context(), 0); !errors.Is(err, ErrNewer) {
		t.Errorf("a late old worker begins: %v", err)
	}
}

func TestFormatFor(t *testing.T) {
	for _, tc := range []struct {
		name   string
		fleet  []Worker
		latest int
		want   int
	}{
		{"nobody is announced", nil, Format + 2, Format + 2},
		{"all understand it", []Worker{{Frontier: Format + 2}, {Frontier: Format + 3}}, Format + 2, Format + 2},
		{"one is older", []Worker{{Frontier: Format + 2}, {Frontier: Format}, {Frontier: Format + 1}}, Format + 2, Format},
		{"the older one is lost", []Worker{{Frontier: Format + 2}, {Frontier: Format, State: Lost}}, Format + 2, Format + 2},
		{"one understands nothing that this plat writes", []Worker{{Frontier: oldest - 1}, {Frontier: Format + 1}}, Format + 2, Format + 1},
		{"of this plat", []Worker{{Frontier: Format}}, Format, Format},
	} {
		if got := formatFor(tc.fleet, tc.latest); got != tc.want {
			t.Errorf("%s: %d, want %d", tc.name, got, tc.want)
		}
	}
}

// The scripts understand the format that is announced.
func TestTheFormatOfTheScripts(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		q := begun(t, url, nil)
		if s, err := q.Stats(t.Context()); err != nil || !s.Exists || s.Format != Format {
			t.Errorf("%+v, %v; want format %d", s, err, Format)
		}
		if l, wait, err := q.Lease(t.Context(), "w"); l != nil || err != nil || wait > time.Minute {
			t.Errorf("%v, %v, %v", l, wait, err)
		}
		if _, err := q.rdb.HSet(t.Context(), q.keys[0][metaKey], "format", fmt.Sprint(Format-1)).Result(); err != nil {
			t.Fatal(err)
		}
		if is, err := q.Begin(t.Context(), 0); !is || err != nil {
			t.Errorf("an older format is not replaced: %v", err)
		}
	})
}
