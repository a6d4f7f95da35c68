package noise

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"iter"
	"slices"

	"plat"
)

// Learned is the reason of a place that has varied by itself at an earlier visit.
const Learned Reason = "learned"

// Mask is what the visits of a URL have learned of the places that vary by themselves:
// those where two looks at the page differed, so nothing is learned by chance. A place that
// has not varied for some visits is forgotten. The zero Mask knows nothing.
type Mask struct {
	places []place
	spent  int // of what second looks cost, see Looks
}

// Limits of a mask.
const (
	MaxMask   = 1000 // bytes of an encoded mask; other parts of a URL's memory need the rest
	forget    = 20   // visits after which a place that did not vary is forgotten
	lookEvery = 20   // visits of a URL per second look, on the long run
	saved     = 5    // second looks that a URL may have before that

	mostPlaces = 250 // more than are encoded
)

// A place is where something varies.
type place struct {
	where
	shape byte // of a word: its own; of markup: the weight of the change; of a gap: how often looks differed there
	age   byte // visits since it has varied
}

// where says which place it is.
type where struct {
	kind    byte
	lineage int32  // of the block; of a gap: of the block before; 0: the layout, the beginning
	words   around // of a word and a stretch
	item    uint32 // of an item: the hash of its text; of markup: of the attribute
}

// The kinds of places.
const (
	ofWord    = 'w' // a word between two others
	ofStretch = 's' // any words between two others, or in the whole of a block
	ofGap     = 'g' // blocks come and go after a block
	ofItem    = 'i' // one of those blocks
	ofMarkup  = 'm' // an attribute of a block, or the markup of the layout
)

// around is what words stand between, by hashes. Of a word it is the nearest words of
// letters on both sides, and how many other words are between; of a stretch the two words
// on both sides.
type around struct {
	before, after uint32
	left, right   byte
}

// anyShape is the shape of a word that is a number at times and another word at others, as
// hexadecimal digits are.
const anyShape = 0

// Looks reports whether a second look may be taken: five at first, later one in twenty
// visits.
func (m *Mask) Looks() bool { return m.spent+lookEvery <= saved*lookEvery }

// Varies reports whether something is known to vary.
func (m *Mask) Varies() bool { return len(m.places) > 0 }

// Looked notes a second look.
func (m *Mask) Looked() { m.spent = min(m.spent+lookEvery, saved*lookEvery) }

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

// varied looks for a place, and notes that it has varied.
func (m *Mask) varied(w where) *place {
	for i := range m.places {
		if m.places[i].where == w {
			m.places[i].age = 0
			return &m.places[i]
		}
	}
	return nil
}

// learn adds a place that varies.
func (m *Mask) learn(w where, shape byte) {
	p := m.varied(w)
	switch {
	case p == nil && len(m.places) >= mostPlaces:
	case p == nil:
		m.places = append(m.places, place{where: w, shape: shape})
	case w.kind == ofGap:
		p.shape = min(p.shape, 254) + shape
	case w.kind == ofMarkup:
		p.shape = max(p.shape, shape)
	case p.shape != shape:
		p.shape = anyShape
	}
}

// Learn takes over what varies between a first and a second look.
func (m *Mask) Learn(now Look, again *Again) {
	first, second := byLineage(now.Blocks), byLineage(again.Blocks)
	if k := again.Changes.Layout; k != plat.Same {
		m.learn(where{kind: ofMarkup}, byte(weight(k)))
	}
	moved := map[int32]bool{} // blocks that came or went, not those that are divided otherwise
	for _, c := range again.Changes.Blocks {
		a, b := first[c.Lineage], second[c.Lineage]
		switch {
		case a == nil || b == nil:
			if weight(c.Kind) >= weight(plat.Content) {
				moved[c.Lineage] = true
			}
		case c.Kind == plat.Content || c.Kind == plat.Advertisement:
			m.learnAttributes(c.Lineage, a, b)
			m.learnWords(c.Lineage, parse(textOf(a, c.Folded)), parse(textOf(b, c.Folded)))
		case c.Kind != plat.Moved:
			m.learnAttributes(c.Lineage, a, b)
		}
	}
	if len(moved) > 0 {
		met := map[int32]bool{}
		learn := func(b *plat.Block, gap int32) {
			if moved[b.Lineage] {
				m.learnItem(gap, b)
				met[gap] = true
			}
		}
		for b, g := range gaps(now.Blocks, second) {
			learn(b, g)
		}
		for b, g := range gaps(again.Blocks, first) {
			learn(b, g)
		}
		for g := range met {
			m.learn(where{kind: ofGap, lineage: g}, 1)
		}
	}
}

