package segment

import (
	"math"
	"strings"
	"testing"

	"plat/plat"
)

// Text that is wrongly classified as hidden is in no block, and coverage shows
// it.
func TestCoverageContradicts(t *testing.T) {
	page := func(change func(n *plat.Node, st *plat.Style)) float64 {
		s := sample()
		// Replace the text for screen readers:
		n, text := &s.Nodes[len(s.Nodes)-2], &s.Nodes[len(s.Nodes)-1]
		s.Styles = append(s.Styles, s.Styles[0])
		n.Style = int32(len(s.Styles)) - 1
		n.Box = plat.Rect{X: 10, Y: 300, W: 400, H: 40}
		change(n, &s.Styles[n.Style])
		text.Style, text.Box, text.Value = n.Style, n.Box, strings.Repeat("word ", 20)
		cut, err := Segment(s, Params{})
		if err != nil {
			t.Fatal(err)
		}
		return cut.Coverage
	}
	seen := page(func(*plat.Node, *plat.Style) {})
	if seen != 1 {
		t.Errorf("all text is visible, but coverage is %v", seen)
	}
	for name, c := range map[string]struct {
		change func(n *plat.Node, st *plat.Style)
		low    bool
	}{
		"of the colour of the page":   {func(_ *plat.Node, st *plat.Style) { st.Color = 0xffffffff }, true},
		"almost transparent":          {func(_ *plat.Node, st *plat.Style) { st.Opacity = .04 }, true},
		"clipped away":                {func(_ *plat.Node, st *plat.Style) { st.ClippedAway = true }, true},
		"backface shown":              {func(_ *plat.Node, st *plat.Style) { st.Backless, st.Turned = true, true }, true},
		"transparent":                 {func(_ *plat.Node, st *plat.Style) { st.Opacity = 0 }, false},
		"invisible":                   {func(_ *plat.Node, st *plat.Style) { st.Hidden = true }, false},
		"outside the scrollable area": {func(n *plat.Node, _ *plat.Style) { n.Box.X = -1000 }, false},
		"never drawn":                 {func(n *plat.Node, _ *plat.Style) { n.Name = "style" }, false},
	} {
		got := page(c.change)
		if low := got < plat.LowCoverage; low != c.low || math.IsNaN(got) {
			t.Errorf("%s: coverage %v; want it below %v: %v", name, got, plat.LowCoverage, c.low)
		}
	}
}
