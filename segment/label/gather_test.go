package label

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"plat/plat"
)

// gatherOf gathers the facts of a drawing.
func gatherOf(t testing.TB, drawing string) *gathered {
	t.Helper()
	snap, page, spans, visible := build(t, drawing)
	return newDescriber(t, Options{}).gather(snap, page, spans, visible, nil)
}

// said lists the numbers of facts that are not zero, except for those of fonts and positions.
func said(f facts) string {
	f.firstRun, f.endRun, f.sizes, f.maxSize, f.start, f.before = 0, 0, 0, 0, 0, 0
	var all []string
	v := reflect.ValueOf(f)
	for i := range v.NumField() {
		name, x := v.Type().Field(i).Name, v.Field(i)
		switch x.Kind() {
		case reflect.Int32, reflect.Float64, reflect.Bool:
			if !x.IsZero() {
				all = append(all, fmt.Sprint(name, " ", x))
			}
		case reflect.Array:
			for k := range x.Len() {
				if n := x.Index(k).Int(); n != 0 && (name != "roles" || k != int(roleNone)) {
					all = append(all, fmt.Sprint(name, " ", k, ":", n))
				}
			}
		}
	}
	return strings.Join(all, ", ")
}

func TestWhatIsCountedInABlock(t *testing.T) {
	chars := func(n int) string { return strings.Repeat("x", n) }
	for _, tc := range []struct{ drawing, want string }{
		{`p "ab c"`, "chars 3, paraChars 3, mass 3"},
		{`h1 "ab"`, "chars 2, headChars 2, mass 2"}, {`caption "ab"`, "chars 2, mass 2"},
		{`a "` + chars(24) + `"`, "chars 24, linkChars 24, mass 24, links 1, shortLinks 1"}, {`a "` + chars(25) + `"`, "chars 25, linkChars 25, mass 25, links 1"},
		{`div "` + chars(120) + `"`, "chars 120, mass 120"}, {`div "` + chars(121) + `"`, "chars 121, paraChars 121, mass 121"}, {`a "` + chars(121) + `"`, "chars 121, linkChars 121, mass 121, links 1"},
		{`p hidden "ab"`, "chars 2, paraChars 2, mass 2"}, {`p "  "`, ""},
		{"img 0,0 24x30", "mass 20, media 1, mediaArea 720"}, {"img 0,0 23x30", ""}, {"img 0,0 30x23", ""}, {"picture 0,0 30x30", ""}, {"svg 0,0 30x24", "mass 20, media 1, mediaArea 720"},
		{"a\n    img 0,0 30x30", "mass 20, media 1, mediaArea 900"}, {"a.ad\n    img 0,0 300x250", "mass 20, media 1, adFrames 1, mediaArea 75000, hints 0:20"}, {"a.ad\n    img 0,0 310x250", "mass 20, media 1, mediaArea 77500, hints 0:20"},
		{"a\n    img 0,0 300x250", "mass 20, media 1, mediaArea 75000"}, {"div.ad\n    img 0,0 300x250", "mass 20, media 1, mediaArea 75000, hints 0:20"},
		{"iframe 0,0 10x10", "mass 20, frames 1, mediaArea 100"}, {"iframe 0,0 300x250", "mass 20, frames 1, adFrames 1, mediaArea 75000"}, {"iframe src=https://ad.doubleclick.net/ 0,0 10x10", "mass 20, frames 1, adFrames 1, mediaArea 100"},
		{"iframe.ad 0,0 10x10", "mass 20, frames 1, adFrames 1, mediaArea 100, hints 0:20"}, {"frame 0,0 10x10", "mass 20, frames 1, mediaArea 100"},
		{"input", "mass 20, controls 1, fields 1"}, {"input type=text", "mass 20, controls 1, fields 1"}, {"input type=hidden", ""}, {"input type=submit", "mass 20, controls 1"}, {"input type=image", "mass 20, controls 1"},
		{"textarea", "mass 20, controls 1, fields 1, areas 1"}, {"textarea placeholder=reply", "mass 20, controls 1, fields 1, areas 1, asks true"}, {"textarea name=comment", "mass 20, controls 1, fields 1, areas 1, asks true"}, {"textarea title=comment", "mass 20, controls 1, fields 1, areas 1"},
		{"select", "mass 20, controls 1, fields 1"}, {"button", "mass 20, controls 1"},
		{"li", "items 1"}, {"article", "items 1"}, {"dt", "items 1"}, {"tr", "rows 1"}, {"td", "cells 1"}, {"th", "cells 1, headCells 1"}, {"div", ""},
		{`p "© 2008 Ann"`, "chars 8, paraChars 8, mass 8, rights 1"}, {`p "Archives:"`, "chars 9, paraChars 9, mass 9, titles 1"},
		{`nav "ab"`, "chars 2, mass 2, roles 2:2"}, {"nav\n    button", "mass 20, controls 1, roles 2:20"}, {`div.menu "ab"`, "chars 2, mass 2, hints 2:2"}, {`div.menu.ad "ab"`, "chars 2, mass 2, hints 0:2, hints 2:2"},
		{"div.menu\n    div.footer \"ab\"", "chars 2, mass 2, hints 5:2"}, {"div.menu\n    div.x \"ab\"", "chars 2, mass 2, hints 2:2"}, {`body.menu "ab"`, "chars 2, mass 2"}, {`html.menu "ab"`, "chars 2, mass 2"},
		{"a \"ab\"\n  a \"c\"", "chars 3, linkChars 3, mass 3, links 2, shortLinks 2"}, {"a\n    b \"ab\"\n    i \"c\"", "chars 3, linkChars 3, mass 3, links 1, shortLinks 1"}, {"a \"" + chars(12) + "\"\n  a\n    b \"" + chars(12) + "\"\n    b \"" + chars(13) + "\"", "chars 37, linkChars 37, mass 37, links 2, shortLinks 1"},
	} {
		g := gatherOf(t, "p \""+chars(2000)+"\"\n* div 0,0 900x900\n  "+tc.drawing)
		want := tc.want
		if strings.Contains(tc.drawing, " hidden ") {
			want = ""
		}
		if got := said(g.facts[1]); got != want {
			t.Errorf("%.60q: %s, want %s", tc.drawing, got, want)
		}
	}
}

