package segment

import (
	"plat/plat"
)

// Regions that the rules leave undivided are cut at visual boundaries. BWAP
// section 3.3 names regions divided by images and text, which tags do not show,
// as its main weakness, and pages of mostly text as its one failure (table 1).
const (
	// leastCut* is the minimum content for a region to be cut: smaller ones are
	// read at a glance. The character count is that of a short paragraph.
	leastCutHeight = 160
	leastCutChars  = 240

	// leastPieceHeight is the minimum height of a piece between two gaps.
	// Thinner pieces are lines of one unit.
	leastPieceHeight = 24

	// wideGap* is how much a boundary exceeds the run's usual gap, as a factor
	// and in px. Margins of paragraphs and headings differ by less.
	wideGap     = 1.8
	wideGapMore = 12

	// headingFont is the minimum ratio of a heading's font size to the run's,
	// and headingChars the heading's maximum length.
	headingFont  = 1.15
	headingChars = 160
)

// sections cuts the children of [first, end) at visual separators. It returns nil if there is no
// separator.
func (c *cutter) sections(first, end, level int32) []span {
	units := c.units(nil, first, end)
	for len(units) == 1 && !units[0].line {
		u := units[0]
		if c.closed(&u) {
			return nil
		}
		units = c.units(units[:0], u.first+1, u.end)
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
		c.trace(units[from].first, level, plat.RuleSeparator, true, "separated by heading, gap, rule, column or colour")
		from = at
	}
	return out
}

// cuts returns the units before which the run is cut, ascending, never 0.
func (c *cutter) cuts(units []unit) []int {
	var cuts []int
	rankHeadings(units)
	top := 0 // the strongest heading after the first unit
	for i := 1; i < len(units); i++ {
		if r := units[i].rank; r > 0 && (top == 0 || r < top) {
			top = r
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
		case a.rank > 0: // a heading stays with the content below it
		case b.rule, a.rule && i >= 2:
			if b.rule || !contains(cuts, i-1) {
				cuts = append(cuts, i)
			}
		case c.tones.Distance(a.paint.color, b.paint.color) >= minContrast || a.paint.image != b.paint.image:
			cuts = append(cuts, i)
		case top == 0 && gap(a, b) > usual*wideGap && gap(a, b) > usual+wideGapMore && a.box.H >= leastPieceHeight && b.box.H >= leastPieceHeight:
			cuts = append(cuts, i)
		}
	}
	return cuts
}

func contains(cuts []int, i int) bool { return len(cuts) > 0 && cuts[len(cuts)-1] == i }

// rankHeadings finds headings without a heading tag: short texts larger than
// the text of the run. They rank below h6, ordered by size.
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
