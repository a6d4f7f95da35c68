// Package storagetest tests the contract of storage.Store: every sentence is a test
// that all backends run. A bug found in one backend becomes a case here.
package storagetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"plat/plat"
	"plat/storage"
)

// Test runs the contract of storage.Store. open returns an empty store and registers
// its own cleanup. size is the number of versions of the longest history: hundreds,
// or some dozens for a slow server.
func Test(t *testing.T, open func(testing.TB) storage.Store, size int) {
	for _, group := range []struct {
		name string
		run  func(*testing.T, func(testing.TB) storage.Store, int)
	}{
		{"State", testState},
		{"Version", testVersion},
		{"Contents", testContents},
		{"Commit", testCommit},
		{"Resources", testResources},
		{"Visits", testVisits},
		{"Memory", testMemory},
		{"Jobs", testJobs},
		{"List of jobs", testList},
		{"Addresses", testAddresses},
		{"Subscriptions", testSubscriptions},
		{"Outbox", testOutbox},
		{"Crawls", testCrawls},
		{"Pages of crawls", testCrawlPages},
		{"Forget", testForget},
		{"Find", testFind},
		{"Search", testSearch},
		{"Verify", testVerify},
		{"Together", testTogether},
	} {
		t.Run(group.name, func(t *testing.T) { group.run(t, open, size) })
	}
}

// commit commits or fails the test.
func commit(t testing.TB, s storage.Store, c *storage.Commit) storage.Written {
	t.Helper()
	w, err := s.Commit(t.Context(), c)
	if err != nil {
		t.Fatalf("Commit(%s version %d) = %v", c.Version.URL, c.Version.N, err)
	}
	return w
}

// history commits n versions of a new page and returns them.
func history(t testing.TB, s storage.Store, url string, seed uint64, n int) []*storage.Commit {
	t.Helper()
	p := NewPage(url, seed)
	var all []*storage.Commit
	for range n {
		c := p.Next()
		commit(t, s, c)
		all = append(all, c)
	}
	return all
}

// plain returns a version as stores return it.
func plain(v *plat.Version) plat.Version {
	out := *v
	out.Taken = out.Taken.UTC().Truncate(time.Millisecond)
	out.Capture.Duration = out.Capture.Duration.Truncate(time.Millisecond)
	out.Blocks = slices.Clone(v.Blocks)
	for i := range out.Blocks {
		b := &out.Blocks[i]
		b.Content, b.Text = nil, ""
		b.Path, b.Hidden, b.Folded = orNil(b.Path), orNil(b.Hidden), orNil(b.Folded)
	}
	out.Blocks, out.Adjust, out.Capture.Header = orNil(out.Blocks), orNil(out.Adjust), orNil(out.Capture.Header)
	for i := range out.Adjust {
		out.Adjust[i].Path = orNil(out.Adjust[i].Path)
	}
	if len(out.Meta) == 0 {
		out.Meta = nil
	}
	if len(out.Changes) == 0 {
		out.Changes = nil
	}
	out.Oldest = false // not determined by the commit
	return out
}

func orNil[T any](s []T) []T {
	if len(s) == 0 {
		return nil
	}
	return s
}

// sameVersion fails the test if two versions differ, and reports where.
func sameVersion(t testing.TB, got, want *plat.Version) {
	t.Helper()
	for i := range got.Blocks {
		if got.Blocks[i].Content != nil || got.Blocks[i].Text != "" {
			t.Fatalf("version %d of %s: block %d has its content loaded", got.N, got.URL, i)
		}
	}
	g, w := plain(got), plain(want)
	if reflect.DeepEqual(g, w) {
		return
	}
	if len(g.Blocks) != len(w.Blocks) {
		t.Fatalf("version %d of %s has %d blocks, want %d", want.N, want.URL, len(g.Blocks), len(w.Blocks))
	}
	for i := range g.Blocks {
		if !reflect.DeepEqual(g.Blocks[i], w.Blocks[i]) {
			t.Fatalf("version %d of %s: block %d is\n%+v, want\n%+v", want.N, want.URL, i, g.Blocks[i], w.Blocks[i])
		}
	}
	g.Blocks, w.Blocks = nil, nil
	t.Fatalf("version %d of %s is\n%+v, want\n%+v", want.N, want.URL, g, w)
}

// leafHashes returns the hashes of a version's leaves, in order.
func leafHashes(v *plat.Version) (out []plat.Hash) {
	for i := range v.Blocks {
		if v.Blocks[i].Leaf() {
			out = append(out, v.Blocks[i].Hash)
		}
	}
	return out
}

// Leaves returns the contents of a version's leaves, in order.
func Leaves(t testing.TB, s storage.Store, v *plat.Version) [][]byte {
	t.Helper()
	contents, err := s.Contents(t.Context(), leafHashes(v))
	if err != nil {
		t.Fatalf("Contents of version %d of %s: %v", v.N, v.URL, err)
	}
	return contents
}

// sameCommit reads a whole version and compares it with the commit.
func sameCommit(t testing.TB, s storage.Store, c *storage.Commit, contents map[plat.Hash][]byte) {
	t.Helper()
	v, err := s.Version(t.Context(), c.Version.URL, c.Version.N)
	if err != nil {
		t.Fatalf("Version(%s, %d) = %v", c.Version.URL, c.Version.N, err)
	}
	sameVersion(t, v, c.Version)
	layout, err := s.Layout(t.Context(), v.Layout)
	if err != nil || layout.Sum() != c.Version.Layout {
		t.Fatalf("Layout(%s) of version %d of %s: %v, or other bytes", v.Layout.Short(), v.N, v.URL, err)
	}
	hashes := leafHashes(v)
	got := Leaves(t, s, v)
	for i, h := range hashes {
		if want, ok := contents[h]; ok && !bytes.Equal(got[i], want) || plat.HashOf(got[i]) != h {
			t.Fatalf("version %d of %s: content %s is %.80q, want %.80q", v.N, v.URL, h.Short(), got[i], want)
		}
	}
	sameResources(t, s, c)
}

// clean fails the test if Verify finds any damage.
func clean(t testing.TB, s storage.Store) storage.Report {
	t.Helper()
	r, err := s.Verify(t.Context(), nil)
	if err != nil {
		t.Fatalf("Verify = %v", err)
	}
	if r.BrokenTotal != 0 || len(r.Broken) != 0 {
		t.Fatalf("Verify finds %d broken: %q", r.BrokenTotal, r.Broken)
	}
	return r
}

