package segment

import (
	"slices"

	"plat/plat"
)

// unit is the content between two places where a run of siblings may be cut:
// one box, or inline nodes that share lines.
type unit struct {
	first, end int32
	box        plat.Rect
	font       float32 // largest
	chars      int32
	rank       int  // of a heading: 1 is the highest; 0: not a heading
	line       bool // inline content
	rule       bool // a horizontal line
	paint      paint

	links int32   // of chars, those in links
	mass  float64 // in characters
	seen  int32   // first text or media node in it, -1 if absent
	named nameSet // from its class and id; set for separators
	text  bool    // a paragraph of running text
}

// paragraphChars is the minimum length of a paragraph of running text whose tag
// does not mark it as one: some words.
const paragraphChars = 40

// units appends the units in [first, end), a run of siblings.
func (c *cutter) units(units []unit, first, end int32) []unit {
	from := len(units)
	foot := float32(0) // lower edge of the last unit
	for i := first; i < end; i = c.Nodes[i].End {
		n, f := &c.Nodes[i], &c.info[i]
		rule := n.Name == "hr" && f.visible
		if !f.visible || f.overlay || !rule && !c.holds(i, n.End) {
			continue
		}
		line := n.Kind == plat.TextNode || n.HasBox && !c.blockLevel(n) && f.kind != schema
		if last := len(units) - 1; line && last >= from && units[last].line && f.area.Y < foot-sameLine {
			units[last].end = n.End
			foot = max(foot, f.area.Y+f.area.H)
			continue
		}
		foot = f.area.Y + f.area.H
		units = append(units, unit{first: i, end: n.End, line: line, rule: rule || c.ruled(i), paint: f.paint})
	}
	return units
}

// sameLine is the minimum vertical overlap of two boxes on one line, px.
const sameLine = 2

// ruled reports whether node i is a picture used as a rule: long and thin.
func (c *cutter) ruled(i int32) bool {
	n := &c.Nodes[i]
	return n.Name == "img" && n.Box.H <= 20 && n.Box.W >= 20*max(1, n.Box.H)
}

// measure computes the values that need a pass over all nodes of a unit.
func (c *cutter) measure(u *unit) {
	u.seen = -1
	for j := u.first; j < u.end; j = c.Nodes[j].End {
		if f := &c.info[j]; f.visible && !f.overlay {
			u.box = u.box.Union(f.area)
			u.font = max(u.font, f.font)
			if u.seen < 0 {
				u.seen = f.first
			}
		}
	}
	u.chars = c.sums[u.end].chars - c.sums[u.first].chars
	u.links = c.sums[u.end].links - c.sums[u.first].links
	u.mass = c.mass(u.first, u.end)
	u.rank = headingRank(c.Nodes[u.first].Name)
	u.text = c.info[u.first].kind == format && !u.rule && u.chars >= paragraphChars && 2*u.links < u.chars
}

// closed reports whether a unit cannot be divided: it is a run, a leaf,
// non-text content, or too deep.
func (c *cutter) closed(u *unit) bool {
	n, f := &c.Nodes[u.first], &c.info[u.first]
	return n.End != u.end || n.End <= u.first+1 || f.kind == function && n.Name != "a" || f.depth > int32(c.MaxDepth)
}

// fuse joins units that look like one: a heading with the content below it, and
// the paragraphs of one text.
func (c *cutter) fuse(units []unit) []unit {
	kept := len(units) - 1 // units[kept:] is done
	for i := kept - 1; i >= 0; i-- {
		a, b := &units[i], &units[kept]
		if !beside(a.box, b.box) && gap(a, b) <= maxFused && c.fused(a, b) {
			a.join(b)
		} else {
			kept--
		}
		units[kept] = *a
	}
	return units[max(0, kept):]
}

func (c *cutter) fused(a, b *unit) bool {
	switch {
	case c.continues(a, b):
		return true
	case b.text && c.heading(a):
		return c.titled(a) == 1
	}
	return a.text && b.text && c.titled(b) == 0
}

