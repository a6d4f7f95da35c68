package queue

import (
	"encoding/json"
	"testing"
	"time"
)

// Workers are listed while they announce themselves; a silent one is lost, then removed.
func workersAreListed(t *testing.T, url string) {
	q := open(t, url, nil)
	other := open(t, url, func(o *Options) { o.Prefix = q.o.Prefix })
	started := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	ok(t, other.AnnounceWorker(t.Context(), Worker{Name: "b", State: "idle", Tabs: 2, Started: started}))
	ok(t, q.AnnounceWorker(t.Context(), Worker{Name: "a", State: "idle", Tabs: 4}))
	ok(t, q.AnnounceWorker(t.Context(), Worker{Name: "a", State: "working", Visits: 3, Tabs: 4}))
	list := func(want ...string) []Worker {
		t.Helper()
		all, err := q.Workers(t.Context())
		ok(t, err)
		var got []string
		for _, w := range all {
			got = append(got, w.Name+" "+w.State)
		}
		if len(got) != len(want) {
			t.Fatalf("%q, want %q", got, want)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%q, want %q", got, want)
			}
		}
		return all
	}
	all := list("a working", "b idle")
	if w := all[1]; !w.Started.Equal(started) || w.Frontier != Format || w.Tabs != 2 || time.Since(w.Seen).Abs() > time.Minute {
		t.Errorf("%+v", w)
	}

	// The clock of a test cannot be turned, so an announcement is made older.
	age := func(d time.Duration) {
		t.Helper()
		w := all[1]
		w.Seen = w.Seen.Add(-d)
		text, err := json.Marshal(w)
		ok(t, err)
		ok(t, q.rdb.HSet(t.Context(), q.workers(), other.name, text).Err())
	}
	age(time.Minute)
	list("a working", "b lost")
	age(2 * time.Hour)
	ok(t, q.rdb.HSet(t.Context(), q.workers(), "x", "written by another program").Err())
	list("a working")
	if n, err := q.rdb.HLen(t.Context(), q.workers()).Result(); err != nil || n != 1 {
		t.Errorf("%d entries remain, %v", n, err)
	}
	ok(t, q.RemoveWorker(t.Context()))
	list()
}
