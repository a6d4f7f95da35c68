package storagetest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"plat/plat"
	"plat/storage"
)

// Noise returns bytes that cannot be compressed.
func Noise(seed uint64, n int) []byte {
	b := make([]byte, n)
	r := rand.NewChaCha8([32]byte{byte(seed)})
	r.Read(b)
	return b
}

// Large returns version n of a page of many blocks, one of which is large, as are its layout, its picture and its file: 17, 20,
// 40 and 12 times mib bytes. The versions differ in one paragraph.
func Large(url string, n, blocks, mib int) *storage.Commit {
	picture := Noise(1, 40*mib)
	taken := time.Date(2026, 11, 20, n, 0, 0, 0, time.UTC)
	v := &plat.Version{URL: url, N: n, Taken: taken, Profile: "visual", Lineages: int32(blocks), Capture: plat.Capture{FinalURL: url, Status: 200}}
	c := &storage.Commit{Version: v, Layout: plat.Layout{HTML: Noise(2, 20*mib), Slots: []int32{7}}, Picture: &plat.Picture{Type: "image/png", Data: picture},
		Visit: plat.Visit{URL: url, Time: v.Taken, Outcome: plat.OutcomeNew, Version: n, Status: 200}}
	v.Layout, v.Picture = c.Layout.Sum(), plat.HashOf(picture)
	v.Blocks = append(v.Blocks, plat.Block{Run: 1, Parent: -1, Tag: "html", Slot: -1})
	for i := range blocks {
		content := fmt.Appendf(nil, "<p>paragraph %d</p>", i)
		switch {
		case i == 5:
			content = Noise(3, 17*mib)
		case i == n:
			content = fmt.Appendf(nil, "<p>paragraph %d, corrected in version %d</p>", i, n)
		}
		v.Blocks = append(v.Blocks, plat.Block{Path: []int32{0, 1, int32(i)}, Run: 1, Level: 1, Tag: "p", Pos: int32(i), Hash: plat.HashOf(content), Content: content,
			Box: plat.Rect{X: 8, Y: float32(20 * i), W: 1350, H: 20}, Topic: fmt.Sprint("topic ", i), Label: plat.LabelMain, Confidence: .5, Explanation: "paragraphs 1.00, centre", Lineage: int32(i + 1)})
	}
	SetResources(c, Resource("https://large.test/a.bin", "application/octet-stream", Noise(4, 12*mib)))
	return c
}

// TestLarge commits two large versions of a page, and reads them after it has called forget, which empties what the
// store has in memory.
func TestLarge(t *testing.T, s storage.Store, url string, blocks, mib int, forget func()) {
	t.Helper()
	var all []*storage.Commit
	for n := 1; n <= 2; n++ {
		c := Large(url, n, blocks, mib)
		if _, err := s.Commit(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	forget()
	for _, c := range all {
		v, err := s.Version(t.Context(), url, c.Version.N)
		if err != nil || len(v.Blocks) != len(c.Version.Blocks) {
			t.Fatalf("version %d: %v", c.Version.N, err)
		}
		for i := range v.Blocks {
			if b, w := &v.Blocks[i], &c.Version.Blocks[i]; b.Hash != w.Hash || b.Box != w.Box || b.Topic != w.Topic {
				t.Fatalf("block %d of version %d is %+v", i, v.N, b)
			}
		}
	}
	last := all[1]
	got, err := s.Contents(t.Context(), []plat.Hash{last.Version.Blocks[6].Hash, last.Version.Blocks[3].Hash})
	if err != nil || !bytes.Equal(got[0], last.Version.Blocks[6].Content) || !bytes.Equal(got[1], last.Version.Blocks[3].Content) {
		t.Errorf("contents: %v", err)
	}
	if l, err := s.Layout(t.Context(), last.Version.Layout); err != nil || !bytes.Equal(l.HTML, last.Layout.HTML) {
		t.Errorf("layout: %v", err)
	}
	if p, err := s.Picture(t.Context(), last.Version.Picture); err != nil || !bytes.Equal(p.Data, last.Picture.Data) {
		t.Errorf("picture: %v", err)
	}
	if b, err := s.Resource(t.Context(), last.Resources[0].Hash); err != nil || !bytes.Equal(b, last.Resources[0].Data) {
		t.Errorf("resource: %v", err)
	}
	if r, err := s.Verify(t.Context(), nil); err != nil || r.BrokenTotal > 0 || r.Unreferenced > 0 {
		t.Errorf("Verify = %+v, %v", r, err)
	}
}
