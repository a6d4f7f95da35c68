package label

import (
	"math"

	"plat/plat"
)

// A scene is the input for judging the role of a block: the block and its surroundings.
type scene struct {
	f, parent, region, page *facts

	block, main *plat.Block // main: the block with most text, nil if absent
}

// evidence is one observation for the model of roles. Values are plain numbers, because
// trees only compare them.
type evidence struct {
	name string
	of   func(s *scene) float64
}

// roleEvidence is all that the model sees, in the order of its features. The features of
// the contents are at the end.
var roleEvidence = func() []evidence {
	var all []evidence
	for _, e := range nested {
		all = append(all,
			evidence{e.name, func(s *scene) float64 { return e.of(s, s.f) }},
			evidence{"parent " + e.name, func(s *scene) float64 { return e.of(s, s.parent) }},
			evidence{"region " + e.name, func(s *scene) float64 { return e.of(s, s.region) }})
	}
	all = append(all, own...)
	for i := range features {
		of := features[i].of
		all = append(all, evidence{features[i].name, func(s *scene) float64 { return of(s.f) }})
	}
	return all
}()

// nested are the features taken of the block, of its parent and of its region. Lengths are shares of
// the page's width and of the window's height.
var nested = []struct {
	name string
	of   func(s *scene, f *facts) float64
}{
	{"left gap", func(_ *scene, f *facts) float64 { return ratio(f.box.X, f.page.W) }},
	{"right gap", func(_ *scene, f *facts) float64 { return ratio(f.page.W-f.box.X-f.box.W, f.page.W) }},
	{"width", func(_ *scene, f *facts) float64 { return ratio(f.box.W, f.page.W) }},
	{"y", func(_ *scene, f *facts) float64 { return ratio(f.box.Y, f.view.H) }},
	{"gap to end", func(_ *scene, f *facts) float64 { return ratio(f.page.H-f.box.Y-f.box.H, f.view.H) }},
	{"y from end", func(_ *scene, f *facts) float64 { return ratio(f.page.H-f.box.Y, f.view.H) }},
	{"height", func(_ *scene, f *facts) float64 { return ratio(f.box.H, f.view.H) }},
	{"place", func(_ *scene, f *facts) float64 { return ratio(f.box.Y+f.box.H/2, f.page.H) }},
	{"characters", func(_ *scene, f *facts) float64 { return log(float64(f.chars)) }},
	{"share of page", func(s *scene, f *facts) float64 { return share(f.mass, s.page.mass) }},
	{"link share", func(_ *scene, f *facts) float64 { return links(f) }},
	{"number of links", func(_ *scene, f *facts) float64 { return log(float64(f.links)) }},
	{"short links", func(_ *scene, f *facts) float64 { return share(f.shortLinks, f.links) }},
	{"number of items", func(_ *scene, f *facts) float64 { return log(float64(f.items)) }},
	{"in paragraphs", func(_ *scene, f *facts) float64 { return share(f.paraChars, f.chars) }},
	{"in headings", func(_ *scene, f *facts) float64 { return share(f.headChars, f.chars) }},
	{"largest font", func(_ *scene, f *facts) float64 { return ratio(f.maxSize, f.bodySize) }},
	{"usual font", func(_ *scene, f *facts) float64 {
		if f.chars == 0 || f.bodySize <= 0 {
			return 1
		}
		return f.sizes / float64(f.chars) / float64(f.bodySize)
	}},
	{"fields", func(_ *scene, f *facts) float64 { return log(float64(f.fields)) }},
	{"number of controls", func(_ *scene, f *facts) float64 { return log(float64(f.controls)) }},
	{"picture area", func(_ *scene, f *facts) float64 {
		if a := f.box.Area(); a > 0 {
			return min(1, f.mediaArea/a)
		}
		return 0
	}},
	{"stays in place", func(_ *scene, f *facts) float64 { return share(f.fixed, f.mass) }},
	{"says rights", func(_ *scene, f *facts) float64 { return float64(f.rights) }},
	{"length of runs", func(_ *scene, f *facts) float64 {
		return log(float64(f.chars) / float64(max(1, f.endRun-f.firstRun)))
	}},
	{"before it", func(s *scene, f *facts) float64 { return share(f.start, s.page.mass) }},
	{"after it", func(s *scene, f *facts) float64 { return share(s.page.mass-f.start-f.mass, s.page.mass) }},
	{"beside column", func(_ *scene, f *facts) float64 { return f.off }},
	{"above text", func(_ *scene, f *facts) float64 { return ratio(f.main.Y-f.box.Y-f.box.H, f.view.H) }},
	{"below text", func(_ *scene, f *facts) float64 { return ratio(f.box.Y-f.main.Y-f.main.H, f.view.H) }},
	{"main text", func(s *scene, f *facts) float64 {
		for _, f := range []*facts{f, s.parent, s.region, s.page} { // a picture is as what is around it
			if f.chars > 0 {
				return f.texts / float64(f.chars)
			}
		}
		return .5
	}},
	{"of main text", func(s *scene, f *facts) float64 {
		if s.page.texts == 0 {
			return 0
		}
		return f.texts / s.page.texts
	}},
	{"width by text", func(_ *scene, f *facts) float64 { return ratio(f.box.W, f.main.W) }},
}