// continues reports whether a and b are lines of the same text.
func (c *cutter) continues(a, b *unit) bool {
	return a.line && b.line && !a.rule && !b.rule && gap(a, b) < .75*max(a.font, b.font) &&
		(a.chars == 0) == (b.chars == 0) && c.titled(b) < 1 && c.titled(a) < 1
}

// maxFused is the maximum distance of fused units, px: some empty lines.
const maxFused = 60

// join merges b, the next sibling, into u.
func (u *unit) join(b *unit) {
	u.end = b.end
	u.box = u.box.Union(b.box)
	u.font = max(u.font, b.font)
	u.chars, u.links, u.mass = u.chars+b.chars, u.links+b.links, u.mass+b.mass
	u.line, u.text = u.line && b.line, b.text
	u.named |= b.named
	if u.seen < 0 {
		u.seen = b.seen
	}
}

// heading reports whether a unit consists of a heading only: low, or a single
// text regardless of its padding.
func (c *cutter) heading(u *unit) bool {
	if c.titled(u) == 0 || u.chars > 100 || c.Nodes[u.seen].Box.H >= headingHeight {
		return false
	}
	return u.box.H < headingHeight || u.mass == float64(c.sums[u.seen+1].chars-c.sums[u.seen].chars)
}

// headingHeight is the height of two lines of large letters, px.
const headingHeight = 70

// titled returns 1 if a unit begins with a heading, by tag or by size, ½ if it begins with a short
// bold text, else 0.
func (c *cutter) titled(u *unit) float64 {
	if u.seen < 0 || c.Nodes[u.seen].Kind != plat.TextNode {
		return 0
	}
	st := &c.Styles[c.Nodes[u.seen].Style]
	n := c.sums[u.seen+1].chars - c.sums[u.seen].chars
	switch {
	case c.info[u.seen].heading, st.FontSize >= headingFont*c.textSize && n <= headingChars:
		return 1
	case st.FontWeight >= 600 && n <= 60:
		return .5
	}
	return 0
}

// alike reports whether two units are items of one repetition.
func (c *cutter) alike(a, b *unit) bool {
	x, y := &c.Nodes[a.first], &c.Nodes[b.first]
	if a.line || b.line || x.Name != y.Name || x.Kind != y.Kind {
		return false
	}
	if c.info[a.first].shape == c.info[b.first].shape {
		return true
	}
	p, _ := x.Attr("class")
	q, _ := y.Attr("class")
	return p == q && p != ""
}

func gap(a, b *unit) float32 { return b.box.Y - (a.box.Y + a.box.H) }

// usualGap returns the median of the gaps.
func usualGap(units []unit) float32 {
	gaps := make([]float32, 0, len(units)-1)
	for i := 1; i < len(units); i++ {
		gaps = append(gaps, max(0, gap(&units[i-1], &units[i])))
	}
	slices.Sort(gaps)
	return gaps[(len(gaps)-1)/2]
}

// beside reports whether two boxes are in different columns.
func beside(a, b plat.Rect) bool {
	overlap := min(a.Y+a.H, b.Y+b.H) - max(a.Y, b.Y)
	apart := a.X+a.W <= b.X+1 || b.X+b.W <= a.X+1
	return apart && overlap > 0.5*min(a.H, b.H) && min(a.H, b.H) >= leastPieceHeight
}

func unionOf(units []unit) plat.Rect {
	r := units[0].box
	for _, u := range units[1:] {
		r = r.Union(u.box)
	}
	return r
}

// tiny reports whether a box is too small to be a block: smaller than a word.
func tiny(r plat.Rect) bool {
	w, h := leastSize("")
	return r.W < w || r.H < h
}

func (u *unit) is(n nameSet) float64 { return is(u.named&n != 0) }

func (u *unit) linkShare() float64 {
	if u.chars == 0 {
		return 0
	}
	return float64(u.links) / float64(u.chars)
}
