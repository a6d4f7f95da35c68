package segment

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"plat/plat"
	"plat/segment/markup"
)

// inlines are displayed in a line unless a look says otherwise.
var inlines = map[string]bool{"a": true, "b": true, "i": true, "span": true, "label": true, "button": true, "input": true, "select": true, "img": true, "font": true}

// laidOut makes a snapshot of a page without a browser, 1000 px wide and 2000 px high. An element has the
// box of its parent, or that of its attribute at="X,Y WxH"; a text has that of its parent. Looks are
// words of the attribute look: styles as lookOf reads them, paint=N for the place in the order of painting, and
// none for an element without a box.
func laidOut(t testing.TB, src string) *plat.Snapshot {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(src))
	if err != nil {
		t.Fatal(err)
	}
	s := &plat.Snapshot{Width: 1000, Height: 2000, Viewport: plat.Rect{W: 1000, H: 800}}
	var add func(n *html.Node, parent int32, box plat.Rect, st plat.Style, boxed bool)
	add = func(n *html.Node, parent int32, box plat.Rect, st plat.Style, boxed bool) {
		v := plat.Node{Parent: parent, Value: n.Data, Box: box, HasBox: boxed, Foreign: n.Namespace != ""}
		switch n.Type {
		case html.DocumentNode:
			v.Kind, v.Value = plat.DocumentNode, ""
		case html.TextNode:
			v.Kind = plat.TextNode
		case html.CommentNode:
			v.Kind, v.HasBox = plat.CommentNode, false
		case html.ElementNode:
			v.Kind, v.Name, v.Value = plat.ElementNode, n.Data, ""
			st = plat.Style{Display: "block", Position: "static", Opacity: 1, FontSize: st.FontSize, FontWeight: st.FontWeight, Color: st.Color, Hidden: st.Hidden}
			if inlines[n.Data] {
				st.Display = "inline"
			}
			v.HasBox = boxed && n.Data != "head"
			for _, a := range n.Attr {
				switch a.Key {
				case "at":
					v.Box = plat.Rect{}
					if _, err := fmt.Sscanf(a.Val, "%g,%g %gx%g", &v.Box.X, &v.Box.Y, &v.Box.W, &v.Box.H); err != nil {
						t.Fatalf("at=%q: %v", a.Val, err)
					}
				case "look":
					lookOf(t, a.Val, &st, &v)
				default:
					v.Attrs = append(v.Attrs, plat.Attr{Name: a.Key, Value: a.Val})
				}
			}
		}
		if v.HasBox {
			v.Style = int32(len(s.Styles))
			s.Styles = append(s.Styles, st)
		}
		i := int32(len(s.Nodes))
		s.Nodes = append(s.Nodes, v)
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			add(c, i, v.Box, st, v.HasBox)
		}
		s.Nodes[i].End = int32(len(s.Nodes))
	}
	add(doc, -1, plat.Rect{W: 1000, H: 20}, plat.Style{Opacity: 1, FontSize: 16, FontWeight: 400, Color: 0xff}, true)
	return s
}

// lookOf reads the words of a look.
func lookOf(t testing.TB, look string, st *plat.Style, n *plat.Node) {
	t.Helper()
	for word := range strings.FieldsSeq(look) {
		key, value, _ := strings.Cut(word, "=")
		number := func(format string, to any) {
			if _, err := fmt.Sscanf(value, format, to); err != nil {
				t.Fatalf("look %q: %v", word, err)
			}
		}
		switch key {
		case "none":
			n.HasBox = false
		case "inline", "block", "contents", "flex":
			st.Display = key
		case "fixed", "absolute", "relative", "sticky":
			st.Position = key
		case "hidden", "shown":
			st.Hidden = key == "hidden"
		case "clip":
			st.OverflowX, st.OverflowY = "hidden", "hidden"
		case "scroll":
			st.OverflowX, st.OverflowY = "auto", "scroll"
		case "clipx":
			st.OverflowX = "hidden"
		case "clipy":
			st.OverflowY = "clip"
		case "opacity":
			number("%g", &st.Opacity)
		case "size":
			number("%g", &st.FontSize)
		case "bold":
			st.FontWeight = 700
		case "color":
			number("%x", (*uint32)(&st.Color))
		case "bg":
			number("%x", (*uint32)(&st.Background))
		case "paint":
			number("%d", &n.Paint)
		default:
			flag, ok := map[string]*bool{
				"image": &st.BackgroundImage, "gone": &st.ClippedAway, "shaped": &st.Shaped, "textclip": &st.TextClip, "moved": &st.Transformed, "turned": &st.Turned,
				"backless": &st.Backless, "shadow": &st.Shadowed, "below": &st.Below, "stacked": &st.Stacked,
			}[key]
			if !ok {
				t.Fatalf("unknown look %q", word)
			}
			*flag = true
		}
	}
}

