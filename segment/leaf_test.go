package segment

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"plat/plat"
	"plat/segment/markup"
)

func TestLeavesAreDescribed(t *testing.T) {
	for _, tc := range []struct{ src, want string }{
		{`<div at="0,0 100x100" look="bg=ddeeffff"><p>abcde <a href=x>fgh</a></p></div>`, "8 characters, links 0.375, 16 px, #000000 on #ddeeff, pictures 0"},
		{`<div at="0,0 100x100"><p look="color=ff0000ff size=20">abc</p><p look="color=0000ffff size=30">ab</p><p look="color=ff0000ff size=9">c</p></div>`, "6 characters, links 0, 30 px, #ff0000 on #ffffff, pictures 0"},
		{`<div at="0,0 100x100"><img at="0,0 50x100"><b>a</b></div>`, "1 characters, links 0, 16 px, #000000 on #ffffff, pictures 0.5"}, {`<div at="0,0 100x100"><img at="0,0 50x100" look="hidden"><b>a</b></div>`, "1 characters, links 0, 16 px, #000000 on #ffffff, pictures 0"}, {`<div at="0,0 100x100"><img at="0,0 90x100"><img at="0,0 90x100"></div>`, "0 characters, links 0, 0 px, transparent on #ffffff, pictures 1"},
		{`<div at="0,0 100x100"><img at="80,0 90x100"></div>`, "0 characters, links 0, 0 px, transparent on #ffffff, pictures 0.20000000298023224"}, {`<div at="0,0 100x100"><button at="0,0 50x50" look="block">ab</button></div>`, "2 characters, links 0, 16 px, #000000 on #ffffff, pictures 0.25"}, {`<div at="0,0 100x100"><div at="0,0 50x50" look="image"></div></div>`, "0 characters, links 0, 0 px, transparent on #ffffff, pictures 0.25"}, {`<div at="0,0 100x0"><p at="0,0 100x0"></p>a</div>`, ""},
	} {
		s := laidOut(t, tc.src)
		c := began(t, s)
		at := int32(-1)
		for i := range s.Nodes {
			if at < 0 && s.Nodes[i].Name == "div" {
				at = int32(i)
			}
		}
		var b plat.Block
		b.Box = c.box(at, s.Nodes[at].End)
		c.describe(&b, span{first: at, end: s.Nodes[at].End})
		got := fmt.Sprintf("%d characters, links %v, %v px, %v on %v, pictures %v", b.TextLen, b.LinkShare, b.FontSize, b.Color, b.Background, float64(b.ImageShare))
		got = strings.ReplaceAll(got, "#00000000", "transparent")
		if tc.want != "" && got != tc.want {
			t.Errorf("%s:\n%s, want\n%s", tc.src, got, tc.want)
		}
	}
}

func TestAreasOfContentEndAtClippingBoxes(t *testing.T) {
	for src, want := range map[string]plat.Rect{
		`<div look="clip" at="0,0 100x100"><p at="0,0 50x300">a</p></div>`: {W: 100, H: 100}, `<div at="0,0 100x100"><p at="0,0 50x300">a</p></div>`: {W: 100, H: 300}, `<div look="fixed" at="0,700 100x90"><p>a</p></div>`: {Y: 700, W: 100, H: 90}, `<div at="0,0 100x50"><p at="-60,0 100x50">a</p></div>`: {X: 0, W: 100, H: 50},
	} {
		s := laidOut(t, src)
		c := began(t, s)
		for i := range s.Nodes {
			if s.Nodes[i].Name == "div" && c.info[i].area != want {
				t.Errorf("%s: %v, want %v", src, c.info[i].area, want)
			}
		}
	}
	s := laidOut(t, `<p at="500,0 50x20">a</p>`)
	s.Width, s.Viewport = 0, plat.Rect{}
	if got := states(t, s); got != "a" {
		t.Errorf("of a page of unknown width: %s", got)
	}
	s = laidOut(t, `<html look="bg=ff0000ff"><body><p>a</p></body></html>`)
	c := began(t, s)
	body := c.Nodes[1].End - 1
	for c.Nodes[body].Name != "body" {
		body--
	}
	if r := (&parting{cutter: c}).row([]unit{{first: body, end: body + 1}, {first: body, end: body + 1}}); r.parent != 1 || !r.painted {
		t.Errorf("in <html>, node %d, of another colour than the page: %v", r.parent, r.painted)
	}
}

