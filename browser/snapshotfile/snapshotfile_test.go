package snapshotfile_test

import (
	"bytes"
	"errors"
	"reflect"
	"testing"
	"time"

	"plat/browser/snapshotfile"
	"plat/plat"
)

func sample() *plat.Snapshot {
	return &plat.Snapshot{
		URL: "https://a.test/", FinalURL: "https://a.test/x", Status: 200, Title: "T — ü",
		Taken: time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC), Header: [][2]string{{"Etag", `"1"`}},
		Redirects: []plat.Redirect{{URL: "https://a.test/", Status: 301}},
		Timing:    plat.Timing{Total: time.Second}, Width: 1280, Height: 900.5,
		Styles: []plat.Style{{Display: "block", Opacity: 1, FontSize: 16, Background: plat.RGBA(1, 2, 3, 255)}},
		Nodes: []plat.Node{
			{Kind: plat.DocumentNode, Parent: -1, End: 5},
			{Kind: plat.DoctypeNode, Parent: 0, End: 2, Name: "html"},
			{Kind: plat.ElementNode, Parent: 0, End: 5, Name: "html", HasBox: true, Box: plat.Rect{W: 1280, H: 900.015625}, Attrs: []plat.Attr{{Name: "lang", Value: "en"}, {Name: "x"}}},
			{Kind: plat.ElementNode, Parent: 2, End: 5, Name: "p", HasBox: true, Box: plat.Rect{X: -3.1, Y: 1e9, W: 0.1, H: 7}, Paint: 3},
			{Kind: plat.TextNode, Parent: 3, End: 5, Foreign: true, Value: "a\x00<&\xff"},
		},
		Lines:   []plat.Line{{Node: 4, Start: 1, Len: 2, Box: plat.Rect{X: 1, Y: 2, W: 3, H: 4}}},
		Picture: &plat.Picture{Type: "image/png", Data: []byte{1, 2}},
	}
}

func write(t testing.TB, s *plat.Snapshot) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := snapshotfile.Write(&b, s); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestASnapshotReadBackIsTheOneWritten(t *testing.T) {
	for name, s := range map[string]*plat.Snapshot{"full": sample(), "empty": {Nodes: []plat.Node{}}} {
		got, err := snapshotfile.Read(bytes.NewReader(write(t, s)))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !reflect.DeepEqual(got, s) {
			t.Errorf("%s: read back\n%+v\nwant\n%+v", name, got, s)
		}
	}
}

func TestATruncatedSnapshotIsCorrupt(t *testing.T) {
	b := write(t, sample())
	for n := range b {
		if _, err := snapshotfile.Read(bytes.NewReader(b[:n])); !errors.Is(err, plat.ErrCorrupt) {
			t.Fatalf("first %d of %d bytes: error %v, want plat.ErrCorrupt", n, len(b), err)
		}
	}
}

func TestASnapshotWhoseIndexesLeadAstrayIsRefused(t *testing.T) {
	for name, spoil := range map[string]func(*plat.Snapshot){
		"parent after child":    func(s *plat.Snapshot) { s.Nodes[1].Parent = 3 },
		"end past the nodes":    func(s *plat.Snapshot) { s.Nodes[0].End = 99 },
		"end past the parent's": func(s *plat.Snapshot) { s.Nodes[1].End = 5; s.Nodes[0].End = 4 },
		"a gap between siblings": func(s *plat.Snapshot) {
			s.Nodes[1].End = 2
			s.Nodes[2].End = 4
			s.Nodes[3].End = 4
			s.Nodes[4].Parent = 2
		},
		"a child of an earlier element": func(s *plat.Snapshot) {
			s.Nodes[2].End, s.Nodes[3].Parent, s.Nodes[3].End, s.Nodes[4].Parent, s.Nodes[4].End = 5, 2, 4, 0, 5
		},
		"no document":       func(s *plat.Snapshot) { s.Nodes[0].Kind = plat.ElementNode },
		"no such style":     func(s *plat.Snapshot) { s.Nodes[2].Style = 7 },
		"a line of no node": func(s *plat.Snapshot) { s.Lines[0].Node = 5 },
	} {
		s := sample()
		spoil(s)
		if _, err := snapshotfile.Read(bytes.NewReader(write(t, s))); !errors.Is(err, plat.ErrCorrupt) {
			t.Errorf("%s: error %v, want plat.ErrCorrupt", name, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(write(f, sample()))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := snapshotfile.Read(bytes.NewReader(b))
		if err != nil {
			return
		}
		again, err := snapshotfile.Read(bytes.NewReader(write(t, s)))
		if err != nil {
			t.Fatalf("what was read cannot be written and read: %v", err)
		}
		if len(again.Nodes) != len(s.Nodes) || len(again.Lines) != len(s.Lines) {
			t.Fatalf("%d nodes and %d lines became %d and %d", len(s.Nodes), len(s.Lines), len(again.Nodes), len(again.Lines))
		}
	})
}
