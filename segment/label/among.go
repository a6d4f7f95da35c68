package label

import (
	"fmt"

	"plat/segment/boilerplate"
	"plat/segment/classifier"
)

const (
	// fewPages are too few to tell a template from what two pages have in common.
	fewPages = 3

	// ofTemplate and ofPage are what it is worth that most of the other pages have a block,
	// and that none has it, against and for content; ofLinks takes the place of ofTemplate where
	// the block is mostly links. Found on pages of documentation, of which six of each generator
	// are known: judged by a model that has not seen the generator, F of what is no content
	// rises from .889 to .907. More for a template takes headings that repeat, such as
	// "Parameters", for menus; of links, one unit less changes nothing there, and half a one more takes .001.
	ofTemplate = 3 * classifier.Unit / 2
	ofLinks    = 5 * classifier.Unit / 2
	ofPage     = classifier.Unit / 2
)

// among notes what the other pages of the site have of the blocks, whose topics are known.
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

// shared is what the other pages of the site say for content, in [classifier.Unit].
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

// onOthers says in words what the other pages say.
func (f *facts) onOthers() string {
	switch {
	case f.on > 0:
		return fmt.Sprintf("on %d of %d other pages", f.on, f.others)
	case f.template > 0:
		return fmt.Sprintf("mostly on most of %d other pages", f.others)
	}
	return fmt.Sprintf("on none of %d other pages", f.others)
}
