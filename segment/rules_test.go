package segment

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"plat/plat"
)

func TestTheFirstRuleThatAppliesDecides(t *testing.T) {
	large := plat.Rect{W: 100, H: 100}
	for _, tc := range []struct {
		f      info
		box    plat.Rect
		before bool // the sibling before is a block
		want   plat.Rule
		block  bool
	}{
		{info{kids: 0, kind: function}, large, true, 1, false}, {info{kids: 2, kind: function}, large, true, 2, false}, {info{kids: 2, kind: format}, large, true, 3, false}, {info{kids: 1, kind: schema}, large, true, 4, false},
		{info{kids: 2, kind: schema}, plat.Rect{W: 23, H: 100}, true, 5, false}, {info{kids: 2, kind: schema, over: true}, large, true, plat.RuleOverlay, false}, {info{kids: 2, kind: schema, mixed: true}, large, true, 6, false}, {info{kids: 2, kind: schema, schema: 2}, large, true, 7, false},
		{info{kids: 2, kind: schema, schema: 0}, large, true, 8, true}, {info{kids: 2, kind: schema, schema: 1, passes: true}, large, true, 9, true}, {info{kids: 2, kind: schema, schema: 1}, large, true, 10, true}, {info{kids: 2, kind: schema, schema: 1}, large, false, 11, false},
	} {
		tc.f.prev = 0
		v := &view{Snapshot: &plat.Snapshot{Nodes: []plat.Node{{}, {HasBox: true, Box: tc.box}}}, info: []info{{block: tc.before}, tc.f}}
		if r := v.isBlock(1); r.number != tc.want || r.block != tc.block {
			t.Errorf("%+v: rule %d, a block: %v; want %d, %v", tc.f, r.number, r.block, tc.want, tc.block)
		}
		if v.info[1].prev = -1; tc.want == 10 {
			if r := v.isBlock(1); r.number != 11 {
				t.Errorf("without a sibling: rule %d", r.number)
			}
		}
	}
	for _, tc := range []struct {
		name string
		w, h float32
		box  bool
		want bool
	}{
		{"div", 24, 12, true, false}, {"div", 23.9, 12, true, true}, {"div", 24, 11.9, true, true}, {"div", 1, 1, false, false}, {"table", 40, 16, true, false}, {"tr", 39.9, 16, true, true}, {"tbody", 40, 15.9, true, true}, {"td", 24, 12, true, false},
	} {
		v := &view{Snapshot: &plat.Snapshot{Nodes: []plat.Node{{Name: tc.name, HasBox: tc.box, Box: plat.Rect{W: tc.w, H: tc.h}}}}}
		if got := v.tooSmall(0); got != tc.want {
			t.Errorf("%s %v×%v is too small: %v", tc.name, tc.w, tc.h, got)
		}
		if got := tiny(plat.Rect{W: tc.w, H: tc.h}); tc.name == "div" && tc.box && got != tc.want {
			t.Errorf("%v×%v is tiny: %v", tc.w, tc.h, got)
		}
	}
	v := &view{Snapshot: &plat.Snapshot{Nodes: []plat.Node{{Name: "tr", Box: plat.Rect{W: 30.4, H: 5}}}}, info: []info{{kids: 3, schema: 2, paint: paint{0xff0000ff, -1}}}}
	for n, want := range map[plat.Rule]string{1: "r", 5: "r: 30×5, least 40×16", 6: "r: own #ff0000", 7: "r: 3 children, 2 Schema", 11: "r: 3 children, 2 Schema"} {
		if got := v.why(0, &rule{number: n, name: "r"}); got != want {
			t.Errorf("rule %d says %q, want %q", n, got, want)
		}
	}
}

func TestParametersHaveDefaultsAndBounds(t *testing.T) {
	for _, tc := range []struct {
		in, want Params
		ok       bool
	}{
		{Params{}, Params{Profile: "visual", Level: 3, MaxDepth: 512}, true}, {Params{Profile: "paper", Level: 1, MaxDepth: 1}, Params{Profile: "paper", Level: 1, MaxDepth: 1}, true}, {Params{Level: 16}, Params{Profile: "visual", Level: 16, MaxDepth: 512}, true},
		{Params{Level: 17}, Params{}, false}, {Params{Level: -1}, Params{}, false}, {Params{Profile: "x"}, Params{}, false},
	} {
		got, err := tc.in.withDefaults()
		if (err == nil) != tc.ok || tc.ok && fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", tc.want) {
			t.Errorf("%+v: %+v, %v", tc.in, got, err)
		}
		if _, err := Segment(&plat.Snapshot{}, tc.in); (err == nil) != tc.ok {
			t.Errorf("%+v: %v", tc.in, err)
		}
	}
}

