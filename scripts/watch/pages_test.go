package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"plat/plat"
	"plat/segment/htmlsnapshot"
)

// laidOut returns a page with places as in a browser: each text is a line below the one before.
func laidOut(t *testing.T, html string) *plat.Snapshot {
	t.Helper()
	s, err := htmlsnapshot.Snapshot("http://site.test/", html)
	if err != nil {
		t.Fatal(err)
	}
	y := float32(0)
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if n.Kind != plat.TextNode || strings.TrimSpace(n.Value) == "" {
			continue
		}
		box := plat.Rect{X: 10, Y: y, W: 500, H: 20}
		s.Lines = append(s.Lines, plat.Line{Node: int32(i), Len: int32(len(n.Value)), Box: box})
		n.Box = box
		for up := n.Parent; up >= 0; up = s.Nodes[up].Parent {
			s.Nodes[up].Box, s.Nodes[up].HasBox = s.Nodes[up].Box.Union(box), true
		}
		y += 20
	}
	return s
}

var allMain = func(s *plat.Snapshot) func(nr int32) (main, all float64) {
	return wordsIn(s, func(int32) bool { return true })
}

func TestTheListOfAPageIsItsLargestRepeatedStructure(t *testing.T) {
	const menu = "<ul><li>Start page</li><li>All about us</li><li>Find the way</li><li>Write to us</li></ul>"
	items := func(form string) string {
		var b strings.Builder
		for _, title := range []string{"Harvest of barley", "Millers of the valley", "Bread from rye", "Flour for the winter"} {
			fmt.Fprintf(&b, form, title)
		}
		return b.String()
	}
	for _, tc := range []struct{ name, page, first string }{
		{"items", menu + "<ol>" + items("<li>%s, as it was told at the market in the town</li>") + "</ol>", "li"},
		{"cards", menu + items(`<div class="card"><h3>%s</h3><p>As it was told at the market.</p></div>`), "div"},
		{"rows", menu + "<table>" + items("<tr><td>%s</td><td>at a market</td></tr>") + "</table>", "tr"},
		{"sections", menu + "<main>" + items("<h2>%s</h2><p>As it was told at the market.</p>") + "</main>", "h2"},
		{"terms", menu + "<dl>" + items("<dt>%s</dt><dd>As it was told at the market.</dd>") + "</dl>", "dt"},
		{"no paragraphs", items("<p>%s, as it was told at the market in the town</p>"), ""},
		{"no unlike elements", `<div class="x"><h2>Harvest of barley</h2></div><div class="x"><ul><li><b>Bread</b> and more of it</li></ul></div><div class="x"><table><tr><td>Millers of the valley</td></tr></table></div><div class="x"><p>Flour <i>for</i> <u>the</u> <s>winter</s> and for the spring, when there is none</p></div>`, ""},
	} {
		s := laidOut(t, "<body>"+tc.page)
		first := ""
		if all := structures(nodesOf(s), allMain(s)); len(all) > 0 {
			first = all[0].entries[0][0].Name
		}
		if first != tc.first {
			t.Errorf("%s: entries are %q, want %q", tc.name, first, tc.first)
		}
	}
}

func TestAnEditedListKeepsItsPlace(t *testing.T) {
	s := laidOut(t, "<body><ul><li>Harvest of the barley began</li><li>Millers of the valley met again</li><li>Bread from rye was baked for all</li><li>Flour for the winter has come</li><li>Oats are rare and dear this year</li></ul><p>After the list comes this.</p>")
	root := nodesOf(s)
	l := structures(root, allMain(s))[0]
	after := longestOf([]*editedNode{root.kids[len(root.kids)-1].kids[1].kids[1]})
	places := func() (titles []string, y []float32) {
		for _, run := range l.entries {
			titles, y = append(titles, strings.Fields(textOf(run))[0]), append(y, boxOf(run).Y)
		}
		return titles, y
	}
	for _, step := range []struct {
		name   string
		edit   func()
		titles string
		below  float32
	}{
		{"insert", func() { l.insert(1, "Lighthouse keeper wanted") }, "Harvest Lighthouse Millers Bread Flour Oats", 120},
		{"append", func() { l.insert(6, "Herring quota agreed") }, "Harvest Lighthouse Millers Bread Flour Oats Herring", 140},
		{"remove", func() { l.remove(0) }, "Lighthouse Millers Bread Flour Oats Herring", 120},
		{"swap", func() { l.swap(0, 3) }, "Flour Millers Bread Lighthouse Oats Herring", 120},
		{"rename", func() { l.rename(0, " (revised)") }, "Flour Millers Bread Lighthouse Oats Herring", 120},
	} {
		step.edit()
		titles, y := places()
		if got := strings.Join(titles, " "); got != step.titles || !slices.IsSorted(y) || y[0] != 0 || after.Box.Y != step.below {
			t.Errorf("%s: %s at %v, and the text below at %v; want %s, and %v", step.name, got, y, after.Box.Y, step.titles, step.below)
		}
		out := flat(root, s)
		for i := range out.Lines {
			if n := &out.Nodes[out.Lines[i].Node]; n.Kind != plat.TextNode || out.Lines[i].Box.Y != n.Box.Y && n.HasBox && !n.Box.Empty() {
				t.Errorf("%s: line %d is of %q", step.name, i, n.Value)
			}
		}
	}
}
