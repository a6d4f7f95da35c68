package segment

import (
	"plat/plat"
	"plat/segment/markup"
)

// coverage returns the share of the laid-out text that is inside leaves; 1 for a page without text.
// It is an independent check of [view]'s visibility decisions, so it does not use them: it considers
// only the position and style of each text, and that a page cannot be scrolled beyond its edges.
func (c *cutter) coverage(leaves []markup.Part) float64 {
	s := c.Snapshot
	c.unseen = sized(c.unseen, len(s.Nodes))
	unseen := c.unseen // neither the node nor its descendants are drawn
	var all, inside int64
	made := s.Generated
	for i := range s.Nodes {
		n := &s.Nodes[i]
		unseen[i] = n.Parent >= 0 && unseen[n.Parent]
		if n.Kind == plat.ElementNode {
			unseen[i] = unseen[i] || markup.NeverShown(n.Name) || n.Foreign && unpainted(n.Name) || n.HasBox && nothingOf(n, &s.Styles[n.Style])
		}
		chars := int32(0)
		if n.Kind == plat.TextNode && n.HasBox && !unseen[i] && reachable(s, n.Box, n.Style) && s.Nodes[n.Parent].Name != "iframe" {
			if chars = c.sums[i+1].chars - c.sums[i].chars; chars == 0 { // not counted
				chars = markup.CountChars(n.Value)
			}
		}
		for ; len(made) > 0 && made[0].Node <= int32(i); made = made[1:] {
			if g := &made[0]; n.HasBox && !unseen[i] && reachable(s, g.Box, g.Style) {
				chars += markup.CountChars(g.Text)
			}
		}
		if chars == 0 {
			continue
		}
		all += int64(chars)
		for len(leaves) > 0 && leaves[0].Nodes.End <= int32(i) {
			leaves = leaves[1:]
		}
		if len(leaves) > 0 && leaves[0].Nodes.First <= int32(i) {
			inside += int64(chars)
		}
	}
	if all == 0 {
		return 1
	}
	return float64(inside) / float64(all)
}

// nothingOf reports whether an element draws nothing: it is transparent or
// smaller than a dot, as content for screen readers is.
func nothingOf(n *plat.Node, st *plat.Style) bool {
	return st.Opacity == 0 || n.Box.W <= 1 && n.Box.H <= 1 && clips(st.OverflowX)
}

// reachable reports whether a text is painted in the scrollable area of the
// page.
func reachable(s *plat.Snapshot, box plat.Rect, style int32) bool {
	st := &s.Styles[style]
	return !st.Hidden && st.Color&0xff != 0 && !box.Empty() &&
		box.X+box.W > 0 && box.Y+box.H > 0 && box.X < s.Width && box.Y < s.Height
}
