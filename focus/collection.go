package focus

import (
	"maps"
	"math"
	"slices"
)

// Collection counts in how many pages each term occurs. The zero Collection is empty.
type Collection struct {
	pages int
	in    map[Term]int32
}

// maxTerms is the limit of terms in a collection; beyond it the rarest are dropped. It is the
// vocabulary of several 100,000 pages.
const maxTerms = 1 << 20

// Add counts a page.
func (c *Collection) Add(p *Page) { c.add(p.vector()) }

func (c *Collection) add(v vector) {
	if c.in == nil {
		c.in = map[Term]int32{}
	}
	c.pages++
	for t := range v {
		c.in[t]++
	}
	// Drop enough that the next page does not need it again: a quarter, or more.
	for rare := int32(1); len(c.in) > maxTerms || rare > 1 && len(c.in) > maxTerms*3/4; rare *= 2 {
		for t, n := range c.in {
			if n <= rare {
				delete(c.in, t)
			}
		}
	}
}

// idf returns the inverse document frequency of a term.
func (c *Collection) idf(t Term) float64 {
	return math.Log(float64(c.pages+2) / float64(c.in[t]+1))
}

// vector has the weight of each term of a text.
type vector map[Term]float32

// inOrder returns the terms of a map in their order. Sums over it do not depend on the order of
// maps, which differs between processes: a restored crawl must be equal to the last bit.
func inOrder[W any](m map[Term]W) []Term { return slices.Sorted(maps.Keys(m)) }

// Weights of terms beside those of the text (DRFW, section 3.7, step 2).
const titleWeight = 3

// vector counts the words of a page: those of its main blocks, and of its title. A page with menus
// only counts as a whole.
func (p *Page) vector() vector {
	v := make(vector, len(p.Words)/3+len(p.Title))
	at := 0
	for _, m := range p.Menus {
		for _, t := range p.Words[at:m.First] {
			v[t]++
		}
		at = int(m.End)
	}
	for _, t := range p.Words[at:] {
		v[t]++
	}
	if len(v) == 0 {
		for _, t := range p.Words {
			v[t]++
		}
	}
	for _, t := range p.Title {
		v[t] += titleWeight
	}
	return v
}

// damp returns the weight of a term that occurs so often.
func damp(n float32) float64 { return 1 + math.Log(max(1, float64(n))) }