// states cuts a page and lists its texts with their states, and the causes of those that are not shown.
func states(t testing.TB, s *plat.Snapshot) string {
	t.Helper()
	cut, err := Segment(s, Params{})
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for i := range s.Nodes {
		if n := &s.Nodes[i]; n.Kind == plat.TextNode && strings.TrimSpace(n.Value) != "" {
			of := strings.TrimSpace(n.Value)
			switch state, why := cut.State(int32(i)); state {
			case markup.Hidden:
				of += " -" + why.String()
			case markup.Folded:
				of += " +" + why.String()
			}
			all = append(all, of)
		}
	}
	return strings.Join(all, ", ")
}

func TestTextIsHiddenForAReason(t *testing.T) {
	for _, tc := range []struct{ src, want string }{
		{`<p>a</p>`, "a"}, {`<p look="none">a</p>`, "a -not laid out"}, {`<p look="hidden">a<b look="shown">b</b></p>`, "a -visibility, b"}, {`<style look="block">a</style>b`, "a -in an element that is never shown, b"}, {`<svg><desc>a</desc><text>b</text></svg>`, "a -in an element that is never shown, b"},
		{`<p look="opacity=.04">a</p>`, "a -opacity"}, {`<p look="opacity=.06">a</p>`, "a"}, {`<div look="opacity=.2"><p look="opacity=.2">a</p><p look="opacity=.3">b</p></div>`, "a -opacity, b"}, {`<p look="gone">a</p>`, "a -clipped"},
		{`<p look="turned backless">a</p>`, "a -turned away"}, {`<p look="turned">a</p>`, "a"}, {`<p look="backless">a</p>`, "a"}, {`<div look="turned"><p look="turned backless">a</p><p look="backless">b</p></div>`, "a, b -turned away"},
		{`<p look="color=0c">a</p>`, "a -transparent colour"}, {`<p look="color=0d">a</p>`, "a"}, {`<p look="color=0c shadow">a</p>`, "a"}, {`<p look="color=0c bg=ff0000ff textclip">a</p>`, "a"}, {`<p look="color=0c textclip">a</p>`, "a -transparent colour"},
		{`<p look="color=fffffffe">a</p>`, "a -the colour of its background"}, {`<p look="color=ffffffff shadow">a</p>`, "a"}, {`<p look="color=f0f0f0ff">a</p>`, "a"}, {`<p look="color=fbfbfbff">a</p>`, "a -the colour of its background"}, {`<p look="color=ffffffff bg=000000ff paint=1">a</p>`, "a"}, {`<p look="color=000000ff bg=000000ff paint=1">a</p>`, "a -the colour of its background"},
		{`<div look="image paint=1"><p look="color=ffffffff">a</p></div>`, "a"}, {`<div look="image paint=1"><p look="color=ffffffff bg=ffffffff paint=2">a</p></div>`, "a -the colour of its background"}, {`<div look="image textclip"><p look="color=ffffffff">a</p></div>`, "a"}, {`<html look="color=ffffffff"><p>a</p></html>`, "a"},
		{`<p at="0,0 0.4x20">a</p>`, "a -no size"}, {`<p at="0,0 20x0.4">a</p>`, "a -no size"}, {`<p at="0,0 0.5x0.5">a</p>`, "a"}, {`<p at="-20,0 22x20">a</p>`, "a -off the page"}, {`<p at="-20,0 22.5x20">a</p>`, "a"}, {`<p at="-20,0 21x20">a</p><p at="0,-20 20x23">b</p><p at="0,-20 20x24">c</p>`, "a -off the page, b -off the page, c"}, {`<p at="998,0 20x20">a</p>`, "a -off the page"}, {`<p at="997.5,0 20x20">a</p>`, "a"}, {`<p at="0,1990 20x20">a</p><p at="0,9000 20x20">b</p>`, "a, b"},
		{`<p at="0,900 20x20" look="fixed">a</p><p at="0,790 20x20" look="fixed">b</p>`, "a -off the page, b"}, {`<p at="1100,0 20x20" look="fixed">a</p>`, "a -off the page"},
		{`<div look="clip" at="0,0 100x100"><p at="0,100 50x20">a</p><h5 at="0,80 50x20">b</h5><h6 at="98,0 50x20">c</h6></div>`, "a -clipped, b, c -clipped"}, {`<div look="scroll" at="0,0 100x100"><p at="0,900 50x20">a</p><h5 at="500,0 50x20">b</h5><h6 at="-100,0 50x20">c</h6></div>`, "a, b, c -clipped"},
		{`<div look="clipx" at="0,0 100x100"><p at="0,900 50x20">a</p><h5 at="500,0 50x20">b</h5></div>`, "a, b -clipped"}, {`<div look="clipy" at="0,0 100x100"><p at="0,900 50x20">a</p><h5 at="500,0 50x20">b</h5></div>`, "a -clipped, b"}, {`<div look="clip inline" at="0,0 100x100"><p at="0,900 50x20">a</p></div>`, "a"},
		{`<div look="clip" at="0,0 100x100"><p at="0,500 50x20" look="absolute">a</p><h5 at="0,500 50x20" look="fixed">b</h5></div>`, "a, b"}, {`<div look="clip relative" at="0,0 100x100"><p at="0,500 50x20" look="absolute">a</p><h5 at="0,500 50x20" look="fixed">b</h5></div>`, "a -clipped, b"}, {`<div look="clip moved" at="0,0 100x100"><p at="0,500 50x20" look="absolute">a</p><h5 at="0,500 50x20" look="fixed">b</h5></div>`, "a -clipped, b -clipped"},
		{`<div look="clip" at="0,0 100x100"><div look="scroll" at="0,50 100x40"><p at="0,900 50x20">a</p></div><ul look="scroll" at="0,200 100x40"><h5 at="0,210 50x20">b</h5></ul></div>`, "a, b -clipped"}, {`<body look="clip" at="0,0 1000x100"><p at="0,900 50x20">a</p></body>`, "a"}, {`<body look="clip" at="0,0 2000x100"><p at="1001,0 50x20">a</p><h5 at="900,0 50x20">b</h5></body>`, "a -clipped, b"},
		{`<select look="block"><option look="block">a</option></select>`, "a"}, {`<iframe>a</iframe>b`, "a, b"}, {`<p> </p><p>a</p>`, "a"},
	} {
		if got := states(t, laidOut(t, tc.src)); got != tc.want {
			t.Errorf("%s:\n%s, want\n%s", tc.src, got, tc.want)
		}
	}
}

