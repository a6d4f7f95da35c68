package aliases_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"plat/plat"
	"plat/queue/aliases"
	"plat/queue/traps"
	"plat/storage"
	"plat/storage/sqlite/sqlitetest"
	"plat/storage/storagetest"
)

// archive returns an archive with a page that has several addresses.
func archive(t *testing.T) (s storage.Store, page string) {
	t.Helper()
	s = sqlitetest.Open(t)
	page = "https://a.test/p?a=1&b=2"
	p := storagetest.NewPage(page, 1)
	for range 2 {
		if _, err := s.Commit(t.Context(), p.Next()); err != nil {
			t.Fatal(err)
		}
	}
	// The page was known under different addresses before.
	var jobs []plat.Job
	for _, name := range []string{"older", "first", "met"} {
		jobs = append(jobs, plat.Job{URL: "https://b.test/" + name, Due: time.Now(), Plan: plat.Plan{Depth: 1}})
	}
	if _, err := s.Enlist(t.Context(), jobs, storage.Join); err != nil {
		t.Fatal(err)
	}
	for _, pair := range [][2]string{{"https://b.test/first", "https://b.test/older"}, {"https://b.test/met", "https://b.test/first"}, {page, "https://b.test/met"}} {
		if err := s.SetMain(t.Context(), pair[0], time.Now(), pair[1]); err != nil {
			t.Fatal(err)
		}
	}
	site := traps.NewSite()
	for n := range 3 {
		site.Same(fmt.Sprintf("https://a.test/%d?sid=%d", n, n), fmt.Sprintf("https://a.test/%d", n))
	}
	if err := s.SetNote(t.Context(), traps.NotePrefix+"a.test", site.Text()); err != nil {
		t.Fatal(err)
	}
	return s, page
}

func TestAPageIsFoundUnderAllItsAddresses(t *testing.T) {
	store, page := archive(t)
	s := aliases.Store{Store: store}
	others, err := storage.Others(t.Context(), store, page, 9)
	if want := []string{"https://b.test/first", "https://b.test/met", "https://b.test/older"}; err != nil || !slices.Equal(others, want) {
		t.Errorf("other addresses: %q, %v; want %q", others, err, want)
	}
	if others, err := storage.Others(t.Context(), store, page, 2); err != nil || len(others) != 2 {
		t.Errorf("two other addresses: %q, %v", others, err)
	}
	for _, url := range []string{page, "https://b.test/met", "https://b.test/first", "https://b.test/older", "https://a.test/p?sid=x&a=1&b=2", "https://a.test/p?b=2&a=1", "https://a.test/p?b=2&sid=x&a=1"} {
		if got, err := aliases.Of(t.Context(), store, url); err != nil || got != page {
			t.Errorf("Of(%s) = %s, %v", url, got, err)
		}
		if v, err := s.Version(t.Context(), url, 2); err != nil || v.URL != page || v.N != 2 {
			t.Errorf("Version of %s: %v, %v", url, v, err)
		}
		if st, err := s.State(t.Context(), url); err != nil || st.URL != page || st.Head != 2 {
			t.Errorf("State of %s: %+v, %v", url, st, err)
		}
		if all, err := s.Times(t.Context(), url); err != nil || len(all) != 2 {
			t.Errorf("Times of %s: %v, %v", url, all, err)
		}
		n := 0
		for v, err := range s.Versions(t.Context(), url) {
			if err != nil || v.URL != page {
				t.Errorf("Versions of %s: %v, %v", url, v, err)
			}
			n++
		}
		for v, err := range s.Trees(t.Context(), url, 1, 9) {
			if err != nil || len(v.Blocks) == 0 {
				t.Errorf("Trees of %s: %v, %v", url, v, err)
			}
			n++
		}
		if n != 4 {
			t.Errorf("%s has %d versions and trees, want 4", url, n)
		}
	}
	for _, url := range []string{"https://a.test/q", "https://c.test/p?a=1&b=2"} {
		if got, err := aliases.Of(t.Context(), store, url); err != nil || got != url {
			t.Errorf("Of(%s) = %s, %v", url, got, err)
		}
		if _, err := s.Version(t.Context(), url, 0); !errors.Is(err, plat.ErrNotFound) {
			t.Errorf("Version of %s: %v", url, err)
		}
		if _, err := s.State(t.Context(), url); !errors.Is(err, plat.ErrNotFound) {
			t.Errorf("State of %s: %v", url, err)
		}
	}
}

func TestWhatWasLearnt(t *testing.T) {
	s, _ := archive(t)
	for host, want := range map[string]int{"": 1, "a.test": 1, "a.tes": 0, "b.test": 0} {
		all, err := aliases.LearntOf(t.Context(), s, host)
		if err != nil || len(all) != want {
			t.Errorf("of %q: %+v, %v", host, all, err)
		}
		if len(all) > 0 && (all[0].Host != "a.test" || len(all[0].Params) != 1 || all[0].Params[0] != "sid") {
			t.Errorf("of %q: %+v", host, all[0])
		}
	}
	if err := s.SetNote(t.Context(), traps.NotePrefix+"a.test", "{"); err != nil {
		t.Fatal(err)
	}
	if _, err := aliases.LearntOf(t.Context(), s, ""); !errors.Is(err, plat.ErrCorrupt) {
		t.Errorf("a damaged note: %v", err)
	}
	if got, err := aliases.Of(t.Context(), s, "https://a.test/p?sid=1"); err != nil || got != "https://a.test/p?sid=1" {
		t.Errorf("with a damaged note: %s, %v", got, err)
	}
}
