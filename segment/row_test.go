package segment

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"plat/plat"
)

// began returns a cutter that has read a page.
func began(t testing.TB, s *plat.Snapshot) *cutter {
	t.Helper()
	p, err := Params{}.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	c := newCutter()
	c.begin(s, p, countOf(s))
	return c
}

// unitsOf returns the units in the body of a drawing, as they are before fused ones are joined.
func unitsOf(t testing.TB, s *plat.Snapshot) (*cutter, []unit) {
	c := began(t, s)
	first, end := c.content()
	units := c.units(nil, first, end)
	for i := range units {
		c.measure(&units[i])
		units[i].named = c.names.Of(&c.Nodes[units[i].first])
	}
	return c, units
}

func TestFeaturesOfSeparators(t *testing.T) {
	c, units := unitsOf(t, draw(t, `
nav#menu 0,0 1000x60 bg=334455
  a#home 20,20 400x20 "Home and sea"
  img#logo 500,20 40x20
h2#title 100,100 500x40 size=32 "A heading of it"
p#text 100,180 500x400 "`+strings.Repeat("word ", 60)+`"
hr#line 0,600 1000x1
aside#right 620,180 380x1500
  p#note 620,180 380x1400 "Words beside it"
`))
	if len(units) != 5 {
		t.Fatalf("%d units", len(units))
	}
	p := &parting{cutter: c, region: plat.Rect{W: 1000, H: 1700}}
	r := p.row(units)
	want := map[string][4]float64{ // by separator
		"bias": {1, 1, 1, 1}, "near the top": {math.Exp(-.4), math.Exp(-.72), math.Exp(-2.4), math.Exp(-.72)}, "bottom 20%": {0, 0, 0, 0}, "sidebar before": {0, 0, 0, 0}, "narrow": {0, 0, 0, 0}, "whole page": {1, 1, 1, 1}, "ends above end": {1, 1, 1, 1}, "painted parent": {0, 0, 0, 0}, "colour": {1, 0, 0, 0}, "siblings": {math.Log2(6), math.Log2(6), math.Log2(6), math.Log2(6)}, "depth": {math.Log2(3), math.Log2(3), math.Log2(3), math.Log2(3)},
		"painted after": {0, 0, 0, 0}, "little after": {math.Exp(-265. / 300 / .12), math.Exp(-253. / 300 / .12), math.Exp(-13. / 300 / .12), math.Exp(-13. / 300 / .12)}, "largest": {240. / 300, 240. / 300, 240. / 300, 240. / 300}, "alike": {0, 0, 0, 0}, "rule": {0, 0, 1, 1},
		"y": {.1, .18, .6, .18}, "y of page": {.05, .09, .3, .09}, "gap to end": {1.9, 1.82, 1.4, 1.82}, "share before": {35. / 300, 47. / 300, 287. / 300, 287. / 300}, "share after": {265. / 300, 253. / 300, 13. / 300, 13. / 300}, "height before": {.2, 40. / 300, 400. / 300, 1. / 300}, "height after": {40. / 300, 400. / 300, 1. / 300, 3},
		"width before": {1, .5, .5, 1}, "width after": {.5, .5, 1, .38}, "links before": {1, 0, 0, 0}, "links after": {0, 0, 0, 0}, "text before": {math.Log2(1.5), math.Log2(1.6), math.Log2(13), 0}, "text after": {math.Log2(1.6), math.Log2(13), 0, math.Log2(1.65)}, "font before": {1, 2, 1, 0}, "font after": {2, 1, 0, 1}, "first": {1, 0, 0, 0}, "last": {0, 0, 0, 1}, "beside": {0, 0, 0, 0},
		"x before": {0, .1, .1, 0}, "x after": {.1, .1, 0, .62}, "named header before": {0, 0, 0, 0}, "named header after": {0, 0, 0, 0}, "named nav before": {1, 0, 0, 0}, "named side after": {0, 0, 0, 1}, "stays before": {0, 0, 0, 0}, "stays after": {0, 0, 0, 0}, "content ratio": {math.Log2(36. / 13), math.Log2(13. / 241), math.Log2(241), -math.Log2(14)},
		"only heading before": {0, 1, 0, 0}, "only heading after": {1, 0, 0, 0}, "heading before": {0, 1, 0, 0}, "heading after": {1, 0, 0, 0}, "lesser area": {math.Log2(3), math.Log2(3), math.Log2(1.1), math.Log2(1.1)}, "area": {math.Log2(169), math.Log2(169), math.Log2(169), math.Log2(169)}, "area of page": {.84, .84, .84, .84}, "lesser text": {math.Log2(1.5), math.Log2(1.6), 0, 0}, "share of page": {1, 1, 1, 1},
		"gap": {2, 2, 1, 0}, "unusual gap": {40. / 20, 40. / 20, 20. / 20, 0}, "alike, headed": {0, 0, 0, 0}, "links differ": {1, 0, 0, 0}, "font differs": {1, 1, 0, 0}, "names differ": {1, 0, 0, 1}, "sidebar": {0, 0, 0, 1}, "widths differ": {.5, 0, .5, .62}, "in list": {0, 0, 0, 0}, "headed": {0, 0, 0, 0}, "in form": {0, 0, 0, 0}, "top": {1, 1, 1, 1}, "in header": {0, 0, 0, 0}, "in footer": {0, 0, 0, 0},
		"beside in header": {0, 0, 0, 0}, "alike in header": {0, 0, 0, 0}, "flat parent": {0, 0, 0, 0}, "wide": {1, 1, 1, 1}, "links": {10. / 275, 10. / 275, 10. / 275, 10. / 275},
	}
	known := map[string]bool{}
	for at := 1; at < len(units); at++ {
		s := &separator{row: r, a: &units[at-1], b: &units[at]}
		s.before, s.after = c.share(0, s.b.first), c.share(s.b.first, int32(len(c.Nodes)))
		for _, f := range allFeatures() {
			if w, ok := want[f.name]; ok {
				known[f.name] = true
				if got := f.of(s); math.Abs(got-w[at-1]) > 1e-5 {
					t.Errorf("%s of separator %d is %v, want %v", f.name, at, got, w[at-1])
				}
			}
		}
	}
	if len(known) != len(want) {
		t.Errorf("%d features of %d exist", len(known), len(want))
	}
}