func collect[T any](t testing.TB, seq func(func(T, error) bool)) []T {
	t.Helper()
	var out []T
	for x, err := range seq {
		if err != nil {
			t.Fatalf("sequence: %v", err)
		}
		out = append(out, x)
	}
	return out
}

var day = time.Date(2024, 5, 6, 7, 8, 9, 10_000_000, time.UTC)

func testState(t *testing.T, open func(testing.TB) storage.Store, size int) {
	t.Run("a probe changes nothing", func(t *testing.T) {
		s := open(t)
		commit(t, s, NewPage("https://a.test/", 1).Next())
		before := snapshotOf(t, s, "https://a.test/")
		for range 3 {
			if err := s.Probe(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if after := snapshotOf(t, s, "https://a.test/"); after != before {
			t.Errorf("before %s, after %s", before, after)
		}
		if states := states(t, s); len(states) != 1 {
			t.Errorf("%d URLs are known, want 1", len(states))
		}
	})
	t.Run("a URL neither visited nor enlisted is ErrNotFound", func(t *testing.T) {
		s := open(t)
		if _, err := s.State(t.Context(), "https://a.test/"); !errors.Is(err, plat.ErrNotFound) {
			t.Errorf("State error = %v, want plat.ErrNotFound", err)
		}
		if _, err := s.Version(t.Context(), "https://a.test/", 0); !errors.Is(err, plat.ErrNotFound) {
			t.Errorf("Version error = %v, want plat.ErrNotFound", err)
		}
		if got := collect(t, s.States(t.Context(), "", "")); len(got) != 0 {
			t.Errorf("States = %v, want none", got)
		}
		if got := collect(t, s.Versions(t.Context(), "https://a.test/")); len(got) != 0 {
			t.Errorf("Versions = %v, want none", got)
		}
		if got := collect(t, s.Trees(t.Context(), "https://a.test/", 0, 9)); len(got) != 0 {
			t.Errorf("Trees = %v, want none", got)
		}
		if _, err := s.Times(t.Context(), "https://a.test/"); !errors.Is(err, plat.ErrNotFound) {
			t.Errorf("Times error = %v, want plat.ErrNotFound", err)
		}
		if got := collect(t, s.Visits(t.Context(), "https://a.test/", 0)); len(got) != 0 {
			t.Errorf("Visits = %v, want none", got)
		}
		if got := collect(t, s.Find(t.Context(), storage.BlockQuery{})); len(got) != 0 {
			t.Errorf("Find = %v, want none", got)
		}
		stats, err := s.Stats(t.Context())
		if err != nil || len(stats) != 0 {
			t.Errorf("Stats = %v, %v; want none", stats, err)
		}
		clean(t, s)
	})

	t.Run("failed visits are stored too", func(t *testing.T) {
		s := open(t)
		v := plat.Visit{URL: "https://a.test:8443/x?y#z", Time: day.Add(300 * time.Microsecond), Outcome: plat.OutcomeTimeout, Duration: 30*time.Second + 7, Error: "load: no answer in 30 s"}
		if err := s.Record(t.Context(), v, 0); err != nil {
			t.Fatal(err)
		}
		got, err := s.State(t.Context(), v.URL)
		want := plat.URLState{URL: v.URL, Host: "a.test:8443", First: day, Last: day, Visits: 1, Outcome: plat.OutcomeTimeout}
		if err != nil || got != want {
			t.Errorf("State = %+v, %v; want %+v", got, err, want)
		}
		v.Time, v.Duration = day, 30*time.Second
		if got := collect(t, s.Visits(t.Context(), v.URL, 0)); len(got) != 1 || got[0] != v {
			t.Errorf("Visits = %+v, want %+v: instants and durations truncated to milliseconds", got, v)
		}
		if _, err := s.Version(t.Context(), v.URL, 0); !errors.Is(err, plat.ErrNotFound) {
			t.Errorf("Version of a URL without versions: error = %v, want plat.ErrNotFound", err)
		}
		clean(t, s)
	})

	t.Run("visits add up in any order", func(t *testing.T) {
		s := open(t)
		const url = "https://a.test/"
		c := NewPage(url, 1).Next()
		c.Version.Taken, c.Visit.Time = day, day
		c.Visit.Outcome = plat.OutcomeNew
		w := commit(t, s, c)
		size := c.Version.Capture.PageBytes
		for _, v := range []plat.Visit{
			{URL: url, Time: day.Add(2 * time.Hour), Outcome: plat.OutcomeHTTPError, Status: 503, Error: "503"},
			{URL: url, Time: day.Add(-time.Hour), Outcome: plat.OutcomeGone, Status: 404},
			{URL: url, Time: day.Add(time.Hour), Outcome: plat.OutcomeUnchanged, Status: 200, Version: 1},
			{URL: url, Time: day.Add(time.Hour), Outcome: plat.OutcomeGone, Status: 410}, // a duplicate
			{URL: url, Time: day, Outcome: plat.OutcomeGone, Status: 410},                // the commit's visit
		} {
			if err := s.Record(t.Context(), v, 100); err != nil {
				t.Fatal(err)
			}
		}
		got, err := s.State(t.Context(), url)
		want := plat.URLState{URL: url, Host: "a.test", First: day.Add(-time.Hour), Last: day.Add(2 * time.Hour), Visits: 4, Changes: 1, Head: 1, Level: 3,
			Status: 503, Outcome: plat.OutcomeHTTPError, PageBytes: size + 300, StoredBytes: w.Bytes}
		if err != nil || got != want {
			t.Errorf("State = %+v, %v; want %+v", got, err, want)
		}
		if w.Bytes <= 0 {
			t.Errorf("Written.Bytes = %d, want more than 0", w.Bytes)
		}
		clean(t, s)
	})

	t.Run("States yields URLs with a prefix in order, and the loop may call any method", func(t *testing.T) {
		s := open(t)
		var urls []string
		many := max(300, 3*size) // more than a store reads in one batch
		for i := range many {
			urls = append(urls, fmt.Sprintf("https://a.test/%04d", i))
		}
		urls = append(urls, "https://a.test/%25_x", "https://a.test/_", "https://a.test/新闻", "https://a.test/é", "https://a.test/🙂", "https://a.test/A", "https://a.test/a", "https://b.test/")
		for _, u := range urls {
			if err := s.Record(t.Context(), plat.Visit{URL: u, Time: day, Outcome: plat.OutcomeGone}, 0); err != nil {
				t.Fatal(err)
			}
		}
		slices.Sort(urls)
		for _, prefix := range []string{"", "https://a.test/", "https://a.test/01", "https://a.test/%25", "https://a.test/_", "https://a.test/新", "https://a.test/a", "https://b", "x"} {
			var want, got []string
			for _, u := range urls {
				if len(u) >= len(prefix) && u[:len(prefix)] == prefix {
					want = append(want, u)
				}
			}
			for st, err := range s.States(t.Context(), prefix, "") {
				if err != nil {
					t.Fatal(err)
				}
				if len(got)%100 == 0 { // reads and writes inside the loop
					if _, err := s.State(t.Context(), st.URL); err != nil {
						t.Fatal(err)
					}
					if err := s.Record(t.Context(), plat.Visit{URL: st.URL, Time: day.Add(time.Hour), Outcome: plat.OutcomeGone}, 0); err != nil {
						t.Fatal(err)
					}
				}
				got = append(got, st.URL)
			}
			if !slices.Equal(got, want) {
				t.Errorf("States(%q) yields %d URLs, want %d; first %.3q, want %.3q", prefix, len(got), len(want), got, want)
			}
		}
		for _, after := range []string{"https://a.test/0298", "https://a.test/01", "https://a.test/_", "https://a", "https://a.test/🙂", "https://z", "\uFFFF"} {
			for _, prefix := range []string{"", "https://a.test/0", "https://b"} {
				var want, got []string
				for _, u := range urls {
					if strings.HasPrefix(u, prefix) && u > after {
						want = append(want, u)
					}
				}
				for st, err := range s.States(t.Context(), prefix, after) {
					if err != nil {
						t.Fatal(err)
					}
					got = append(got, st.URL)
				}
				if !slices.Equal(got, want) {
					t.Errorf("States(%q, after %q) yields %d URLs, want %d; first %.3q, want %.3q", prefix, after, len(got), len(want), got, want)
				}
			}
		}
		n := 0
		for range s.States(t.Context(), "", "") {
			if n++; n == 290 {
				break
			}
		}
	})

	t.Run("Stats sums up hosts in order", func(t *testing.T) {
		s := open(t)
		a := history(t, s, "https://b.test/1", 1, 3)
		b := history(t, s, "https://b.test/2", 2, 2)
		history(t, s, "https://a.test/", 3, 1)
		if err := s.Record(t.Context(), plat.Visit{URL: "https://b.test/1", Time: day, Outcome: plat.OutcomeUnchanged, Version: 3}, 1000); err != nil {
			t.Fatal(err)
		}
		stats, err := s.Stats(t.Context())
		if err != nil || len(stats) != 2 || stats[0].Host != "a.test" || stats[1].Host != "b.test" {
			t.Fatalf("Stats = %+v, %v; want a.test and b.test", stats, err)
		}
		want := storage.SiteStats{Host: "b.test", URLs: 2, Visits: 6, Versions: 5, PageBytes: 1000, StoredBytes: stats[1].StoredBytes}
		for _, c := range append(a, b...) {
			want.PageBytes += c.Version.Capture.PageBytes
		}
		if stats[1] != want {
			t.Errorf("Stats of b.test = %+v, want %+v", stats[1], want)
		}
		one, _ := s.State(t.Context(), "https://b.test/1")
		two, _ := s.State(t.Context(), "https://b.test/2")
		if sum := one.StoredBytes + two.StoredBytes; sum != want.StoredBytes || sum <= 0 {
			t.Errorf("StoredBytes of b.test = %d, want the sum over its URLs, %d", want.StoredBytes, sum)
		}
		size, err := s.Size(t.Context())
		if err != nil || size <= 0 {
			t.Errorf("Size = %d, %v", size, err)
		}
	})
}

func testVersion(t *testing.T, open func(testing.TB) storage.Store, size int) {
	t.Run("a long history is returned exactly, also after GC", func(t *testing.T) {
		s := open(t)
		n := size
		var all []*storage.Commit
		contents := map[plat.Hash][]byte{}
		for i, url := range []string{"https://a.test/", "https://a.test/新闻?x=1"} {
			all = append(all, history(t, s, url, uint64(i), n/(1+2*i))...)
		}
		for _, c := range all {
			for i := range c.Version.Blocks {
				b := &c.Version.Blocks[i]
				contents[b.Hash] = b.Content
			}
		}
		for _, c := range all {
			sameCommit(t, s, c, contents)
		}
		head, err := s.Version(t.Context(), "https://a.test/", 0)
		if err != nil || head.N != n {
			t.Fatalf("Version 0 is %d, %v; want the head, %d", head.N, err, n)
		}
		r := clean(t, s)
		if r.URLs != 2 || r.Versions != int64(len(all)) || r.Unreferenced != 0 {
			t.Errorf("Verify = %+v, want 2 URLs, %d versions, nothing unreferenced", r, len(all))
		}
		if int(r.Blocks) < len(contents)-2 || int(r.Blocks) > len(contents) {
			t.Errorf("Verify counts %d blocks, want about %d", r.Blocks, len(contents))
		}
		swept, err := s.GC(t.Context(), time.Now().Add(time.Hour))
		if err != nil || swept != (storage.Swept{}) {
			t.Errorf("GC = %+v, %v; want nothing removed", swept, err)
		}
		clean(t, s)
		for _, c := range all {
			sameCommit(t, s, c, contents)
		}
		for _, bad := range []int{n + 1, -1, 1 << 40} {
			if _, err := s.Version(t.Context(), "https://a.test/", bad); !errors.Is(err, plat.ErrNotFound) {
				t.Errorf("Version(%d) error = %v, want plat.ErrNotFound", bad, err)
			}
		}
		got := collect(t, s.Versions(t.Context(), "https://a.test/"))
		if len(got) != n {
			t.Fatalf("Versions yields %d, want %d", len(got), n)
		}
		for i, v := range got {
			want := *all[i].Version
			want.Blocks = nil
			if v.Blocks != nil {
				t.Fatalf("Versions yields version %d with blocks", v.N)
			}
			sameVersion(t, v, &want)
		}
		for v, err := range s.Versions(t.Context(), "https://a.test/") {
			if err != nil {
				t.Fatal(err)
			}
			if v.N == 3 {
				break
			}
		}
		times, err := s.Times(t.Context(), "https://a.test/")
		if err != nil || len(times) != n {
			t.Fatalf("Times returns %d, %v; want %d", len(times), err, n)
		}
		for i, at := range times {
			if !at.Equal(got[i].Taken) {
				t.Errorf("version %d was taken %v according to Times, %v according to Versions", i+1, at, got[i].Taken)
			}
		}
		for _, bounds := range [][2]int{{1, n}, {-3, n + 5}, {n / 2, n/2 + 1}, {n, n}, {n + 1, n + 2}, {3, 2}, {0, 0}} {
			from, to := max(1, bounds[0]), min(n, bounds[1])
			trees := collect(t, s.Trees(t.Context(), "https://a.test/", bounds[0], bounds[1]))
			if len(trees) != max(0, to-from+1) {
				t.Fatalf("Trees(%d, %d) yields %d, want %d", bounds[0], bounds[1], len(trees), max(0, to-from+1))
			}
			for i, v := range trees {
				want, err := s.Version(t.Context(), "https://a.test/", from+i)
				if err != nil {
					t.Fatal(err)
				}
				if !reflect.DeepEqual(v, want) {
					t.Errorf("Trees(%d, %d): version %d differs from that of Version", bounds[0], bounds[1], from+i)
				}
			}
		}
		for v, err := range s.Trees(t.Context(), "https://a.test/", 1, n) {
			if err != nil {
				t.Fatal(err)
			}
			for i := range v.Blocks {
				if v.Blocks[i].Content != nil || v.Blocks[i].Text != "" {
					t.Fatalf("Trees yields version %d with content that was loaded into one before", v.N)
				}
				v.Blocks[i].Content, v.Blocks[i].Text = []byte("loaded"), "loaded"
			}
		}
	})

	t.Run("every field value is returned", func(t *testing.T) {
		s := open(t)
		p := NewPage("https://a.test/", 9)
		for n, change := range []func(*storage.Commit){
			func(c *storage.Commit) { c.Version.Blocks = nil },
			func(c *storage.Commit) { c.Version.Blocks = c.Version.Blocks[:1] },
			func(*storage.Commit) {},
			func(c *storage.Commit) {
				b := &c.Version.Blocks[2]
				b.Box = plat.Rect{X: -1.5, Y: -1e30, W: 3.1415927, H: 1e-20}
				b.Confidence, b.LinkShare, b.FontSize = 1e-9, 0.33333334, 1e9
				b.Topic, b.Explanation, b.Lead = "题目\x00\n", "", "\u00a0\t\r\n"
				b.Path = []int32{0, 1<<31 - 1, 5, 0}
				b.Hidden, b.Folded = []int32{0, 1, 1 << 30}, []int32{0, 1}
				b.Background, b.Color = 1, 0xffffffff
				b.Label, b.Tag = "an unknown label", "#text"
				b.Role, b.Holds = "an unknown role", "an unknown thing"
				b.Slot, b.Pos, b.Run, b.Level, b.Lineage = 1<<30, 1<<30, 1000, 77, 1<<30
				b.Base = plat.HashOf([]byte("other"))
				c.Version.Lineages = 1 << 30
			},
			func(c *storage.Commit) { // roles that the labels imply, and different ones
				for i := range c.Version.Blocks {
					b := &c.Version.Blocks[i]
					b.Label, b.Confidence = plat.Labels[i%len(plat.Labels)], 1-float32(i%3)/4
					if b.Role, b.Holds = b.Implied(); i%4 == 1 {
						b.Role, b.Holds = "", ""
					}
				}
			},
			func(c *storage.Commit) { // the same labels
				for i := range c.Version.Blocks {
					b := &c.Version.Blocks[i]
					b.Label, b.Confidence, b.Role, b.Holds = plat.Labels[i%len(plat.Labels)], 1-float32(i%3)/4, plat.RoleBanner, plat.HoldsForm
				}
			},
			func(c *storage.Commit) {
				v := c.Version
				v.Meta, v.Changes, v.Capture.Header = nil, nil, nil
				v.Level, v.Profile, v.Coverage = -3, "", 0.1
				v.Capture = plat.Capture{FinalURL: "https://elsewhere.test/", Status: 1 << 40, PageBytes: 1 << 50, Duration: 1000 * time.Hour}
			},
			func(c *storage.Commit) {
				c.Version.Changes = map[plat.Kind]int{"an unknown kind": 3, plat.Added: -1, plat.Volatile: 1 << 40}
				c.Version.SelfChanges = []plat.SelfChange{
					{Lineage: -7, Kind: "an unknown kind", Why: "an unknown reason \xff"},
					{Lineage: 1, Kind: plat.Same, Why: "clock", Old: []plat.Range{{From: 3, To: 9}, {From: 1 << 30, To: 5}}, New: []plat.Range{{From: 0, To: 0}}},
					{Lineage: 1, Kind: plat.Added}, {Lineage: 1 << 30, Kind: plat.Content, Why: "clock"},
				}
				c.Version.Article = &plat.Article{Kind: "another \xff", Title: "\xff\x00", Authors: []string{"", "a\xfe"}, Date: "soon", Sum: 1<<32 - 1, Text: []plat.Passage{
					{First: 1 << 30, Last: 1<<31 - 1, From: 1 << 40, To: -5},
					{First: plat.Literally, Last: plat.Literally, Literal: "\x00\xff"}, {First: plat.Literally, Last: plat.Literally},
					{First: 4, Last: 4, From: 1 << 40, To: -5, Verbatim: true}, {Before: plat.NewLine, First: 1<<31 - 1, Last: 1<<31 - 1, Verbatim: true},
					{Before: plat.EmptyLine, First: 7, Last: 9, From: 3, To: 3}, {First: 9, Last: 9, From: 2, To: 5, Line: plat.Blank},
					{First: plat.OfLayout, Last: plat.OfLayout, From: 9, To: 1 << 40}, {First: plat.OfLayout, Last: plat.OfLayout}}}
				c.Version.Meta = map[string]string{"": "", "a.b$c": "\x00", "$d": "."}
				c.Version.Capture.Header = [][2]string{{"", ""}, {"Set-Cookie", "a"}, {"Set-Cookie", "b"}, {"x", "\xff\xfe"}}
			},
			func(c *storage.Commit) {
				c.Version.Taken = time.Date(1969, 1, 2, 3, 4, 5, 6, time.FixedZone("x", 3600))
				c.Version.Article = &plat.Article{} // a page without text
			},
			func(*storage.Commit) {},
		} {
			c := p.Next()
			change(c)
			commit(t, s, c)
			v, err := s.Version(t.Context(), p.URL, n+1)
			if err != nil {
				t.Fatal(err)
			}
			sameVersion(t, v, c.Version)
		}
		clean(t, s)
	})

	t.Run("callers may modify results", func(t *testing.T) {
		s := open(t)
		all := history(t, s, "https://a.test/", 4, 5)
		for _, c := range all {
			v, err := s.Version(t.Context(), "https://a.test/", c.Version.N)
			if err != nil {
				t.Fatal(err)
			}
			got, err := s.Contents(t.Context(), leafHashes(v))
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range got {
				clear(b)
			}
			clear(v.Blocks[3].Path)
			v.Meta["site"], v.Capture.Header[0] = "", [2]string{}
			clear(v.Blocks)
		}
		for _, c := range all {
			sameCommit(t, s, c, nil)
		}
	})
}

func testContents(t *testing.T, open func(testing.TB) storage.Store, size int) {
	big := bytes.Repeat([]byte("<p>Ein sehr langer Block.</p>\n"), 180_000) // 5.4 MB
	for i := range big {
		big[i] += byte(i>>12) & 7
	}
	t.Run("any bytes are returned, in the requested order", func(t *testing.T) {
		s := open(t)
		p := NewPage("https://a.test/", 1)
		odd := [][]byte{{}, {0}, []byte("新闻\x00\xff\xfe"), big, []byte("<"), bytes.Repeat([]byte{0}, 100_000)}
		var hashes []plat.Hash
		for _, b := range odd {
			p.Add(b, "odd", plat.LabelOther)
			hashes = append(hashes, plat.HashOf(b))
		}
		c := p.Next()
		w := commit(t, s, c)
		if want := len(leafHashes(c.Version)); w.Blocks != want {
			t.Errorf("Written.Blocks = %d, want %d", w.Blocks, want)
		}
		order := []int{3, 0, 1, 0, 5, 4, 2, 3}
		var ask []plat.Hash
		for _, i := range order {
			ask = append(ask, hashes[i])
		}
		got, err := s.Contents(t.Context(), ask)
		if err != nil || len(got) != len(ask) {
			t.Fatalf("Contents = %d, %v; want %d", len(got), err, len(ask))
		}
		for k, i := range order {
			if got[k] == nil || !bytes.Equal(got[k], odd[i]) {
				t.Errorf("content %d is %d bytes, want %d (and not nil)", k, len(got[k]), len(odd[i]))
			}
		}
		for _, h := range hashes {
			if one, err := s.Contents(t.Context(), []plat.Hash{h}); err != nil || plat.HashOf(one[0]) != h {
				t.Errorf("content %s alone: %v", h.Short(), err)
			}
		}
		if got, err := s.Contents(t.Context(), nil); err != nil || len(got) != 0 {
			t.Errorf("no contents = %v, %v", got, err)
		}
		// Again, with changes around them.
		big := append([]byte("<!-- changed -->"), big...)
		p.Add(big, "odd", plat.LabelOther)
		c = p.Next()
		commit(t, s, c)
		sameCommit(t, s, c, map[plat.Hash][]byte{plat.HashOf(big): big})
		clean(t, s)
	})

	t.Run("a missing hash is ErrNotFound", func(t *testing.T) {
		s := open(t)
		c := history(t, s, "https://a.test/", 1, 1)[0]
		have, none := leafHashes(c.Version)[0], plat.HashOf([]byte("none"))
		for _, ask := range [][]plat.Hash{{none}, {have, none}, {c.Version.Layout}, {{}}} {
			if _, err := s.Contents(t.Context(), ask); !errors.Is(err, plat.ErrNotFound) {
				t.Errorf("Contents(%v) error = %v, want plat.ErrNotFound", ask, err)
			}
		}
		for _, ask := range []plat.Hash{none, have, {}} {
			if _, err := s.Layout(t.Context(), ask); !errors.Is(err, plat.ErrNotFound) {
				t.Errorf("Layout(%s) error = %v, want plat.ErrNotFound", ask.Short(), err)
			}
			if _, err := s.Picture(t.Context(), ask); !errors.Is(err, plat.ErrNotFound) {
				t.Errorf("Picture(%s) error = %v, want plat.ErrNotFound", ask.Short(), err)
			}
		}
		// A hash with the same prefix as a stored one is different.
		near := have
		near[31] ^= 1
		near[20] ^= 1
		if _, err := s.Contents(t.Context(), []plat.Hash{near}); !errors.Is(err, plat.ErrNotFound) {
			t.Errorf("Contents of a hash that differs in its end: error = %v, want plat.ErrNotFound", err)
		}
	})

	t.Run("bytes may be content and layout at once", func(t *testing.T) {
		s := open(t)
		p := NewPage("https://a.test/", 1)
		p.Add(p.layout.Marshal(), "layout", plat.LabelOther)
		c := p.Next()
		commit(t, s, c)
		sameCommit(t, s, c, nil)
		clean(t, s)
	})

	t.Run("pictures are returned", func(t *testing.T) {
		s := open(t)
		p := NewPage("https://a.test/", 1)
		pic := &plat.Picture{Type: "image/webp", Data: append([]byte("RIFF\x00\xff"), big[:100_000]...)}
		for range 3 { // the same picture three times
			c := p.Next()
			c.Picture, c.Version.Picture = pic, plat.HashOf(pic.Data)
			commit(t, s, c)
			sameCommit(t, s, c, nil)
		}
		got, err := s.Picture(t.Context(), plat.HashOf(pic.Data))
		if err != nil || got.Type != pic.Type || !bytes.Equal(got.Data, pic.Data) {
			t.Errorf("Picture = %s, %d bytes, %v", got.Type, len(got.Data), err)
		}
		if r := clean(t, s); r.Pictures != 1 || r.Unreferenced != 0 {
			t.Errorf("Verify = %+v, want one picture", r)
		}
	})
}

// snapshotOf returns everything that a failed commit must not change.
func snapshotOf(t testing.TB, s storage.Store, url string) string {
	t.Helper()
	st, err := s.State(t.Context(), url)
	if err != nil && !errors.Is(err, plat.ErrNotFound) {
		t.Fatal(err)
	}
	out := fmt.Sprintf("%+v\n", st)
	for _, v := range collect(t, s.Versions(t.Context(), url)) {
		out += fmt.Sprintf("%d %s %s\n", v.N, v.Taken, v.Layout)
	}
	for _, v := range collect(t, s.Visits(t.Context(), url, 0)) {
		out += fmt.Sprintf("%+v\n", v)
	}
	for _, f := range collect(t, s.Find(t.Context(), storage.BlockQuery{URL: url})) {
		out += fmt.Sprintf("%d %s\n", f.N, f.Block.Hash)
	}
	return out
}

func testCommit(t *testing.T, open func(testing.TB) storage.Store, size int) {
	t.Run("a number other than the head's plus one is ErrConflict", func(t *testing.T) {
		s := open(t)
		p := NewPage("https://a.test/", 1)
		first := p.Next()
		second := p.Next()
		third := p.Next()
		if _, err := s.Commit(t.Context(), second); !errors.Is(err, plat.ErrConflict) {
			t.Fatalf("version 2 of a URL without versions: error = %v, want plat.ErrConflict", err)
		}
		if _, err := s.Version(t.Context(), p.URL, 0); !errors.Is(err, plat.ErrNotFound) {
			t.Errorf("Version after the conflict: error = %v, want plat.ErrNotFound", err)
		}
		commit(t, s, first)
		before := snapshotOf(t, s, p.URL)
		other := NewPage("https://a.test/", 77).Next() // a different version 1
		for _, c := range []*storage.Commit{third, other} {
			if _, err := s.Commit(t.Context(), c); !errors.Is(err, plat.ErrConflict) {
				t.Errorf("version %d: error = %v, want plat.ErrConflict", c.Version.N, err)
			}
		}
		if after := snapshotOf(t, s, p.URL); after != before {
			t.Errorf("a conflict left\n%s, want\n%s", after, before)
		}
		clean(t, s)
		commit(t, s, second)
		commit(t, s, third)
		for _, c := range []*storage.Commit{first, second, third} {
			sameCommit(t, s, c, nil)
		}
		if _, err := s.GC(t.Context(), time.Now().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		if r := clean(t, s); r.Unreferenced != 0 {
			t.Errorf("after GC %d are unreferenced", r.Unreferenced)
		}
	})

	t.Run("repeating a commit is a no-op", func(t *testing.T) {
		s := open(t)
		all := history(t, s, "https://a.test/", 5, 4)
		before := snapshotOf(t, s, "https://a.test/")
		size, _ := s.Size(t.Context())
		for _, c := range all {
			again := *c
			v := *c.Version
			v.Taken = v.Taken.In(time.FixedZone("x", 7200)).Add(17) // the same millisecond
			again.Version = &v
			if w, err := s.Commit(t.Context(), &again); err != nil || w.Blocks != 0 {
				t.Errorf("version %d repeated: %+v, %v", c.Version.N, w, err)
			}
		}
		if after := snapshotOf(t, s, "https://a.test/"); after != before {
			t.Errorf("repeating the commit left\n%s, want\n%s", after, before)
		}
		if now, _ := s.Size(t.Context()); now != size {
			t.Errorf("Size went from %d to %d", size, now)
		}
		clean(t, s)
	})

	t.Run("stored content is not written again", func(t *testing.T) {
		s := open(t)
		a := history(t, s, "https://a.test/", 6, 1)[0]
		p := NewPage("https://b.test/", 6) // the same blocks on a different page
		c := p.Next()
		if !slices.Equal(leafHashes(c.Version), leafHashes(a.Version)) {
			t.Fatal("the test needs two pages of the same blocks")
		}
		if w := commit(t, s, c); w.Blocks != 0 {
			t.Errorf("Written.Blocks = %d for blocks stored by another URL, want 0", w.Blocks)
		}
		// Without Content, because nothing is new.
		c = p.Next()
		for i := range c.Version.Blocks {
			for j := range a.Version.Blocks {
				if c.Version.Blocks[i].Hash == a.Version.Blocks[j].Hash {
					c.Version.Blocks[i].Content = nil
				}
			}
		}
		commit(t, s, c)
		sameCommit(t, s, c, nil)
		if r := clean(t, s); r.Blocks != int64(countHashes(a, c)) {
			t.Errorf("Verify counts %d blocks, want %d", r.Blocks, countHashes(a, c))
		}
	})

	t.Run("a block that is neither given nor stored is rejected", func(t *testing.T) {
		s := open(t)
		p := NewPage("https://a.test/", 8)
		commit(t, s, p.Next())
		before := snapshotOf(t, s, p.URL)
		p.Add([]byte("nowhere stored"), "x", plat.LabelOther)
		c := p.Next()
		for i := range c.Version.Blocks {
			c.Version.Blocks[i].Content = nil
		}
		if _, err := s.Commit(t.Context(), c); !errors.Is(err, plat.ErrNotFound) {
			t.Errorf("Commit error = %v, want plat.ErrNotFound", err)
		}
		if after := snapshotOf(t, s, p.URL); after != before {
			t.Errorf("the rejected commit left\n%s, want\n%s", after, before)
		}
		clean(t, s)
	})

	t.Run("contradictory commits are rejected", func(t *testing.T) {
		s := open(t)
		for name, spoil := range map[string]func(*storage.Commit){
			"another layout":        func(c *storage.Commit) { c.Layout.HTML = []byte("x") },
			"another content":       func(c *storage.Commit) { c.Version.Blocks[2].Content = []byte("x") },
			"a visit elsewhere":     func(c *storage.Commit) { c.Visit.URL = "https://b.test/" },
			"another version":       func(c *storage.Commit) { c.Visit.Version = 7 },
			"version 0":             func(c *storage.Commit) { c.Version.N, c.Visit.Version = 0, 0 },
			"a picture not there":   func(c *storage.Commit) { c.Version.Picture = plat.HashOf(nil) },
			"a parent that follows": func(c *storage.Commit) { c.Version.Blocks[2].Parent = 9 },
			"a leaf without hash":   func(c *storage.Commit) { c.Version.Blocks[2].Hash, c.Version.Blocks[2].Content = plat.Hash{}, nil },
			"no version":            func(c *storage.Commit) { c.Version = nil },
		} {
			c := NewPage("https://a.test/", 1).Next()
			spoil(c)
			if _, err := s.Commit(t.Context(), c); err == nil {
				t.Errorf("%s: the commit was accepted", name)
			}
		}
		if r := clean(t, s); r.URLs != 0 || r.Blocks != 0 {
			t.Errorf("rejected commits left %+v", r)
		}
	})

	t.Run("Commit does not modify its argument", func(t *testing.T) {
		s := open(t)
		for range 2 {
			c, same := NewPage("https://a.test/", 3).Next(), NewPage("https://a.test/", 3).Next()
			commit(t, s, c)
			if !reflect.DeepEqual(c, same) {
				t.Error("Commit modified its argument")
			}
		}
	})
}

func countHashes(all ...*storage.Commit) int {
	seen := map[plat.Hash]bool{}
	for _, c := range all {
		for _, h := range leafHashes(c.Version) {
			seen[h] = true
		}
	}
	return len(seen)
}

func testVisits(t *testing.T, open func(testing.TB) storage.Store, size int) {
	t.Run("latest first, regardless of insertion order", func(t *testing.T) {
		s := open(t)
		const url = "https://a.test/"
		var want []plat.Visit
		n := max(100, size) // coprime to 7
		if n%7 == 0 {
			n++
		}
		for i := range n {
			v := plat.Visit{URL: url, Time: day.Add(time.Duration(i*i) * time.Hour), Outcome: plat.OutcomeUnchanged, Version: i / 10, Status: 200,
				Duration: time.Duration(i) * time.Millisecond, Bytes: int64(i * 1000)}
			switch i % 10 {
			case 3:
				v.Outcome, v.Status, v.Error = plat.OutcomeHTTPError, 503, "服务不可用 "+fmt.Sprint(i)
			case 4:
				v.Outcome, v.Error = "an unknown outcome", string(bytes.Repeat([]byte("long "), 500))
			case 5:
				v.Bytes, v.Version, v.Status = 1<<50, 1<<40, -1
			case 6:
				v.Next = v.Time.Add(time.Duration(i-50) * time.Hour)
			}
			want = append(want, v)
		}
		for i := range want { // a shuffle
			for range 1 + i%2 {
				if err := s.Record(t.Context(), want[i*7%n], 5); err != nil {
					t.Fatal(err)
				}
			}
		}
		slices.Reverse(want)
		for _, limit := range []int{0, 1, 2, n / 2, n, n + 1} {
			got := collect(t, s.Visits(t.Context(), url, limit))
			w := want
			if limit > 0 {
				w = want[:min(limit, n)]
			}
			if !slices.Equal(got, w) {
				t.Errorf("Visits(limit %d) yields %d, want %d in order of time, latest first", limit, len(got), len(w))
			}
		}
		if st, _ := s.State(t.Context(), url); st.Visits != n || st.PageBytes != int64(5*n) || st.Outcome != want[0].Outcome {
			t.Errorf("State = %+v, want %d visits", st, n)
		}
		for range s.Visits(t.Context(), url, 0) {
			break
		}
		clean(t, s)
	})
}

func testFind(t *testing.T, open func(testing.TB) storage.Store, size int) {
	s := open(t)
	var all []*storage.Commit
	for i := range 4 {
		all = append(all, history(t, s, fmt.Sprintf("https://%c.test/p%d", 'a'+i/2, i), uint64(20+i), 4+size/16)...)
	}
	p := NewPage("https://c.test/中", 50)
	p.Add([]byte("x"), "Breaking: 北京大学 Wins, again", plat.LabelHeading)
	first := p.Next()
	all = append(all, first)
	commit(t, s, first)
	// The same content in a second lineage, and a block of which only the label changes.
	p.Add([]byte("x"), "Breaking: 北京大学 Wins, again", plat.LabelHeading)
	second := p.Next()
	second.Version.Blocks[len(second.Version.Blocks)-1].Label = "changed"
	all = append(all, second)
	commit(t, s, second)
	slices.SortStableFunc(all, func(a, b *storage.Commit) int { return bytes.Compare([]byte(a.Version.URL), []byte(b.Version.URL)) })

	mid := all[len(all)/2].Version.Taken
	for _, q := range []storage.BlockQuery{
		{}, {Head: true}, {Limit: 1}, {Limit: 40}, {Head: true, Limit: 7},
		{Host: "a.test"}, {Host: "test"}, {Host: "b.test", Head: true}, {URL: "https://a.test/p1"}, {URL: "https://a"}, {URL: "https://c.test/中", Head: true},
		{Label: plat.LabelHeading}, {Label: plat.LabelHeading, Head: true}, {Label: "changed"}, {Label: "changed", Head: true}, {Label: "none"},
		{Topic: "北京"}, {Topic: "京北"}, {Topic: "wins breaking"}, {Topic: "win"}, {Topic: "BREAKING!"}, {Topic: "the"}, {Topic: "The of", Head: true}, {Topic: "…"},
		{Since: mid}, {Until: mid}, {Since: mid, Until: mid.Add(24 * time.Hour)}, {Since: mid, Head: true}, {Until: mid, Head: true, Label: plat.LabelMain},
		{Since: mid, Until: mid}, {Since: mid, Until: mid.Add(time.Millisecond)},
		{Host: "a.test", Label: plat.LabelMain, Topic: "the", Since: mid},
		{Since: day.AddDate(100, 0, 0)}, {Until: day.AddDate(-100, 0, 0)},
	} {
		t.Run(fmt.Sprintf("%+v", q), func(t *testing.T) {
			want := answer(all, q)
			got := collect(t, s.Find(t.Context(), q))
			if len(got) != len(want) {
				t.Fatalf("Find yields %d, want %d", len(got), len(want))
			}
			for i := range got {
				g, w := got[i], want[i]
				w.Block.Content, w.Block.Text = nil, ""
				if g.URL != w.URL || g.N != w.N || !g.Taken.Equal(w.Taken) || !reflect.DeepEqual(g.Block, w.Block) {
					t.Fatalf("result %d is\n%+v, want\n%+v", i, g, w)
				}
			}
		})
	}
	n := 0
	for f, err := range s.Find(t.Context(), storage.BlockQuery{}) {
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Contents(t.Context(), []plat.Hash{f.Block.Hash}); err != nil {
			t.Fatalf("content of a block found: %v", err)
		}
		if n++; n == 10 {
			break
		}
	}
}

// answer returns the result of Find by an exhaustive search.
func answer(all []*storage.Commit, q storage.BlockQuery) (out []storage.Found) {
	type content struct {
		lineage int32
		hash    plat.Hash
	}
	for start := 0; start < len(all); {
		end := start
		first := map[content]*plat.Version{}
		var of []storage.Found
		for ; end < len(all) && all[end].Version.URL == all[start].Version.URL; end++ {
			v := all[end].Version
			var here []storage.Found
			for i := range v.Blocks {
				b := &v.Blocks[i]
				if c := (content{b.Lineage, b.Hash}); b.Leaf() && first[c] == nil {
					first[c] = v
					f := storage.Found{URL: v.URL, N: v.N, Taken: v.Taken, Block: *b}
					for _, own := range v.SelfChanges {
						if own.Lineage == b.Lineage && own.Kind != plat.Same {
							f.SelfChange = own.Why
						}
					}
					here = append(here, f)
				}
			}
			of = append(here, of...)
		}
		if q.Head {
			of = nil
			v := all[end-1].Version
			for i := range v.Blocks {
				if b := &v.Blocks[i]; b.Leaf() {
					at := first[content{b.Lineage, b.Hash}]
					of = append(of, storage.Found{URL: v.URL, N: at.N, Taken: at.Taken, Block: *b})
				}
			}
			slices.SortStableFunc(of, func(a, b storage.Found) int { return b.N - a.N })
		}
		url := all[start].Version.URL
		for _, f := range of {
			if q.Match(&f) && (q.Host == "" || storage.Host(url) == q.Host) && len(url) >= len(q.URL) && url[:len(q.URL)] == q.URL && (q.Limit == 0 || len(out) < q.Limit) {
				out = append(out, f)
			}
		}
		start = end
	}
	return out
}

func testVerify(t *testing.T, open func(testing.TB) storage.Store, size int) {
	t.Run("progress reaches the end", func(t *testing.T) {
		s := open(t)
		history(t, s, "https://a.test/", 1, 20)
		calls, last := 0, int64(0)
		var of int64
		_, err := s.Verify(t.Context(), func(done, total int64) {
			if done < last || done > total {
				t.Errorf("progress %d of %d after %d", done, total, last)
			}
			calls, last, of = calls+1, done, total
		})
		if err != nil || calls == 0 || last != of {
			t.Errorf("Verify reported progress %d times, last %d of %d; %v", calls, last, of, err)
		}
	})

	t.Run("every method honours a cancelled context", func(t *testing.T) {
		s := open(t)
		c := history(t, s, "https://a.test/", 1, 2)[1]
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		failed := func(name string, err error) {
			if err == nil {
				t.Errorf("%s did not fail", name)
			}
		}
		_, err := s.State(ctx, "https://a.test/")
		failed("State", err)
		_, err = s.Version(ctx, "https://a.test/", 0)
		failed("Version", err)
		_, err = s.Contents(ctx, leafHashes(c.Version))
		failed("Contents", err)
		_, err = s.Verify(ctx, nil)
		failed("Verify", err)
		_, err = s.GC(ctx, time.Now())
		failed("GC", err)
		failed("Record", s.Record(ctx, plat.Visit{URL: "https://a.test/", Time: day}, 0))
		_, err = s.Enlist(ctx, []plat.Job{{URL: "https://a.test/", Due: day}}, storage.Join)
		failed("Enlist", err)
		failed("Defer", s.Defer(ctx, storage.Deferral{URL: "https://a.test/", Due: day}))
		_, err = s.Load(ctx, day, []storage.HostLimit{{Host: "a.test", Limit: 1}})
		failed("Load", err)
		_, err = s.Ready(ctx, storage.ReadyHost{}, 1)
		failed("Ready", err)
		failed("SetNote", s.SetNote(ctx, "name", "text"))
		for _, err = range s.States(ctx, "", "") {
		}
		failed("States", err)
		for _, err = range s.Find(ctx, storage.BlockQuery{}) {
		}
		failed("Find", err)
	})
}

func testTogether(t *testing.T, open func(testing.TB) storage.Store, size int) {
	t.Run("one of several racing commits wins, and readers see complete versions", func(t *testing.T) {
		s := open(t)
		const url = "https://a.test/"
		rounds := 3 + size/16
		commit(t, s, NewPage(url, 100).Next())
		var done atomic.Bool
		var readers sync.WaitGroup
		for range 2 {
			readers.Go(func() {
				for !done.Load() {
					v, err := s.Version(t.Context(), url, 0)
					if err != nil {
						t.Errorf("reader: %v", err)
						return
					}
					_, err = s.Layout(t.Context(), v.Layout)
					if err == nil {
						_, err = s.Contents(t.Context(), leafHashes(v))
					}
					if err != nil {
						t.Errorf("reader sees version %d incomplete: %v", v.N, err)
						return
					}
				}
			})
		}
		for n := 2; n < 2+rounds; n++ {
			var wins, conflicts atomic.Int32
			var writers sync.WaitGroup
			for k := range 3 {
				c := NewPage(url, uint64(1000*k+n)).Next()
				c.Version.N, c.Visit.Version = n, n
				c.Version.Taken = day.Add(time.Duration(n*10+k) * time.Minute)
				c.Visit.Time = c.Version.Taken
				writers.Go(func() {
					switch _, err := s.Commit(t.Context(), c); {
					case err == nil:
						wins.Add(1)
					case errors.Is(err, plat.ErrConflict):
						conflicts.Add(1)
					default:
						t.Errorf("version %d: %v", n, err)
					}
				})
			}
			writers.Wait()
			if wins.Load() != 1 || conflicts.Load() != 2 {
				t.Errorf("version %d: %d commits won and %d failed with a conflict, want 1 and 2", n, wins.Load(), conflicts.Load())
			}
		}
		done.Store(true)
		readers.Wait()
		st, err := s.State(t.Context(), url)
		if err != nil || st.Head != 1+rounds || st.Changes != 1+rounds || st.Visits != 1+rounds {
			t.Errorf("State = %+v, %v; want %d versions and visits", st, err, 1+rounds)
		}
		clean(t, s)
		if _, err := s.GC(t.Context(), time.Now().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		if r := clean(t, s); r.Unreferenced != 0 {
			t.Errorf("after GC %d are unreferenced", r.Unreferenced)
		}
	})

	t.Run("concurrent visits are all counted", func(t *testing.T) {
		s := open(t)
		var all sync.WaitGroup
		for k := range 4 {
			all.Go(func() {
				for i := range 25 {
					v := plat.Visit{URL: "https://a.test/", Time: day.Add(time.Duration(i*4+k) * time.Second), Outcome: plat.OutcomeUnchanged}
					if err := s.Record(t.Context(), v, 10); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		st, err := s.State(t.Context(), "https://a.test/")
		if err != nil || st.Visits != 100 || st.PageBytes != 1000 || !st.First.Equal(day) || !st.Last.Equal(day.Add(99*time.Second)) {
			t.Errorf("State = %+v, %v; want 100 visits", st, err)
		}
		clean(t, s)
	})
}
