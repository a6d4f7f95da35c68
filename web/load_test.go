package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"plat/fixtures"
	"plat/storage/sqlite/sqlitetest"
	"plat/storage/storagetest"
	"plat/web/cache"
)

// TestManyReaders simulates 200 readers of an archive of 10,000 versions, each viewing a new page
// every second: 99 of 100 pages come within 200 ms, and memory does not grow with the number of
// pages viewed. PLAT_LOAD sets the duration; without it the readers read for 2 s, and the test
// does not check latency, because it runs concurrently with the rest.
func TestManyReaders(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: it makes an archive of 10,000 versions")
	}
	const readers, urls = 200, 100
	versions := 100
	if os.Getenv("PLAT_LOAD") == "" {
		versions /= fixtures.OneIn(20)
	}
	last := 2 * time.Second
	if text := os.Getenv("PLAT_LOAD"); text != "" {
		var err error
		if last, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	}
	store := sqlitetest.Open(t)
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

	// Real readers are separate processes, so open their connections before
	// measuring.
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
	page := func(rng *rand.Rand) [2]string {
		u, n := url.QueryEscape(name(rng.IntN(urls))), strconv.Itoa(2+rng.IntN(versions-1))
		switch rng.IntN(10) {
		case 0:
			return [][2]string{{"archive", "/"}, {"frame", "/frame?url=" + u + "&version=" + n}, {"feed", "/feed/atom?url=" + u}, {"timemap", "/timemap/link/" + name(0)}}[rng.IntN(4)]
		case 1, 2:
			return [2]string{"url", "/url?url=" + u}
		case 3, 4, 5:
			return [2]string{"version", "/version?url=" + u + "&version=" + n}
		case 6:
			return [2]string{"diff", "/diff?url=" + u + "&new=" + n}
		case 7:
			return [2]string{"block", "/block?lineage=1&url=" + u}
		case 8:
			return [2]string{"search", "/search?q=w" + strconv.Itoa(rng.IntN(1000))}
		}
		return [2]string{"api", "/api/v1/versions?url=" + u}
	}
	var mu sync.Mutex
	took := map[string][]time.Duration{}
	var all []time.Duration
	var wg sync.WaitGroup
	began := time.Now()
	peak, over := uint64(0), make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() {
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			peak = max(peak, m.HeapAlloc)
			select {
			case <-over:
				return
			case <-time.After(50 * time.Millisecond):
			}
		}
	})
	for i := range readers {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(1, uint64(i)))
			time.Sleep(time.Duration(i) * time.Second / readers)
			for time.Since(began) < last {
				at := page(rng)
				kind, path := at[0], at[1]
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
	if p99 := at(all, 0.99); p99 > 200*time.Millisecond && os.Getenv("PLAT_LOAD") != "" {
		t.Errorf("p99 is %v, want 200ms", p99)
	}
	close(over)
	watch.Wait()
	t.Logf("heap %d MB at most, of which the server remembers %d MB", peak>>20, server.cache.Bytes()>>20)
	if server.cache.Bytes() > cacheBytes*5/4 || peak > 500<<20 {
		t.Errorf("heap %d MB, cache %d MB", peak>>20, server.cache.Bytes()>>20)
	}
}

// TestTheCacheStaysWithinItsBytes requests more than fits into the cache.
func TestTheCacheStaysWithinItsBytes(t *testing.T) {
	const most, each = 1 << 20, 10_000
	c := cache.New(most)
	made := 0
	for i := range 1000 {
		got, err := cache.Remember(t.Context(), c, strconv.Itoa(i), func(b []byte) int64 { return int64(len(b)) }, func(context.Context) ([]byte, error) {
			made++
			return make([]byte, each), nil
		})
		if err != nil || len(got) != each {
			t.Fatal(len(got), err)
		}
	}
	if w := c.Bytes(); w > most || made != 1000 {
		t.Errorf("it holds %d bytes of %d, after %d were made", w, most, made)
	}
}

func TestWaitersForACachedValueHaveTheirOwnDeadlines(t *testing.T) {
	c := cache.New(1 << 20)
	begun, finish := make(chan struct{}), make(chan struct{})
	slow := func(ctx context.Context) (int, error) {
		close(begun)
		<-finish
		return 7, nil
	}
	size := func(int) int64 { return 8 }
	first, gone := context.WithCancel(t.Context())
	go cache.Remember(first, c, "key", size, slow)
	<-begun
	gone() // the first caller leaves, but the value is still computed
	short, end := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer end()
	never := func(context.Context) (int, error) { t.Error("the value is computed twice"); return 0, nil }
	if _, err := cache.Remember(short, c, "key", size, never); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a caller with a deadline of 20 ms gets %v", err)
	}
	close(finish)
	if n, err := cache.Remember(t.Context(), c, "key", size, never); n != 7 || err != nil {
		t.Errorf("a waiting caller gets %d, %v", n, err)
	}
}
