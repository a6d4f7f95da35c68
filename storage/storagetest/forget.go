package storagetest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
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
	for _, q := range []storage.BlockQuery{{URL: url}, {URL: url, Head: true}} {
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

// lost checks that the contents which only forgotten versions have are gone.
func lost(t testing.TB, s storage.Store, gone, all []*storage.Commit) {
	t.Helper()
	stay := map[plat.Hash]bool{}
	for _, c := range all {
		stay[c.Version.Layout] = true
		for _, b := range c.Version.Blocks {
			stay[b.Hash] = true
		}
	}
	n := 0
	for _, c := range gone {
		for _, b := range c.Version.Blocks {
			if b.Leaf() && !stay[b.Hash] {
				if _, err := s.Contents(t.Context(), []plat.Hash{b.Hash}); !errors.Is(err, plat.ErrNotFound) {
					t.Fatalf("a content of the forgotten version %d: %v, want plat.ErrNotFound", c.Version.N, err)
				}
				n++
			}
		}
		if h := c.Version.Layout; !stay[h] {
			if _, err := s.Layout(t.Context(), h); !errors.Is(err, plat.ErrNotFound) {
				t.Fatalf("the layout of the forgotten version %d: %v, want plat.ErrNotFound", c.Version.N, err)
			}
		}
	}
	if n == 0 {
		t.Error("the forgotten versions had no contents of their own")
	}
}

func forgetWhole(t *testing.T, s storage.Store, url string) {
	enlist(t, s, plat.Job{URL: url, Due: time.Now().Add(30 * 24 * time.Hour), Priority: 0.5, Plan: plat.Plan{Depth: 1, Scope: "host", Schedule: plat.Schedule{Every: time.Hour}}})
	p := NewPage(url, 8)
	var all []*storage.Commit
	for range 5 {
		c := p.Next()
		c.Visit.Memory = "remembered"
		commit(t, s, c)
		all = append(all, c)
	}
	if err := s.Record(t.Context(), plat.Visit{URL: url, Time: all[4].Visit.Time.Add(time.Hour), Outcome: plat.OutcomeUnreachable, Error: "no route"}, 0); err != nil {
		t.Fatal(err)
	}
	f := forget(t, s, url, storage.Cut{})
	if f.Versions != 5 || f.Visits != 6 {
		t.Errorf("Forget = %+v, want 5 versions and 6 visits", f)
	}
	st, err := s.State(t.Context(), url)
	if err != nil || st.Head != 0 || st.Forgotten != 5 || st.ForgottenAt.IsZero() || st.Next() != 6 || st.Visits != 0 || st.Changes != 0 || st.StoredBytes != 0 ||
		!st.Due.IsZero() || st.Settled.IsZero() || st.Plan != (plat.Plan{}) || st.Memory != "" || !st.First.IsZero() || st.Outcome != "" {
		t.Errorf("State = %+v, %v", st, err)
	}
	if got := collect(t, s.Visits(t.Context(), url, 0)); len(got) > 0 {
		t.Errorf("the visits %+v are left", got)
	}
	clean(t, s)
	stands(t, s, url, nil, all)
	collectGarbage(t, s)
	stands(t, s, url, nil, all)
	lost(t, s, all, nil)
	if stats, err := s.Stats(t.Context()); err != nil || len(stats) != 0 {
		t.Errorf("Stats = %+v, %v; want none", stats, err)
	}

	// A link does not revive it, an explicit request does.
	job := plat.Job{URL: url, Due: time.Now()}
	for _, x := range []struct {
		how  storage.Intake
		asks bool
	}{{storage.IfNew, false}, {storage.Again, true}} {
		if _, err := s.Enlist(t.Context(), []plat.Job{job}, x.how); err != nil {
			t.Fatal(err)
		}
		st, err := s.State(t.Context(), url)
		if soon := !st.Due.IsZero() && st.Due.Before(time.Now().Add(time.Minute)); err != nil || soon != x.asks {
			t.Errorf("after a job (%v): due %v, %v", x.how, st.Due, err)
		}
	}
	late := plat.Visit{URL: url, Time: time.Now(), Outcome: plat.OutcomeUnchanged, Version: 5}
	if err := s.Record(t.Context(), late, 1); err != nil {
		t.Fatal(err)
	}
	if got := collect(t, s.Visits(t.Context(), url, 0)); len(got) > 0 {
		t.Errorf("a visit that found a version that was forgotten meanwhile is recorded: %+v", got)
	}
	for range 3 {
		c := p.Next()
		if c.Version.N == 6 {
			c = kept([]*storage.Commit{c})[0]
		}
		commit(t, s, c)
		all = append(all, c)
	}
	stands(t, s, url, all[5:], all[:5])
	collectGarbage(t, s)
	stands(t, s, url, all[5:], all[:5])
}

func forgetItems(t *testing.T, s storage.Store) {
	const url = "https://a.test/"
	f := followerOf(t, s)
	all := history(t, s, url, 9, 4)
	subscribe(t, f, subscriptionTo("one", url))
	e := &storage.Examination{ID: "one", Following: plat.Following{Pages: []plat.FollowedPage{pageAt(url, 1, 4, "secret words")}},
		Items: []plat.Item{itemOf("one", "i1", 1), itemOf("one", "i2", 2), itemOf("one", "i3", 3), itemOf("one", "i4", 4)}}
	if err := f.Examined(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		cut        storage.Cut
		gone, left int
	}{{storage.Cut{KeepLast: 2}, 2, 2}, {storage.Cut{}, 2, 0}} {
		if got := forget(t, s, url, tc.cut); got.Items != tc.gone {
			t.Errorf("Forget(%+v) = %+v, want %d items", tc.cut, got, tc.gone)
		}
		sub := subscription(t, f, "one")
		got := collect(t, f.Items(t.Context(), storage.ItemQuery{}))
		if len(got) != tc.left || sub.Items != tc.left || sub.Unread != tc.left || sub.Latest.IsZero() != (tc.left == 0) {
			t.Errorf("after Forget(%+v): %d items; the subscription counts %d, %d unread, the latest %s", tc.cut, len(got), sub.Items, sub.Unread, sub.Latest)
		}
		if whole := tc.cut.Whole(); whole && string(sub.Pages[0].Memory) != "" || sub.Pages[0].Examined != 4 {
			t.Errorf("the page is %+v", sub.Pages[0])
		}
		collectGarbage(t, s)
	}
	stands(t, s, url, nil, all)

	// An examination that has read versions which are forgotten in the meantime.
	const late = "https://late.test/"
	history(t, s, late, 10, 4)
	subscribe(t, f, subscriptionTo("two", late))
	first := &storage.Examination{ID: "two", Following: plat.Following{Pages: []plat.FollowedPage{pageAt(late, 1, 1, "")}}}
	if err := f.Examined(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	i := itemOf("two", "late", 2)
	i.Page = late
	forget(t, s, late, storage.Cut{KeepLast: 2})
	under := &storage.Examination{ID: "two", Was: map[string]int{late: 1}, Items: []plat.Item{i}, Following: plat.Following{Pages: []plat.FollowedPage{pageAt(late, 1, 4, "secret")}}}
	if err := f.Examined(t.Context(), under); !errors.Is(err, plat.ErrConflict) {
		t.Errorf("an examination of forgotten versions: %v, want plat.ErrConflict", err)
	}
	if got := collect(t, f.Items(t.Context(), storage.ItemQuery{Of: storage.Which{IDs: []string{"two"}}})); len(got) > 0 {
		t.Errorf("it has left %+v", got)
	}
	clean(t, s)
}

func forgetSearched(t *testing.T, s storage.Store) {
	const url, other = "https://a.test/", "https://b.test/"
	say := func(url string, n int, words string) *storage.Commit {
		c := issue(url, n, n, passage{1, plat.LabelMain, words, "<p>" + words + "</p>"}, passage{2, plat.LabelFooter, "imprint", "<p>imprint</p>"})
		if n > 1 {
			c.Version.Changes = map[plat.Kind]int{plat.Content: 1}
		}
		return c
	}
	for n, words := range []string{"aardvark", "badger", "capybara"} {
		commit(t, s, say(url, n+1, words))
	}
	commit(t, s, say(other, 1, "aardvark"))
	index(t, s)
	found := func(words string) []string {
		var all []string
		for _, h := range search(t, s, storage.Search{Words: words}).Hits {
			all = append(all, fmt.Sprintf("%s@%d", h.URL, h.First))
		}
		slices.Sort(all)
		return all
	}
	for _, x := range []struct {
		cut  storage.Cut
		want map[string][]string
	}{
		{storage.Cut{KeepLast: 2}, map[string][]string{"aardvark": {other + "@1"}, "badger": {url + "@2"}, "capybara": {url + "@3"}, "imprint": {url + "@2", other + "@1"}}},
		{storage.Cut{}, map[string][]string{"aardvark": {other + "@1"}, "badger": nil, "capybara": nil, "imprint": {other + "@1"}}},
	} {
		forget(t, s, url, x.cut)
		for words := range x.want { // immediately: fewer results are allowed, but no forgotten ones
			if got := found(words); len(got) > len(x.want[words]) {
				t.Errorf("after Forget(%+v) %q finds %v", x.cut, words, got)
			}
		}
		index(t, s)
		for words, want := range x.want {
			if got := found(words); !reflect.DeepEqual(got, want) {
				t.Errorf("after Forget(%+v) and Index %q finds %v, want %v", x.cut, words, got, want)
			}
		}
	}
	// The next version is found even if it gets the id of the previous newest one.
	fourth := say(url, 4, "dugong")
	fourth.Version.Oldest = true
	commit(t, s, fourth)
	index(t, s)
	forget(t, s, url, storage.Cut{})
	commit(t, s, say("https://c.test/", 1, "echidna"))
	index(t, s)
	if got := found("echidna"); !slices.Equal(got, []string{"https://c.test/@1"}) {
		t.Errorf("after the newest page was forgotten the next one is found as %v", got)
	}
	fourth = say(url, 5, "dugong")
	fourth.Version.Oldest = true
	commit(t, s, fourth)
	index(t, s)
	if got := found("dugong"); !slices.Equal(got, []string{url + "@5"}) {
		t.Errorf("the next version is found as %v", got)
	}
	collectGarbage(t, s)
}

func forgetFiles(t *testing.T, s storage.Store, url string) {
	p := NewPage(url, 12)
	var all []*storage.Commit
	for i := range 3 {
		c := p.Next()
		pic := &plat.Picture{Type: "image/png", Data: fmt.Appendf(nil, "picture %d", i)}
		c.Picture, c.Version.Picture = pic, plat.HashOf(pic.Data)
		SetResources(c, someResources(fmt.Appendf(nil, "image %d", i))...)
		commit(t, s, c)
		all = append(all, c)
	}
	forget(t, s, url, storage.Cut{KeepLast: 1})
	collectGarbage(t, s)
	stands(t, s, url, all[2:], all[:2])
	for _, c := range all[:2] {
		if _, err := s.Picture(t.Context(), c.Version.Picture); !errors.Is(err, plat.ErrNotFound) {
			t.Errorf("the picture of version %d: %v, want plat.ErrNotFound", c.Version.N, err)
		}
		if _, err := s.Manifest(t.Context(), c.Version.Resources); !errors.Is(err, plat.ErrNotFound) {
			t.Errorf("the manifest of version %d: %v, want plat.ErrNotFound", c.Version.N, err)
		}
	}
}

func readyToForget(t testing.TB, s storage.Store) string {
	readyToCommit(t, s)
	_, last := Doomed()
	commit(t, s, last)
	f := followerOf(t, s)
	subscribe(t, f, subscriptionTo("one", last.Version.URL))
	i := itemOf("one", "i1", 1)
	i.Page = last.Version.URL
	if err := f.Examined(t.Context(), &storage.Examination{ID: "one", Items: []plat.Item{i},
		Following: plat.Following{Pages: []plat.FollowedPage{pageAt(last.Version.URL, 1, 4, "secret")}}}); err != nil {
		t.Fatal(err)
	}
	index(t, s)
	return ""
}

func forgetDoomed(cut storage.Cut) func(context.Context, storage.Store) error {
	return func(ctx context.Context, s storage.Store) error {
		_, last := Doomed()
		_, err := s.Forget(ctx, last.Version.URL, cut, false)
		return err
	}
}

// afterForget repeats the interrupted call, every second time after GC.
func afterForget(cut storage.Cut) func(testing.TB, storage.Store, string) {
	rounds := 0
	return func(t testing.TB, s storage.Store, _ string) {
		t.Helper()
		clean(t, s)
		if rounds++; rounds%2 == 0 {
			if _, err := s.GC(t.Context(), time.Now().Add(2*storage.CommitTime)); err != nil {
				t.Fatal(err)
			}
		}
		before, last := Doomed()
		all := append(before, last)
		forget(t, s, last.Version.URL, cut)
		n := 2
		if cut.Whole() {
			n = 4
		}
		collectGarbage(t, s)
		stands(t, s, last.Version.URL, all[n:], all[:n])
		lost(t, s, all[:n], all[n:])
		if got := collect(t, followerOf(t, s).Items(t.Context(), storage.ItemQuery{})); len(got) > 0 {
			t.Errorf("the items %+v are left", got)
		}
	}
}
