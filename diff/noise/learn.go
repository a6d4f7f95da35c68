package noise

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"plat/diff/noise/attributes"
	"plat/plat"
)

// learnFrom learns the places that differ between the first and a second rendering. old is the version
// before.
func (m *Mask) learnFrom(old, now Look, again *Again) {
	first, second, before := byLineage(now.Blocks), byLineage(again.Blocks), byLineage(old.Blocks)
	if k := again.Changes.Layout; k != plat.Same {
		if p := m.learn(where{kind: ofMarkup}, 0); p != nil {
			p.shape = max(p.shape, byte(weight(k)))
		}
	}
	type pair struct {
		lineage       int32
		first, second *words
	}
	var pairs []pair
	// Blocks that do not stay: true for those that came, went or were replaced, false for those that
	// changed or moved.
	moved := map[int32]bool{}
	for _, c := range again.Changes.Blocks {
		a, b := first[c.Lineage], second[c.Lineage]
		switch {
		case a == nil || b == nil:
			if weight(c.Kind) >= weight(plat.Content) {
				moved[c.Lineage] = true
			}
		case c.Kind == plat.Content || c.Kind == plat.Advertisement:
			m.learnAttributes(c.Lineage, a, b)
			p := pair{c.Lineage, parse(textOf(a, c.Folded)), parse(textOf(b, c.Folded))}
			pairs = append(pairs, p)
			moved[c.Lineage] = 3*kept(p.first, variations(p.first, p.second)) < len(p.first.all) && !sharedLine(p.first.text, p.second.text)
		case c.Kind == plat.Moved:
			moved[c.Lineage] = false
		default:
			m.learnAttributes(c.Lineage, a, b)
		}
	}
	gaps, items := m.exchanges(old, now, again, moved)
	for _, p := range pairs {
		m.learnDials(p.lineage, p.first, now.At, p.second, again.At)
		m.learnShowing(p.lineage, before[p.lineage], p.first, p.second)
	}
	for gap, x := range gaps {
		if p := m.learn(where{kind: ofGap, lineage: gap}, 0); p != nil && x.came == x.went {
			p.came(!x.fresh)
		}
	}
	for _, is := range items {
		m.meet(is)
	}
}

// learnShowing learns the words of a block that vary between two renderings. A text that the version
// before has, too, proves that they vary, but not that new items come: the server of the second rendering
// may lag behind. If the second text is yet another one, an item that was never seen is new in either.
func (m *Mask) learnShowing(lineage int32, before *plat.Block, first, second *words) {
	counts := func(p place) bool { return p.lineage == lineage && (p.kind == ofStretch || p.kind == ofLines) }
	known := map[where]place{}
	for _, p := range m.places {
		if counts(p) {
			known[p.where] = p
		}
	}
	fresh := !m.met(m.itemAt(lineage, first, Span{To: len(first.text)})) // of a whole block
	if t, ok := turn(second.text, first.text); ok {
		fresh = !m.knowsLines(t.came)
	}
	m.learnWords(lineage, first, second)
	for i := range m.places {
		p := &m.places[i]
		was, had := known[p.where]
		switch {
		case !counts(*p):
		case before != nil && before.Text == second.text:
			p.shape, p.more = was.shape, was.more
		case fresh && had && p.age == 0 && (p.kind == ofLines || p.words == whole):
			p.came(false)
		}
	}
}

// An exchange counts the blocks that came to a gap and went from it between two renderings.
type exchange struct {
	came, went int
	fresh      bool // an item came that was never seen
}

// exchanges returns the exchanges by gap, and the hashes of the blocks and lines that came or went.
// Items of the old version are not new: the server of the second rendering may lag behind.
func (m *Mask) exchanges(old, now Look, again *Again, moved map[int32]bool) (gaps map[int32]exchange, items []uint32) {
	gaps = map[int32]exchange{}
	had := map[string]bool{}
	for _, b := range leaves(old.Blocks) {
		had[b.Text] = true
	}
	first, second := map[int32][]string{}, map[int32][]string{} // texts of a gap
	stays := func(b *plat.Block) bool { _, changed := moved[b.Lineage]; return !changed }
	for b, gap := range m.leaves(now.Blocks, stays) {
		first[gap] = append(first[gap], b.Text)
		if moved[b.Lineage] {
			x := gaps[gap]
			x.went++
			gaps[gap] = x
			items = append(items, itemOf(b.Text))
		}
	}
	for b, gap := range m.leaves(again.Blocks, stays) {
		second[gap] = append(second[gap], b.Text)
		if moved[b.Lineage] {
			x, is := gaps[gap], itemOf(b.Text)
			x.came, x.fresh = x.came+1, x.fresh || !m.met(is) && !had[b.Text]
			gaps[gap] = x
			items = append(items, is)
		}
	}
	for gap := range gaps { // the page may be divided differently: then lines come and go
		t, _ := turn(strings.Join(first[gap], "\n"), strings.Join(second[gap], "\n"))
		for _, s := range append(t.came, t.went...) {
			items = append(items, itemOf(s))
		}
	}
	return gaps, items
}

