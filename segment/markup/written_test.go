package markup_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"plat/plat"
	"plat/segment/markup"
)

// hides defines the states of a page's texts: those that begin with a question mark are hidden, those
// with a plus are folded.
type hides struct{ *plat.Snapshot }

func (h hides) OfText(node int32) markup.State   { return stateOf(h.Nodes[node].Value) }
func (h hides) OfGenerated(k int32) markup.State { return stateOf(h.Generated[k].Text) }

func stateOf(text string) markup.State {
	switch text[0] {
	case '?':
		return markup.Hidden
	case '+':
		return markup.Folded
	}
	return markup.Shown
}

// Parts are located where they were written, with the end tags of their last nodes, and their hidden
// bytes are those of hidden texts and of comments that look like something else.
func TestWhatIsWrittenIsFound(t *testing.T) {
	s := &plat.Snapshot{Nodes: []plat.Node{
		{Kind: plat.DocumentNode, Parent: -1, End: 18},
		{Kind: plat.ElementNode, Name: "body", Parent: 0, End: 18},
		{Kind: plat.ElementNode, Name: "p", Parent: 1, End: 4},
		{Kind: plat.TextNode, Value: "one", Parent: 2, End: 4},
		{Kind: plat.TextNode, Value: " ", Parent: 1, End: 5}, // between two parts
		{Kind: plat.TextNode, Value: "?two & a half", Parent: 1, End: 6},
		{Kind: plat.ElementNode, Name: "b", Parent: 1, End: 8},
		{Kind: plat.TextNode, Value: "three", Parent: 6, End: 8},
		{Kind: plat.ElementNode, Name: "input", Parent: 1, End: 9},
		{Kind: plat.ElementNode, Name: "div", Parent: 1, End: 18},
		{Kind: plat.CommentNode, Value: "ends -- early", Parent: 9, End: 11},
		{Kind: plat.CommentNode, Value: "plain", Parent: 9, End: 12},
		{Kind: plat.ElementNode, Name: "style", Parent: 9, End: 14},
		{Kind: plat.TextNode, Value: "a</b", Parent: 12, End: 14},
		{Kind: plat.ElementNode, Name: "i", Parent: 9, End: 16},
		{Kind: plat.TextNode, Value: "+four", Parent: 14, End: 16},
		{Kind: plat.TextNode, Value: "five", Parent: 9, End: 17},
		{Kind: plat.TextNode, Value: "?six", Parent: 9, End: 18},
	}, Generated: []plat.Generated{
		{Node: 2, Kind: plat.Before, Text: "?mark"},
		{Node: 6, Kind: plat.After, Text: "end"},
		{Node: 8, Kind: plat.Value, Text: "typed"},
		{Node: 9, Kind: plat.After, Text: "?last"},
	}}
	spans := []plat.Span{{First: 2, End: 4}, {First: 5, End: 9}, {First: 9, End: 18}}
	var w markup.Written
	for round, page := range []*plat.Snapshot{s, {Nodes: []plat.Node{{Kind: plat.DocumentNode, Parent: -1, End: 1}}}, s} {
		if w.Write(page); !bytes.Equal(w.HTML, markup.Serialize(page)) {
			t.Fatalf("round %d: %s", round, w.HTML)
		}
	}
	parts := make([]markup.Part, len(spans))
	for i := range parts {
		parts[i].Nodes = spans[i]
	}
	w.Locate(s, parts, hides{s})
	want := []string{
		"<p>[<!--plat:before ?mark-->]one</p>",
		"[?two &amp; a half]<b>three<!--plat:after end--></b><input><!--plat:value typed-->",
		"<div>[<!--ends -- early--><!--plain--><style>a</b</style><i>{+four}]</i>five[?six<!--plat:after ?last-->]</div>",
	}
	for i := range parts {
		if got := bracketed(w.HTML, &parts[i]); got != want[i] {
			t.Errorf("part %d is\n%s, want\n%s", i, got, want[i])
		}
	}
}

// bracketed returns the content of a part with its hidden ranges in brackets, and its folded ones in
// braces.
func bracketed(html []byte, p *markup.Part) string {
	out := strings.Builder{}
	content := html[p.From:p.To]
	at := func(ranges []int32, end int, n int) bool {
		return slices.ContainsFunc(slices.Collect(slices.Chunk(ranges, 2)), func(r []int32) bool { return int(r[end]) == n })
	}
	for n := range len(content) + 1 {
		for _, mark := range []struct {
			ranges []int32
			end    int
			mark   string
		}{{p.Folded, 1, "}"}, {p.Hidden, 1, "]"}, {p.Hidden, 0, "["}, {p.Folded, 0, "{"}} {
			if at(mark.ranges, mark.end, n) {
				fmt.Fprint(&out, mark.mark)
			}
		}
		if n < len(content) {
			out.WriteByte(content[n])
		}
	}
	return out.String()
}
