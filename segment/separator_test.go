package segment

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"plat/plat"
	"plat/segment/markup"
)

// draw makes a snapshot of a drawing: one node a line, indented below its parent,
// such as
//
//	div#id 0,0 1000x60 bg=ddeeff
//	  p 0,0 1000x40 size=24 "text, in the same box"
//
// Styles: bg=RRGGBB, size=PX, fixed, inline.
func draw(t *testing.T, drawing string) *plat.Snapshot {
	t.Helper()
	s := &plat.Snapshot{Width: 1000, Height: 2000, Nodes: []plat.Node{{Kind: plat.DocumentNode, Parent: -1}}}
	type open struct{ indent, node int }
	parents := []open{{-1, 0}}
	styles := map[plat.Style]int32{}
	add := func(n plat.Node, st plat.Style) int {
		if _, ok := styles[st]; !ok {
			styles[st] = int32(len(s.Styles))
			s.Styles = append(s.Styles, st)
		}
		n.HasBox, n.Style = true, styles[st]
		s.Nodes = append(s.Nodes, n)
		return len(s.Nodes) - 1
	}
	for _, line := range strings.Split("html 0,0 1000x2000\n body 0,0 1000x2000\n"+strings.ReplaceAll(drawing, "\n", "\n  "), "\n") {
		what := strings.TrimLeft(line, " ")
		if what == "" {
			continue
		}
		indent := len(line) - len(what)
		for parents[len(parents)-1].indent >= indent {
			parents = parents[:len(parents)-1]
		}
		what, text, _ := strings.Cut(what, ` "`)
		f := strings.Fields(what)
		name, id, _ := strings.Cut(f[0], "#")
		n := plat.Node{Kind: plat.ElementNode, Name: name, Parent: int32(parents[len(parents)-1].node)}
		if id != "" {
			n.Attrs = []plat.Attr{{Name: "id", Value: id}}
		}
		if _, err := fmt.Sscanf(f[1]+" "+f[2], "%g,%g %gx%g", &n.Box.X, &n.Box.Y, &n.Box.W, &n.Box.H); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		st := plat.Style{Display: "block", Position: "static", Opacity: 1, FontSize: 16, FontWeight: 400, Color: 0xff}
		for _, w := range f[3:] {
			key, value, _ := strings.Cut(w, "=")
			x, _ := strconv.ParseUint(value, 16, 32)
			switch key {
			case "bg":
				st.Background = plat.Color(x<<8 | 0xff)
			case "size":
				px, _ := strconv.Atoi(value)
				st.FontSize = float32(px)
			case "fixed":
				st.Position = "fixed"
			case "inline":
				st.Display = "inline"
			default:
				t.Fatalf("%q: unknown word %q", line, w)
			}
		}
		at := add(n, st)
		parents = append(parents, open{indent, at})
		if text != "" {
			add(plat.Node{Kind: plat.TextNode, Value: strings.TrimSuffix(text, `"`), Parent: int32(at), Box: n.Box}, plat.Style{Display: "inline", Opacity: 1, FontSize: st.FontSize, FontWeight: 400, Color: 0xff})
		}
	}
	for i := len(s.Nodes) - 1; i >= 0; i-- {
		s.Nodes[i].End = max(s.Nodes[i].End, int32(i)+1)
		if p := s.Nodes[i].Parent; p >= 0 {
			s.Nodes[p].End = max(s.Nodes[p].End, s.Nodes[i].End)
		}
	}
	return s
}

// cutDown cuts a drawing and formats its tree: ids of the nodes of each block, + between the nodes of
// a run, [] around the child blocks.
func cutDown(t *testing.T, drawing string, level int) string {
	t.Helper()
	s := draw(t, drawing)
	c, err := Segment(s, Params{Level: level})
	if err != nil {
		t.Fatal(err)
	}
	var tree func(parent int32) string
	tree = func(parent int32) string {
		var parts []string
		for i := range c.Blocks {
			if c.Blocks[i].Parent != parent {
				continue
			}
			var run []string
			for n := c.Spans[i].First; n < c.Spans[i].End; n = s.Nodes[n].End {
				if id, ok := s.Nodes[n].Attr("id"); ok {
					run = append(run, id)
				}
			}
			part := strings.Join(run, "+")
			if in := tree(int32(i)); in != "" {
				part += "[" + in + "]"
			}
			parts = append(parts, part)
		}
		return strings.Join(parts, " ")
	}
	return tree(0)
}

// inner matches the output of cutDown for parent blocks.
var inner = regexp.MustCompile(`[^ ]*\[|\]`)

var prose = strings.Repeat("Words of a paragraph that runs on. ", 12)