func TestTextIsCoveredByWhatIsPaintedOverIt(t *testing.T) {
	for _, tc := range []struct{ look, over, want string }{
		{`at="0,0 50x20" look="paint=5"`, `at="0,0 50x20" look="bg=ff0000ff paint=9"`, "a -covered"}, {`at="0,0 50x20" look="paint=9"`, `at="0,0 50x20" look="bg=ff0000ff paint=5"`, "a"}, {`at="0,0 50x20" look="paint=5"`, `at="0,0 49x20" look="bg=ff0000ff paint=9"`, "a"}, {`at="0,0 50x20" look="paint=5"`, `at="0,0 50x19" look="bg=ff0000ff paint=9"`, "a"},
		{`at="0,0 50x20" look="paint=5"`, `at="0,0 50x20" look="bg=ff0000fe paint=9"`, "a"}, {`at="0,0 50x20" look="paint=5"`, `at="0,0 50x20" look="bg=ff0000ff opacity=.98 paint=9"`, "a"}, {`at="0,0 50x20" look="paint=5"`, `at="0,0 50x20" look="bg=ff0000ff opacity=.995 paint=9"`, "a -covered"}, {`at="0,0 50x20" look="paint=5"`, `at="0,0 50x20" look="bg=ff0000ff fixed paint=9"`, "a"}, {`at="0,0 50x20" look="paint=5"`, `at="0,0 50x20" look="bg=ff0000ff sticky paint=9"`, "a"},
		{`at="0,0 50x20" look="paint=5"`, `at="0,0 50x20" look="bg=ff0000ff moved paint=9"`, "a"}, {`at="0,0 50x20" look="paint=5"`, `at="0,0 50x20" look="bg=ff0000ff shaped paint=9"`, "a"}, {`at="0,0 50x20" look="paint=5"`, `at="0,0 50x20" look="bg=ff0000ff textclip paint=9"`, "a"}, {`at="0,0 50x20" look="paint=5"`, `at="0,0 50x20" look="bg=ff0000ff hidden paint=9"`, "a"}, {`at="0,0 50x20" look="paint=5"`, `at="0,0 50x20" look="bg=ff0000ff below relative paint=9"`, "a"}, {`at="0,0 50x20" look="paint=5"`, `at="0,0 50x20" look="image paint=9"`, "a"},
		{`at="0,0 50x20" look="fixed paint=5"`, `at="0,0 50x20" look="bg=ff0000ff paint=9"`, "a"}, {`at="0,0 50x20"`, `at="0,0 50x20" look="bg=ff0000ff paint=9"`, "a"}, {`at="0,0 50x20" look="below relative paint=5"`, `at="0,0 50x20" look="bg=ff0000ff below relative paint=9"`, "a -covered"},
		{`at="0,0 50x20" look="paint=5 color=ff0000ff"`, `at="0,0 60x20" look="bg=ff0000ff paint=3"`, "a"}, {`at="0,0 50x20" look="paint=5 color=ffffffff"`, `at="0,0 60x20" look="bg=ff0000ff paint=3"`, "a"}, {`at="0,0 50x20" look="paint=5 color=ffffffff"`, `at="0,0 60x20" look="bg=ffffffff paint=3"`, "a -the colour of its background"}, {`at="0,0 50x20" look="paint=5 color=ffffffff"`, `at="100,0 60x20" look="bg=ff0000ff paint=3"`, "a -the colour of its background"}, {`at="0,0 50x20" look="paint=5 color=ffffffff"`, `at="0,0 60x20" look="image paint=3"`, "a"},
	} {
		s := laidOut(t, `<p `+tc.look+`>a</p><div `+tc.over+`></div>`)
		for i := range s.Nodes {
			if n := &s.Nodes[i]; n.Kind == plat.TextNode {
				n.Paint = s.Nodes[n.Parent].Paint
			}
		}
		if got := states(t, s); got != tc.want {
			t.Errorf("%s under %s: %s, want %s", tc.look, tc.over, got, tc.want)
		}
	}
	for src, want := range map[string]string{
		`<div look="bg=ff0000ff"><p look="below relative">a</p></div>`: "a -covered", `<div look="bg=ff0000ff stacked"><p look="below relative">a</p></div>`: "a", `<div look="bg=ff0000fe"><p look="below relative">a</p></div>`: "a", `<div look="bg=ff0000ff" at="0,0 10x10"><p at="0,0 50x20" look="below relative">a</p></div>`: "a", `<div look="bg=ff0000ff"><p look="below">a</p></div>`: "a",
		`<div look="bg=ff0000ff"><div><p look="below relative">a</p></div></div>`: "a -covered", `<div look="bg=ff0000ff"><div look="none"><p look="below relative">a</p></div></div>`: "a -not laid out", `<body look="bg=ff0000ff"><p look="below relative">a</p></body>`: "a", `<div look="bg=ff0000ff"><div look="stacked"><p look="below relative">a</p></div></div>`: "a",
	} {
		if got := states(t, laidOut(t, src)); got != want {
			t.Errorf("%s: %s, want %s", src, got, want)
		}
	}
}