func TestBlocksAroundHaveTheSumOfTheirParts(t *testing.T) {
	g := gatherOf(t, `
+ div 0,0 900x900
  p "ab"
  * div 0,0 400x400 size=20
    a "cd"
    a "efg"
    img 0,0 100x100
    p "© 2008"
    p "Archives"
  a "hi"
  * div 0,400 400x400 size=30
    p "x"
`)
	got := []string{}
	for _, f := range g.facts {
		got = append(got, fmt.Sprintf("%d-%d after %d: %v px, %v in all; %s", f.firstRun, f.endRun, f.start, f.maxSize, f.sizes, said(f)))
	}
	want := []string{
		"0-7 after 0: 30 px, 454 in all; chars 23, linkChars 7, paraChars 16, mass 43, links 3, shortLinks 3, media 1, rights 1, titles 1, mediaArea 10000",
		"0-7 after 0: 30 px, 454 in all; chars 23, linkChars 7, paraChars 16, mass 43, links 3, shortLinks 3, media 1, rights 1, titles 1, mediaArea 10000",
		"1-5 after 2: 20 px, 360 in all; chars 18, linkChars 5, paraChars 13, mass 38, links 2, shortLinks 2, media 1, rights 1, titles 1, mediaArea 10000",
		"6-7 after 42: 30 px, 30 in all; chars 1, paraChars 1, mass 1",
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("block %d:\n%s, want\n%s", i, got[i], want[i])
		}
	}
	if g.bodySize != 20 || g.height != 900 {
		t.Errorf("the usual font has %v px, the page %v", g.bodySize, g.height)
	}
	if g := gatherOf(t, "* p size=12 \"ab\"\n* p size=10 \"ab\"\n* p size=14 \"a\""); g.bodySize != 10 {
		t.Errorf("of two fonts of as many letters the one of %v px is usual", g.bodySize)
	}
}

func TestTheFirstElementMayBeALink(t *testing.T) {
	if f := gatherOf(t, `a "ab"`).facts[0]; f.linkChars != 2 || f.links != 1 {
		t.Errorf("%s", said(f))
	}
}

func TestALinkAcrossBlocksCountsInEach(t *testing.T) {
	g := gatherOf(t, "+ div\n  a\n    * p \"ab\"\n    * p \"cd\"\n    i \"ef\"")
	for i, want := range []int32{3, 3, 1, 1} {
		if got := g.facts[i].links; got != want {
			t.Errorf("block %d has %d links, want %d", i, got, want)
		}
	}
}

