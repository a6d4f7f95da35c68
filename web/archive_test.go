package web

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"plat/plat"
	"plat/queue"
	"plat/queue/window"
	"plat/storage"
	"plat/storage/sqlite"
	"plat/storage/sqlite/sqlitetest"
	"plat/storage/storagetest"
)

// long is the URL with the most versions in the archive below.
const long = "http://a.test/long"

// made is a synthetic archive: one page with 60 versions, pictures and
// resources, two with a few versions, one with failed visits only.
func made(t testing.TB) *sqlite.Store {
	t.Helper()
	store := sqlitetest.Open(t)
	for i, p := range []struct {
		url      string
		versions int
	}{{long, 60}, {"http://a.test/short?a=1&b=%22", 2}, {"https://a.test/", 3}, {"https://b.test:8443/x", 1}} {
		grow(t, store, storagetest.NewPage(p.url, uint64(i)), p.versions)
	}
	for i := range 30 {
		v := plat.Visit{URL: long, Time: time.Date(2030, 1, 1, 0, i, 0, 0, time.UTC), Outcome: plat.OutcomeUnchanged, Version: 60, Status: 200}
		if err := store.Record(t.Context(), v, 1000); err != nil {
			t.Fatal(err)
		}
	}
	vain := plat.Visit{URL: "http://c.test/gone", Time: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Outcome: plat.OutcomeGone, Status: 404, Error: "no such page"}
	if err := store.Record(t.Context(), vain, 0); err != nil {
		t.Fatal(err)
	}
	if err := store.Index(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	return store
}

// grow commits the next versions of a page; every fifth has a picture and
// resources.
func grow(t testing.TB, store *sqlite.Store, p *storagetest.Page, versions int) {
	t.Helper()
	for range versions {
		c := p.Next()
		if c.Version.N > 1 { // placeholder; changes are found by comparing
			c.Version.Changes = map[plat.Kind]int{}
			for _, k := range plat.Kinds {
				c.Version.Changes[k] = 1
			}
		}
		if c.Version.N%5 == 0 || c.Version.N == 1 {
			c.Picture = &plat.Picture{Type: "image/png", Data: []byte("\x89PNG picture of " + c.Version.URL)}
			c.Version.Picture = plat.HashOf(c.Picture.Data)
			for i := range 7 {
				data := fmt.Appendf(nil, "p { order: %d }", i)
				c.Resources = append(c.Resources, plat.Resource{URL: fmt.Sprintf("http://a.test/%d.css", i), Type: "text/css", Status: 200,
					Size: int64(len(data)), Hash: plat.HashOf(data), Data: data})
			}
			c.Resources = append(c.Resources, plat.Resource{URL: "http://a.test/huge.png", Type: "image/png", Status: 200, Left: plat.OmitLarge})
			c.Version.Resources = plat.ManifestOf(c.Resources).Sum()
		}
		if _, err := store.Commit(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
}

// frontier has one URL in its window, and its archive five failed ones.
func frontier(t testing.TB, store storage.Store) *queue.Queue {
	t.Helper()
	redis, err := queue.Embed("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { redis.Close() })
	q, err := queue.Open(t.Context(), queue.Options{URL: redis.URL(), Prefix: "plat"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { q.Close() })
	if _, err := q.Begin(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	if err := q.AnnounceWorker(t.Context(), queue.Worker{Name: "worker-1", State: "working", Visits: 1, Tabs: 2, Memory: 64 << 20, Version: "v1", Host: "machine", PID: 7, Started: time.Now().UTC()}); err != nil {
		t.Fatal(err)
	}
	due := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var jobs []plat.Job
	for i := range 6 {
		jobs = append(jobs, plat.Job{URL: fmt.Sprintf("http://h%d.test/", i), Due: due})
	}
	if _, err := store.Enlist(t.Context(), jobs, storage.Join); err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		v := plat.Visit{URL: jobs[i].URL, Time: due, Outcome: plat.OutcomeTimeout, Error: "too slow", Settles: due}
		if err := store.Record(t.Context(), v, 0); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := window.NewLoader(store, q, nil, slog.New(slog.DiscardHandler), nil).Tick(t.Context()); err != nil {
		t.Fatal(err)
	}
	return q
}

// get sends a request as an API client does.
func get(s http.Handler, method, target string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, nil)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}
