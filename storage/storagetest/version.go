package storagetest

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"plat/plat"
	"plat/storage"
)

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
				b.Role, b.Holds, b.Change = "an unknown role", "an unknown thing", "an unknown change"
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