func TestFeaturesOfOtherRows(t *testing.T) {
	s := &separator{row: &row{c: &cutter{view: view{Snapshot: &plat.Snapshot{Width: 1000, Height: 2000, Nodes: []plat.Node{{Name: "ul"}, {}}}, info: []info{{depth: 3, paint: paint{1, -1}}, {stays: true}}, sums: make([]sums, 3)}}}, a: &unit{}, b: &unit{seen: -1}}
	s.a.seen = -1
	s.units = []unit{*s.a, *s.b}
	for _, tc := range []struct {
		name string
		set  func()
		want float64
	}{
		{"bottom 20%", func() { s.b.box.Y = 1600 }, 0}, {"bottom 20%", func() { s.b.box.Y = 1601 }, 1}, {"y", func() { s.b.box.Y = 9000 }, 4}, {"gap to end", func() { s.b.box.Y = -9000 }, 4}, {"narrow", func() { s.box.W = 499 }, 1}, {"narrow", func() { s.box.W = 500 }, 0}, {"whole page", func() { s.mass = .9 }, 0}, {"whole page", func() { s.mass = .91 }, 1},
		{"ends above end", func() { s.box.Y, s.box.H = 1000, 939 }, 1}, {"ends above end", func() { s.box.Y, s.box.H = 1000, 940 }, 0}, {"painted parent", func() { s.painted = true }, 1}, {"painted after", func() { s.b.paint = paint{1, -1} }, 0}, {"painted after", func() { s.b.paint = paint{2, -1} }, 1}, {"sidebar before", func() { s.a.named = Side | Nav }, 1}, {"sidebar before", func() { s.a.named = Nav }, 0},
		{"rule", func() { s.a.rule, s.rules = true, 0 }, 1}, {"rule", func() { s.a.rule, s.rules = true, 2 }, .5}, {"height before", func() { s.a.box.H = 901 }, 3}, {"height after", func() { s.b.box.H = 150 }, .5}, {"font before", func() { s.a.font = 49 }, 3}, {"font after", func() { s.b.font = 8 }, .5}, {"stays before", func() { s.a.first = 1 }, 1}, {"stays after", func() { s.b.first = 1 }, 1},
		{"unusual gap", func() { s.a.box, s.b.box, s.gap = plat.Rect{}, plat.Rect{Y: 12}, 2 }, 3}, {"unusual gap", func() { s.b.box.Y, s.gap = 12, 6 }, 2}, {"gap", func() { s.b.box.Y = 41 }, 2}, {"gap", func() { s.b.box.Y = -1 }, 0}, {"unusual gap", func() { s.b.box.Y = -1 }, 0}, {"font differs", func() { s.a.font, s.b.font = 0, 8 }, 0}, {"font differs", func() { s.a.font, s.b.font = 8, 0 }, 0}, {"font differs", func() { s.a.font, s.b.font = 8, 8*math.Sqrt2 }, .5}, {"font differs", func() { s.b.font = 33 }, 1},
		{"in list", func() {}, 1}, {"in list", func() { s.c.Nodes[0].Name = "div" }, 0}, {"in form", func() { s.c.Nodes[0].Name = "form" }, 1}, {"top", func() { s.box.Y = 199 }, 1}, {"top", func() { s.box.Y = 200 }, 0}, {"in header", func() { s.region = plat.Rect{Y: 100, H: 199} }, 1}, {"in header", func() { s.region = plat.Rect{Y: 100, H: 200} }, 0}, {"wide", func() { s.box.W = 551 }, 1}, {"wide", func() { s.box.W = 550 }, 0},
		{"in footer", func() { s.region = plat.Rect{Y: 1601, H: 900} }, 1}, {"in footer", func() { s.region = plat.Rect{Y: 1600, H: 100} }, 0}, {"in footer", func() { s.region = plat.Rect{Y: 1502, H: 399} }, 1}, {"in footer", func() { s.region = plat.Rect{Y: 1502, H: 398} }, 0}, {"in footer", func() { s.region = plat.Rect{Y: 1501, H: 400} }, 0}, {"flat parent", func() { s.flat = true }, 1}, {"links", func() { s.links = .3 }, .3}, {"widths differ", func() { s.a.box.W, s.b.box.W = 0, 0 }, 0}, {"widths differ", func() { s.a.box.W, s.b.box.W = 30, 40 }, .25},
	} {
		tc.set()
		if strings.Contains(tc.name, "unusual") || tc.name == "gap" {
			s.a.box = plat.Rect{}
		}
		for _, f := range append(allFeatures(), moduleFeatures...) {
			if f.name == tc.name && f.name != "rule" && f.name != "colour" {
				if got := f.of(s); math.Abs(got-tc.want) > 1e-5 {
					t.Errorf("%s is %v, want %v", tc.name, got, tc.want)
				}
			}
		}
		if f := regionFeatures[15]; f.name == "rule" && tc.name == "rule" && f.of(s) != tc.want {
			t.Errorf("rule is %v, want %v", f.of(s), tc.want)
		}
	}
	if is(true) != 1 || is(false) != 0 || log(3, 1) != 2 || log(60, 20) != 2 {
		t.Error("is or log")
	}
}