// knowsPool reports whether so many items come there that they need not be known.
func (m *Mask) knowsPool(gap int32) bool {
	p := m.varied(where{kind: ofGap, lineage: gap})
	return p != nil && p.shape >= pool
}

// pool is how many second looks must find other items before any is taken for one of a pool.
const pool = 2

func (m *Mask) learnItem(gap int32, b *plat.Block) {
	m.learn(where{kind: ofItem, lineage: gap, item: hashOf(b.Text)}, 0)
}

// knowsGap reports whether blocks come and go after a block.
func (m *Mask) knowsGap(gap int32) bool { return m.varied(where{kind: ofGap, lineage: gap}) != nil }

// knowsItem reports whether a block that has come there was there before.
func (m *Mask) knowsItem(gap int32, b *plat.Block) bool {
	return m.knowsGap(gap) && m.varied(where{kind: ofItem, lineage: gap, item: hashOf(b.Text)}) != nil
}

// Meet takes over the blocks that have come where blocks come and go: when they come again,
// they are known.
func (m *Mask) Meet(old, now Look, changes []plat.Change) {
	if !slices.ContainsFunc(changes, func(c plat.Change) bool { return c.Old < 0 }) {
		return
	}
	for b, gap := range gaps(now.Blocks, byLineage(old.Blocks)) {
		if m.knowsGap(gap) {
			m.learnItem(gap, b)
		}
	}
}

// learnWords learns where the words of a block vary. Single words are known by themselves;
// all others are one stretch, from the first to the last of them: of a list that shows some
// of many items, other looks differ at other items.
func (m *Mask) learnWords(lineage int32, first, second *words) {
	var stretch *Span
	for _, v := range variations(first, second) {
		switch ws := first.in(v.first); {
		case v.fixed && len(ws) == 1:
			m.learn(where{kind: ofWord, lineage: lineage, words: aroundWord(first, v.first)}, ws[0].shape())
		case stretch == nil:
			stretch = &Span{v.first.From, v.first.To}
		default:
			stretch.To = v.first.To
		}
	}
	if stretch != nil {
		m.learn(where{kind: ofStretch, lineage: lineage, words: aroundStretch(first, *stretch)}, 0)
	}
}

// explain marks the edits of a block that are where words vary.
func (m *Mask) explain(lineage int32, old, new *words, edits []Edit) {
	type stretch struct {
		*place
		Span
	}
	var stretches []stretch
	for i := range m.places {
		if p := &m.places[i]; p.lineage == lineage && p.kind == ofStretch {
			if s, ok := p.words.stretch(new); ok {
				stretches = append(stretches, stretch{p, s})
			}
		}
	}
next:
	for i := range edits {
		e := &edits[i]
		if e.Why != "" {
			continue
		}
		for _, s := range stretches {
			if s.From <= e.New.From && e.New.To <= s.To {
				s.age, e.Why = 0, Learned
				continue next
			}
		}
		p := m.varied(where{kind: ofWord, lineage: lineage, words: aroundWord(new, e.New)})
		if p == nil {
			continue
		}
		is := func(ws []token) bool { return len(ws) == 1 && (p.shape == anyShape || ws[0].shape() == p.shape) }
		if is(old.in(e.Old)) && is(new.in(e.New)) {
			e.Why = Learned
		}
	}
}

// knowsLayout reports whether the markup of the layout varies as much.
func (m *Mask) knowsLayout(k plat.Kind) bool {
	p := m.varied(where{kind: ofMarkup})
	return p != nil && int(p.shape) >= weight(k)
}

// mostAttributes is how many attributes of a block are learned from a look.
const mostAttributes = 20

func (m *Mask) learnAttributes(lineage int32, a, b *plat.Block) {
	all := differing(attributes(a.Content), attributes(b.Content))
	for _, k := range all[:min(len(all), mostAttributes)] {
		m.learn(where{kind: ofMarkup, lineage: lineage, item: k.hash()}, 0)
	}
}

func (m *Mask) knowsAttribute(lineage int32, k attribute) bool {
	return m.varied(where{kind: ofMarkup, lineage: lineage, item: k.hash()}) != nil
}

// gaps yields the leaves of one version or look that the other does not have, and the
// lineage of the leaf before them that both have, 0 for the beginning.
func gaps(blocks []plat.Block, other map[int32]*plat.Block) iter.Seq2[*plat.Block, int32] {
	return func(yield func(*plat.Block, int32) bool) {
		last := int32(0)
		for _, b := range leaves(blocks) {
			if other[b.Lineage] != nil {
				last = b.Lineage
			} else if !yield(b, last) {
				return
			}
		}
	}
}

