package segment

import "plat"

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

// sections cuts the children of what lies in [first, end) at visual separators.
// It returns nil where there are none.
func (c *cutter) sections(first, end, level int32) []span {
	units := c.units(first, end)
	for len(units) == 1 && !units[0].line {
		u := units[0]
		if c.closed(&u) {
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
