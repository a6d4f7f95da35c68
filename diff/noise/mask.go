package noise

import (
	"slices"

	"plat/diff/noise/attributes"
)

// Learned is the reason of a place that varied at an earlier visit.
const Learned Reason = "learned"

// Mask records the places of a URL that vary: those where two renderings at one visit differed, so
// nothing is learned by chance. A place that stays the same for some visits is dropped. The zero Mask
// is empty.
type Mask struct {
	places []place
	spent  int // cost of second renderings, see mayLook
}

// Limits of a mask.
const (
	MaxMask   = 960 // bytes of an encoded mask; the rest of a URL's memory is for different data
	forget    = 20  // visits after which a place that did not vary is forgotten
	lookEvery = 20  // visits of a URL per second rendering, in the long run
	saved     = 6   // second renderings of a URL before that limit applies

	mostPlaces = 250 // more than fit into MaxMask
)

// A place is a position that varies.
type place struct {
	where
	// For a word, its shape; for the markup of the layout, the weight of the change; for a stretch,
	// lines and a gap, the number of items seen there; for texts that take turns, how many were back, and
	// for each of them, whether it was.
	shape byte
	more  byte   // stretch, lines, gap: known items to be seen before no new ones are expected
	size  byte   // stretch: length of its longest item, in words
	last  uint16 // hash of the last text there
	age   byte   // visits since the last change
}

// where identifies a place.
type where struct {
	kind    byte
	lineage int32  // of the block; gap: of the block before it; 0: the layout, the start of the page, an item
	words   around // word, stretch
	item    uint32 // item: hash of its text; text that takes turns: of it and its block; markup: hash of the attribute, or of the file's URL
}

// The kinds of places.
const (
	ofWord    = 'w' // a word between two fixed words
	ofStretch = 's' // any words between fixed words, or in a whole block
	ofLines   = 'l' // lines of a block come and go
	ofOrder   = 'o' // the words of a block change order
	ofGap     = 'g' // blocks come and go after a block
	ofItem    = 'i' // one of those blocks, lines or words; or a pair of alternating states of the page
	ofMarkup  = 'm' // an attribute of a block, the markup of the layout, or a file
	ofTurns   = 't' // a block where whole texts take turns from visit to visit
	ofVariant = 'v' // one of these texts
)

// anyShape is the shape of a word that is a number at times and letters at other times, as
// hexadecimal digits are.
const anyShape = 0

// perThing is the number of times, per item seen so far, that a place must show known items until no
// new one is expected. If it shows one of n+1 items at random, the chance that one was never seen is
// (n/(n+1))^k after k times: 5 % after three times per item.
const perThing = 3

// mayLook reports whether the budget allows a second rendering: six at first, later one in twenty
// visits.
func (m *Mask) mayLook() bool { return m.spent+lookEvery <= saved*lookEvery }

// Varies reports whether the mask has a place that varies.
func (m *Mask) Varies() bool {
	return slices.ContainsFunc(m.places, func(p place) bool { return !p.turning() && (p.kind != ofItem || p.shape != once) })
}

// isNew reports whether the mask has no place for which a second rendering was made, and no recent one.
func (m *Mask) isNew() bool {
	return m.spent == 0 && !slices.ContainsFunc(m.places, func(p place) bool { return !p.turning() })
}

// Spend reports whether a second rendering may be made, and charges for it, even if it fails later.
func (m *Mask) Spend(when When) (may bool) {
	if may = when == Always || when == New && m.mayLook(); may {
		m.looked()
	}
	return may
}

// looked charges for a second rendering.
func (m *Mask) looked() { m.spent = min(m.spent+lookEvery, saved*lookEvery) }

// keep drops the places of blocks that a version does not have.
func (m *Mask) keep(version Look) {
	has := byLineage(version.Blocks)
	m.places = slices.DeleteFunc(m.places, func(p place) bool { return p.lineage != 0 && has[p.lineage] == nil })
}

