package label

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"plat/plat"
	"plat/segment/label/chinese"
)

// build makes a snapshot and its blocks from a drawing, one node a line,
// children indented by two blanks more:
//
//   - div.story lang=de 0,80 900x400 size=20 bold color=#ff0000 "text"
//
// A leading * makes the element a leaf block, + an inner block, ! a leaf that
// is an overlay; the root block always exists. A quoted text becomes a text
// node; a line may be a text alone. Box and format are inherited unless given;
// hidden makes a text invisible.
func build(t testing.TB, drawing string) (*plat.Snapshot, *plat.Page, []plat.Span, []bool) {
	t.Helper()
	snap := &plat.Snapshot{Viewport: plat.Rect{W: 1280, H: 800}, Width: 1280, Height: 800}
	page := &plat.Page{Blocks: []plat.Block{{Run: 1, Parent: -1, Rule: plat.RuleRoot, Slot: -1}}}
	spans := []plat.Span{{}}
	var visible []bool

	inline := map[string]bool{"a": true, "b": true, "strong": true, "em": true, "i": true, "span": true, "font": true, "br": true}
	push := func(n plat.Node, see bool) int32 {
		snap.Nodes = append(snap.Nodes, n)
		visible = append(visible, see)
		return int32(len(snap.Nodes) - 1)
	}
	push(plat.Node{Kind: plat.DocumentNode, Parent: -1}, true)
	snap.Styles = append(snap.Styles, plat.Style{Display: "block", FontSize: 16, FontWeight: 400, Color: plat.RGBA(0, 0, 0, 255), Opacity: 1})
	type level struct{ node, block int32 }
	stack := []level{{0, 0}} // stack[d] is the parent at depth d
	snap.Nodes[0].HasBox = true
	snap.Nodes[0].Box = plat.Rect{W: 1280, H: 800}

	for line := range strings.Lines(drawing) {
		line = strings.TrimRight(line, "\n")
		rest := strings.TrimLeft(line, " \t")
		if rest == "" {
			continue
		}
		tabs := strings.Count(line[:len(line)-len(rest)], "\t")
		depth := tabs + (len(line)-len(rest)-tabs)/2
		if depth >= len(stack) {
			t.Fatalf("line %q is indented too far", line)
		}
		stack = stack[:depth+1]
		up := stack[depth]
		parent := &snap.Nodes[up.node]

		mark := byte(0)
		if strings.ContainsRune("*+!", rune(rest[0])) && strings.HasPrefix(rest[1:], " ") {
			mark, rest = rest[0], rest[2:]
		}
		text, hasText := "", false
		if q := strings.IndexByte(rest, '"'); q >= 0 {
			var err error
			if text, err = strconv.Unquote(rest[q:]); err != nil {
				t.Fatalf("line %q: %v", line, err)
			}
			hasText, rest = true, rest[:q]
		}
		fields := strings.Fields(rest)
		n := plat.Node{HasBox: true, Parent: up.node, Box: parent.Box}
		style := snap.Styles[parent.Style]
		tag := ""
		see := true
		for i, f := range fields {
			key, value, eq := strings.Cut(f, "=")
			var r plat.Rect
			switch {
			case i == 0 && !eq && !strings.Contains(f, ",") && f != "bold":
				name, classes, _ := strings.Cut(f, ".")
				tag = name
				if classes != "" {
					n.Attrs = append(n.Attrs, plat.Attr{Name: "class", Value: strings.ReplaceAll(classes, ".", " ")})
				}
				style.Display = "block"
				if inline[tag] {
					style.Display = "inline"
				}
			case scan2(f, "%g,%g", &r.X, &r.Y):
				n.Box.X, n.Box.Y = r.X, r.Y
			case !eq && scan2(f, "%gx%g", &r.W, &r.H):
				n.Box.W, n.Box.H = r.W, r.H
			case f == "bold":
				style.FontWeight = 700
			case f == "hidden":
				see = false
			case key == "size":
				fmt.Sscan(value, &style.FontSize)
			case key == "color":
				v, err := strconv.ParseUint(strings.TrimPrefix(value, "#"), 16, 32)
				if err != nil {
					t.Fatalf("line %q: %v", line, err)
				}
				style.Color = plat.Color(v<<8 | 0xff)
			case eq:
				n.Attrs = append(n.Attrs, plat.Attr{Name: key, Value: value})
			default:
				t.Fatalf("line %q: unknown word %q", line, f)
			}
		}
		snap.Styles = append(snap.Styles, style)
		n.Style = int32(len(snap.Styles) - 1)

		at, block := up.node, up.block
		if tag != "" {
			n.Kind, n.Name = plat.ElementNode, tag
			at = push(n, see)
			if mark != 0 {
				b := plat.Block{Run: 1, Parent: up.block, Level: page.Blocks[up.block].Level + 1, Rule: 8, Tag: tag, Box: n.Box, Slot: -1}
				if mark != '+' {
					b.Slot = 0
				}
				if mark == '!' {
					b.Rule = plat.RuleOverlay
				}
				page.Blocks = append(page.Blocks, b)
				spans = append(spans, plat.Span{First: at})
				block = int32(len(page.Blocks) - 1)
			}
			stack = append(stack, level{at, block})
		}
		if hasText {
			n.Kind, n.Name, n.Attrs, n.Value, n.Parent = plat.TextNode, "", nil, text, at
			push(n, see)
		}
	}

	for i := len(snap.Nodes) - 1; i >= 0; i-- {
		n := &snap.Nodes[i]
		n.End = max(n.End, int32(i+1))
		if n.Parent >= 0 {
			p := &snap.Nodes[n.Parent]
			p.End = max(p.End, n.End)
		}
		snap.Height = max(snap.Height, n.Box.Y+n.Box.H)
	}
	for i := range spans {
		spans[i].End = snap.Nodes[spans[i].First].End
	}
	page.Blocks[0].Box = plat.Rect{W: snap.Width, H: snap.Height}
	return snap, page, spans, visible
}

