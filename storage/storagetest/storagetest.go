// Package storagetest tests the contract of storage.Store: every sentence is a test
// that all backends run. A bug found in one backend becomes a case here.
package storagetest

import (
	"bytes"
	"reflect"
	"slices"
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
		{"Attach", testAttach},
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
