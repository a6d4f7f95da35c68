package focus

import (
	"cmp"
	"math"
	"slices"
)

// Assessor decides whether pages belong to a topic, from a crawl's knowledge at some moment. It is
// small and immutable, and safe for concurrent use: workers have one each.
type Assessor struct {
	topic *Topic
	docs  Collection
	least float64
}

// maxAssessed is the number of terms of the collection in an assessor, the most frequent ones; all
// other terms count as if they occurred once.
const maxAssessed = 20_000

// Assessor returns an assessor with the crawl's present knowledge.
func (c *Crawl) Assessor() *Assessor {
	a := &Assessor{topic: c.topic, docs: Collection{pages: c.docs.pages, in: map[Term]int32{}}, least: c.o.Least}
	var often []Term
	for t, n := range c.docs.in {
		if n > 1 {
			often = append(often, t)
		}
	}
	slices.SortFunc(often, func(x, y Term) int {
		return cmp.Or(cmp.Compare(c.docs.in[y], c.docs.in[x]), cmp.Compare(x, y))
	})
	for _, t := range often[:min(len(often), maxAssessed)] {
		a.docs.in[t] = c.docs.in[t]
	}
	return a
}

// Assess decides whether a page belongs to the topic.
func (a *Assessor) Assess(p *Page) Result {
	r := a.topic.relevance(p.vector(), &a.docs)
	return Result{Relevance: r, Belongs: r >= a.least}
}

// Encode returns the assessor in a form that DecodeAssessor reads: a version, then, compressed
// (RFC 1951), numbers as varints or as doubles, and terms.
func (a *Assessor) Encode() []byte {
	var e encoder
	e.real(a.least)
	e.real(a.topic.odds.half)
	e.real(a.topic.odds.slope)
	weights(&e, a.topic.own)
	e.number(a.docs.pages)
	weights(&e, a.docs.in)
	return e.packed()
}

// weights appends terms with a number each, in order.
func weights[N int32 | float64](e *encoder, all map[Term]N) {
	e.number(len(all))
	for _, t := range inOrder(all) {
		e.word(uint32(t))
		e.real(float64(all[t]))
	}
}

// DecodeAssessor parses the output of Assessor.Encode, or returns [ErrReading].
func DecodeAssessor(b []byte) (*Assessor, error) {
	d, err := unpack(b)
	if err != nil {
		return nil, err
	}
	a := &Assessor{topic: &Topic{own: map[Term]float64{}, stems: map[Term]string{}}, docs: Collection{in: map[Term]int32{}}}
	a.least, a.topic.odds.half, a.topic.odds.slope = d.real(), d.real(), d.real()
	for range d.count(12) {
		t := Term(d.word())
		a.topic.own[t] = d.real()
	}
	a.docs.pages = d.number()
	for range d.count(12) {
		t := Term(d.word())
		a.docs.in[t] = int32(min(math.MaxInt32, max(0, d.real())))
	}
	if err := d.end(); err != nil {
		return nil, err
	}
	return a, nil
}