// Visited records a visit: places age, and the budget for second renderings grows. Call it before the
// results of the visit are weighed.
func (m *Mask) Visited() {
	m.spent = max(0, m.spent-1)
	for i := range m.places {
		m.places[i].age++
	}
	m.places = slices.DeleteFunc(m.places, func(p place) bool { return p.age > forget })
}

// Skipped records a visit without a rendering, at which the page was the same: a state of the page has lasted. Places are not
// forgotten for that.
func (m *Mask) Skipped() (changed bool) {
	for i := range m.places {
		if p := &m.places[i]; (p.kind == ofItem || p.kind == ofTurns) && p.age <= backAndForth {
			p.age++
			changed = true
		}
	}
	return changed
}

// find returns a place, nil if it is unknown.
func (m *Mask) find(w where) *place {
	for i := range m.places {
		if p := &m.places[i]; p.item == w.item && p.words == w.words && p.lineage == w.lineage && p.kind == w.kind {
			return p
		}
	}
	return nil
}

// is records the text at a place and reports whether it differs from the last one. A place whose text
// stays the same ages, even if the stored version has a different text there.
func (p *place) is(hash uint32) (other bool) {
	if other = p.last != uint16(hash); other {
		p.last, p.age = uint16(hash), 0
	}
	return other
}

// came records that a known or an unknown item came to a stretch, to lines or to a gap.
func (p *place) came(known bool) {
	switch {
	case !known:
		p.shape = min(p.shape+1, 254)
		p.more = few(perThing * (int(p.shape) + 1))
	case p.more > 0:
		p.more--
	}
}

// anything reports whether an item may come that was never seen there.
func (p *place) anything() bool { return p != nil && p.shape >= 2 && p.more > 0 }

// another reports whether an item may come to a stretch that was never seen there, without a second
// rendering: two renderings have proven that the place varies, and known items have not yet come so
// often that no other is expected.
func (p *place) another() bool { return p != nil && p.shape >= 1 && p.more > 0 }

// learn adds or refreshes a place that varies, and returns it; nil if there are too many.
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

// knows reports whether a place varies, and records its present text.
func (m *Mask) knows(w where, is uint32) bool {
	p := m.find(w)
	if p != nil {
		p.is(is)
	}
	return p != nil
}

func item(hash uint32) where { return where{kind: ofItem, item: hash} }

// once is the shape of an item that came once, as news.
const once = 1

// met reports whether the mask has an item that comes and goes.
func (m *Mask) met(hash uint32) bool {
	p := m.find(item(hash))
	return p != nil && p.shape != once
}

// meet records that an item came or went.
func (m *Mask) meet(hash uint32) {
	if p := m.learn(item(hash), 0); p != nil {
		p.shape = 0
	}
}

// knowsOrder reports whether the words of a block change order at every rendering.
func (m *Mask) knowsOrder(lineage int32, is uint32) bool {
	return m.knows(where{kind: ofOrder, lineage: lineage}, is)
}

// gap returns the place of the blocks that come and go after a block, nil if it is unknown.
func (m *Mask) gap(lineage int32) *place { return m.find(where{kind: ofGap, lineage: lineage}) }

// knowsLayout reports whether the markup of the layout varies as much.
func (m *Mask) knowsLayout(weight int) bool {
	p := m.find(where{kind: ofMarkup})
	return p != nil && int(p.shape) >= weight
}

func (m *Mask) knowsAttribute(lineage int32, k attributes.Attribute, value string) bool {
	return m.knows(where{kind: ofMarkup, lineage: lineage, item: hashOf(k.String())}, hashOf(value))
}

// KnowsFile reports whether the mask has a file of the page as one that varies, and records its
// present hash.
func (m *Mask) KnowsFile(url, hash string) bool { return m.knows(ofFile(url), hashOf(hash)) }

// LearnFile adds a file of the page as one that varies, with its present hash.
func (m *Mask) LearnFile(url, hash string) { m.learn(ofFile(url), hashOf(hash)) }

func ofFile(url string) where { return where{kind: ofMarkup, item: hashOf("file " + url)} }
