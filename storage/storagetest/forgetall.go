package storagetest

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"plat/plat"
	"plat/storage"
)

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
