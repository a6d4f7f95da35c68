package label

import (
	"math"
	"slices"

	"plat/plat"
)

// surroundings is the page-wide data that place compares a block with.
type surroundings struct {
	regions []int32 // by block: its region, the block of level 1 above it or itself; 0 for the root
	region  int32   // the region of most mass, 0 if absent
	main    int32   // the leaf with the most text outside of links; a wide one rather than a narrow one; 0 if absent

	columns []column // beside the text, identified by their titles
}

// column is a narrow part of the page, at its left or right, with some titles below each other.
type column struct {
	box    plat.Rect // from the first title on
	titles int32     // see besideTitle
}

// survey computes the surroundings.
func (g *gathered) survey() surroundings {
	blocks := g.page.Blocks
	s := surroundings{regions: make([]int32, len(blocks))}
	most := 0.0
	for i := 1; i < len(blocks); i++ {
		b := &blocks[i]
		switch p := parentOf(g.page, i); {
		case p <= 0:
			s.regions[i] = int32(i)
			if b.Rule != plat.RuleOverlay && (s.region == 0 || g.facts[i].mass > g.facts[s.region].mass) {
				s.region = int32(i)
			}
		default:
			s.regions[i] = s.regions[p]
		}
		if prose := g.facts[i].prose() * (.2 + ratio(b.Box.W, g.snap.Width)); b.Leaf() && !g.overlays[i] && (s.main == 0 || prose > most) {
			s.main, most = int32(i), prose
		}
	}
	s.columns = g.columns()
	return s
}

const narrowColumn = .4 // of the page's width, at most

// columns finds the columns of titles: blocks with such a title that are aligned with each other.
func (g *gathered) columns() []column {
	const inLine = 30 // px
	var all []column
	for i := range g.page.Blocks {
		b, titles := &g.page.Blocks[i], g.facts[i].titles
		middle := b.Box.X + b.Box.W/2
		if !b.Leaf() || titles == 0 || b.Box.W > narrowColumn*g.snap.Width || g.overlays[i] ||
			middle > .35*g.snap.Width && middle < .65*g.snap.Width {
			continue
		}
		k := slices.IndexFunc(all, func(c column) bool {
			return b.Box.X > c.box.X-inLine && b.Box.X < c.box.X+inLine && b.Box.Y >= c.box.Y
		})
		if k < 0 {
			k, all = len(all), append(all, column{box: b.Box})
		}
		all[k].box = all[k].box.Union(b.Box)
		all[k].titles += titles
	}
	return slices.DeleteFunc(all, func(c column) bool { return c.titles < 2 })
}

// columnOf returns the titles of the column that contains a box.
func (s *surroundings) columnOf(b plat.Rect) int32 {
	const slack = 20 // px
	for _, c := range s.columns {
		if b.X >= c.box.X-slack && b.X+b.W <= c.box.X+c.box.W+slack && b.Y >= c.box.Y-slack {
			return c.titles
		}
	}
	return 0
}

// besides reports whether a box is a column left or right of the main text.
func (s *surroundings) besides(g *gathered, b plat.Rect) bool {
	const slack = 10 // px
	if s.main == 0 || b.Empty() || b.W > narrowColumn*g.snap.Width {
		return false
	}
	main := &g.page.Blocks[s.main].Box
	return b.X+b.W <= main.X+slack || b.X >= main.X+main.W-slack
}

// place sets the facts about the position of block i relative to the rest.
func (g *gathered) place(i int, s *surroundings) {
	f, b, all := &g.facts[i], &g.page.Blocks[i], &g.facts[0]
	f.pageLinks = links(all)
	f.most = i > 0 && s.main == int32(i)
	if s.main > 0 && b.Box.W > 0 {
		f.main = g.page.Blocks[s.main].Box
		common := min(b.Box.X+b.Box.W, f.main.X+f.main.W) - max(b.Box.X, f.main.X)
		f.off = 1 - float64(max(0, common)/b.Box.W)
	}
	f.beside, f.columnTitles = s.besides(g, b.Box), s.columnOf(b.Box)
	r := s.regions[i]
	if r == 0 {
		return
	}
	f.region = share(g.facts[r].mass, all.mass)
	if r != s.region {
		const slack = 40 // px: regions may overlap a little
		heaviest := g.page.Blocks[s.region].Box
		f.below = g.page.Blocks[r].Box.Y >= heaviest.Y+heaviest.H-slack
	}
}

// prose returns the amount of non-link text; 30 % of link text counts as well.
func (f *facts) prose() float64 { return float64(f.chars) - .7*float64(f.linkChars) }

// nearness falls from 1 at 0 px to a third at 150 and almost 0 at 1,000.
func nearness(px float32) float64 { return math.Exp(-float64(max(0, px)) / 150) }

// longRuns: long text in one format; runs of 80 characters count full.
func longRuns(f *facts) float64 {
	return min(1, float64(f.chars)/float64(max(1, f.endRun-f.firstRun))/80)
}