// meetAll records the items that came and went at places where items come and go, so that the mask
// knows them when they return. An item that was news counts only from its second arrival.
func (m *Mask) meetAll(old, now Look, changes []plat.Change, verdicts []Verdict) {
	if !m.Varies() || len(changes) == 0 {
		return
	}
	type arrival struct {
		is    uint32 // sum of the hashes of the items
		fresh bool   // one was never seen
	}
	came := map[int32]arrival{} // by gap
	gaps := map[*plat.Block]int32{}
	other := map[int32]bool{} // blocks that were replaced or moved
	for i, c := range changes {
		other[c.Lineage] = verdicts[i].Other || c.Kind == plat.Moved
	}
	has := byLineage(old.Blocks)
	for b, gap := range m.leaves(now.Blocks, func(b *plat.Block) bool { return has[b.Lineage] != nil && !other[b.Lineage] }) {
		if m.gap(gap) != nil && (has[b.Lineage] == nil || other[b.Lineage]) {
			is := itemOf(b.Text)
			gaps[b], came[gap] = gap, arrival{came[gap].is + is, came[gap].fresh || !m.met(is)}
		}
	}
	for i, c := range changes {
		usual := verdicts[i].Why != "" && verdicts[i].Why != Returned
		switch {
		case c.Old >= 0 && c.New >= 0:
			if c.Kind == plat.Content || c.Kind == plat.Advertisement {
				a, b := &old.Blocks[c.Old], &now.Blocks[c.New]
				m.meetWords(c, a, b, verdicts[i])
				m.meetLines(c.Lineage, textOf(a, c.Folded), textOf(b, c.Folded), usual)
			}
			if usual && verdicts[i].Other {
				m.meet(itemOf(old.Blocks[c.Old].Text))
				m.meet(itemOf(now.Blocks[c.New].Text))
			}
		case c.New >= 0:
			if _, ok := gaps[&now.Blocks[c.New]]; ok {
				m.comes(itemOf(now.Blocks[c.New].Text), usual)
			}
		case usual:
			m.meet(itemOf(old.Blocks[c.Old].Text))
		}
	}
	for gap, a := range came {
		if p := m.gap(gap); p != nil && p.is(a.is) && (!a.fresh || p.anything()) {
			p.came(!a.fresh)
		}
	}
}

// meetWords records the texts that came to the stretches of a block.
func (m *Mask) meetWords(c plat.Change, old, now *plat.Block, v Verdict) {
	if !slices.ContainsFunc(m.places, func(p place) bool { return p.kind == ofStretch && p.lineage == c.Lineage }) {
		return
	}
	was, is := parse(textOf(old, c.Folded)), parse(textOf(now, c.Folded))
	all := m.standing(c.Lineage, was, is)
	slices.SortFunc(all, func(a, b standing) int { return cmp.Compare(a.new.To-a.new.From, b.new.To-b.new.From) })
	edits := slices.Clone(v.Edits)
	for _, s := range all {
		// An edit counts for the shortest stretch that contains it.
		usual, n := true, len(edits)
		edits = slices.DeleteFunc(edits, func(e Edit) bool {
			in := s.new.contains(e.New) && (!s.had || s.old.contains(e.Old))
			usual = usual && (!in || e.Why != "" || v.Why != "")
			return in
		})
		if len(edits) == n {
			continue
		}
		if m.comes(m.itemAt(c.Lineage, is, s.new), usual); s.had && usual {
			m.meet(m.itemAt(c.Lineage, was, s.old))
		}
	}
}

// comes records that an item came, as usual or as news.
func (m *Mask) comes(hash uint32, usual bool) {
	p := m.find(item(hash))
	switch {
	case usual, p != nil:
		m.meet(hash)
	default:
		if p := m.learn(item(hash), 0); p != nil {
			p.shape = once
		}
	}
}