// aroundWord is what a word stands between: the nearest words of letters.
func aroundWord(s *words, in Span) (a around) {
	before, after := s.sides(in)
	for i := len(before) - 1; i >= 0 && a.left < 255; i-- {
		if before[i].shape() == 'a' {
			a.before = hashOf(before[i].text)
			break
		}
		a.left++
	}
	for i := 0; i < len(after) && a.right < 255; i++ {
		if after[i].shape() == 'a' {
			a.after = hashOf(after[i].text)
			break
		}
		a.right++
	}
	return a
}

// sides are the words before and after a part of a text.
func (w *words) sides(in Span) (before, after []token) {
	return w.in(Span{0, in.From}), w.in(Span{in.To, len(w.text)})
}

// aroundStretch is what several words stand between: two words on either side, one of
// which may be the beginning or the end of the text.
func aroundStretch(s *words, in Span) around {
	before, after := s.sides(in)
	return around{before: hashOf(pair(before, len(before))), after: hashOf(pair(after, 2))}
}

// stretch is the part of a text that is between those words.
func (a around) stretch(s *words) (in Span, ok bool) {
	n := len(s.all)
	from, to := 0, n
	for from <= n && hashOf(pair(s.all, from)) != a.before {
		from++
	}
	for to >= from && hashOf(pair(s.all, to+2)) != a.after {
		to--
	}
	if from > n || to < from {
		return in, false
	}
	if from > 0 {
		in.From = s.all[from-1].To
	}
	if in.To = len(s.text); to < n {
		in.To = s.all[to].From
	}
	return in, true
}

// pair is the two words before the one with that number, with a mark for the beginning
// and the end of the text.
func pair(ws []token, i int) string {
	word := func(i int) string {
		if i < 0 || i >= len(ws) {
			return "\x00"
		}
		return ws[i].text
	}
	return word(i-2) + " " + word(i-1)
}

func hashOf(s string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(s))
	return h.Sum32()
}

// maskFormat is the first byte of an encoded mask.
const maskFormat = 1

// Encode returns a mask as text of at most MaxMask bytes: the format byte, what is spent as
// uvarint, then each place: kind, lineage as uvarint, shape, age, of words the two hashes and
// counts around them, of an item and an attribute its hash. Those that varied last come
// first, and the rest is left out. Empty for the zero Mask.
func (m *Mask) Encode() string {
	if len(m.places) == 0 && m.spent == 0 {
		return ""
	}
	b := binary.AppendUvarint([]byte{maskFormat}, uint64(m.spent))
	slices.SortStableFunc(m.places, func(x, y place) int { return int(x.age) - int(y.age) })
	for i, p := range m.places {
		n := len(b)
		b = binary.AppendUvarint(append(b, p.kind), uint64(p.lineage))
		b = append(b, p.shape, p.age)
		if p.kind == ofWord || p.kind == ofStretch {
			b = binary.BigEndian.AppendUint32(b, p.words.before)
			b = binary.BigEndian.AppendUint32(b, p.words.after)
			b = append(b, p.words.left, p.words.right)
		}
		if p.kind == ofItem || p.kind == ofMarkup {
			b = binary.BigEndian.AppendUint32(b, p.item)
		}
		if len(b) > MaxMask {
			b, m.places = b[:n], m.places[:i]
			break
		}
	}
	return string(b)
}

// DecodeMask parses the output of Encode. [plat.ErrCorrupt] if it is none.
func DecodeMask(s string) (Mask, error) {
	var m Mask
	if s == "" {
		return m, nil
	}
	fail := func() (Mask, error) { return Mask{}, fmt.Errorf("what is learned of a URL: %w", plat.ErrCorrupt) }
	b := []byte(s)[1:]
	spent, n := binary.Uvarint(b)
	if s[0] != maskFormat || n <= 0 || spent > saved*lookEvery || len(s) > MaxMask {
		return fail()
	}
	m.spent, b = int(spent), b[n:]
	for len(b) > 0 {
		p := place{where: where{kind: b[0]}}
		lineage, n := binary.Uvarint(b[1:])
		if n <= 0 || lineage > 1<<31-1 || len(b) < 1+n+2 {
			return fail()
		}
		p.lineage, p.shape, p.age, b = int32(lineage), b[1+n], b[2+n], b[3+n:]
		switch p.kind {
		case ofWord, ofStretch:
			if len(b) < 10 {
				return fail()
			}
			p.words = around{binary.BigEndian.Uint32(b), binary.BigEndian.Uint32(b[4:]), b[8], b[9]}
			b = b[10:]
		case ofItem, ofMarkup:
			if len(b) < 4 {
				return fail()
			}
			p.item, b = binary.BigEndian.Uint32(b), b[4:]
		case ofGap:
		default:
			return fail()
		}
		if p.age > forget {
			return fail()
		}
		m.places = append(m.places, p)
	}
	return m, nil
}
