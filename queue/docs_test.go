package queue

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"plat/docs"
	"plat/plat"
)

// TestTheFormatNamesEveryKey uses every operation of a frontier and compares its keys in Redis with
// docs/format.md.
func TestTheFormatNamesEveryKey(t *testing.T) {
	s, err := Embed("127.0.0.1:0")
	ok(t, err)
	defer s.Close()
	q := begun(t, s.URL(), func(o *Options) { o.Prefix, o.Shards = "plat", 1 })
	ctx := t.Context()
	for i := range 9 {
		add(t, q, job(fmt.Sprintf("https://h%d.test/", i), 0.5))
	}
	ok(t, q.Done(ctx, lease(t, q), time.Hour))
	ok(t, q.End(ctx, lease(t, q), Retried, 0))
	ok(t, q.End(ctx, lease(t, q), Slowed, 0))
	ok(t, q.End(ctx, lease(t, q), Buried, 0))
	_, err = q.Load(ctx, []HostJobs{{Host: "h10.test", Jobs: loaded(job("https://h10.test/", 0)), More: true}})
	ok(t, err)
	late := lease(t, q)
	ok(t, q.Back(ctx, late, time.Hour))
	if err := q.Back(ctx, late, 0); !errors.Is(err, ErrLost) {
		t.Errorf("given back twice: %v", err)
	}
	lease(t, q) // of a worker that has died
	ok(t, q.rdb.ZAdd(ctx, q.keys[0][5], redis.Z{Member: "h9.test", Score: 1}).Err())
	lease(t, q)
	ok(t, q.Pause(ctx, true))
	ok(t, q.Put(ctx, []plat.Job{job("https://a.test/", 0.5)}))
	ok(t, q.Reject(ctx, "x", errors.New("no URL")))
	_, err = q.Inbox(ctx, 1)
	ok(t, err)
	ok(t, q.rdb.Eval(ctx, meetSource, q.keys[0], "another server").Err())

	section := docs.Section("## Redis")
	named := func(what, name string) {
		t.Helper()
		if !strings.Contains(section, "`"+name+"`") {
			t.Errorf("the section on Redis does not name the %s %s", what, name)
		}
	}
	for _, name := range keyNames {
		named("key", "{plat:N}:"+name)
	}
	keys, err := q.rdb.Keys(ctx, "*").Result()
	ok(t, err)
	if len(keys) < 5+len(keyNames)-2 { // the keys of an older version are absent
		t.Errorf("there are the keys %v", keys)
	}
	for _, key := range keys {
		named("key", strings.Replace(key, "{plat:0}", "{plat:N}", 1))
	}
	meta, err := q.rdb.HKeys(ctx, q.keys[0][metaKey]).Result()
	ok(t, err)
	if len(meta) < 16 {
		t.Errorf("meta has the fields %v", meta)
	}
	for _, field := range meta {
		named("field of meta", field)
	}
	for state := range stateNames {
		named("state", string(state))
	}
	for _, of := range []any{Rejected{}, Seed{}} {
		for f := range reflect.TypeOf(of).Fields() {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			named("attribute", name)
		}
	}
}

// TestTheFormatSaysWhatIsWritten parses the entries of docs/format.md, and compares those that the
// scripts write.
func TestTheFormatSaysWhatIsWritten(t *testing.T) {
	due := time.UnixMilli(1_790_000_000_000).UTC()
	text, err := docs.Example("entry")
	ok(t, err)
	want := Entry{URL: "https://a.test/", State: "queued", Due: due, Priority: 0.5}
	if e, err := parseEntry(want.URL, string(text)); err != nil || e != want {
		t.Errorf("the document's entry is %+v, %v, want %+v", e, err, want)
	}
	s, err := Embed("127.0.0.1:0")
	ok(t, err)
	defer s.Close()
	q := begun(t, s.URL(), func(o *Options) { o.Shards = 1 })
	add(t, q, job("https://b.test/", 1))
	ok(t, q.rdb.HSet(t.Context(), q.keys[0][metaKey], "seq", 5).Err())
	add(t, q, plat.Job{URL: want.URL, Due: due, Priority: 0.5})
	if got, err := q.rdb.HGet(t.Context(), q.keys[0][urlsKey], want.URL).Result(); err != nil || got != string(text) {
		t.Errorf("the entry is %q, %v, want %q", got, err, text)
	}
	if members, err := q.rdb.ZRange(t.Context(), q.keys[0][1], 0, 0).Result(); err != nil || len(members) != 1 || members[0] != "a.test 0500 000000000000007 "+want.URL {
		t.Errorf("the queue holds %q, %v", members, err)
	}
	if score, err := q.rdb.ZScore(t.Context(), q.keys[0][2], "a.test").Result(); err != nil || score != 500_000_001 {
		t.Errorf("its host has score %f, %v", score, err)
	}
}