func TestItemsOfARepetitionAreAlike(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want bool
	}{
		{`<p><b>a</b></p>`, `<p><b>c</b></p>`, true}, {`<p><b>a</b></p>`, `<p><i>c</i></p>`, false}, {`<p class=k><b>a</b></p>`, `<p class=k><i>c</i></p>`, true}, {`<p class=k><b>a</b></p>`, `<p class=j><i>c</i></p>`, false}, {`<p class=""><b>a</b></p>`, `<p class=""><i>c</i></p>`, false}, {`<p><b>a</b></p>`, `<h5><b>a</b></h5>`, false}, {`<p class=k>a</p>`, `<h5 class=k>a</h5>`, false}, {`<p><b>a</b><i>b</i></p>`, `<p><i>a</i><b>b</b></p>`, false},
	} {
		c := began(t, laidOut(t, tc.a+tc.b))
		first, end := c.content()
		a, b := unit{first: first}, unit{first: c.Nodes[first].End}
		if got := c.alike(&a, &b); got != tc.want || b.first >= end {
			t.Errorf("%s and %s are alike: %v", tc.a, tc.b, got)
		}
		if b.line = true; c.alike(&a, &b) || c.alike(&b, &a) {
			t.Errorf("%s and a line are alike", tc.a)
		}
	}
}

func TestWhereBlocksAreLookedFor(t *testing.T) {
	for src, want := range map[string]string{
		`<head><title>t</title></head><body><p>a</p><i>b</i></body>`: "p i", `<head></head><frameset></frameset>`: "head frameset", `<p>a`: "p",
	} {
		s := laidOut(t, src)
		c := began(t, s)
		first, end := c.content()
		var got []string
		for i := first; i < end; i = c.Nodes[i].End {
			got = append(got, c.Nodes[i].Name)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: in %s, want %s", src, strings.Join(got, " "), want)
		}
	}
	text := plat.Node{Kind: plat.TextNode, Value: "x", HasBox: true, Box: plat.Rect{W: 9, H: 9}}
	element := func(name string, parent, end int32) plat.Node {
		return plat.Node{Kind: plat.ElementNode, Name: name, Parent: parent, End: end, HasBox: true, Box: plat.Rect{W: 9, H: 9}}
	}
	at := func(n plat.Node, parent, end int32) plat.Node { n.Parent, n.End = parent, end; return n }
	for name, tc := range map[string]struct {
		nodes      []plat.Node
		first, end int32
	}{
		"no HTML":              {[]plat.Node{{Kind: plat.DocumentNode, Parent: -1, End: 3}, element("svg", 0, 3), at(text, 1, 3)}, 1, 3},
		"text before the body": {[]plat.Node{{Kind: plat.DocumentNode, Parent: -1, End: 5}, element("html", 0, 5), at(text, 1, 3), element("body", 1, 5), at(text, 3, 5)}, 2, 5},
		"text after the body":  {[]plat.Node{{Kind: plat.DocumentNode, Parent: -1, End: 5}, element("html", 0, 5), element("body", 1, 4), at(text, 2, 4), at(text, 1, 5)}, 2, 5},
		"a doctype before":     {[]plat.Node{{Kind: plat.DocumentNode, Parent: -1, End: 5}, {Kind: plat.DoctypeNode, End: 2}, element("html", 0, 5), element("body", 2, 5), at(text, 3, 5)}, 4, 5},
		"a text alone":         {[]plat.Node{{Kind: plat.DocumentNode, Parent: -1, End: 2}, at(text, 0, 2)}, 1, 2},
	} {
		s := &plat.Snapshot{Width: 100, Height: 100, Nodes: tc.nodes, Styles: []plat.Style{{Display: "block", Opacity: 1, Color: 0xff, FontSize: 16}}}
		if first, end := began(t, s).content(); first != tc.first || end != tc.end {
			t.Errorf("%s: nodes %d to %d, want %d to %d", name, first, end, tc.first, tc.end)
		}
	}
}

