package noise

import (
	"slices"

	"plat/diff/noise/attributes"
)

// Learned is the reason of a place that has varied by itself at an earlier visit.
const Learned Reason = "learned"

// Mask is what the visits of a URL have learned of the places that vary by themselves:
// those where two looks at the page differed, so nothing is learned by chance. A place that
// has been the same for some visits is forgotten. The zero Mask knows nothing.
type Mask struct {
	places []place
	spent  int // of what second looks cost, see mayLook
}

// Limits of a mask.
const (
	MaxMask   = 960 // bytes of an encoded mask; other parts of a URL's memory need the rest
	forget    = 20  // visits after which a place that did not vary is forgotten
	lookEvery = 20  // visits of a URL per second look, on the long run
	saved     = 6   // second looks that a URL may have before that

	mostPlaces = 250 // more than are encoded
)

// A place is where something varies.
type place struct {
	where
	// Of a word: its own; of the markup of the layout: the weight of the change; of a stretch,
	// lines and a gap: how many things were seen there.
	shape byte
	more  byte   // of a stretch, lines and a gap: how often it must show one of these until no new ones are expected
	size  byte   // of a stretch: words of the longest of these
	last  uint16 // hash of what was there last
	age   byte   // visits since that has changed
}

// where says which place it is.
type where struct {
	kind    byte
	lineage int32  // of the block; of a gap: of the block before; 0: the layout, the beginning, an item
	words   around // of a word and a stretch
	item    uint32 // of an item: the hash of its text; of markup: of the attribute, or of the file's URL
}

// The kinds of places.
const (
	ofWord    = 'w' // a word between two others
	ofStretch = 's' // any words between two others, or in the whole of a block
	ofLines   = 'l' // lines of a block come and go
	ofOrder   = 'o' // the words of a block stand in another order
	ofGap     = 'g' // blocks come and go after a block
	ofItem    = 'i' // one of those blocks, lines or words; or two states of the page that take turns
	ofMarkup  = 'm' // an attribute of a block, the markup of the layout, or a file
)

// anyShape is the shape of a word that is a number at times and another word at others, as
// hexadecimal digits are.
const anyShape = 0

// perThing is how often a place must show what it has shown before, per thing that it has
// shown, until nothing new is expected there: if it shows one of n+1 things at a time, and
// all alike, the chance that one was never seen is (n/(n+1))^k after k times, 5 % after
// three per thing.
const perThing = 3

// mayLook reports whether a second look may be taken: six at first, later one in twenty
// visits.
func (m *Mask) mayLook() bool { return m.spent+lookEvery <= saved*lookEvery }

// Varies reports whether something is known to vary.
func (m *Mask) Varies() bool {
	return slices.ContainsFunc(m.places, func(p place) bool { return p.kind != ofItem || p.shape != once })
}

// isNew reports whether nothing is known, and no second look was taken of late.
func (m *Mask) isNew() bool { return m.spent == 0 && len(m.places) == 0 }

// Spend reports whether a second look may be taken, and notes it, also if it fails then.
func (m *Mask) Spend(when When) (may bool) {
	if may = when == Always || when == New && m.mayLook(); may {
		m.looked()
	}
	return may
}

// looked notes a second look.
func (m *Mask) looked() { m.spent = min(m.spent+lookEvery, saved*lookEvery) }

// keep forgets the places of blocks that a version does not have.
func (m *Mask) keep(version Look) {
	has := byLineage(version.Blocks)
	m.places = slices.DeleteFunc(m.places, func(p place) bool { return p.lineage != 0 && has[p.lineage] == nil })
}

// Visited notes a visit: places become older, and second looks affordable. It comes before
// what the visit shows.
func (m *Mask) Visited() {
	m.spent = max(0, m.spent-1)
	for i := range m.places {
		m.places[i].age++
	}
	m.places = slices.DeleteFunc(m.places, func(p place) bool { return p.age > forget })
}

// find returns a place, nil if it is not known.
func (m *Mask) find(w where) *place {
	for i := range m.places {
		if p := &m.places[i]; p.item == w.item && p.words == w.words && p.lineage == w.lineage && p.kind == w.kind {
			return p
		}
	}
	return nil
}

// is notes what is at a place. One that stands still becomes older, though it differs from
// what the last version has there.
func (p *place) is(hash uint32) (other bool) {
	if other = p.last != uint16(hash); other {
		p.last, p.age = uint16(hash), 0
	}
	return other
}

// came notes that something has come to a stretch or a gap that was there before or not.
func (p *place) came(known bool) {
	switch {
	case !known:
		p.shape = min(p.shape+1, 254)
		p.more = few(perThing * (int(p.shape) + 1))
	case p.more > 0:
		p.more--
	}
}

// anything reports whether something that was never there may come.
func (p *place) anything() bool { return p != nil && p.shape >= 2 && p.more > 0 }

// learn adds a place that varies, and returns it, or nil if there are too many.
func (m *Mask) learn(w where, is uint32) *place {
	p := m.find(w)
	if p == nil {
		if len(m.places) >= mostPlaces {
			return nil
		}
		m.places = append(m.places, place{where: w})
		p = &m.places[len(m.places)-1]
	}
	p.last, p.age = uint16(is), 0
	return p
}

// knows reports whether a place varies, and notes what is there.
func (m *Mask) knows(w where, is uint32) bool {
	p := m.find(w)
	if p != nil {
		p.is(is)
	}
	return p != nil
}

func item(hash uint32) where { return where{kind: ofItem, item: hash} }

// once is the shape of an item that has come once, and was news.
const once = 1

// met reports whether words or a block were seen to come or go.
func (m *Mask) met(hash uint32) bool {
	p := m.find(item(hash))
	return p != nil && p.shape != once
}

// meet notes them.
func (m *Mask) meet(hash uint32) {
	if p := m.learn(item(hash), 0); p != nil {
		p.shape = 0
	}
}

// knowsOrder reports whether the words of a block stand in another order at every look.
func (m *Mask) knowsOrder(lineage int32, is uint32) bool {
	return m.knows(where{kind: ofOrder, lineage: lineage}, is)
}

// gap returns where blocks come and go after a block, nil if that is not known.
func (m *Mask) gap(lineage int32) *place { return m.find(where{kind: ofGap, lineage: lineage}) }

// knowsLayout reports whether the markup of the layout varies by as much.
func (m *Mask) knowsLayout(weight int) bool {
	p := m.find(where{kind: ofMarkup})
	return p != nil && int(p.shape) >= weight
}

func (m *Mask) knowsAttribute(lineage int32, k attributes.Attribute, value string) bool {
	return m.knows(where{kind: ofMarkup, lineage: lineage, item: hashOf(k.String())}, hashOf(value))
}

// KnowsFile reports whether a file of the page is known to be another one at each look, and notes
// which it is now. LearnFile notes that it is.
func (m *Mask) KnowsFile(url, hash string) bool { return m.knows(ofFile(url), hashOf(hash)) }

func (m *Mask) LearnFile(url, hash string) { m.learn(ofFile(url), hashOf(hash)) }

func ofFile(url string) where { return where{kind: ofMarkup, item: hashOf("file " + url)} }
