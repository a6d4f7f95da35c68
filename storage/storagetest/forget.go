package storagetest

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"plat/plat"
	"plat/storage"
)

// forget forgets or fails the test.
func forget(t testing.TB, s storage.Store, url string, cut storage.Cut) storage.Forgotten {
	t.Helper()
	f, err := s.Forget(t.Context(), url, cut, false)
	if err != nil {
		t.Fatalf("Forget(%s, %+v) = %v", url, cut, err)
	}
	return f
}

// collectGarbage removes unreferenced data, and checks that no such data is left.
func collectGarbage(t testing.TB, s storage.Store) {
	t.Helper()
	if _, err := s.GC(t.Context(), time.Now().Add(2*storage.CommitTime)); err != nil {
		t.Fatal(err)
	}
	if r := clean(t, s); r.Unreferenced != 0 {
		t.Errorf("after GC %d are unreferenced", r.Unreferenced)
	}
}

// kept returns commits in their state after earlier versions were forgotten.
func kept(all []*storage.Commit) []*storage.Commit {
	out := make([]*storage.Commit, len(all))
	for i, c := range all {
		d, v := *c, *c.Version
		v.Blocks = slices.Clone(v.Blocks)
		if i == 0 {
			v.SelfChanges, v.Oldest = nil, true
			for k := range v.Blocks {
				v.Blocks[k].Base = plat.Hash{}
			}
		}
		d.Version = &v
		out[i] = &d
	}
	return out
}

// stands checks that exactly the given commits of a URL can be read and found.
func stands(t testing.TB, s storage.Store, url string, all, gone []*storage.Commit) {
	t.Helper()
	contents := map[plat.Hash][]byte{}
	for _, c := range slices.Concat(gone, all) {
		for _, b := range c.Version.Blocks {
			contents[b.Hash] = b.Content
		}
	}
	want := kept(all)
	for i, c := range want {
		sameCommit(t, s, c, contents)
		if v, err := s.Version(t.Context(), url, c.Version.N); err != nil || v.Oldest != (i == 0) {
			t.Errorf("version %d of %s: oldest %v, %v", c.Version.N, url, v.Oldest, err)
		}
	}
	for _, c := range gone {
		if _, err := s.Version(t.Context(), url, c.Version.N); !errors.Is(err, plat.ErrForgotten) || !errors.Is(err, plat.ErrNotFound) {
			t.Errorf("version %d of %s: %v, want that it was forgotten", c.Version.N, url, err)
		}
	}
	var numbers, wanted []int
	for v, err := range s.Trees(t.Context(), url, 1, 1<<30) {
		if err != nil {
			t.Fatal(err)
		}
		numbers = append(numbers, v.N)
	}
	for _, c := range want {
		wanted = append(wanted, c.Version.N)
	}
	if !slices.Equal(numbers, wanted) {
		t.Errorf("Trees yields the versions %v, want %v", numbers, wanted)
	}
	if got := collect(t, s.Trees(t.Context(), url, 1, len(gone))); len(got) > 0 {
		t.Errorf("Trees yields %d of the versions that are gone", len(got))
	}
	if got := collect(t, s.Versions(t.Context(), url)); len(got) != len(want) {
		t.Errorf("Versions yields %d versions, want %d", len(got), len(want))
	}
	checkTimes(t, s, url, want, len(gone))
	for _, q := range []storage.BlockQuery{{URL: url}, {URL: url, Head: true}, {URL: url, SkipFirst: true}, {URL: url, Head: true, SkipFirst: true}, {URL: url, Changes: true}, {URL: url, Changes: true, SkipFirst: true}} {
		var wanted []storage.Found
		if len(want) > 0 {
			wanted = answer(want, q)
		}
		got := collect(t, s.Find(t.Context(), q))
		show := func(all []storage.Found) (out string) {
			for _, f := range all {
				out += fmt.Sprintf("%d/%d %s %s\n", f.N, f.Block.Lineage, f.Taken.UTC().Format(time.RFC3339), f.Block.Hash.Short())
			}
			return out
		}
		if show(got) != show(wanted) {
			t.Errorf("Find(%+v) yields\n%swant\n%s", q, show(got), show(wanted))
		}
	}
}