func TestKindsOfNodes(t *testing.T) {
	for name, want := range map[string]kind{"table": schema, "p": schema, "li": schema, "article": schema, "details": schema, "html": schema, "form": function, "a": function, "img": function, "svg": function, "div": format, "h1": format, "span": format} {
		if got := tagKind(name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	for name, want := range map[string]int{"h1": 1, "h6": 6, "h0": 0, "h7": 0, "hr": 0, "h": 0, "h11": 0, "x1": 0} {
		if got := headingRank(name); got != want {
			t.Errorf("%s is a heading of rank %d", name, got)
		}
	}
	for d, want := range map[string]bool{"block": true, "flex": true, "table-cell": true, "block flow": true, "inline": false, "inline-block": false, "contents": false, "blocks": false, "": false} {
		if blockDisplay(d) != want {
			t.Errorf("%q is block-level: %v", d, !want)
		}
	}
	for _, tc := range []struct {
		n    plat.Node
		f    info
		want kind
	}{
		{plat.Node{Kind: plat.TextNode}, info{blocks: true}, format}, {plat.Node{Kind: plat.DocumentNode}, info{}, schema}, {plat.Node{Kind: plat.ElementNode, Name: "a"}, info{}, function}, {plat.Node{Kind: plat.ElementNode, Name: "a"}, info{blocks: true}, schema},
		{plat.Node{Kind: plat.ElementNode, Name: "p"}, info{}, format}, {plat.Node{Kind: plat.ElementNode, Name: "p"}, info{media: true, blocks: true}, function},
	} {
		v := &view{Snapshot: &plat.Snapshot{Nodes: []plat.Node{tc.n}}, info: []info{tc.f}, profile: Visual}
		if v.classify(0); v.info[0].kind != tc.want {
			t.Errorf("%s %+v is %s", tc.n.Name, tc.f, v.info[0].kind)
		}
	}
	v := &view{profile: Visual}
	child, parent := &plat.Node{HasBox: true, Box: plat.Rect{W: 10, H: 5}}, &plat.Node{HasBox: true, Box: plat.Rect{W: 100, H: 10}}
	white, grey, dark := paint{0xffffffff, -1}, paint{0xf8f8f8ff, -1}, paint{0xeeeeeeff, -1}
	for _, tc := range []struct {
		a, b paint
		h    float32
		want bool
	}{{white, dark, 5, true}, {white, dark, 4.9, false}, {white, grey, 5, false}, {white, paint{0xffffffff, 3}, 5, true}, {white, white, 5, false}} {
		child.Box.H = tc.h
		if got := v.differs(child, tc.a, parent, tc.b); got != tc.want {
			t.Errorf("%v on %v, %v px high: %v", tc.a, tc.b, tc.h, got)
		}
	}
	parent.HasBox = false
	if child.Box.H = 1; !v.differs(child, white, parent, dark) {
		t.Error("in a parent without a box no colour differs")
	}
	if v.profile = Paper; !v.differs(child, white, parent, grey) || v.differs(child, white, parent, white) {
		t.Error("the paper's profile does not compare numbers")
	}
	fixed, static := &plat.Style{Position: "fixed"}, &plat.Style{Position: "static"}
	v = &view{Snapshot: &plat.Snapshot{Width: 100, Height: 100}}
	for _, tc := range []struct {
		n    plat.Node
		st   *plat.Style
		want bool
	}{{plat.Node{Name: "p", Box: plat.Rect{W: 79.9, H: 100}}, fixed, true}, {plat.Node{Name: "p", Box: plat.Rect{W: 80, H: 100}}, fixed, false}, {plat.Node{Name: "p"}, static, false}, {plat.Node{Name: "body"}, fixed, false}, {plat.Node{Name: "html"}, fixed, false}} {
		if got := v.liesOver(&tc.n, tc.st); got != tc.want {
			t.Errorf("%s %v, %s, lies over the page: %v", tc.n.Name, tc.n.Box, tc.st.Position, got)
		}
	}
}

func TestPicturesOfBackgrounds(t *testing.T) {
	for look, want := range map[string]bool{
		`at="0,0 24x24" look="image"`: true, `at="0,0 23x24" look="image"`: false, `at="0,0 24x23" look="image"`: false, `at="0,0 24x24"`: false, `at="0,0 1000x400" look="image"`: true, `at="0,0 1000x401" look="image"`: false, `at="0,0 24x24" look="image hidden"`: false,
	} {
		s := laidOut(t, `<p at="0,100 200x20">a</p><div `+look+`></div>`)
		c := newCutter()
		c.begin(s, Params{Profile: Visual}, countOf(s))
		n := int32(len(s.Nodes))
		if got := c.info[n-1].picture; got != want || c.sums[n].decor != map[bool]int32{true: 1}[want] {
			t.Errorf("%s is a picture: %v", look, got)
		}
	}
}

func TestPlacesInNames(t *testing.T) {
	r := &nameReader{}
	for tag, want := range map[string]nameSet{"header": Header, "footer": Footer, "nav": Nav, "aside": Side, "main": Main, "article": Main, "div": 0} {
		if got := r.Of(&plat.Node{Kind: plat.ElementNode, Name: tag}); got != want {
			t.Errorf("<%s>: %b", tag, got)
		}
	}
	if r.Of(&plat.Node{Kind: plat.TextNode, Name: "nav"}) != 0 {
		t.Error("a text has a place")
	}
	for name, want := range map[string]nameSet{"foot": Footer, "footnote": 0, "barefoot": 0, "legal": Footer, "illegal": 0, "rail": Side, "trail": 0, "main": Main, "remain": 0, "maincontent": Main, "navlist": Nav, "menubar": Nav, "bodytext": Main, "a b": 0, "aside": Side, "masthead": Header, "tabs": Nav} {
		if got := in(name); got != want {
			t.Errorf("%q: %b, want %b", name, got, want)
		}
	}
	for as, names := range map[nameSet]string{Header: "header masthead banner logo topbar branding", Footer: "footer copyright contentinfo", Nav: "nav navigation menu breadcrumb tabs", Side: "sidebar complementary", Main: "content article body center"} {
		for name := range strings.FieldsSeq(names) {
			if in("x"+name)&as == 0 || in(name+"x")&as == 0 || in("x"+name+"x") != 0 {
				t.Errorf("%q is not read at the beginning and end of words", name)
			}
		}
	}
	for name, as := range map[string]nameSet{"foot": Footer, "legal": Footer, "aside": Side, "rail": Side, "main": Main} {
		if in(name) != as || in("x"+name)&as != 0 || in(name+"x")&as != 0 && name != "foot" {
			t.Errorf("%q is read within words", name)
		}
	}
	for role, want := range map[string]bool{"banner": true, "x Navigation": true, "contentinfo": true, "complementary": true, "main": false, "": false} {
		if got := isLandmark(&plat.Node{Name: "div", Attrs: []plat.Attr{{Name: "role", Value: role}}}); got != want {
			t.Errorf("role %q is a landmark: %v", role, got)
		}
	}
	for tag, want := range map[string]bool{"header": true, "footer": true, "nav": true, "aside": true, "main": false, "div": false} {
		if isLandmark(&plat.Node{Name: tag}) != want {
			t.Errorf("<%s> is a landmark: %v", tag, !want)
		}
	}
	r = &nameReader{}
	for i := range 4096 {
		r.in(fmt.Sprint("n", i))
	}
	if r.in(strings.Repeat("x", 129)); len(r.known) != 4096 {
		t.Errorf("%d names are kept", len(r.known))
	}
	if r.in(strings.Repeat("x", 128)); len(r.known) != 1 {
		t.Errorf("%d names are kept of more", len(r.known))
	}
}

func TestEdgesOfBoxes(t *testing.T) {
	a := edges{0, 0, 10, 20}
	for b, want := range map[edges]string{{5, 5, 8, 30}: "3 15 45 false false", {10, 0, 20, 20}: "0 20 0 true false", {0, 20, 10, 30}: "10 0 0 true false", {0, 0, 10, 20}: "10 20 200 false true", {-1, -1, 11, 21}: "10 20 200 false false", {0, 0, 10, 19}: "10 19 190 false true", {12, 0, 20, 20}: "0 20 0 true false"} {
		m := a.Meet(b)
		if got := fmt.Sprint(m.Width(), " ", m.Height(), " ", m.Area(), " ", m.Empty(), " ", a.Holds(b)); got != want {
			t.Errorf("%v: %s, want %s", b, got, want)
		}
	}
	for y, want := range map[float32]int{-1: 0, 0: 0, 127: 0, 128: 1, 128 * 16384: 16384, 1e12: 16384} {
		if got := band(y); got != want {
			t.Errorf("%v px down is band %d, want %d", y, got, want)
		}
	}
	var b paintedBoxes
	b.Add(paintedBox{Edges: edges{Bottom: 64 * 128}})
	b.Add(paintedBox{Edges: edges{Bottom: 65 * 128}})
	if len(b.tall) != 1 || len(b.at) != 65 {
		t.Errorf("%d tall boxes, %d bands", len(b.tall), len(b.at))
	}
	if got := smallest([]paintedBox{{Edges: edges{0, 0, 2, 2}}, {Edges: edges{0, 0, 1, 1}}, {Edges: edges{0, 0, 1, 1}}}); got != 1 {
		t.Errorf("box %d is the smallest", got)
	}
	full := slices.Repeat([]paintedBox{{Edges: edges{0, 0, 2, 2}}}, 64)
	if full = add(full, paintedBox{Node: 7, Edges: edges{0, 0, 2, 2}}); len(full) != 64 || full[0].Node != 0 {
		t.Errorf("a box of the same size replaces another: %d boxes", len(full))
	}
	if full = add(full, paintedBox{Node: 7, Edges: edges{0, 0, 2, 3}}); full[0].Node != 7 {
		t.Error("a larger box replaces none")
	}
}