func TestUnitsOfARow(t *testing.T) {
	words := func(n int) string { return strings.Repeat("x", n) }
	for _, tc := range []struct{ drawing, want string }{
		{"p#a 0,0 100x20 \"ab\"\np#b 0,20 100x20 \"c\"", "a b"}, {"div#e 0,0 100x20\np#b 0,20 100x20 \"c\"", "b"}, {"hr#l 0,0 100x1\np#b 0,20 100x20 \"c\"", "l= b"}, {"img#l 0,0 200x10\np#b 0,20 100x20 \"c\"", "l= b"}, {"img#l 0,0 199x10\np#b 0,20 100x20 \"c\"", "l b"}, {"img#l 0,0 900x21\np#b 0,30 100x20 \"c\"", "l b"}, {"img#l 0,0 20x0.5\np#b 0,30 100x20 \"c\"", "l= b"},
		{"div#o 0,0 100x20 fixed \"x\"\np#b 0,20 100x20 \"c\"", "b"}, {"b#a 0,0 100x20 inline \"x\"\nb#b 0,17 100x20 inline \"y\"", "a+b~"}, {"b#a 0,0 100x20 inline \"x\"\nb#b 0,18 100x20 inline \"y\"", "a~ b~"}, {"b#a 0,0 100x40 inline \"x\"\nb#b 0,5 100x20 inline \"y\"\nb#c 0,37 100x20 inline \"y\"", "a+b+c~"}, {"b#a 0,0 100x20 inline \"x\"\np#b 0,0 100x20 \"y\"\nb#c 0,0 100x20 inline \"z\"", "a~ b c~"},
		{"p#a 0,0 100x20 \"" + words(20) + "\"\n  a 0,0 100x20 inline \"" + words(20) + "\"", "a"}, {"p#a 0,0 100x20 \"" + words(21) + "\"\n  a 0,0 100x20 inline \"" + words(20) + "\"", "a."},
		{"p#a 0,0 100x20 \"" + words(40) + "\"", "a."}, {"p#a 0,0 100x20 \"" + words(39) + "\"", "a"}, {"a#a 0,0 100x20 \"" + words(40) + "\"", "a"},
	} {
		c, units := unitsOf(t, draw(t, "\n"+tc.drawing))
		var got []string
		for _, u := range units {
			var ids []string
			for i := u.first; i < u.end; i = c.Nodes[i].End {
				id, _ := c.Nodes[i].Attr("id")
				ids = append(ids, id)
			}
			name := strings.Join(ids, "+")
			for flag, sign := range map[bool]string{u.line: "~"} {
				if flag {
					name += sign
				}
			}
			if u.rule {
				name += "="
			}
			if u.text {
				name += "."
			}
			got = append(got, name)
		}
		if strings.Join(got, " ") != tc.want {
			t.Errorf("%q: %s, want %s", tc.drawing, strings.Join(got, " "), tc.want)
		}
	}
}

