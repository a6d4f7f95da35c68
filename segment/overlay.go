package segment

import "plat/plat"

// liftOverlays makes each overlay a block of its own. In found, cut from
// [first, end), it replaces every piece that contains overlays by these
// overlays and the content around them. Where pieces will be divided further,
// their overlays are lifted at the next level; in a block that is to be kept
// whole they stay.
func (c *cutter) liftOverlays(first, end, level int32, found []span) []span {
	over := c.overlays(first, end)
	if len(over) == 0 {
		return found
	}
	lifted := func(o span) span {
		c.trace(o.first, level, plat.RuleOverlay, true, "stays in place over the page")
		return o
	}
	all := make([]span, 0, len(found)+2*len(over))
	for _, f := range found {
		for len(over) > 0 && over[0].first < f.first {
			all, over = append(all, lifted(over[0])), over[1:]
		}
		n := 0
		for n < len(over) && over[n].first < f.end {
			n++
		}
		if inside := over[:n]; n > 0 && (level > 1 || c.Level == 1 || c.Nodes[f.first].End != f.end) {
			for _, o := range inside {
				lifted(o)
			}
			all = append(all, c.gather(f.first, f.end, level, inside)...)
		} else {
			all = append(all, f)
		}
		over = over[n:]
	}
	for _, o := range over {
		all = append(all, lifted(o))
	}
	return all
}

// overlays lists the outermost overlays in [first, end), in document order.
func (c *cutter) overlays(first, end int32) []span {
	var over []span
	for i := first; i < end; {
		switch f := &c.info[i]; {
		case f.visible && f.overlay:
			over = append(over, span{i, c.Nodes[i].End, plat.RuleOverlay})
			i = c.Nodes[i].End
		case f.over:
			i++
		default:
			i = c.Nodes[i].End
		}
	}
	return over
}
