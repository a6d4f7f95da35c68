package main

import (
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"plat/plat"
)

// snapshot is a page of two paragraphs; the first is in an element without a
// box.
func snapshot() *plat.Snapshot {
	box := func(kind plat.NodeKind, parent int32, name string, x, y, w, h float32) plat.Node {
		return plat.Node{Kind: kind, Parent: parent, Name: name, HasBox: true, Box: plat.Rect{X: x, Y: y, W: w, H: h}}
	}
	return &plat.Snapshot{Nodes: []plat.Node{
		box(plat.DocumentNode, -1, "", 0, 0, 100, 50),
		box(plat.ElementNode, 0, "html", 0, 0, 100, 50),
		{Kind: plat.ElementNode, Parent: 1, Name: "my-list"},
		box(plat.ElementNode, 2, "p", 0, 0, 100, 20.004),
		box(plat.TextNode, 3, "", 0, 0, 40, 20),
		box(plat.ElementNode, 1, "p", 0, 20, 100, 20),
	}}
}

func TestBoxesAreKeptWithTheirPaths(t *testing.T) {
	l := layoutOf("a", snapshot())
	if want := []int{0, 1, 3, 4, 5}; !reflect.DeepEqual(l.Index, want) {
		t.Errorf("nodes %v, want %v", l.Index, want)
	}
	if l.Box[2][3] != 20 {
		t.Errorf("height %v is not rounded to 0.01", l.Box[2][3])
	}
	for i, want := range []string{"", "html", "html/p", "html/p/#text", "html/p[2]"} {
		if got := l.path(i); got != want {
			t.Errorf("path of %d: %q, want %q", i, got, want)
		}
	}
}

func TestPagesAreComparedNodeByNode(t *testing.T) {
	for _, tc := range []struct {
		name         string
		change       func(*plat.Snapshot)
		exact, close bool
		why          string
	}{
		{"the same", func(*plat.Snapshot) {}, true, true, ""},
		{"less than is kept", func(s *plat.Snapshot) { s.Nodes[5].Box.X = 0.004 }, true, true, ""},
		{"half a pixel", func(s *plat.Snapshot) { s.Nodes[5].Box.X = 0.5 }, false, true, "1 of 5 boxes, by up to 0.50 px; first html/p[2]"},
		{"more", func(s *plat.Snapshot) { s.Nodes[4].Box.W, s.Nodes[5].Box.H = 41, 23 }, false, false, "2 of 5 boxes, by up to 3.00 px; first html/p/#text"},
		{"another tag", func(s *plat.Snapshot) { s.Nodes[5].Name = "div" }, false, false, "5 nodes with a box, then 5; first at html/div"},
		{"another parent", func(s *plat.Snapshot) { s.Nodes[5].Parent = 3 }, false, false, "5 nodes with a box, then 5; first at html/p/p"},
		{"one less", func(s *plat.Snapshot) { s.Nodes = s.Nodes[:5] }, false, false, "5 nodes with a box, then 4; first at its end"},
	} {
		s := snapshot()
		tc.change(s)
		was, is := layoutOf("a", snapshot()), layoutOf("a", s)
		d := differ(&was, &is)
		if d.exact != tc.exact || d.close != tc.close || !strings.HasPrefix(d.why, tc.why) || (tc.why == "") != (d.why == "") {
			t.Errorf("%s: %+v", tc.name, d)
		}
	}
}

func TestAPageThatHasEitherOfTheKeptLayoutsIsEqual(t *testing.T) {
	moved := snapshot()
	moved.Nodes[5].Box.X = 9
	one, two := shelf{"a": layoutOf("a", snapshot())}, shelf{"a": layoutOf("a", moved)}
	every := regexp.MustCompile("")
	if got := compare(two, []shelf{one}, every); len(got) != 1 || got[0].exact {
		t.Errorf("against one: %+v", got)
	}
	if got := compare(two, []shelf{one, two}, every); len(got) != 1 || !got[0].exact {
		t.Errorf("against both: %+v", got)
	}
	failed := shelf{"a": {Page: "a", Error: "crashed"}}
	if got := compare(failed, []shelf{one}, every); len(got) != 1 || got[0].exact || got[0].close {
		t.Errorf("a page that failed: %+v", got)
	}
}

func TestLayoutsAreReadAsTheyWereSaved(t *testing.T) {
	file := filepath.Join(t.TempDir(), "boxes.jsonl")
	want := shelf{"a": layoutOf("a", snapshot()), "b": {Page: "b", Error: "timeout"}}
	if err := want.save(file); err != nil {
		t.Fatal(err)
	}
	if got, err := load(file); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
}