func TestWhatPeopleSeeIsCutAsTheySeeIt(t *testing.T) {
	for _, tc := range []struct {
		name, drawing string
		level         int
		want          string
	}{
		{"header, content and footer are found through wrappers", `
div#page 0,0 1000x2000
  div#header 0,0 1000x90 bg=334455
    h1#name 20,20 400x50 size=32 "The name of the paper"
    ul#menu 500,30 480x30 "News Sport Weather"
  div#content 0,100 1000x1700
    div#left 0,100 700x1700
      p#one 0,100 700x400 "` + prose + `"
      p#two 0,520 700x400 "` + prose + `"
    div#right 720,100 280x900
      p#three 720,100 280x400 "` + prose + `"
  div#footer 0,1820 1000x180 bg=334455
    p#imprint 20,1850 900x100 "` + prose + `"
`, 1, "header content footer"},

		{"a heading stays with its text", `
div#a 0,0 1000x80 bg=334455
  p#top 0,0 1000x80 "The name of the paper"
div#b 0,100 1000x1800
  h2#h1 0,100 1000x30 size=24 "The first heading"
  p#p1 0,150 1000x300 "` + prose + `"
  p#p2 0,470 1000x300 "` + prose + `"
  h2#h2 0,1000 1000x30 size=24 "The second heading"
  p#p3 0,1050 1000x300 "` + prose + `"
  p#p4 0,1370 1000x300 "` + prose + `"
`, 2, "a h1+p1+p2 h2+p3+p4"},

		{"a block has a minimum size", `
div#a 0,0 1000x90 bg=334455
  p#name 0,0 1000x80 "The name of the paper"
img#dot 0,95 1x1
div#b 0,100 1000x1800
  p#p1 0,100 1000x900 "` + prose + `"
`, 1, "a+dot b"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := cutDown(t, tc.drawing, tc.level)
			if leaves := inner.ReplaceAllString(got, ""); leaves != tc.want {
				t.Errorf("%s, want leaves %s", got, tc.want)
			}
		})
	}
}

// An overlay is a block of its own, independent of its place in the DOM, and
// does not affect how the rest is cut.
func TestOverlaysAreLifted(t *testing.T) {
	page := `
div#a 0,0 1000x90 bg=334455
  p#name 0,0 1000x80 "The name of the paper"
div#b 0,100 1000x1800
  p#p1 0,100 1000x300 "` + prose + `"
  %s
  p#p2 0,420 1000x300 "` + prose + `"
`
	plain := fmt.Sprintf(page, "p#px 0,410 1000x10")
	over := fmt.Sprintf(page, "div#over 600,500 300x200 fixed \"We use cookies\"")
	if got, want := cutDown(t, plain, 2), "a b"; got != want {
		t.Fatalf("without: %s, want %s", got, want)
	}
	if got, want := cutDown(t, over, 2), "a b[p1 over p2]"; got != want {
		t.Errorf("level 2: %s, want %s", got, want)
	}
	if got, want := cutDown(t, over, 1), "a p1 over p2"; got != want {
		t.Errorf("level 1: %s, want %s", got, want)
	}
}

func TestEveryFeatureHasAWeight(t *testing.T) {
	for _, s := range []*scale{regions, modules} {
		all := names(s)
		slices.Sort(all)
		if len(slices.Compact(all)) < len(s.features) {
			t.Error("two features have one name")
		}
	}
	weights := slices.Collect(maps.Keys(moduleWeights))
	slices.Sort(weights)
	want := names(modules)
	slices.Sort(want)
	if !slices.Equal(weights, want) {
		t.Error("the weights of modules are of other features: scripts/eval-segment -fit -write")
	}
	if m := regions.model(); m.Classes != 2 || !slices.Equal(m.Names, names(regions)) {
		t.Error("the model of regions is of other features: scripts/eval-segment -fit -write")
	}
}

// A box that holds only floats is flat; the block's box is that of the floats.
func TestFlatBoxesAreThoseOfTheirContent(t *testing.T) {
	s := draw(t, `
div#flat 0,100 1000x0
  div#f1 0,100 500x700
    p#p1 0,100 500x700 "`+prose+`"
  div#f2 500,100 500x500
    p#p2 500,100 500x500 "`+prose+`"
`)
	for i := range s.Nodes {
		if id, _ := s.Nodes[i].Attr("id"); id != "flat" {
			continue
		}
		var v view
		v.look(s, Visual, countOf(s))
		if got, want := v.box(int32(i), s.Nodes[i].End), (plat.Rect{X: 0, Y: 100, W: 1000, H: 700}); got != want {
			t.Errorf("%v, want %v", got, want)
		}
		return
	}
	t.Error("the drawing has no such box")
}

// The trace explains every block made by a separator.
func TestSeparatorsSayWhy(t *testing.T) {
	s := draw(t, `
div#a 0,0 1000x90 bg=334455
  p#name 0,0 1000x80 "The name of the paper"
div#b 0,100 1000x1800
  h2#h1 0,100 1000x30 size=24 "The first heading"
  p#p1 0,150 1000x300 "`+prose+`"
  h2#h2 0,1000 1000x30 size=24 "The second heading"
  p#p3 0,1050 1000x300 "`+prose+`"
  h2#h3 0,1500 1000x30 size=24 "The third heading"
  p#p4 0,1550 1000x300 "`+prose+`"
`)
	c, err := Segment(s, Params{Level: 2, Trace: true})
	if err != nil {
		t.Fatal(err)
	}
	why, firsts := map[int32]string{}, 0
	for _, d := range c.Trace {
		if d.Block {
			why[d.Node] = d.Why
		}
		if d.Block && d.Why == "first part of a divided row" {
			firsts++
		}
	}
	if firsts != 2 {
		t.Errorf("%d decisions are those of first parts, want one for each of two rows: %+v", firsts, c.Trace)
	}
	for i, at := range c.Spans[1:] {
		if why[at.First] == "" {
			t.Errorf("block %d, %s: no decision in the trace", i+1, c.Blocks[i+1].Tag)
		}
	}
	for _, d := range c.Trace {
		if strings.HasPrefix(d.Why, "cut, ") && !strings.Contains(d.Why, ": ") {
			t.Errorf("%q names no feature", d.Why)
		}
	}
}

// countOf counts the characters of a page's texts, for [view.look].
func countOf(s *plat.Snapshot) func() []int32 {
	var w markup.Written
	w.Count(s)
	return func() []int32 { return w.Chars }
}
