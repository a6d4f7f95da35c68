package segment

import "math"

// regions cuts a page into its large parts: header, content, footer. modules
// cuts these into articles, lists of links, forms.
var (
	regions = newScale(regionFeatures, regionWeights)
	modules = newScale(moduleFeatures, moduleWeights)
)

var regionFeatures = []feature{
	{"bias", func(*separator) float64 { return 1 }},
	{"near the top", func(s *separator) float64 { return math.Exp(-s.y() / 250) }},
	{"bottom 20%", func(s *separator) float64 { return is(s.y() > .8*s.height()) }},
	{"sidebar before", func(s *separator) float64 { return s.a.is(namedSide) }},
	{"narrow", func(s *separator) float64 { return is(s.box.W < .5*s.c.Width) }},
	{"whole page", func(s *separator) float64 { return is(s.mass > .9) }},
	{"ends above end", func(s *separator) float64 { return is(s.box.Y+s.box.H < s.c.Height-60) }},
	{"painted parent", func(s *separator) float64 { return is(s.painted) }},
	{"colour", func(s *separator) float64 { return is(s.a.paint != s.b.paint) }},
	{"siblings", func(s *separator) float64 { return log(float64(len(s.units)), 1) }},
	{"depth", func(s *separator) float64 { return log(float64(s.c.info[s.parent].depth), 1) }},
	{"painted after", func(s *separator) float64 { return is(s.b.paint != s.c.info[s.parent].paint) }},
	{"little after", func(s *separator) float64 { return math.Exp(-s.after / .12) }},
	{"largest", func(s *separator) float64 { return s.largest }},
	{"alike", func(s *separator) float64 { return is(s.c.alike(s.a, s.b)) }},
}

var moduleFeatures = []feature{
	{"bias", func(*separator) float64 { return 1 }},
	{"only heading before", func(s *separator) float64 { return is(s.c.heading(s.a)) }},
	{"only heading after", func(s *separator) float64 { return is(s.c.heading(s.b)) }},
	{"heading before", func(s *separator) float64 { return s.c.titled(s.a) }},
	{"heading after", func(s *separator) float64 { return s.c.titled(s.b) }},
	{"lesser area", func(s *separator) float64 { return log(s.lesser(), 1e4) }},
	{"area", func(s *separator) float64 { return log(s.box.Area(), 1e4) }},
	{"area of page", func(s *separator) float64 { return s.box.Area() / max(1, float64(s.c.Width)*s.height()) }},
	{"lesser text", func(s *separator) float64 { return log(float64(min(s.a.chars, s.b.chars)), 20) }},
	{"share of page", func(s *separator) float64 { return s.mass }},
	{"gap", func(s *separator) float64 { return min(2, max(0, float64(gap(s.a, s.b))/20)) }},
	{"unusual gap", func(s *separator) float64 { return min(3, float64(max(0, gap(s.a, s.b))/max(4, s.gap))) }},
	{"alike, headed", func(s *separator) float64 { return is(s.c.alike(s.a, s.b)) * s.c.titled(s.b) }},
	{"colour", func(s *separator) float64 {
		return is(contrast(s.a.paint.color, s.b.paint.color) >= minContrast || s.a.paint.image != s.b.paint.image)
	}},
	{"rule", func(s *separator) float64 { return is(s.a.rule || s.b.rule) }},
	{"links differ", func(s *separator) float64 { return math.Abs(s.a.linkShare() - s.b.linkShare()) }},
	{"font differs", func(s *separator) float64 {
		if s.a.font == 0 || s.b.font == 0 {
			return 0
		}
		return min(1, math.Abs(math.Log2(float64(s.a.font/s.b.font))))
	}},
	{"names differ", func(s *separator) float64 { return is(s.a.named != s.b.named) }},
	{"sidebar", func(s *separator) float64 { return max(s.a.is(namedSide), s.b.is(namedSide)) }},
	{"widths differ", func(s *separator) float64 {
		return math.Abs(float64(s.a.box.W-s.b.box.W)) / float64(max(1, s.a.box.W, s.b.box.W))
	}},
	{"siblings", func(s *separator) float64 { return log(float64(len(s.units)), 1) }},
	{"in list", func(s *separator) float64 { return is(s.inList()) }},
	{"headed", func(s *separator) float64 { return s.c.titled(&s.units[0]) }},
	{"in form", func(s *separator) float64 { return is(s.c.Nodes[s.parent].Name == "form") }},
	{"top", func(s *separator) float64 { return is(s.box.Y < 200) }},
	{"in header", func(s *separator) float64 { return is(s.inHeader()) }},
	{"in footer", func(s *separator) float64 { return is(s.inFooter()) }},
	{"beside in header", func(s *separator) float64 { return is(s.inHeader() && beside(s.a.box, s.b.box)) }},
	{"alike in header", func(s *separator) float64 { return is(s.inHeader() && (s.inList() || s.c.alike(s.a, s.b))) }},
	{"flat parent", func(s *separator) float64 { return is(s.flat) }},
	{"painted parent", func(s *separator) float64 { return is(s.painted) }},
	{"wide", func(s *separator) float64 { return is(s.box.W > .55*s.c.Width) }},
	{"links", func(s *separator) float64 { return s.links }},
}

// y is the vertical position of a separator on the page.
func (s *separator) y() float64 { return float64(s.b.box.Y) }

func (s *separator) height() float64 { return float64(s.c.Height) }

// lesser is the area of the smaller neighbour.
func (s *separator) lesser() float64 { return min(s.a.box.Area(), s.b.box.Area()) }

// inList holds inside what formats text or lists things.
func (r *row) inList() bool {
	switch r.c.Nodes[r.parent].Name {
	case "ul", "ol", "dl", "menu", "p", "span", "a", "h1", "h2", "h3", "select", "li":
		return true
	}
	return false
}

// inHeader and inFooter tell by where the region stands.
func (r *row) inHeader() bool { return r.region.Y+r.region.H < 300 }

func (r *row) inFooter() bool {
	g := &r.region
	return g.Y > .8*r.c.Height || g.Y > 500 && g.H < 400 && g.Y+g.H > r.c.Height-100
}
