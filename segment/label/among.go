package label

import (
	"fmt"

	"plat/segment/boilerplate"
	"plat/segment/classifier"
)

const (
	// fewPages is the minimum number of pages to distinguish a template from a coincidence of two
	// pages.
	fewPages = 3

	// ofTemplate counts against content, and ofPage for it, if most of the other pages of the site
	// have a block, or if no page has; ofLinks replaces ofTemplate if the block is mostly links. They
	// were chosen on pages of documentation, with six pages of each generator in the site: judged by
	// a model that has not seen the generator, F of non-content rises from 0.889 to 0.907. A larger
	// ofTemplate turns repeated headings, such as "Parameters", into menus; for ofLinks, one unit
	// less changes nothing there, and half a unit more costs 0.001.
	ofTemplate = 3 * classifier.Unit / 2
	ofLinks    = 5 * classifier.Unit / 2
	ofPage     = classifier.Unit / 2
)

// among records how many of the other pages of the site have the blocks, whose topics are set.
func (g *gathered) among(others boilerplate.Pages) {
	if len(others) < fewPages {
		return
	}
	for i := len(g.facts) - 1; i >= 0; i-- { // children before parents
		f := &g.facts[i]
		f.others = int32(len(others))
		if n, ok := others.With(&g.page.Blocks[i]); ok {
			switch {
			case 2*n > len(others):
				f.template, f.on = f.mass, int32(n)
			case n == 0:
				f.unique = f.mass
			}
		}
		if p := parentOf(g.page, i); p >= 0 {
			g.facts[p].template += f.template
			g.facts[p].unique += f.unique
		}
	}
}

// shared returns the score for content from the other pages of the site, in [classifier.Unit].
func (f *facts) shared() int32 {
	switch {
	case f.others == 0 || f.mass == 0:
		return 0
	case share(f.template, f.mass) > .5:
		if links(f) > .5 {
			return -ofLinks
		}
		return -ofTemplate
	case share(f.unique, f.mass) > .9:
		return ofPage
	}
	return 0
}

// onOthers describes the occurrence on the other pages.
func (f *facts) onOthers() string {
	switch {
	case f.on > 0:
		return fmt.Sprintf("on %d of %d other pages", f.on, f.others)
	case f.template > 0:
		return fmt.Sprintf("mostly on most of %d other pages", f.others)
	}
	return fmt.Sprintf("on none of %d other pages", f.others)
}
