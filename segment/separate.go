package segment

import (
	"slices"

	"plat"
)

// What the rules leave undivided is cut where a reader sees a boundary; BWAP
// section 3.3 names regions divided by images and text, which tags do not show,
// as its main weakness, and pages of mostly text as its one failure (table 1).
const (
	// leastCut is how much must be there to be worth cutting: below it a region
	// is taken in at one glance. Characters are a short paragraph's.
	leastCutHeight = 160
	leastCutChars  = 240

	// leastPiece is the least height of a piece between two gaps: thinner ones
	// are lines of one thing.
	leastPieceHeight = 24

	// wideGap is how much larger than the run's usual gap a boundary is, as a
	// factor and in px: margins of paragraphs and headings differ by less.
	wideGap     = 1.8
	wideGapMore = 12

	// headingFont is how much larger than the run's text a heading is set, and
	// headingChars how long it may be.
	headingFont  = 1.15
	headingChars = 160
)

// unit is what stands between two places where a run of siblings may be cut:
// one box, or inline nodes that share lines.
type unit struct {
	first, end int32
	box        plat.Rect
	font       float32 // largest
	chars      int32
	rank       int  // of a heading: 1 is the strongest, 0 none
	line       bool // inline content
	rule       bool // a line drawn across
	paint      paint
}

// separate cuts the children of what lies in [first, end) at visual separators.
// It returns nil where there are none.
func (c *cutter) separate(first, end, level int32) []span {
	units := c.units(first, end)
	for len(units) == 1 && !units[0].line {
		u := units[0]
		n := &c.Nodes[u.first]
		if n.End <= u.first+1 || c.info[u.first].kind == function && n.Name != "a" || c.info[u.first].depth > int32(c.MaxDepth) {
			return nil
		}
		units = c.units(u.first+1, u.end)
	}
	if len(units) < 2 {
		return nil
	}
	all := plat.Rect{}
	chars := int32(0)
	for i := range units {
		c.measure(&units[i])
		all = all.Union(units[i].box)
		chars += units[i].chars
	}
	if all.H < leastCutHeight && chars < leastCutChars {
		return nil
	}
	cuts := c.cuts(units)
	if len(cuts) == 0 {
		return nil
	}
	out := make([]span, 0, len(cuts)+1)
	from := 0
	for _, at := range append(cuts, len(units)) {
		out = append(out, span{units[from].first, units[at-1].end, plat.RuleSeparator})
		c.trace(units[from].first, level, plat.RuleSeparator, true, "cut from what stands beside it by heading, gap, rule, column or colour")
		from = at
	}
	return out
}

// cuts returns the units before which the run is cut, ascending, none at 0.
func (c *cutter) cuts(units []unit) []int {
	var cuts []int
	rankHeadings(units)
	top, tops := 0, 0 // the strongest heading after the first unit
	for i := 1; i < len(units); i++ {
		switch r := units[i].rank; {
		case r == 0:
		case top == 0 || r < top:
			top, tops = r, 1
		case r == top:
			tops++
		}
	}
	usual := usualGap(units)
	for i := 1; i < len(units); i++ {
		a, b := &units[i-1], &units[i]
		switch {
		case top > 0 && b.rank == top && !(a.rank > 0 && a.rank <= top):
			cuts = append(cuts, i)
		case beside(a.box, b.box) && !a.line && !b.line:
			cuts = append(cuts, i)
		case a.rank > 0: // a heading stays with what follows it
		case b.rule, a.rule && i >= 2:
			if b.rule || !contains(cuts, i-1) {
				cuts = append(cuts, i)
			}
		case contrast(a.paint.color, b.paint.color) >= minContrast || a.paint.image != b.paint.image:
			cuts = append(cuts, i)
		case top == 0 && gap(a, b) > usual*wideGap && gap(a, b) > usual+wideGapMore && a.box.H >= leastPieceHeight && b.box.H >= leastPieceHeight:
			cuts = append(cuts, i)
		}
	}
	return cuts
}

func contains(cuts []int, i int) bool { return len(cuts) > 0 && cuts[len(cuts)-1] == i }

func gap(a, b *unit) float32 { return b.box.Y - (a.box.Y + a.box.H) }

// usualGap is the median of the gaps.
func usualGap(units []unit) float32 {
	gaps := make([]float32, 0, len(units)-1)
	for i := 1; i < len(units); i++ {
		gaps = append(gaps, max(0, gap(&units[i-1], &units[i])))
	}
	slices.Sort(gaps)
	return gaps[(len(gaps)-1)/2]
}

// beside reports whether two boxes stand in different columns.
func beside(a, b plat.Rect) bool {
	overlap := min(a.Y+a.H, b.Y+b.H) - max(a.Y, b.Y)
	apart := a.X+a.W <= b.X+1 || b.X+b.W <= a.X+1
	return apart && overlap > 0.5*min(a.H, b.H) && min(a.H, b.H) >= leastPieceHeight
}

// units lists what stands side by side in [first, end), a run of siblings.
func (c *cutter) units(first, end int32) []unit {
	var units []unit
	for i := first; i < end; i = c.Nodes[i].End {
		n, f := &c.Nodes[i], &c.info[i]
		rule := n.Name == "hr" && f.visible
		if !f.visible || f.overlay || !rule && !c.holds(i, n.End) {
			continue
		}
		line := n.Kind == plat.TextNode || n.HasBox && !c.blockLevel(n) && f.kind != schema
		if last := len(units) - 1; line && last >= 0 && units[last].line {
			units[last].end = n.End
			continue
		}
		units = append(units, unit{first: i, end: n.End, line: line, rule: n.Name == "hr", paint: f.paint})
	}
	return units
}

// measure fills in what a look at all of a unit's nodes tells.
func (c *cutter) measure(u *unit) {
	u.box = c.box(u.first, u.end)
	u.chars = c.chars[u.end] - c.chars[u.first]
	for j := u.first; j < u.end; j++ {
		if c.info[j].text {
			u.font = max(u.font, c.Styles[c.Nodes[j].Style].FontSize)
		}
	}
	switch name := c.Nodes[u.first].Name; name {
	case "h1", "h2", "h3", "h4", "h5", "h6":
		u.rank = int(name[1] - '0')
	}
}

// rankHeadings finds headings that no tag names: short, and larger than the
// text of the run. They rank below h6, the larger the stronger.
func rankHeadings(units []unit) {
	text, most := float32(0), int32(0)
	bySize := map[float32]int32{}
	for i := range units {
		u := &units[i]
		bySize[u.font] += u.chars
		if n := bySize[u.font]; n > most || n == most && u.font < text {
			text, most = u.font, n
		}
	}
	for i := range units {
		u := &units[i]
		if u.rank == 0 && u.chars > 0 && u.chars <= headingChars && u.font >= headingFont*text && !u.line {
			u.rank = 7 + int(max(0, 93-u.font))
		}
	}
}