func TestUnitsThatLookLikeOneAreFused(t *testing.T) {
	text := strings.Repeat("word ", 12)
	for name, tc := range map[string]struct {
		drawing string
		want    int
	}{
		"paragraphs":              {"p 0,0 100x40 \"" + text + "\"\np 0,100 100x40 \"" + text + "\"", 1},
		"far apart":               {"p 0,0 100x40 \"" + text + "\"\np 0,101 100x40 \"" + text + "\"", 2},
		"beside each other":       {"p 0,0 100x40 \"" + text + "\"\np 100,0 100x40 \"" + text + "\"", 2},
		"short lines":             {"p 0,0 100x20 \"ab\"\np 0,20 100x20 \"ab\"", 2},
		"inline lines":            {"b 0,0 100x20 inline \"ab\"\nb 0,31 100x20 inline \"ab\"", 1},
		"further apart":           {"b 0,0 100x20 inline \"ab\"\nb 0,32 100x20 inline \"ab\"", 2},
		"a picture and a line":    {"img 0,0 100x20\nb 0,20 100x20 inline \"ab\"", 2},
		"a heading and a text":    {"h2 0,0 100x20 \"ab\"\np 0,20 100x40 \"" + text + "\"", 1},
		"a heading and a line":    {"h2 0,0 100x20 \"ab\"\np 0,20 100x40 \"ab\"", 2},
		"a text and a heading":    {"p 0,0 100x40 \"" + text + "\"\nh2 0,40 100x20 \"ab\"\np 0,60 100x40 \"" + text + "\"", 2},
		"a tall heading":          {"h2 0,0 100x70 \"ab\"\np 0,70 100x40 \"" + text + "\"", 2},
		"three paragraphs":        {"p 0,0 100x40 \"" + text + "\"\np 0,50 100x40 \"" + text + "\"\np 0,90 100x40 \"" + text + "\"", 1},
		"two texts and a line":    {"p 0,0 100x40 \"" + text + "\"\np 0,50 100x40 \"" + text + "\"\np 0,90 100x40 \"ab\"", 2},
		"a large line is no text": {"b 0,0 100x20 inline \"ab\"\nb 0,20 100x40 inline size=30 \"ab\"", 2},
	} {
		c, units := unitsOf(t, draw(t, "\n"+tc.drawing))
		n := len(units)
		whole := unionOf(units)
		chars := c.sums[len(c.Nodes)].chars
		fused := c.fuse(units)
		if len(fused) != tc.want {
			t.Errorf("%s: %d units of %d, want %d", name, len(fused), n, tc.want)
		}
		if box := unionOf(fused); box != whole {
			t.Errorf("%s: they are at %v, not %v", name, box, whole)
		}
		sum := int32(0)
		for _, u := range fused {
			sum += u.chars
		}
		if sum != chars {
			t.Errorf("%s: they have %d characters of %d", name, sum, chars)
		}
	}
	a := unit{first: 1, end: 2, box: plat.Rect{W: 5, H: 5}, font: 8, chars: 3, links: 1, mass: 4, seen: -1, named: Nav, line: true, text: false}
	b := unit{first: 2, end: 5, box: plat.Rect{X: 5, W: 5, H: 9}, font: 9, chars: 2, links: 2, mass: 1, seen: 3, named: Side, line: true, text: true}
	a.join(&b)
	if want := (unit{first: 1, end: 5, box: plat.Rect{W: 10, H: 9}, font: 9, chars: 5, links: 3, mass: 5, seen: 3, named: Nav | Side, line: true, text: true}); a != want {
		t.Errorf("joined: %+v", a)
	}
}

