package mongo

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"plat/fixtures"
	"plat/plat"
	"plat/storage"
	"plat/storage/storagetest"
)

// noise returns bytes that cannot be compressed.
func noise(seed uint64, n int) []byte {
	b := make([]byte, n)
	r := rand.NewChaCha8([32]byte{byte(seed)})
	r.Read(b)
	return b
}

// A picture of 40 MB, a layout of 20, a block of 17, a file of 12, and a page of 60,000 blocks are
// stored in parts of 16 MB at most, restored, and removed.
func TestLargeDataIsStoredRestoredAndRemoved(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	const url = "https://large.test/"
	blocks, mib := 60_000, 1<<20
	if fixtures.OneIn(2) > 1 {
		// A server in SQLite takes minutes for that, so all sizes and the limit are a hundredth.
		blocks, mib, s.inline = 600, mib/100, maxInline/100
	}
	picture := noise(1, 40*mib)
	version := func(n int) *storage.Commit {
		v := &plat.Version{URL: url, N: n, Taken: day().Add(time.Duration(n) * time.Hour), Profile: "visual", Lineages: int32(blocks), Capture: plat.Capture{FinalURL: url, Status: 200}}
		c := &storage.Commit{Version: v, Layout: plat.Layout{HTML: noise(2, 20*mib), Slots: []int32{7}}, Picture: &plat.Picture{Type: "image/png", Data: picture},
			Visit: plat.Visit{URL: url, Time: v.Taken, Outcome: plat.OutcomeNew, Version: n, Status: 200}}
		v.Layout, v.Picture = c.Layout.Sum(), plat.HashOf(picture)
		v.Blocks = append(v.Blocks, plat.Block{Run: 1, Parent: -1, Tag: "html", Slot: -1})
		for i := range blocks {
			content := fmt.Appendf(nil, "<p>paragraph %d</p>", i)
			switch {
			case i == 5:
				content = noise(3, 17*mib)
			case i == n:
				content = fmt.Appendf(nil, "<p>paragraph %d, corrected in version %d</p>", i, n)
			}
			v.Blocks = append(v.Blocks, plat.Block{Path: []int32{0, 1, int32(i)}, Run: 1, Level: 1, Tag: "p", Pos: int32(i), Hash: plat.HashOf(content), Content: content,
				Box: plat.Rect{X: 8, Y: float32(20 * i), W: 1350, H: 20}, Topic: fmt.Sprint("topic ", i), Label: plat.LabelMain, Confidence: .5, Explanation: "paragraphs 1.00, centre", Lineage: int32(i + 1)})
		}
		storagetest.SetResources(c, storagetest.Resource("https://large.test/a.bin", "application/octet-stream", noise(4, 12*mib)))
		return c
	}
	var all []*storage.Commit
	for n := 1; n <= 2; n++ {
		c := version(n)
		if _, err := s.Commit(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	s.recent.clear()
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
	if p, err := s.Picture(t.Context(), last.Version.Picture); err != nil || !bytes.Equal(p.Data, picture) {
		t.Errorf("picture: %v", err)
	}
	if b, err := s.Resource(t.Context(), last.Resources[0].Hash); err != nil || !bytes.Equal(b, last.Resources[0].Data) {
		t.Errorf("resource: %v", err)
	}
	files := func() int64 {
		t.Helper()
		n, err := s.bucket().GetFilesCollection().CountDocuments(t.Context(), bson.D{})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := files(); n < 3 || n > 5 {
		t.Errorf("%d files, want those of a block, a layout and a picture, and perhaps of two trees", n)
	}
	if n, err := s.pages.CountDocuments(t.Context(), bson.D{{Key: "large", Value: true}}); err != nil || n != 1 {
		t.Errorf("%d pages have their tree elsewhere, %v", n, err)
	}
	if r, err := s.Verify(t.Context(), nil); err != nil || r.BrokenTotal > 0 || r.Unreferenced > 0 {
		t.Errorf("Verify = %+v, %v", r, err)
	}
	// A file that is lost is found out.
	if _, err := s.bucket().GetChunksCollection().DeleteOne(t.Context(), bson.D{{Key: "n", Value: 0}}); err != nil {
		t.Fatal(err)
	}
	if r, err := s.Verify(t.Context(), nil); err != nil || r.BrokenTotal != 1 {
		t.Errorf("Verify of lost bytes = %+v, %v; want one broken", r, err)
	}
	if _, err := s.Forget(t.Context(), url, storage.Cut{}, false); err != nil {
		t.Fatal(err)
	}
	if _, err := s.GC(t.Context(), time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	chunks, err := s.bucket().GetChunksCollection().CountDocuments(t.Context(), bson.D{})
	if n := files(); n != 0 || chunks != 0 || err != nil {
		t.Errorf("%d files and %d chunks are left, %v", n, chunks, err)
	}
	if _, err := s.Version(t.Context(), url, 0); !errors.Is(err, plat.ErrForgotten) {
		t.Errorf("the forgotten page: %v", err)
	}
}

// A content that is a difference to a large one that GC removes is encoded in full, as a file.
func TestALargeContentWithoutItsBase(t *testing.T) {
	s := open(t, Options{})
	s.inline = 100 << 10
	const url = "https://large.test/"
	noise := noise(3, 2*s.inline)
	for n := 1; n <= 2; n++ {
		content := func(n int) []byte { return append(fmt.Appendf(nil, "<p>%d</p>", n), noise...) }
		v := &plat.Version{URL: url, N: n, Taken: day().Add(time.Duration(n) * time.Hour), Profile: "visual", Lineages: 1, Capture: plat.Capture{FinalURL: url, Status: 200}}
		c := &storage.Commit{Version: v, Layout: plat.Layout{HTML: []byte("<html></html>"), Slots: []int32{6}},
			Visit: plat.Visit{URL: url, Time: v.Taken, Outcome: plat.OutcomeNew, Version: n, Status: 200}}
		v.Layout = c.Layout.Sum()
		v.Blocks = []plat.Block{{Run: 1, Parent: -1, Tag: "html", Slot: -1},
			{Path: []int32{0, 1}, Run: 1, Level: 1, Tag: "p", Hash: plat.HashOf(content(n)), Content: content(n), Label: plat.LabelMain, Lineage: 1}}
		if n > 1 {
			v.Blocks[1].Base, v.Blocks[1].Change = plat.HashOf(content(n-1)), plat.Content
		}
		if _, err := s.Commit(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Forget(t.Context(), url, storage.Cut{KeepLast: 1}, false); err != nil {
		t.Fatal(err)
	}
	if _, err := s.GC(t.Context(), time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	docs, err := findAll[contentDoc](t.Context(), s.blocks, bson.D{})
	if err != nil || len(docs) != 1 {
		t.Fatalf("%d contents, %v", len(docs), err)
	}
	if d := docs[0]; d.Base != "" || d.Large.IsZero() || len(d.Content) > 0 {
		t.Errorf("the content has base %q, file %v, and %d bytes in its document; the limit is %d", d.Base, d.Large, len(d.Content), s.inline)
	}
	if r, err := s.Verify(t.Context(), nil); err != nil || r.BrokenTotal > 0 || r.Unreferenced > 0 {
		t.Errorf("Verify = %+v, %v", r, err)
	}
}
