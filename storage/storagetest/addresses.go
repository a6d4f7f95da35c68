package storagetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"plat/plat"
	"plat/storage"
)

// testAddresses tests URLs that lead to the same page.
func testAddresses(t *testing.T, open func(testing.TB) storage.Store, _ int) {
	const main, other = "https://a.test/main", "https://a.test/other"
	set := func(t *testing.T, s storage.Store, main string, urls ...string) {
		t.Helper()
		for range 2 { // it is idempotent
			if err := s.SetMain(t.Context(), main, after(3), urls...); err != nil {
				t.Fatal(err)
			}
		}
	}
	state := func(t *testing.T, s storage.Store, url string) plat.URLState {
		t.Helper()
		st, err := s.State(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		return st
	}
	others := func(t *testing.T, s storage.Store, want ...string) {
		t.Helper()
		if got, err := s.Others(t.Context(), main, 9); err != nil || !slices.Equal(got, want) {
			t.Errorf("Others = %q, %v; want %q", got, err, want)
		}
	}
	found := func(url string) plat.Job {
		return plat.Job{URL: url, Due: day, Priority: 0.5, Plan: plat.Plan{Depth: 1, Scope: "host"}}
	}

	t.Run("an address that was never visited", func(t *testing.T) {
		s := open(t)
		enlist(t, s, plat.Job{URL: main, Due: day, Priority: 1, Plan: plat.Plan{Scope: "host"}}, found(other))
		set(t, s, main, other, "https://b.test/unknown")
		others(t, s, other, "https://b.test/unknown")
		if st := state(t, s, other); st.Main != main || !st.Due.IsZero() || !st.Settled.Equal(day) || st.Depth != 1 {
			t.Errorf("%+v", st)
		}
		if st := state(t, s, "https://b.test/unknown"); st.Main != main || !st.Due.IsZero() || !st.Settled.Equal(after(3)) {
			t.Errorf("%+v", st)
		}
		if c, err := s.Counts(t.Context(), after(4)); err != nil || c.Backlog != 1 || c.Hosts != 1 {
			t.Errorf("Counts = %+v, %v; want the main address only", c, err)
		}
		if e, err := s.Enlist(t.Context(), []plat.Job{found(other), found("https://b.test/unknown")}, storage.IfNew); err != nil || e.New != 0 || len(e.Jobs) != 0 {
			t.Errorf("a link to an address that is known: Enlist = %+v, %v", e, err)
		}
		// A user requests it.
		j := found(other)
		j.Due, j.Depth = after(5), 0
		enlist(t, s, j)
		if st := state(t, s, other); st.Main != main || !st.Due.Equal(after(5)) || st.Depth != 0 {
			t.Errorf("asked for: %+v", st)
		}
		set(t, s, "", other, "https://b.test/unknown", "https://c.test/never")
		others(t, s)
		if st := state(t, s, other); st.Main != "" || !st.Due.Equal(after(5)) {
			t.Errorf("undone: %+v", st)
		}
		if _, err := s.State(t.Context(), "https://c.test/never"); !errors.Is(err, plat.ErrNotFound) {
			t.Errorf("undoing makes a URL known: %v", err)
		}
		set(t, s, main, other) // it was requested
		others(t, s)
		clean(t, s)
	})

	t.Run("a visit finds an address", func(t *testing.T) {
		s := open(t)
		commit(t, s, NewPage(main, 1).Next())
		enlist(t, s, found(other))
		v := plat.Visit{URL: other, Time: after(1), Outcome: plat.OutcomeAlias, Status: 200, Settles: day, Main: main}
		for range 2 {
			record(t, s, v)
		}
		if st := state(t, s, other); st.Main != main || st.Visits != 1 || st.Head != 0 || st.Outcome != plat.OutcomeAlias || !st.Due.IsZero() || !st.Dead.IsZero() {
			t.Errorf("%+v", st)
		}
		others(t, s, other)
		p := NewPage(other, 2)
		commit(t, s, p.Next()) // it has become a separate page
		others(t, s)
		if st := state(t, s, other); st.Main != "" || st.Head != 1 {
			t.Errorf("%+v", st)
		}
		set(t, s, main, other)
		record(t, s, plat.Visit{URL: other, Time: after(9), Outcome: plat.OutcomeAlias, Main: main})
		others(t, s)
		clean(t, s)
	})

	t.Run("the page must be known", func(t *testing.T) {
		s := open(t)
		enlist(t, s, found(other))
		if err := s.SetMain(t.Context(), main, day, other); !errors.Is(err, plat.ErrNotFound) {
			t.Errorf("SetMain = %v", err)
		}
		if err := s.Record(t.Context(), plat.Visit{URL: other, Time: day, Outcome: plat.OutcomeAlias, Settles: day, Main: main}, 0); !errors.Is(err, plat.ErrNotFound) {
			t.Errorf("Record = %v", err)
		}
		if st := state(t, s, other); st.Main != "" || st.Visits != 0 || !st.Due.Equal(day) {
			t.Errorf("%+v", st)
		}
		set(t, s, other, other)
		if st := state(t, s, other); st.Main != "" {
			t.Errorf("its own address: %+v", st)
		}
	})

	t.Run("pages that look alike", func(t *testing.T) {
		s := open(t)
		pages := map[string]*Page{}
		put := func(url string, fingerprint uint64) {
			t.Helper()
			if pages[url] == nil {
				pages[url] = NewPage(url, uint64(len(pages)+1))
			}
			c := pages[url].Next()
			c.Fingerprint = fingerprint
			commit(t, s, c)
		}
		const big = 1<<63 + 5
		put("https://a.test/1", 7)
		put("https://a.test/2", big)
		put("https://a.test/3", 7)
		put("https://b.test/1", 7)
		put("https://a.test/4", 0)
		check := func(host string, fingerprint uint64, limit int, want ...string) {
			t.Helper()
			if got, err := s.Lookalikes(t.Context(), host, fingerprint, limit); err != nil || !slices.Equal(got, want) {
				t.Errorf("Lookalikes(%s, %d) = %q, %v; want %q", host, fingerprint, got, err, want)
			}
		}
		check("a.test", 7, 9, "https://a.test/1", "https://a.test/3")
		check("a.test", 7, 1, "https://a.test/1")
		check("a.test", big, 9, "https://a.test/2")
		check("b.test", 7, 9, "https://b.test/1")
		check("c.test", 7, 9)
		put("https://a.test/3", 8) // a further version
		check("a.test", 7, 9, "https://a.test/1")
		check("a.test", 8, 9, "https://a.test/3")
		for limit, want := range map[int]int{9: 4, 2: 2} {
			if n, err := s.Known(t.Context(), "a.test", limit); err != nil || n != want {
				t.Errorf("Known = %d, %v; want %d", n, err, want)
			}
		}
		if n, err := s.Known(t.Context(), "c.test", 9); err != nil || n != 0 {
			t.Errorf("Known = %d, %v; want 0", n, err)
		}
	})
}

// setMainDoomed makes one of doomedJobs, and an unknown URL, aliases of a page.
func setMainDoomed(ctx context.Context, s storage.Store) error {
	known, jobs, _ := doomedJobs()
	return s.SetMain(ctx, known[0].URL, after(3), known[1].URL, jobs[2].URL)
}

func afterSetMain(t testing.TB, s storage.Store, _ string) {
	clean(t, s)
	if err := setMainDoomed(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	known, jobs, _ := doomedJobs()
	if got, err := s.Others(t.Context(), known[0].URL, 9); err != nil || fmt.Sprint(got) != fmt.Sprint([]string{jobs[2].URL, known[1].URL}) {
		t.Errorf("Others = %q, %v", got, err)
	}
	if got := load(t, s, day.Add(time.Hour), storage.Host(known[1].URL), 9); len(got.Jobs) != 0 {
		t.Errorf("another address is still to be visited: %+v", got.Jobs)
	}
	clean(t, s)
}