func TestTextsOfFramesSlotsAndPseudoElements(t *testing.T) {
	style := []plat.Style{{Display: "block", Position: "static", Opacity: 1, Color: 0xff, FontSize: 16}, {Display: "block", Position: "static", Opacity: 1, Color: 0xff, FontSize: 16, Hidden: true}, {Display: "block", Position: "static", Opacity: .04, Color: 0xff, FontSize: 16}}
	box := func(x, y, w, h float32) plat.Rect { return plat.Rect{X: x, Y: y, W: w, H: h} }
	frame := func(scrolling string, y float32, st int32) *plat.Snapshot {
		s := &plat.Snapshot{Width: 1000, Height: 2000, Styles: style}
		s.Nodes = []plat.Node{
			{Kind: plat.DocumentNode, Parent: -1, End: 6, HasBox: true, Box: box(0, 0, 1000, 2000)}, {Kind: plat.ElementNode, Name: "html", Parent: 0, End: 6, HasBox: true, Box: box(0, 0, 1000, 2000)},
			{Kind: plat.ElementNode, Name: "iframe", Parent: 1, End: 6, HasBox: true, Style: st, Box: box(0, 0, 100, 100)}, {Kind: plat.DocumentNode, Parent: 2, End: 6, HasBox: true, Box: box(0, 0, 100, 900)},
			{Kind: plat.ElementNode, Name: "html", Parent: 3, End: 6, HasBox: true, Box: box(0, 0, 100, 900)}, {Kind: plat.TextNode, Value: "a", Parent: 4, End: 6, HasBox: true, Box: box(0, y, 50, 20)},
		}
		if scrolling != "" {
			s.Nodes[2].Attrs = []plat.Attr{{Name: "scrolling", Value: scrolling}}
		}
		return s
	}
	for _, tc := range []struct {
		scrolling string
		y         float32
		style     int32
		want      string
	}{{"", 10, 0, "a"}, {"", 800, 0, "a"}, {"no", 800, 0, "a -clipped"}, {"no", 10, 0, "a"}, {"yes", 800, 0, "a"}, {"", 10, 1, "a -visibility"}, {"", -50, 0, "a -clipped"}} {
		if got := states(t, frame(tc.scrolling, tc.y, tc.style)); got != tc.want {
			t.Errorf("in a frame, scrolling=%q, at %v: %s, want %s", tc.scrolling, tc.y, got, tc.want)
		}
		s := frame(tc.scrolling, tc.y, tc.style)
		s.Nodes[3].HasBox = false
		if c := began(t, s); c.info[5].visible && (c.info[3].area != box(0, 0, 100, 100) || c.info[2].area != box(0, 0, 100, 100)) {
			t.Errorf("the content of a frame is at %v, the frame at %v", c.info[3].area, c.info[2].area)
		}
	}
	for _, tc := range []struct {
		g     plat.Generated
		style int32 // of the element
		want  markup.State
	}{
		{plat.Generated{Kind: plat.Before, Text: "x", Box: box(0, 0, 9, 9)}, 0, markup.Shown}, {plat.Generated{Kind: plat.Before, Text: "x", Box: box(0, 0, 9, 9), Style: 1}, 0, markup.Hidden}, {plat.Generated{Kind: plat.Before, Text: "x", Box: box(0, 0, 9, 9), Style: 2}, 0, markup.Hidden}, {plat.Generated{Kind: plat.After, Text: "x", Box: box(0, 0, .4, 9)}, 0, markup.Hidden},
		{plat.Generated{Kind: plat.Value, Text: "x", Box: box(0, 0, 9, 9)}, 0, markup.Shown}, {plat.Generated{Kind: plat.Alt, Text: "x", Box: box(-20, 0, 9, 9)}, 0, markup.Hidden}, {plat.Generated{Kind: plat.Before, Text: "x", Box: box(0, 0, 9, 9)}, 2, markup.Hidden},
	} {
		s := frame("", 10, 0)
		s.Nodes[2].Style, tc.g.Node = tc.style, 2
		s.Generated = []plat.Generated{{Node: 1, Kind: plat.Before, Box: box(0, 0, 9, 9)}, tc.g, {Node: 4, Kind: plat.After, Text: "yz", Box: box(0, 0, 9, 9)}}
		c := began(t, s)
		if got := c.states[1].state; got != tc.want {
			t.Errorf("%+v is in state %d, want %d", tc.g, got, tc.want)
		}
		if a, b := len(c.generatedBy(2)), len(c.generatedBy(3)); a != 1 || b != 0 || c.generatedBy(4)[0].Text != "yz" {
			t.Errorf("%d and %d are generated by nodes 2 and 3", a, b)
		}
		want := int32(1 + 2)
		if tc.want == markup.Shown {
			want++
		}
		if tc.style == 2 {
			want = 0
		}
		if got := c.sums[6].chars; got != want {
			t.Errorf("%+v: %d characters are shown, want %d", tc.g, got, want)
		}
	}
	// A host with a slot of no name, one of a name, and a child for each.
	s := &plat.Snapshot{Width: 1000, Height: 2000, Styles: style, Nodes: []plat.Node{
		{Kind: plat.DocumentNode, Parent: -1, End: 10}, {Kind: plat.ElementNode, Name: "div", Parent: 0, End: 10}, {Kind: plat.ShadowNode, Parent: 1, End: 6},
		{Kind: plat.ElementNode, Name: "slot", Parent: 2, End: 4}, {Kind: plat.ElementNode, Name: "slot", Parent: 2, End: 5, Attrs: []plat.Attr{{Name: "name", Value: "n"}}, HasBox: true, Style: 2}, {Kind: plat.ElementNode, Name: "slot", Parent: 2, End: 6},
		{Kind: plat.ElementNode, Name: "b", Parent: 1, End: 7, Attrs: []plat.Attr{{Name: "slot", Value: "n"}}}, {Kind: plat.TextNode, Parent: 1, End: 8, Value: "a", HasBox: true, Box: box(0, 0, 9, 9)}, {Kind: plat.ElementNode, Name: "b", Parent: 1, End: 9, Attrs: []plat.Attr{{Name: "slot", Value: "m"}}}, {Kind: plat.CommentNode, Parent: 1, End: 10},
	}}
	c := began(t, s)
	for i, want := range map[int32]int32{6: 4, 7: 3, 8: 1, 9: 1, 3: 2} {
		if got := c.flatParent(i); got != want {
			t.Errorf("node %d is in node %d, want %d", i, got, want)
		}
	}
	if c.info[6].opacity != .04 {
		t.Errorf("what is in a transparent slot has the opacity %v", c.info[6].opacity)
	}
}

