package storagetest

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"plat/plat"
	"plat/storage"
)

func testFind(t *testing.T, open func(testing.TB) storage.Store, size int) {
	s := open(t)
	var all []*storage.Commit
	for i := range 4 {
		versions := 4 + size/16
		if i == 0 {
			versions += 33 // more than a chain of versions, see tree.KeyEvery
		}
		all = append(all, history(t, s, fmt.Sprintf("https://%c.test/p%d", 'a'+i/2, i), uint64(20+i), versions)...)
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
		{Labels: []plat.Label{plat.LabelHeading}}, {Labels: []plat.Label{plat.LabelHeading, plat.LabelMain}}, {Labels: []plat.Label{plat.LabelHeading, "none", plat.LabelMain}, Head: true}, {Labels: plat.ContentLabels, Since: mid, SkipFirst: true}, {Changes: true, Labels: plat.ContentLabels}, {Labels: plat.ContentLabels, Host: "a.test"}, {Labels: []plat.Label{plat.LabelHeading}, Head: true}, {Labels: []plat.Label{"changed"}}, {Labels: []plat.Label{"changed"}, Head: true}, {Labels: []plat.Label{"none"}},
		{Topic: "北京"}, {Topic: "京北"}, {Topic: "wins breaking"}, {Topic: "win"}, {Topic: "BREAKING!"}, {Topic: "the"}, {Topic: "The of", Head: true}, {Topic: "…"},
		{Since: mid}, {Until: mid}, {Since: mid, Until: mid.Add(24 * time.Hour)}, {Since: mid, Head: true}, {Until: mid, Head: true, Labels: []plat.Label{plat.LabelMain}},
		{Since: mid, Until: mid}, {Since: mid, Until: mid.Add(time.Millisecond)},
		{Host: "a.test", Labels: []plat.Label{plat.LabelMain}, Topic: "the", Since: mid},
		{Since: day.AddDate(100, 0, 0)}, {Until: day.AddDate(-100, 0, 0)},
		{SkipFirst: true}, {SkipFirst: true, Head: true}, {SkipFirst: true, Since: mid, Labels: []plat.Label{plat.LabelMain}}, {SkipFirst: true, Host: "a.test", Topic: "the"},
		{Changes: true}, {Changes: true, Limit: 30}, {Changes: true, SkipFirst: true}, {Changes: true, Since: mid}, {Changes: true, Until: mid, Host: "b.test"},
		{Changes: true, Since: mid, Until: mid.Add(24 * time.Hour)}, {Changes: true, Since: mid, Until: mid}, {Changes: true, Host: "a.test", SkipFirst: true, Labels: []plat.Label{plat.LabelMain}},
		{Changes: true, Since: mid, Host: "a.test", URL: "https://a.test/p1"}, {Changes: true, URL: "https://c.test/中"}, {Changes: true, Topic: "北京", Since: first.Version.Taken},
		{Changes: true, Host: "none.test"}, {Changes: true, Since: day.AddDate(100, 0, 0)}, {Changes: true, Labels: []plat.Label{"changed"}},
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
				if !reflect.DeepEqual(g.Change, w.Change) {
					t.Fatalf("the change of result %d is\n%+v, want\n%+v", i, g.Change, w.Change)
				}
				if q.Changes && g.SelfChange != w.SelfChange {
					t.Fatalf("result %d is a self-change for the reason %q, want %q", i, g.SelfChange, w.SelfChange)
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
	if q.Changes {
		return changes(all, q)
	}
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
					f := storage.Found{URL: v.URL, N: v.N, Taken: v.Taken, Block: storage.WithoutBase(b)}
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
					of = append(of, storage.Found{URL: v.URL, N: at.N, Taken: at.Taken, Block: storage.WithoutBase(b)})
				}
			}
			slices.SortStableFunc(of, func(a, b storage.Found) int { return b.N - a.N })
		}
		if q.SkipFirst {
			of = slices.DeleteFunc(of, func(f storage.Found) bool { return f.N == all[start].Version.N })
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

// changes returns the result of Find for Changes: it compares each version with the one before, block by block.
func changes(all []*storage.Commit, q storage.BlockQuery) (out []storage.Found) {
	at := func(v *plat.Version, wanted func(b *plat.Block) bool) *plat.Block {
		for i := range v.Blocks {
			if b := &v.Blocks[i]; b.Leaf() && wanted(b) {
				return b
			}
		}
		return nil
	}
	bare := func(b *plat.Block) *plat.Block {
		is := storage.WithoutBase(b)
		is.Content, is.Text = nil, ""
		return &is
	}
	for start := 0; start < len(all); {
		end := start
		for end < len(all) && all[end].Version.URL == all[start].Version.URL {
			end++
		}
		for i := end - 1; i >= start; i-- {
			v, prev := all[i].Version, &plat.Version{}
			if i > start {
				prev = all[i-1].Version
			}
			add := func(b, old *plat.Block, kind plat.Kind) {
				if i == start {
					kind = storage.First
				}
				f := storage.Found{URL: v.URL, N: v.N, Taken: v.Taken, Block: *bare(b), Change: &storage.BlockChange{Kind: kind, N: prev.N, Took: instantOf(prev.Taken)}}
				if old != nil {
					f.Change.Old = bare(old)
				}
				for _, own := range v.SelfChanges {
					if own.Lineage == b.Lineage && own.Kind != plat.Same {
						f.SelfChange = own.Why
					}
				}
				asked := q.Match(&f) && (q.Host == "" || storage.Host(v.URL) == q.Host) && strings.HasPrefix(v.URL, q.URL) && !(q.SkipFirst && i == start)
				if asked && (q.Limit == 0 || len(out) < q.Limit) {
					out = append(out, f)
				}
			}
			for k := range v.Blocks {
				b := &v.Blocks[k]
				same := func(x *plat.Block) bool { return x.Lineage == b.Lineage && x.Hash == b.Hash }
				if !b.Leaf() || at(prev, same) != nil || at(v, same) != b {
					continue
				}
				old := at(prev, func(x *plat.Block) bool { return x.Lineage == b.Lineage })
				switch {
				case b.Change != "" && b.Change != plat.Moved:
					add(b, old, b.Change)
				case old == nil:
					add(b, old, plat.Added)
				default:
					add(b, old, "changed")
				}
			}
			for k := range prev.Blocks {
				if b := &prev.Blocks[k]; b.Leaf() && at(v, func(x *plat.Block) bool { return x.Lineage == b.Lineage }) == nil {
					add(b, b, plat.Removed)
				}
			}
		}
		start = end
	}
	return out
}
