package web

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"plat/storage/sqlite"
	"plat/storage/storagetest"
)

// TestManyReaders has 200 readers look at an archive of 10,000 versions, each at
// another page every second: 99 of 100 pages come within 200 ms, and memory does
// not grow with what was looked at. PLAT_LOAD gives the time it takes, 5s if it
// is not given.
func TestManyReaders(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: it makes an archive of 10,000 versions")
	}
	const readers, urls, versions = 200, 100, 100
	last := 5 * time.Second
	if text := os.Getenv("PLAT_LOAD"); text != "" {
		var err error
		if last, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	}
	store, err := sqlite.Open(filepath.Join(t.TempDir(), "a.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	name := func(i int) string { return fmt.Sprintf("https://site%d.test/page/%d", i%10, i) }
	for i := range urls {
		p := storagetest.NewPage(name(i), uint64(i))
		for range versions {
			if _, err := store.Commit(t.Context(), p.Next()); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := store.Index(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	server := New(Options{Store: store})
	srv := httptest.NewUnstartedServer(nil)
	srv.Config = Serve(server)
	srv.Start()
	defer srv.Close()

	// The readers are programs of their own in life: they get their connections
	// before anything is measured.
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: readers}}
	defer client.CloseIdleConnections()
	ask := func(path string) (time.Duration, error) {
		start := time.Now()
		r, err := client.Get(srv.URL + path)
		if err != nil {
			return 0, err
		}
		defer r.Body.Close()
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return 0, err
		}
		if r.StatusCode != 200 {
			return 0, fmt.Errorf("%s: %s", path, r.Status)
		}
		return time.Since(start), nil
	}
	page := func(rng *rand.Rand) (kind, path string) {
		u, n := url.QueryEscape(name(rng.IntN(urls))), strconv.Itoa(2+rng.IntN(versions-1))
		switch rng.IntN(10) {
		case 0:
			return "archive", "/"
		case 1, 2:
			return "url", "/url?url=" + u
		case 3, 4, 5:
			return "version", "/version?url=" + u + "&version=" + n
		case 6:
			return "diff", "/diff?url=" + u + "&new=" + n
		case 7:
			return "block", "/block?lineage=1&url=" + u
		case 8:
			return "search", "/search?q=w" + strconv.Itoa(rng.IntN(1000))
		}
		return "api", "/api/v1/versions?url=" + u
	}
	var mu sync.Mutex
	took := map[string][]time.Duration{}
	var all []time.Duration
	var wg sync.WaitGroup
	began := time.Now()
	for i := range readers {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(1, uint64(i)))
			time.Sleep(time.Duration(i) * time.Second / readers)
			for time.Since(began) < last {
				kind, path := page(rng)
				d, err := ask(path)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				took[kind] = append(took[kind], d)
				all = append(all, d)
				mu.Unlock()
				time.Sleep(time.Second - min(d, time.Second))
			}
		})
	}
	wg.Wait()
	at := func(ds []time.Duration, share float64) time.Duration {
		slices.Sort(ds)
		return ds[int(share*float64(len(ds)-1))].Round(100 * time.Microsecond)
	}
	for kind, ds := range took {
		t.Logf("%-8s %5d pages, p50 %v, p99 %v", kind, len(ds), at(ds, 0.5), at(ds, 0.99))
	}
	t.Logf("all      %5d pages in %v, p50 %v, p99 %v", len(all), time.Since(began).Round(time.Second), at(all, 0.5), at(all, 0.99))
	if p99 := at(all, 0.99); p99 > 200*time.Millisecond {
		t.Errorf("p99 is %v, want 200ms", p99)
	}
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	t.Logf("heap %d MB, of which the server remembers %d MB", m.HeapAlloc>>20, server.cache.WeightedSize()>>20)
	if server.cache.WeightedSize() > cacheBytes*5/4 || m.HeapAlloc > 300<<20 {
		t.Errorf("heap %d MB, cache %d MB", m.HeapAlloc>>20, server.cache.WeightedSize()>>20)
	}
}