func checkTimes(t testing.TB, s storage.Store, url string, want []*storage.Commit, forgotten int) {
	t.Helper()
	times, err := s.Times(t.Context(), url)
	if len(want) == 0 {
		if !errors.Is(err, plat.ErrForgotten) {
			t.Errorf("Times = %v, %v; want that they were forgotten", times, err)
		}
		return
	}
	if err != nil || len(times) != forgotten+len(want) {
		t.Fatalf("Times returns %d, %v; want %d", len(times), err, forgotten+len(want))
	}
	for i, at := range times {
		if n := i - forgotten; n < 0 && !at.IsZero() || n >= 0 && !at.Equal(instantOf(want[n].Version.Taken)) {
			t.Errorf("version %d was taken %s", i+1, at)
		}
	}
}

func testForget(t *testing.T, open func(testing.TB) storage.Store, size int) {
	const url = "https://a.test/page"
	t.Run("versions are forgotten up to one, and the rest is as it was", func(t *testing.T) {
		n, lasts := 70, []int{1, 31, 32, 33, 69} // around key versions
		if size < 100 {
			n, lasts = 7, []int{1, 6}
		}
		for _, last := range lasts {
			s := open(t)
			all := history(t, s, url, 3, n)
			other := history(t, s, "https://a.test/other", 4, 3)
			before, _ := s.Size(t.Context())
			f := forget(t, s, url, storage.Cut{KeepLast: n - last})
			if f.Versions != last || f.Visits != last {
				t.Errorf("Forget = %+v, want %d versions and visits", f, last)
			}
			st, err := s.State(t.Context(), url)
			if err != nil || st.Head != n || st.Forgotten != last || st.ForgottenAt.IsZero() || st.Visits != n-last || st.Changes != n-last ||
				!st.First.Equal(instantOf(all[last].Visit.Time)) || !st.Last.Equal(instantOf(all[n-1].Visit.Time)) || st.Memory != "" {
				t.Errorf("State = %+v, %v", st, err)
			}
			clean(t, s)
			stands(t, s, url, all[last:], all[:last])
			collectGarbage(t, s)
			after, err := s.Size(t.Context())
			if err != nil || after > before {
				t.Errorf("the archive had %d bytes, and has %d, %v", before, after, err)
			}
			t.Logf("%d of %d versions forgotten: %d bytes before, %d after", last, n, before, after)
			stands(t, s, url, all[last:], all[:last])
			stands(t, s, "https://a.test/other", other, nil)
			lost(t, s, all[:last], slices.Concat(all[last:], other))
			if f := forget(t, s, url, storage.Cut{KeepLast: n - last}); f != (storage.Forgotten{}) {
				t.Errorf("Forget the same = %+v", f)
			}
		}
	})

	t.Run("visits are kept from the one on that found the oldest version", func(t *testing.T) {
		s := open(t)
		p := NewPage(url, 10)
		for n := range 4 {
			c := p.Next()
			c.Visit.Time = c.Version.Taken.Add(-30 * time.Second) // it begins before the page is captured
			commit(t, s, c)
			again := plat.Visit{URL: url, Time: c.Version.Taken.Add(time.Millisecond), Version: n + 1, Outcome: plat.OutcomeUnchanged}
			if err := s.Record(t.Context(), again, 1); err != nil {
				t.Fatal(err)
			}
		}
		dry, err := s.Forget(t.Context(), url, storage.Cut{KeepLast: 2}, true)
		if f := forget(t, s, url, storage.Cut{KeepLast: 2}); err != nil || f.Visits != 4 || dry.Visits != 4 {
			t.Errorf("Forget = %+v, dry %+v, %v; want 4 visits", f, dry, err)
		}
		var versions []int
		for v, err := range s.Visits(t.Context(), url, 0) {
			if err != nil {
				t.Fatal(err)
			}
			versions = append(versions, v.Version)
		}
		if !slices.Equal(versions, []int{4, 4, 3, 3}) {
			t.Errorf("the visits that are left found the versions %v", versions)
		}
		clean(t, s)
	})

	t.Run("histories go on, and lose versions again", func(t *testing.T) {
		s := open(t)
		p := NewPage(url, 11)
		var all []*storage.Commit
		forgotten := 0
		for round := range 4 {
			for range max(4, size/10) {
				c := p.Next()
				if forgotten > 0 && len(all) == forgotten { // no version is kept for comparison
					c = kept([]*storage.Commit{c})[0]
				}
				commit(t, s, c)
				all = append(all, c)
			}
			forget(t, s, url, storage.Cut{KeepLast: 2 + round})
			forgotten = len(all) - 2 - round
			stands(t, s, url, all[forgotten:], all[:forgotten])
			collectGarbage(t, s)
		}
		stands(t, s, url, all[forgotten:], all[:forgotten])
	})

	t.Run("what stood at a time is kept", func(t *testing.T) {
		s := open(t)
		all := history(t, s, url, 5, 6)
		for _, tc := range []struct {
			cut  storage.Cut
			last int
		}{
			{storage.Cut{Before: all[0].Version.Taken}, 0},
			{storage.Cut{Before: all[2].Version.Taken.Add(-time.Second)}, 1},
			{storage.Cut{Before: all[2].Version.Taken}, 2},
			{storage.Cut{Before: all[5].Version.Taken, KeepLast: 3}, 3},
			{storage.Cut{Before: all[5].Version.Taken.Add(1000 * time.Hour)}, 5},
		} {
			was := snapshotOf(t, s, url)
			dry, err := s.Forget(t.Context(), url, tc.cut, true)
			st, _ := s.State(t.Context(), url)
			if err != nil || st.Forgotten+dry.Versions != tc.last {
				t.Errorf("dry Forget(%+v) = %+v, %v", tc.cut, dry, err)
			}
			if now := snapshotOf(t, s, url); now != was {
				t.Errorf("a dry run changed\n%s to\n%s", was, now)
			}
			if f := forget(t, s, url, tc.cut); f.Versions != dry.Versions || f.Visits != dry.Visits || f.Items != dry.Items {
				t.Errorf("Forget(%+v) = %+v, and before %+v", tc.cut, f, dry)
			}
			stands(t, s, url, all[tc.last:], all[:tc.last])
		}
	})

	t.Run("a whole page is forgotten with all that is known of it", func(t *testing.T) { forgetWhole(t, open(t), url) })
	t.Run("items of subscriptions", func(t *testing.T) { forgetItems(t, open(t)) })
	t.Run("the search index", func(t *testing.T) { forgetSearched(t, open(t)) })
	t.Run("pictures and resources", func(t *testing.T) { forgetFiles(t, open(t), url) })

	t.Run("a commit that follows a forgotten version is ErrConflict", func(t *testing.T) {
		s := open(t)
		p := NewPage(url, 6)
		commit(t, s, p.Next())
		late := p.Next() // from a worker that has read version 1
		forget(t, s, url, storage.Cut{})
		collectGarbage(t, s)
		if _, err := s.Commit(t.Context(), late); !errors.Is(err, plat.ErrConflict) {
			t.Errorf("Commit = %v, want plat.ErrConflict", err)
		}
		collectGarbage(t, s)
		commit(t, s, kept([]*storage.Commit{late})[0]) // compared with no version
		clean(t, s)
	})

	t.Run("an unknown URL is ErrNotFound", func(t *testing.T) {
		s := open(t)
		for _, dry := range []bool{false, true} {
			if _, err := s.Forget(t.Context(), url, storage.Cut{}, dry); !errors.Is(err, plat.ErrNotFound) {
				t.Errorf("Forget = %v, want plat.ErrNotFound", err)
			}
		}
	})
}