func TestMarkupAroundMostOfAPageIsDropped(t *testing.T) {
	for _, tc := range []struct{ around, beside, want string }{
		{"nav", "x", "chars 8, paraChars 8, mass 8"}, {"nav", "xxxxxxxx", "chars 8, paraChars 8, mass 8, roles 2:8"}, {"main", "x", "chars 8, paraChars 8, mass 8, roles 3:8"}, {"article", "x", "chars 8, paraChars 8, mass 8, items 1, roles 4:8"},
		{"div.menu", "x", "chars 8, paraChars 8, mass 8"}, {"div.menu", "xxxxxxxx", "chars 8, paraChars 8, mass 8, hints 2:8"}, {"div.story", "x", "chars 8, paraChars 8, mass 8, hints 6:8"},
	} {
		g := gatherOf(t, "* "+tc.around+"\n  p \"abcdefgh\"\n* p \""+tc.beside+"\"")
		if got := said(g.facts[1]); got != tc.want {
			t.Errorf("%s beside %s: %s, want %s", tc.around, tc.beside, got, tc.want)
		}
	}
}

func TestSpansOfDamagedFilesNest(t *testing.T) {
	page := &plat.Page{Blocks: []plat.Block{{Parent: -1}, {Parent: 0}, {Parent: 1}, {Parent: 0}, {Parent: 9}}}
	got := sane(page, []plat.Span{{First: -5, End: 90}, {First: 2, End: 6}, {First: 1, End: 9}, {First: 0, End: 1}, {First: 12, End: 40}}, 10)
	want := []plat.Span{{First: 0, End: 10}, {First: 2, End: 6}, {First: 2, End: 6}, {First: 2, End: 2}, {First: 12, End: 12}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestRunsAreTheTextsInOneFormat(t *testing.T) {
	g := gatherOf(t, `
p 0,0 400x20 "ab "
p 0,0 400x20
  "c"
  b bold "d"
  br
  a color=#ff0000 "e"
  "  "
h2 0,30 400x20 size=24 "f"
dt "g"
img
"h"
`)
	var got []string
	for _, r := range g.runs {
		got = append(got, fmt.Sprintf("%s@%d %d %v/%d #%06x head %v gap %v", strings.TrimSpace(r.text), r.holder, r.chars, r.size, r.weight, uint32(r.color)>>8, r.head, r.gap))
	}
	want := `ab@1 2 16/400 #000000 head false gap true
c@3 1 16/400 #000000 head false gap false
d@3 1 16/700 #000000 head false gap false
e@3 1 16/400 #ff0000 head false gap true
f@11 1 24/400 #000000 head true gap false
g@13 1 16/400 #000000 head true gap false
h@0 1 16/400 #000000 head false gap true`
	if strings.Join(got, "\n") != want {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
}

func TestContentThatStaysInPlaceIsCounted(t *testing.T) {
	for style, want := range map[plat.Style]int32{{Position: "fixed"}: 2, {Position: "sticky"}: 2, {Position: "absolute"}: 0} {
		snap, page, spans, visible := build(t, "* div 0,0 100x50 \"ab\"")
		style.Display = "block"
		snap.Styles = append(snap.Styles, style)
		snap.Nodes[1].Style = int32(len(snap.Styles) - 1)
		d := newDescriber(t, Options{})
		if got := d.gather(snap, page, spans, visible, nil).facts[1].fixed; got != want {
			t.Errorf("%s: %d characters stay in place, want %d", style.Position, got, want)
		}
		for box, fills := range map[plat.Rect]bool{{W: 1024, H: 640}: true, {W: 1023, H: 640}: false, {W: 1024, H: 639}: false} {
			snap.Nodes[1].Box = box
			if got := d.gather(snap, page, spans, visible, nil).facts[1].fixed; fills && got != 0 || !fills && got != want {
				t.Errorf("%s, %v: %d characters stay in place", style.Position, box, got)
			}
		}
	}
}

func TestCharactersAreCountedWithoutBlanks(t *testing.T) {
	for s, want := range map[string]int32{"": 0, " a\tb\n": 2, "é日": 2, "\u00a0a\u3000": 1, "\x1f!": 1, "\xff": 1, "\x7f": 1} {
		if got := countChars(s); got != want {
			t.Errorf("%q has %d characters, want %d", s, got, want)
		}
	}
}