func TestHeadingsOfUnits(t *testing.T) {
	x := func(n int) string { return strings.Repeat("x", n) }
	rest := "\np 0,900 100x40 \"" + x(900) + "\""
	for _, tc := range []struct {
		drawing string
		titled  float64
		heading bool
	}{
		{"h3 0,0 100x20 \"ab\"", 1, true}, {"p 0,0 100x20 \"ab\"", 0, false}, {"p 0,0 100x20 size=19 \"ab\"", 1, true}, {"p 0,0 100x20 size=18 \"ab\"", 0, false}, {"p 0,0 100x20 size=19 \"" + x(160) + "\"", 1, false}, {"p 0,0 100x20 size=19 \"" + x(161) + "\"", 0, false}, {"p 0,0 100x20 size=19 \"" + x(100) + "\"", 1, true}, {"p 0,0 100x20 size=19 \"" + x(101) + "\"", 1, false},
		{"b 0,0 100x20 bold \"ab\"", .5, true}, {"b 0,0 100x20 bold \"" + x(60) + "\"", .5, true}, {"b 0,0 100x20 bold \"" + x(61) + "\"", 0, false}, {"h3 0,0 100x69 \"ab\"", 1, true}, {"h3 0,0 100x70 \"ab\"", 1, false}, {"div 0,0 100x90\n  h3 0,0 100x20 \"ab\"", 1, true}, {"div 0,0 100x90\n  h3 0,0 100x20 \"ab\"\n  p 0,60 100x30 \"c\"", 1, false}, {"div 0,0 100x60\n  h3 0,0 100x20 \"ab\"\n  p 0,40 100x20 \"c\"", 1, true}, {"img 0,0 100x20", 0, false},
	} {
		s := draw(t, "\n"+strings.ReplaceAll(tc.drawing, " bold", "")+rest)
		if strings.Contains(tc.drawing, " bold") {
			for i := range s.Nodes {
				if n := &s.Nodes[i]; n.Kind == plat.TextNode && n.Box.Y == 0 {
					st := s.Styles[n.Style]
					st.FontWeight = 600
					s.Styles = append(s.Styles, st)
					n.Style = int32(len(s.Styles) - 1)
				}
			}
		}
		c, units := unitsOf(t, s)
		if got, is := c.titled(&units[0]), c.heading(&units[0]); got != tc.titled || is != tc.heading {
			t.Errorf("%q: titled %v, a heading: %v; want %v, %v", tc.drawing, got, is, tc.titled, tc.heading)
		}
	}
}