// leaves yields the leaves of a version or rendering, each with its gap: the lineage of the last leaf
// before it that stays, 0 for the start of the page. A leaf stays if stays returns true for it and it
// is not known to come and go.
func (m *Mask) leaves(blocks []plat.Block, stays func(*plat.Block) bool) iter.Seq2[*plat.Block, int32] {
	items, stretches := map[uint32]bool{}, map[int32]bool{}
	for _, p := range m.places {
		switch {
		case p.kind == ofItem && p.shape != once:
			items[p.item] = true
		case p.kind == ofStretch && p.words == whole:
			stretches[p.lineage] = true
		}
	}
	return func(yield func(*plat.Block, int32) bool) {
		last := int32(0)
		for _, b := range leaves(blocks) {
			if !yield(b, last) {
				return
			}
			if stays(b) && !stretches[b.Lineage] && (len(items) == 0 || !items[itemOf(b.Text)]) {
				last = b.Lineage
			}
		}
	}
}

// whole is the surroundings of a stretch that covers a whole text.
var whole = parse("").aroundStretch(Span{})

// learnWords learns the places where the words of a block vary. A single word is a place of its own;
// longer variations are stretches. Overlapping stretches are merged, so a list that shows some of
// many items becomes one stretch after a few renderings; the fixed text between two quotes stays
// outside.
func (m *Mask) learnWords(lineage int32, first, second *words) {
	if reordered(first, second) {
		m.learn(where{kind: ofOrder, lineage: lineage}, hashOf(first.text))
		return
	}
	if m.learnLines(lineage, first.text, second.text) {
		return
	}
	for _, v := range variations(first, second) {
		around, ok := first.aroundWord(v.first)
		if !ok || len(second.in(v.second)) != 1 {
			m.learnStretch(lineage, first, second, first.toTheEnds(v.first))
			continue
		}
		w := first.in(v.first)[0]
		at := where{kind: ofWord, lineage: lineage, words: around}
		shape := w.shape()
		if known := m.find(at); !v.fixed || known != nil && known.shape != shape {
			shape = anyShape
		}
		if p := m.learn(at, hashOf(w.text)); p != nil {
			p.shape = shape
		}
	}
}

// toTheEnds returns in, extended to the start or the end of the text if only a few words without a
// number are between: these may be equal by chance.
func (w *words) toTheEnds(in Span) Span {
	from, to := w.at(in.From), w.at(in.To)
	if chance(w.all[:from]) {
		in.From = 0
	}
	if chance(w.all[to:]) {
		in.To = len(w.text)
	}
	return in
}

// learnStretch learns a stretch, merged with the stretches that it overlaps. If more than a few words
// beside it within a known stretch are equal, an author has written them, and it is a stretch of its
// own.
func (m *Mask) learnStretch(lineage int32, first, second *words, in Span) {
	var known place
	overlaps := func(p place) bool {
		if p.kind != ofStretch || p.lineage != lineage {
			return false
		}
		s, ok := first.stretch(p.words)
		if ok = ok && s.From <= in.To && in.From <= s.To && first.at(in.From)-first.at(s.From) <= between && first.at(s.To)-first.at(in.To) <= between; ok {
			in = Span{min(in.From, s.From), max(in.To, s.To)}
			known.shape, known.more, known.size = max(known.shape, p.shape), max(known.more, p.more), max(known.size, p.size)
		}
		return ok
	}
	for n := -1; n != len(m.places); { // a stretch that has grown may overlap more of them
		n = len(m.places)
		m.places = slices.DeleteFunc(m.places, overlaps)
	}
	around := first.aroundStretch(in)
	is := m.itemAt(lineage, first, in)
	p := m.learn(where{kind: ofStretch, lineage: lineage, words: around}, is)
	if p == nil {
		return
	}
	p.shape, p.more, p.size = known.shape, known.more, max(known.size, few(len(first.in(in))))
	if s, ok := second.stretch(around); ok {
		other := m.itemAt(lineage, second, s)
		p.size = max(p.size, few(len(second.in(s))))
		p.came(m.met(other))
		m.meet(other)
	}
	m.meet(is)
}

// kept returns the number of words outside of variations.
func kept(first *words, vary []variation) int {
	n := len(first.all)
	for _, v := range vary {
		n -= len(first.in(v.first))
	}
	return n
}

// mostAttributes is the maximum number of attributes of a block learned from one rendering.
const mostAttributes = 20

func (m *Mask) learnAttributes(lineage int32, a, b *plat.Block) {
	is := attributes.Of(a.Content)
	all := attributes.Differing(is, attributes.Of(b.Content))
	for _, k := range all[:min(len(all), mostAttributes)] {
		m.learn(where{kind: ofMarkup, lineage: lineage, item: hashOf(k.String())}, hashOf(is[k]))
	}
}
