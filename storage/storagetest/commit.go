package storagetest

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"plat/plat"
	"plat/storage"
)

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