func TestPlacesOfTwoBoxes(t *testing.T) {
	for _, tc := range []struct {
		a, b plat.Rect
		want bool
	}{
		{plat.Rect{W: 50, H: 40}, plat.Rect{X: 50, W: 50, H: 40}, true}, {plat.Rect{W: 51, H: 40}, plat.Rect{X: 50, W: 50, H: 40}, true}, {plat.Rect{W: 52, H: 40}, plat.Rect{X: 50, W: 50, H: 40}, false}, {plat.Rect{X: 49, W: 50, H: 40}, plat.Rect{W: 50, H: 40}, true}, {plat.Rect{X: 48, W: 50, H: 40}, plat.Rect{W: 50, H: 40}, false},
		{plat.Rect{W: 50, H: 40}, plat.Rect{X: 50, Y: 19, W: 50, H: 40}, true}, {plat.Rect{W: 50, H: 40}, plat.Rect{X: 50, Y: 20, W: 50, H: 40}, false}, {plat.Rect{W: 50, H: 24}, plat.Rect{X: 50, W: 50, H: 400}, true}, {plat.Rect{W: 50, H: 23}, plat.Rect{X: 50, W: 50, H: 400}, false}, {plat.Rect{W: 50, H: 40}, plat.Rect{X: 50, Y: -19, W: 50, H: 400}, true},
	} {
		if got := beside(tc.a, tc.b); got != tc.want {
			t.Errorf("%v and %v are beside each other: %v", tc.a, tc.b, got)
		}
	}
	at := func(ys ...float32) (all []unit) {
		for _, y := range ys {
			all = append(all, unit{box: plat.Rect{Y: y, H: 10}})
		}
		return all
	}
	for want, units := range map[float32][]unit{5: at(0, 15), 0: at(0, 5), 10: at(0, 20, 35, 60), 3: at(0, 13, 40)} {
		if got := usualGap(units); got != want {
			t.Errorf("of %d units the gap is %v, want %v", len(units), got, want)
		}
	}
	if u := (unit{links: 1}); u.linkShare() != 0 || (&unit{chars: 4, links: 1}).linkShare() != .25 || (&unit{named: Nav | Side}).is(Side) != 1 || (&unit{named: Nav}).is(Side) != 0 {
		t.Error("shares or names")
	}
}

