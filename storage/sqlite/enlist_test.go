package sqlite

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"plat"
	"plat/storage"
)

func listOf(urls, hosts int) (all []plat.Job) {
	due := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, i := range rand.New(rand.NewPCG(1, 1)).Perm(urls) {
		all = append(all, plat.Job{URL: fmt.Sprintf("http://www.host-%d.test/articles/2026/%d.html", i%hosts, i), Due: due, Priority: 0.5})
	}
	return all
}

// A list takes seconds, and a visit must not wait so long for the one writer.
func TestAVisitDoesNotWaitForALongList(t *testing.T) {
	s := openAt(t, filepath.Join(t.TempDir(), "a.plat"), Options{})
	list := listOf(20_000, 200)
	var taken atomic.Bool
	done := make(chan error)
	began := time.Now()
	go func() {
		_, err := s.Enlist(t.Context(), list, storage.Join)
		taken.Store(true)
		done <- err
	}()
	visits := 0
	for i := 0; !taken.Load(); i++ {
		v := plat.Visit{URL: "https://visited.test/", Time: time.Unix(int64(i), 0), Outcome: plat.OutcomeUnchanged}
		if err := s.Record(t.Context(), v, 1); err != nil {
			t.Fatal(err)
		}
		visits++
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); visits < 5 {
		t.Errorf("%d visits were recorded while a list was taken for %v", visits, took)
	}
}

// The order of a host's jobs is that of the list, however it is divided.
func TestALongListKeepsItsOrder(t *testing.T) {
	for _, hosts := range []int{1, 3, 40} {
		s := openAt(t, filepath.Join(t.TempDir(), "a.plat"), Options{})
		list := listOf(3000, hosts)
		for i := range list {
			if i%3 == 0 { // the same host
				list[i].URL = "https" + list[i].URL[len("http"):]
			}
		}
		if e, err := s.Enlist(t.Context(), list, storage.Join); err != nil || e.New != len(list) || len(e.Jobs) != len(list) || e.Jobs[7].URL != list[7].URL {
			t.Fatal(e.New, len(e.Jobs), err)
		}
		want := map[string][]string{}
		for _, j := range list {
			h := plat.HostOf(j.URL)
			want[h] = append(want[h], j.URL)
		}
		for h, urls := range want {
			got, err := s.Load(t.Context(), time.Now(), []storage.HostLimit{{Host: h, Limit: len(urls)}})
			if err != nil {
				t.Fatal(err)
			}
			var loaded []string
			for _, j := range got[0].Jobs {
				loaded = append(loaded, j.URL)
			}
			if !slices.Equal(loaded, urls) {
				t.Fatalf("%d hosts: %d jobs of %s are in another order than the list", hosts, len(urls), h)
			}
		}
	}
}

// BenchmarkList takes a list in no order, in batches: URLs/s is the rate.
func BenchmarkList(b *testing.B) {
	list := listOf(200_000, 1000)
	for _, size := range []int{5_000, 20_000, 50_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			for b.Loop() {
				s, err := Open(filepath.Join(b.TempDir(), "a.plat"), Options{})
				if err != nil {
					b.Fatal(err)
				}
				for batch := range slices.Chunk(list, size) {
					if _, err := s.Enlist(b.Context(), batch, storage.Join); err != nil {
						b.Fatal(err)
					}
				}
				s.Close()
			}
			b.ReportMetric(float64(b.N*len(list))/b.Elapsed().Seconds(), "URLs/s")
		})
	}
}
