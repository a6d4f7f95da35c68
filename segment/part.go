package segment

import (
	"plat/plat"
)

// divideBy cuts [first, end) at every separator with a positive weight, and
// divides pieces that are a single element recursively. It returns pieces that
// belong together: elements as high in the DOM as possible, and runs of
// siblings.
func (c *cutter) divideBy(s *scale, first, end, level int32) []span {
	p := parting{cutter: c, scale: s, level: level, scratch: &c.scratch}
	for i := first; i < end; i = c.Nodes[i].End {
		p.region = p.region.Union(c.info[i].area)
	}
	p.open(first, end)
	return p.out
}

// parting is one run of divideBy.
type parting struct {
	*cutter
	scale  *scale
	level  int32
	region plat.Rect
	out    []span
	*scratch
}

// open appends the pieces of [first, end).
func (p *parting) open(first, end int32) {
	from := len(p.stack)
	p.stack = p.units(p.stack, first, end)
	units := p.stack[from:]
	defer func() { p.stack = p.stack[:from] }()
	for i := range units {
		p.measure(&units[i])
		units[i].named = p.names.Of(&p.Nodes[units[i].first])
	}
	units = p.fuse(units)
	switch len(units) {
	case 0:
		return
	case 1:
		p.enter(&units[0])
		return
	}
	r := p.row(units)
	prev := -1 // the previous piece, if it is undivided in this row
	var prevBox plat.Rect
	for from, to := 0, 0; from < len(units); from = to {
		to = from + 1
		for to < len(units) && !p.cut(r, to) {
			to++
		}
		if from == 0 && to < len(units) {
			p.trace(units[0].first, p.level, plat.RuleSeparator, true, "first part of a divided row")
		}
		piece, box := span{units[from].first, units[to-1].end, plat.RuleSeparator}, unionOf(units[from:to])
		was := len(p.out)
		if to == from+1 {
			p.enter(&units[from])
		} else {
			p.out = append(p.out, piece)
		}
		switch {
		case len(p.out) != was+1 || p.out[was] != piece:
			prev = -1 // it was divided: later units cannot join it
		case prev >= 0 && (tiny(box) || tiny(prevBox)):
			p.out = p.out[:was]
			p.out[prev].end = piece.end
			prevBox = prevBox.Union(box)
		default:
			prev, prevBox = was, box
		}
	}
}

// enter appends the pieces of a unit: those of its content if it is an element
// with more than one piece inside, else the unit itself.
func (p *parting) enter(u *unit) {
	whole := span{u.first, u.end, plat.RuleSeparator}
	if p.closed(u) || p.level == 1 && (isLandmark(&p.Nodes[u.first]) && p.share(u.first, u.end) < .5 || p.share(u.first, u.end) < leastDivided) {
		p.out = append(p.out, whole)
		return
	}
	was := len(p.out)
	p.open(u.first+1, u.end)
	if len(p.out) <= was+1 {
		p.out = append(p.out[:was], whole)
	}
}

// cut decides about the separator before units[at].
func (p *parting) cut(r *row, at int) bool {
	s := &p.at
	*s = separator{row: r, a: &r.units[at-1], b: &r.units[at]}
	if why := p.fixed(s); why != "" {
		p.trace(s.b.first, p.level, plat.RuleSeparator, false, why)
		return false
	}
	s.before = p.share(0, s.b.first)
	s.after = p.share(s.b.first, int32(len(p.Nodes)))
	x := p.scale.values(s, p.x[:0])
	p.x = x
	sum, cut := 0.0, false
	if p.teach != nil {
		cut = p.teach(p.scale, s, x)
	} else {
		sum = p.scale.weigh(x, p.scratch)
		cut = sum > 0
	}
	if p.level == 1 && !cut && max(s.a.mass, s.b.mass) > wholePage*p.mass(0, int32(len(p.Nodes))) {
		p.trace(s.b.first, p.level, plat.RuleSeparator, true, "next to a unit with nearly all of the page's content")
		return true
	}
	if p.Trace {
		p.trace(s.b.first, p.level, plat.RuleSeparator, cut, p.scale.why(x, sum, cut))
	}
	return cut
}

// fixed returns why a separator must not be cut regardless of its weight, or
// "".
func (p *parting) fixed(s *separator) string {
	if beside(s.a.box, s.b.box) || gap(s.a, s.b) >= maxFused {
		return ""
	}
	switch {
	case p.titled(s.a) == 1 && p.heading(s.a) && (p.level > 1 || s.b.line || s.b.text):
		return "a heading stays with what follows"
	case s.a.line && s.b.line && !s.a.rule && !s.b.rule && p.titled(s.b) < 1:
		return "lines of one text"
	}
	return ""
}

// row computes the common values of the units of a row.
func (p *parting) row(units []unit) *row {
	r := &row{c: p.cutter, parent: p.Nodes[units[0].first].Parent, units: units, region: p.region, gap: usualGap(units)}
	chars, links := int32(0), int32(0)
	for i := range units {
		u := &units[i]
		chars, links = chars+u.chars, links+u.links
		r.largest = max(r.largest, u.mass)
		if u.rule {
			r.rules++
		}
	}
	r.box = unionOf(units)
	if chars > 0 {
		r.links = float64(links) / float64(chars)
	}
	r.mass = p.share(units[0].first, units[len(units)-1].end)
	r.largest /= max(1, p.mass(units[0].first, units[len(units)-1].end))
	n := &p.Nodes[r.parent]
	r.flat = n.HasBox && n.Box.Area() < seenBox*r.box.Area()
	if q := n.Parent; q >= 0 {
		r.painted = p.info[r.parent].paint != p.info[q].paint
	}
	return r
}

const (
	// wholePage is the share of a page's mass from which a unit counts as a
	// wrapper of the page. Values from 0.7 to 0.9 give the same regions within
	// ±0.01.
	wholePage = .75

	// seenBox is the part of its content that a box must cover to count as a
	// visible frame: elements that hold only floats have flat boxes.
	seenBox = .3
)

// leastDivided is the minimum share of the page's content that is divided into regions: a region is
// no smaller than a part of that.
const leastDivided = .05
