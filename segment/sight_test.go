package segment

import (
	"strings"
	"testing"

	"plat/plat"
	"plat/segment/markup"
)

// sample returns a page of one block, with texts in all states and generated text.
func sample() *plat.Snapshot {
	s := &plat.Snapshot{Width: 800, Height: 600, Viewport: plat.Rect{W: 800, H: 600}}
	s.Styles = []plat.Style{
		{Display: "block", Position: "static", Opacity: 1, Color: 0xff, FontSize: 16, FontWeight: 400},
		{Display: "block", Position: "static", Opacity: 1, Color: 0xff, FontSize: 16, FontWeight: 400, OverflowX: "hidden", OverflowY: "hidden"},
	}
	add := func(parent int32, n plat.Node) int32 {
		n.Parent = parent
		s.Nodes = append(s.Nodes, n)
		return int32(len(s.Nodes)) - 1
	}
	element := func(parent int32, name string, style int32, box plat.Rect, attrs ...plat.Attr) int32 {
		return add(parent, plat.Node{Kind: plat.ElementNode, Name: name, HasBox: true, Style: style, Box: box, Attrs: attrs})
	}
	text := func(parent int32, value string, box plat.Rect) {
		add(parent, plat.Node{Kind: plat.TextNode, Value: value, HasBox: !box.Empty(), Box: box})
	}
	document := add(-1, plat.Node{Kind: plat.DocumentNode, HasBox: true, Box: plat.Rect{W: 800, H: 600}})
	html := element(document, "html", 0, plat.Rect{W: 800, H: 600})
	body := element(html, "body", 0, plat.Rect{W: 800, H: 600})
	block := element(body, "div", 0, plat.Rect{W: 800, H: 200})
	p := element(block, "p", 0, plat.Rect{W: 800, H: 20})
	text(p, "seen", plat.Rect{W: 60, H: 18})
	s.Generated = append(s.Generated, plat.Generated{Node: p, Kind: plat.Before, Text: "Note -- & <b>", Box: plat.Rect{W: 50, H: 18}})
	details := element(block, "details", 0, plat.Rect{Y: 20, W: 800, H: 20})
	text(element(details, "summary", 0, plat.Rect{Y: 20, W: 800, H: 20}), "more", plat.Rect{Y: 20, W: 60, H: 18})
	add(details, plat.Node{Kind: plat.TextNode, Value: "behind it"})
	text(element(block, "div", 1, plat.Rect{Y: 40, W: 1, H: 1}), "for screen readers", plat.Rect{Y: 40, W: 90, H: 18})
	for i := len(s.Nodes) - 1; i >= 0; i-- {
		s.Nodes[i].End = max(s.Nodes[i].End, int32(i)+1)
		if up := s.Nodes[i].Parent; up >= 0 {
			s.Nodes[up].End = max(s.Nodes[up].End, s.Nodes[i].End)
		}
	}
	return s
}

func TestABlockHasTheTextOfEachState(t *testing.T) {
	s := sample()
	cut, err := Segment(s, Params{})
	if err != nil {
		t.Fatal(err)
	}
	var shown, folded, hidden []string
	for i := range cut.Blocks {
		b := &cut.Blocks[i]
		if !b.Leaf() {
			continue
		}
		f, h := markup.Unshown(b.Content, b.Hidden, b.Folded)
		shown, folded, hidden = append(shown, strings.Fields(b.Text)...), append(folded, strings.Fields(f)...), append(hidden, strings.Fields(h)...)
	}
	hidden = append(hidden, strings.Fields(markup.LayoutText(cut.Layout.HTML))...)
	for _, tc := range []struct{ name, is, want string }{
		{"shown", strings.Join(shown, " "), "Note -- & <b>seen more"},
		{"folded", strings.Join(folded, " "), "behind it"},
		{"hidden", strings.Join(hidden, " "), "for screen readers"},
	} {
		if tc.is != tc.want {
			t.Errorf("%s is %q, want %q", tc.name, tc.is, tc.want)
		}
	}
	if back, err := markup.Restore(&cut.Layout, cut.Blocks); err != nil || string(back) != string(markup.Serialize(s)) {
		t.Errorf("restored (%v) as\n%s\nwant\n%s", err, back, markup.Serialize(s))
	}
}

// A comment of the page that looks like generated text is not treated as such.
func TestACommentThatLooksGeneratedIsNoText(t *testing.T) {
	s := sample()
	for i := range s.Nodes {
		if n := &s.Nodes[i]; n.Kind == plat.TextNode && n.Value == "for screen readers" {
			*n = plat.Node{Kind: plat.CommentNode, Parent: n.Parent, End: n.End, Value: "plat:before lies"}
		}
	}
	cut, err := Segment(s, Params{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range cut.Blocks {
		if strings.Contains(cut.Blocks[i].Text, "lies") {
			t.Errorf("the text is %q", cut.Blocks[i].Text)
		}
	}
}

// A text is compared with the canvases before it, but not with thousands.
func TestTextsLieOverTheLastCanvases(t *testing.T) {
	var v view
	for i := range maxCanvases + 1 {
		v.addCanvas(plat.Rect{X: float32(100 * i), W: 100, H: 100})
	}
	over := func(x float32, color plat.Color) bool {
		return v.overDrawing(plat.Rect{X: x, Y: 10, W: 20, H: 10}, &plat.Style{Color: color})
	}
	if over(50, 0) || !over(150, 0) || !over(100*maxCanvases+50, 0) {
		t.Error("the first canvas is compared, or one of the others is not")
	}
	if over(150, 0xff) || over(100*maxCanvases+200, 0) {
		t.Error("a text with a colour, or beside the canvases, lies over them")
	}
}
