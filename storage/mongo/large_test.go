package mongo

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"plat/fixtures"
	"plat/plat"
	"plat/storage"
	"plat/storage/storagetest"
)

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
	storagetest.TestLarge(t, s, url, blocks, mib, s.recent.clear)
	files := func() int64 { t.Helper(); return count(t, s.bucket().GetFilesCollection()) }
	if n := files(); n < 3 || n > 5 {
		t.Errorf("%d files, want those of a block, a layout and a picture, and perhaps of two trees", n)
	}
	if n, err := s.pages.CountDocuments(t.Context(), bson.D{{Key: "large", Value: true}}); err != nil || n != 1 {
		t.Errorf("%d pages have their tree elsewhere, %v", n, err)
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
	noise := storagetest.Noise(3, 2*s.inline)
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