func TestWhereSectionsAreCut(t *testing.T) {
	u := func(y, h float32, set ...func(*unit)) unit {
		x := unit{box: plat.Rect{Y: y, W: 100, H: h}, font: 16, chars: 200, paint: paint{0xffffffff, -1}}
		for _, f := range set {
			f(&x)
		}
		return x
	}
	rank := func(n int) func(*unit) { return func(u *unit) { u.rank = n } }
	line := func(u *unit) { u.line = true }
	rule := func(u *unit) { u.rule, u.chars = true, 0 }
	dark := func(u *unit) { u.paint.color = 0x000000ff }
	image := func(u *unit) { u.paint.image = 3 }
	at := func(x float32) func(*unit) { return func(u *unit) { u.box.X = x } }
	large := func(u *unit) { u.font, u.chars = 19, 160 }
	for name, tc := range map[string]struct {
		units []unit
		want  string
	}{
		"alike":                         {[]unit{u(0, 30), u(40, 30), u(80, 30)}, "[]"},
		"a wide gap":                    {[]unit{u(0, 30), u(40, 30), u(80, 30), u(133, 30)}, "[3]"},
		"one that is not wide":          {[]unit{u(0, 30), u(40, 30), u(80, 30), u(132, 30)}, "[]"},
		"wide by a factor":              {[]unit{u(0, 30), u(60, 30), u(120, 30), u(204.5, 30)}, "[3]"},
		"not by the factor":             {[]unit{u(0, 30), u(60, 30), u(120, 30), u(204, 30)}, "[]"},
		"before a thin piece":           {[]unit{u(0, 30), u(40, 30), u(80, 30), u(150, 23)}, "[]"},
		"after a thin piece":            {[]unit{u(0, 30), u(40, 30), u(80, 23), u(150, 30)}, "[]"},
		"between pieces of 24 px":       {[]unit{u(0, 30), u(40, 30), u(80, 24), u(150, 24)}, "[3]"},
		"headings":                      {[]unit{u(0, 30, rank(2)), u(40, 30), u(80, 30, rank(2)), u(120, 30)}, "[2]"},
		"the strongest headings":        {[]unit{u(0, 30), u(40, 30, rank(3)), u(80, 30), u(120, 30, rank(2)), u(160, 30), u(200, 30, rank(2))}, "[3 5]"},
		"a heading after a heading":     {[]unit{u(0, 30, rank(1)), u(40, 30, rank(2)), u(80, 30)}, "[]"},
		"a heading after a weaker one":  {[]unit{u(0, 30, rank(3)), u(40, 30, rank(2)), u(80, 30)}, "[1]"},
		"a gap among headings":          {[]unit{u(0, 30), u(40, 30, rank(2)), u(80, 30), u(300, 30)}, "[1]"},
		"columns":                       {[]unit{u(0, 30), u(0, 30, at(100)), u(40, 30)}, "[1]"},
		"columns of lines":              {[]unit{u(0, 30, line), u(0, 30, line, at(100)), u(40, 30)}, "[]"},
		"a rule":                        {[]unit{u(0, 30), u(40, 1, rule), u(50, 30)}, "[1]"},
		"a rule at first":               {[]unit{u(0, 1, rule), u(10, 30), u(50, 30)}, "[]"},
		"a rule below a heading":        {[]unit{u(0, 30, rank(1)), u(40, 1, rule), u(50, 30)}, "[2]"},
		"two rules":                     {[]unit{u(0, 30), u(40, 1, rule), u(45, 1, rule), u(50, 30)}, "[1 2]"},
		"another colour":                {[]unit{u(0, 30), u(40, 30, dark), u(80, 30, dark), u(120, 30)}, "[1 3]"},
		"another picture behind":        {[]unit{u(0, 30), u(40, 30, image)}, "[1]"},
		"a large line is a heading":     {[]unit{u(0, 30), u(40, 30, large), u(80, 30)}, "[1]"},
		"one that is too long":          {[]unit{u(0, 30), u(40, 30, large, func(u *unit) { u.chars = 161 }), u(80, 30)}, "[]"},
		"one that is a little larger":   {[]unit{u(0, 30), u(40, 30, large, func(u *unit) { u.font = 18 }), u(80, 30)}, "[]"},
		"one in a line":                 {[]unit{u(0, 30), u(40, 30, large, line), u(80, 30)}, "[]"},
		"one without text":              {[]unit{u(0, 30), u(40, 30, large, func(u *unit) { u.chars = 0 }), u(80, 30)}, "[]"},
		"the largest of these":          {[]unit{u(0, 30), u(40, 30, large), u(80, 30), u(120, 30, large, func(u *unit) { u.font = 20 }), u(160, 30)}, "[3]"},
		"of two sizes the small is it":  {[]unit{u(0, 30, large), u(40, 30, func(u *unit) { u.chars = 160 }), u(80, 30, large, func(u *unit) { u.chars = 0 })}, "[]"},
		"a heading by tag is above all": {[]unit{u(0, 30), u(40, 30, large), u(80, 30), u(120, 30, rank(6)), u(160, 30)}, "[3]"},
	} {
		c := newCutter()
		if got := fmt.Sprint(append([]int{}, c.cuts(tc.units)...)); got != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
}

func TestUnitsThatCannotBeDivided(t *testing.T) {
	for src, want := range map[string]bool{`<div><p>a</p></div>`: false, `<div></div>`: true, `<a><i>a</i></a>`: false, `<svg><g></g></svg>`: true, `<button><i>a</i></button>`: true, `<p>a</p>`: false} {
		c := began(t, laidOut(t, src))
		first, _ := c.content()
		u := unit{first: first, end: c.Nodes[first].End}
		if got := c.closed(&u); got != want {
			t.Errorf("%s is closed: %v", src, got)
		}
		c.MaxDepth = int(c.info[first].depth)
		if got := c.closed(&u); got != want {
			t.Errorf("%s at the greatest depth is closed: %v", src, got)
		}
		if c.MaxDepth--; !c.closed(&u) {
			t.Errorf("%s is not closed below it", src)
		}
		c.MaxDepth = 99
		if u.end++; !c.closed(&u) {
			t.Errorf("a run that begins with %s is not closed", src)
		}
	}
}
