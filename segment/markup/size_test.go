package markup_test

import (
	"math"
	"strings"
	"testing"

	"plat/fixtures"
	"plat/plat"
	"plat/segment/markup"
)

// Size returns the length of a page's HTML without writing it.
func TestSizeIsTheLengthOfThePage(t *testing.T) {
	for _, name := range fixtures.Names() {
		s := fixtures.Snapshot(t, name)
		if got, want := markup.Size(s, math.MaxInt), len(markup.Serialize(s)); got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
	s := everyKind("a & b < c > \"d\" 'e' \u00a0 \u00a1 ü")
	if got, want := markup.Size(s, math.MaxInt), len(markup.Serialize(s)); got != want {
		t.Errorf("of every kind of node: %d, want %d:\n%s", got, want, markup.Serialize(s))
	}
}

// everyKind returns a page with a text at each position where a text is possible.
func everyKind(text string) *plat.Snapshot {
	s := &plat.Snapshot{Nodes: []plat.Node{
		{Kind: plat.DocumentNode, Parent: -1, End: 16},
		{Kind: plat.DoctypeNode, Parent: 0, End: 2, Name: "html", Attrs: []plat.Attr{{Name: "public", Value: "p"}, {Name: "system", Value: "s"}}},
		{Kind: plat.ElementNode, Parent: 0, End: 16, Name: "html", Attrs: []plat.Attr{{Name: "title", Value: text}, {Name: "x"}}},
		{Kind: plat.ElementNode, Parent: 2, End: 5, Name: "script"},
		{Kind: plat.TextNode, Parent: 3, End: 5, Value: text},
		{Kind: plat.ElementNode, Parent: 2, End: 6, Name: "img", Attrs: []plat.Attr{{Name: "alt", Value: text}}},
		{Kind: plat.ElementNode, Parent: 2, End: 9, Name: "iframe"},
		{Kind: plat.DocumentNode, Parent: 6, End: 9},
		{Kind: plat.TextNode, Parent: 7, End: 9, Value: text},
		{Kind: plat.ElementNode, Parent: 2, End: 12, Name: "p"},
		{Kind: plat.ShadowNode, Parent: 9, End: 12, Value: "open"},
		{Kind: plat.CommentNode, Parent: 10, End: 12, Value: text},
		{Kind: plat.ElementNode, Parent: 2, End: 14, Name: "style", Foreign: true},
		{Kind: plat.TextNode, Parent: 12, End: 14, Value: text},
		{Kind: plat.TextNode, Parent: 2, End: 15},
		{Kind: plat.ElementNode, Parent: 2, End: 16, Name: "br"},
	}}
	s.Generated = []plat.Generated{{Node: 2, Kind: plat.Before, Text: text}, {Node: 5, Kind: plat.Alt, Text: text}, {Node: 9, Kind: plat.After, Text: text}, {Node: 9, Kind: plat.After}}
	return s
}

// Many nodes may share a text: beyond the limit nothing is counted.
func TestSizeStopsAtItsLimit(t *testing.T) {
	long := strings.Repeat("<", 1<<20)
	s := &plat.Snapshot{Nodes: make([]plat.Node, 1<<20)}
	for i := range s.Nodes {
		s.Nodes[i] = plat.Node{Kind: plat.CommentNode, Value: long}
	}
	if got := markup.Size(s, 10<<20); got <= 10<<20 || got > 12<<20 {
		t.Errorf("counted %d", got)
	}
}