func TestCoverageCountsTextsOfThePage(t *testing.T) {
	s := laidOut(t, `<p>ab</p><p look="opacity=0">cd</p><p at="0,0 1x1" look="clip">ef</p><p at="0,0 1x1">gh</p><p look="color=00">ij</p><p look="hidden">kl</p><p at="-9,0 9x9">mn</p><p at="1000,0 9x9">op</p><p at="999,0 9x9">qr</p><p at="0,2000 9x9">st</p><p at="0,1999 9x9">uv</p><p at="0,-9 9x9">wx</p><iframe>yz</iframe><style>zz</style><p at="0,0 0.0x9">yy</p>`)
	c := began(t, s)
	var parts []markup.Part
	for i := range s.Nodes {
		if n := &s.Nodes[i]; n.Kind == plat.TextNode && (n.Value == "ab" || n.Value == "uv" || n.Value == "cd") {
			parts = append(parts, markup.Part{Nodes: plat.Span{First: n.Parent, End: n.End}})
		}
	}
	if got, want := c.coverage(parts), .5; got != want { // ab and uv of ab, gh, qr, uv
		t.Errorf("coverage %v, want %v", got, want)
	}
	if got := c.coverage(nil); got != 0 {
		t.Errorf("without leaves it is %v", got)
	}
	if got := began(t, laidOut(t, `<p look="hidden">a</p>`)).coverage(nil); got != 1 {
		t.Errorf("of a page without text it is %v", got)
	}
	for src, want := range map[string]float64{`<svg><text>ab</text></svg>`: 0, `<svg><desc>ab</desc></svg>`: 1, `<desc>ab</desc>`: 0} {
		if got := began(t, laidOut(t, src)).coverage(nil); got != want {
			t.Errorf("%s: coverage %v", src, got)
		}
	}
	s = laidOut(t, `<p>ab</p><p>c</p>`)
	s.Generated = []plat.Generated{{Node: 4, Kind: plat.Before, Text: "de", Box: plat.Rect{W: 9, H: 9}}, {Node: 6, Kind: plat.Before, Text: "fgh", Box: plat.Rect{X: -10, W: 9, H: 9}}}
	c = began(t, s)
	if got := c.coverage([]markup.Part{{Nodes: plat.Span{First: 4, End: 6}}}); math.Abs(got-.8) > 1e-9 {
		t.Errorf("with generated text it is %v", got)
	}
	last := laidOut(t, `<p>ab</p><p></p>`)
	last.Generated = []plat.Generated{{Node: int32(len(last.Nodes) - 1), Kind: plat.Before, Text: "de", Box: plat.Rect{W: 9, H: 9}}}
	if got := began(t, last).coverage([]markup.Part{{Nodes: plat.Span{First: 4, End: 6}}}); got != .5 {
		t.Errorf("with a text that the last element generates it is %v", got)
	}
	for look, want := range map[string]int32{"opacity=.05": 3, "opacity=.04": 0, "block": 3} {
		faint := laidOut(t, `<div look="`+look+`"><p>abc</p></div>`)
		if got := began(t, faint).sums[len(faint.Nodes)].chars; got != want {
			t.Errorf("with the look %s, %d characters are shown, want %d", look, got, want)
		}
	}
	for _, shown := range []int{0, 1} { // of two texts that one element generates
		s.Generated = []plat.Generated{{Node: 4, Kind: plat.Before, Text: "de", Box: plat.Rect{X: -10, W: 9, H: 9}}, {Node: 4, Kind: plat.After, Text: "fgh", Box: plat.Rect{X: -10, W: 9, H: 9}}}
		s.Generated[shown].Box.X = 0
		c = began(t, s)
		if got := int(c.sums[len(s.Nodes)].chars); got != 3+2+shown {
			t.Errorf("with the text %d of two, %d characters are shown", shown, got)
		}
	}
}

