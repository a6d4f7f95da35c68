package segment

import (
	_ "embed"
	"math"
	"slices"
	"sync"

	"plat/segment/classifier"
)

// regions cuts a page into its large parts: header, content, footer. modules cuts these into
// articles, lists of links, forms.
//
// regions uses all features, with a model: whether there is one region or two depends on the content
// of both sides.
var (
	regions = &scale{features: allFeatures(), model: sync.OnceValue(func() *classifier.Model { return classifier.MustDecode(regionBytes) })}
	modules = newScale(moduleFeatures, moduleWeights)
)

// regionBytes is fitted by scripts/eval-segment -fit -write.
//
//go:embed region.model
var regionBytes []byte

// allFeatures returns the features of regions, and those of modules with different names.
func allFeatures() []feature {
	all := slices.Clone(regionFeatures)
	for _, f := range moduleFeatures {
		if !slices.ContainsFunc(all, func(g feature) bool { return g.name == f.name }) {
			all = append(all, f)
		}
	}
	return all
}

var regionFeatures = []feature{
	{"bias", func(*separator) float64 { return 1 }},
	{"near the top", func(s *separator) float64 { return math.Exp(-s.y() / 250) }},
	{"bottom 20%", func(s *separator) float64 { return is(s.y() > .8*s.height()) }},
	{"sidebar before", func(s *separator) float64 { return s.a.is(Side) }},
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

	// One line parts regions; many are the rhythm of a text.
	{"rule", func(s *separator) float64 { return is(s.a.rule || s.b.rule) / float64(max(1, s.rules)) }},

	// Both sides, one by one.
	{"y", func(s *separator) float64 { return min(4, s.y()/1000) }},
	{"y of page", func(s *separator) float64 { return s.y() / max(1, s.height()) }},
	{"gap to end", func(s *separator) float64 { return min(4, (s.height()-s.y())/1000) }},
	{"share before", func(s *separator) float64 { return s.before }},
	{"share after", func(s *separator) float64 { return s.after }},
	{"height before", func(s *separator) float64 { return min(3, float64(s.a.box.H)/300) }},
	{"height after", func(s *separator) float64 { return min(3, float64(s.b.box.H)/300) }},
	{"width before", func(s *separator) float64 { return float64(s.a.box.W) / max(1, float64(s.c.Width)) }},
	{"width after", func(s *separator) float64 { return float64(s.b.box.W) / max(1, float64(s.c.Width)) }},
	{"links before", func(s *separator) float64 { return s.a.linkShare() }},
	{"links after", func(s *separator) float64 { return s.b.linkShare() }},
	{"text before", func(s *separator) float64 { return log(float64(s.a.chars), 20) }},
	{"text after", func(s *separator) float64 { return log(float64(s.b.chars), 20) }},
	{"font before", func(s *separator) float64 { return min(3, float64(s.a.font)/16) }},
	{"font after", func(s *separator) float64 { return min(3, float64(s.b.font)/16) }},
	{"first", func(s *separator) float64 { return is(s.a.first == s.units[0].first) }},
	{"last", func(s *separator) float64 { return is(s.b.first == s.units[len(s.units)-1].first) }},
	{"beside", func(s *separator) float64 { return is(beside(s.a.box, s.b.box)) }},
	{"x before", func(s *separator) float64 { return float64(s.a.box.X) / max(1, float64(s.c.Width)) }},
	{"x after", func(s *separator) float64 { return float64(s.b.box.X) / max(1, float64(s.c.Width)) }},
	{"named header before", func(s *separator) float64 { return s.a.is(Header) }},
	{"named header after", func(s *separator) float64 { return s.b.is(Header) }},
	{"named footer before", func(s *separator) float64 { return s.a.is(Footer) }},
	{"named footer after", func(s *separator) float64 { return s.b.is(Footer) }},
	{"named nav before", func(s *separator) float64 { return s.a.is(Nav) }},
	{"named nav after", func(s *separator) float64 { return s.b.is(Nav) }},
	{"named main before", func(s *separator) float64 { return s.a.is(Main) }},
	{"named main after", func(s *separator) float64 { return s.b.is(Main) }},
	{"named side after", func(s *separator) float64 { return s.b.is(Side) }},
	{"stays before", func(s *separator) float64 { return is(s.c.info[s.a.first].stays) }},
	{"stays after", func(s *separator) float64 { return is(s.c.info[s.b.first].stays) }},
	{"content ratio", func(s *separator) float64 { return math.Log2((s.a.mass + 1) / (s.b.mass + 1)) }},
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
		return is(s.c.tones.Distance(s.a.paint.color, s.b.paint.color) >= minContrast || s.a.paint.image != s.b.paint.image)
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
	{"sidebar", func(s *separator) float64 { return max(s.a.is(Side), s.b.is(Side)) }},
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

// y returns the vertical position of a separator on the page.
func (s *separator) y() float64 { return float64(s.b.box.Y) }

func (s *separator) height() float64 { return float64(s.c.Height) }

// lesser returns the area of the smaller neighbour.
func (s *separator) lesser() float64 { return min(s.a.box.Area(), s.b.box.Area()) }

// inList is true inside elements that format text or list items.
func (r *row) inList() bool {
	switch r.c.Nodes[r.parent].Name {
	case "ul", "ol", "dl", "menu", "p", "span", "a", "h1", "h2", "h3", "select", "li":
		return true
	}
	return false
}

// inHeader and inFooter judge by the position of the region.
func (r *row) inHeader() bool { return r.region.Y+r.region.H < 300 }

func (r *row) inFooter() bool {
	g := &r.region
	return g.Y > .8*r.c.Height || g.Y > 500 && g.H < 400 && g.Y+g.H > r.c.Height-100
}
