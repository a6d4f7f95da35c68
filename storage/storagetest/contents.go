package storagetest

import (
	"bytes"
	"errors"
	"testing"

	"plat/plat"
	"plat/storage"
)

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