func scan2(s, format string, a, b *float32) bool {
	n, err := fmt.Sscanf(s, format, a, b)
	return err == nil && n == 2
}

// describe builds a drawing and describes it.
func describe(t testing.TB, d *Describer, language, drawing string) *plat.Page {
	t.Helper()
	snap, page, spans, visible := build(t, drawing)
	snap.Language = language
	if err := d.Describe(snap, page, spans, visible); err != nil {
		t.Fatal(err)
	}
	return page
}

func newDescriber(t testing.TB, opt Options) *Describer {
	t.Helper()
	d, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	d.chinese = sharedLexicons
	return d
}

// sharedLexicons avoids loading in each test; loading has a test of its own.
var sharedLexicons = chinese.NewLexicons()

func TestAPageOfTitlesIsAList(t *testing.T) {
	var titles strings.Builder
	for i := range 30 {
		fmt.Fprintf(&titles, "    li\n      h3\n        a \"Harbour closes pier %d to lorries after years of complaints\"\n      p \"The council says on day %d that it was time to act, and that ferries land elsewhere.\"\n", i, i)
	}
	page := describe(t, newDescriber(t, Options{}), "en", "\n* main 200,200 800x3000\n  ul\n"+titles.String())
	if b := &page.Blocks[1]; b.Role != plat.RoleContent {
		t.Errorf("it is %s (%s)", b.Label, b.Explanation)
	}
}

// What a page shows for its own sake is content, however little it is like a text.
func TestAPageIsNeverWithoutContent(t *testing.T) {
	d := newDescriber(t, Options{})
	label := func(drawing string, foreign bool) *plat.Page {
		t.Helper()
		snap, page, spans, visible := build(t, drawing)
		for i := range snap.Nodes {
			snap.Nodes[i].Foreign = foreign && snap.Nodes[i].Kind == plat.ElementNode
		}
		if err := d.Describe(snap, page, spans, visible); err != nil {
			t.Fatal(err)
		}
		return page
	}
	menu := "\n* nav 0,200 200x300\n  ul\n" + drawLinks("    ", 8, "Section")
	foot := "\n* footer 0,3000 1000x40\n  \"© 2026 Harbour Board\"\n"
	for _, tc := range []struct {
		name    string
		drawing string
		foreign bool
		want    plat.Role
	}{
		{"a menu alone", menu, false, plat.RoleContent},
		{"an imprint alone", foot, false, plat.RoleContent},
		{"a menu with a footer", menu + foot, false, plat.RoleNavigation},
		{"a drawing with parts like a menu and a footer", menu + foot, true, plat.RoleContent},
	} {
		for i, b := range label(tc.drawing, tc.foreign).Blocks[1:] {
			if i == 0 && b.Role != tc.want {
				t.Errorf("%s: %s, because %q; want %s", tc.name, b.Role, b.Explanation, tc.want)
			}
			if i > 0 && (b.Role == plat.RoleContent) != tc.foreign {
				t.Errorf("%s: the second block is %s, because %q", tc.name, b.Role, b.Explanation)
			}
		}
	}
}