func TestDecisionsNameTheirReasons(t *testing.T) {
	s := newScale([]feature{{name: "bias"}, {name: "a"}, {name: "b"}, {name: "c"}, {name: "d"}}, map[string]float64{"bias": 9, "a": 1, "b": 2, "c": -1, "d": .5})
	for _, tc := range []struct {
		x    []float64
		cut  bool
		want string
	}{
		{[]float64{1, 1, 1, 1, 1}, true, "cut, 1.50: b 2.00, a 1.00, d 0.50"}, {[]float64{1, 1, 1, 1, 1}, false, "not cut, 1.50: c -1.00"}, {[]float64{1, .06, 0, 0, .1}, true, "cut, 1.50: a 0.06"}, {[]float64{1, .05, 0, 0, 0}, true, "cut, 1.50"}, {[]float64{1, 2, 1, 0, 4}, true, "cut, 1.50: a 2.00, b 2.00, d 2.00"},
	} {
		if got := s.why(tc.x, 1.5, tc.cut); got != tc.want {
			t.Errorf("%v: %q, want %q", tc.x, got, tc.want)
		}
	}
	if got := s.weigh([]float64{1, 1, 1, 1, 2}, nil); got != 12 {
		t.Errorf("the sum is %v", got)
	}
}

func TestContentOutsideOfBlocksIsGathered(t *testing.T) {
	const src = `<body><p>a</p><p>b</p><div><p>c</p><h5>d</h5><p>e</p></div><p> </p><p>f</p><ul><li>g</li></ul></body>`
	for found, want := range map[string]string{"": "p..ul", "h5": "p..p p..p h5..h5 p..p p..ul", "li": "p..p li..li", "p": "p..p p..ul"} {
		s := laidOut(t, src)
		c := began(t, s)
		first, end := c.content()
		var blocks []span
		for i := first; i < end && found != ""; i++ {
			if n := &s.Nodes[i]; n.Name == found {
				blocks = append(blocks, span{i, n.End, 8})
				break
			}
		}
		var got []string
		for _, b := range c.gather(first, end, 1, blocks) {
			last := b.first
			for i := b.first; i < b.end; i = c.Nodes[i].End {
				last = i
			}
			got = append(got, c.Nodes[b.first].Name+".."+c.Nodes[last].Name)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("beside %q: %s, want %s", found, strings.Join(got, " "), want)
		}
	}
}

func TestAdjustedPlacesHaveOtherLevels(t *testing.T) {
	s := laidOut(t, `<div><p>a</p><p>b</p></div><p>c</p>`)
	c := began(t, s)
	first, _ := c.content()
	whole, run := span{first: first, end: c.Nodes[first].End}, span{first: first, end: c.Nodes[first].End + 2}
	for _, tc := range []struct {
		split        *bool
		at           span
		level, limit int32
	}{
		{nil, whole, 1, 3}, {nil, whole, 5, 3}, {ptr(true), whole, 1, 3}, {ptr(true), whole, 2, 3}, {ptr(true), whole, 3, 4}, {ptr(true), whole, 15, 16}, {ptr(true), whole, 16, 16}, {ptr(false), whole, 1, 1}, {ptr(false), run, 2, 3},
	} {
		clear(c.adjust)
		if tc.split != nil {
			c.adjust[pathKey(c.appendPath(nil, first))] = *tc.split
		}
		if got := c.limit(tc.at, tc.level); got != tc.limit {
			t.Errorf("%v at level %d: down to level %d, want %d", tc.at, tc.level, got, tc.limit)
		}
	}
	clear(c.adjust)
	if c.Level = 20; c.limit(whole, 1) != 16 {
		t.Errorf("down to level %d", c.limit(whole, 1))
	}
	if got := []byte(pathKey([]int32{1, -1, 0x01020304})); string(got) != "\x01\x00\x00\x00\xff\xff\xff\xff\x04\x03\x02\x01" {
		t.Errorf("a path is the key %x", got)
	}
}

func ptr(b bool) *bool { return &b }