// own are the features of the block alone.
var own = []evidence{
	{"left of text", func(s *scene) float64 { return ratio(s.f.main.X-s.f.box.X-s.f.box.W, s.f.page.W) }},
	{"right of text", func(s *scene) float64 { return ratio(s.f.box.X-s.f.main.X-s.f.main.W, s.f.page.W) }},
	{"titles beside", func(s *scene) float64 { return float64(min(3, s.f.columnTitles)) }},
	{"links of page", func(s *scene) float64 { return s.f.pageLinks }},
	{"height of page", func(s *scene) float64 { return ratio(s.f.page.H, s.f.view.H) }},
	{"main text of page", func(s *scene) float64 {
		if s.page.chars == 0 {
			return .5
		}
		return s.page.texts / float64(s.page.chars)
	}},
	{"main text before", func(s *scene) float64 {
		if s.page.texts == 0 {
			return 0
		}
		return s.f.before / s.page.texts
	}},
	{"text of page", func(s *scene) float64 { return log(float64(s.page.chars)) }},
	{"largest of page", func(s *scene) float64 { return ratio(s.page.maxSize, s.f.bodySize) }},
	{"font by largest", func(s *scene) float64 { return ratio(s.f.maxSize, s.page.maxSize) }},
	{"background", func(s *scene) float64 { return s.lighter(func(b *plat.Block) plat.Color { return b.Background }) }},
	{"text colour", func(s *scene) float64 { return s.lighter(func(b *plat.Block) plat.Color { return b.Color }) }},
	{"same background", func(s *scene) float64 { return is(s.main != nil && s.block.Background == s.main.Background) }},
	{"main elsewhere", func(s *scene) float64 {
		return share(s.page.roles[roleMain], s.page.mass) * (1 - share(s.f.roles[roleMain], s.f.mass))
	}},
}

// lighter returns the difference in lightness between a colour of the block and that of the main
// text, −1 to 1.
func (s *scene) lighter(of func(*plat.Block) plat.Color) float64 {
	if s.main == nil {
		return 0
	}
	return lightness(of(s.block)) - lightness(of(s.main))
}

// lightness returns the lightness of a colour, from 0 for black to 1.
func lightness(c plat.Color) float64 {
	r, g, b, _ := c.Channels()
	return (.2126*float64(r) + .7152*float64(g) + .0722*float64(b)) / 255
}

// scene returns the input for judging block i.
func (g *gathered) scene(i int, near *surroundings) scene {
	s := scene{f: &g.facts[i], page: &g.facts[0], block: &g.page.Blocks[i]}
	s.parent, s.region = s.f, s.f
	if p := parentOf(g.page, i); p > 0 {
		s.parent = &g.facts[p]
	}
	if r := near.regions[i]; r > 0 {
		s.region = &g.facts[r]
	}
	if near.main > 0 {
		s.main = &g.page.Blocks[near.main]
	}
	return s
}

// observe computes the values of all evidence.
func (s *scene) observe(values []float32) {
	for k := range roleEvidence {
		v := roleEvidence[k].of(s)
		if v != v {
			v = 0 // from an empty box
		}
		values[k] = float32(v)
	}
}

func ratio(a, b float32) float64 {
	if b <= 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// log returns 0 at 0, and 1 more for each doubling.
func log(n float64) float64 { return math.Log2(1 + n) }
