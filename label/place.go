package label

import (
	"math"

	"plat"
)

// surroundings is the page-wide data that place compares a block with.
type surroundings struct {
	regions []int32 // by block: its region, the block of level 1 above it or itself; 0 for the root
	region  int32   // the region of most mass, 0 if none
	main    int32   // the leaf with the most non-link text, 0 if none
}

// survey computes the surroundings.
func (g *gathered) survey() surroundings {
	blocks := g.page.Blocks
	s := surroundings{regions: make([]int32, len(blocks))}
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
		if b.Leaf() && !g.overlays[i] && (s.main == 0 || g.facts[i].prose() > g.facts[s.main].prose()) {
			s.main = int32(i)
		}
	}
	return s
}

// place sets the facts about the position of block i relative to the others.
func (g *gathered) place(i int, s *surroundings) {
	f, b, all := &g.facts[i], &g.page.Blocks[i], &g.facts[0]
	f.pageLinks = links(all)
	f.most = i > 0 && s.main == int32(i)
	if s.main > 0 && b.Box.W > 0 {
		f.main = g.page.Blocks[s.main].Box
		common := min(b.Box.X+b.Box.W, f.main.X+f.main.W) - max(b.Box.X, f.main.X)
		f.off = 1 - float64(max(0, common)/b.Box.W)
	}
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

// prose is the amount of non-link text; 30 % of link text counts as well.
func (f *facts) prose() float64 { return float64(f.chars) - .7*float64(f.linkChars) }

// nearness falls from 1 at 0 px to a third at 150 and almost 0 at 1,000.
func nearness(px float32) float64 { return math.Exp(-float64(max(0, px)) / 150) }

// longRuns: long text in one format; runs of 80 characters count full.
func longRuns(f *facts) float64 {
	return min(1, float64(f.chars)/float64(max(1, f.endRun-f.firstRun))/80)
}
