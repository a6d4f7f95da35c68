package noise

import (
	"cmp"
	"slices"
	"time"
)

// edits returns the edits between two texts of a block. The text of a known stretch is one edit, and
// the texts between stretches are compared separately: quotes share words with each other and with
// the text around them. look reports whether a second rendering was made, or may be.
func (m *Mask) edits(lineage int32, old *words, then seen, new *words, now time.Time, look bool) (all []Edit) {
	i, j := 0, 0
	for _, s := range m.stretches(lineage, old, new, look) {
		all = append(all, edits(old.part(i, old.at(s.old.From)), then, new.part(j, new.at(s.new.From)), now)...)
		if i, j = old.at(s.old.To), new.at(s.new.To); old.text[s.old.From:s.old.To] != new.text[s.new.From:s.new.To] {
			all = append(all, Edit{Old: s.old, New: s.new, Why: Learned})
		}
	}
	return append(all, edits(old.part(i, len(old.all)), then, new.part(j, len(new.all)), now)...)
}

// part returns some of the words of a text.
func (w *words) part(from, to int) *words { return &words{text: w.text, all: w.all[from:to]} }

// explain marks the edits of a block at single words that vary according to the mask.
func (m *Mask) explain(lineage int32, old, new *words, edits []Edit) {
	for i := range edits {
		e := &edits[i]
		if e.Why != "" {
			continue
		}
		around, ok := new.aroundWord(e.New)
		if !ok {
			continue
		}
		p := m.find(where{kind: ofWord, lineage: lineage, words: around})
		if p == nil {
			continue
		}
		is := func(ws []token) bool { return len(ws) == 1 && (p.shape == anyShape || ws[0].shape() == p.shape) }
		if is(old.in(e.Old)) && is(new.in(e.New)) {
			p.is(hashOf(new.in(e.New)[0].text))
			e.Why = Learned
		}
	}
}

// mostKnown is the maximum length, in words, of an edit that is searched for known parts.
const mostKnown = 60

// known splits off the known items at the ends of edits: a quote beside which an author has added
// text.
func (m *Mask) known(edits []Edit, old, new *words) []Edit {
	if !slices.ContainsFunc(m.places, func(p place) bool { return p.kind == ofItem && p.shape != once }) {
		return edits
	}
	var all []Edit
	for _, e := range edits {
		was, is := old.in(e.Old), new.in(e.New)
		if e.Why != "" || len(was)+len(is) > mostKnown {
			all = append(all, e)
			continue
		}
		stood, vary := m.ends(old, was), m.ends(new, is)
		if !slices.Contains(stood, false) && !slices.Contains(vary, false) {
			all = append(all, e) // a replacement of one by one: see stretches
			continue
		}
		all = append(all, split(e, was, is, stood, vary, Learned)...)
	}
	return all
}

// ends reports for each word of a part whether it belongs to a known item: the longest one at the
// end, and the longest at the beginning.
func (m *Mask) ends(w *words, part []token) []bool {
	is := make([]bool, len(part))
	met := func(ws []token) bool {
		return slices.ContainsFunc(ws, func(t token) bool { return t.shape() == 'a' }) && m.met(itemOf(w.text[ws[0].From:ws[len(ws)-1].To]))
	}
	mark := func(from, to int) {
		for i := from; i < to; i++ {
			is[i] = true
		}
	}
	to := len(part)
	for from := range part {
		if met(part[from:]) {
			mark(from, to)
			to = from
			break
		}
	}
	for n := to; n > 0; n-- {
		if met(part[:n]) {
			mark(0, n)
			break
		}
	}
	return is
}

// A standing is the position of a stretch in two versions of a block.
type standing struct {
	where
	old, new Span
	had      bool // the old version has it
}

// standing returns the positions of the known stretches that the new version of a block has.
func (m *Mask) standing(lineage int32, old, new *words) (all []standing) {
	for i := range m.places {
		if p := &m.places[i]; p.kind == ofStretch && p.lineage == lineage {
			if is, ok := new.stretch(p.words); ok {
				was, had := old.stretch(p.words)
				all = append(all, standing{p.where, was, is, had})
			}
		}
	}
	return all
}

// reframed reports whether only one of two versions of a block has the words around a known stretch:
// an author changed them.
func (m *Mask) reframed(lineage int32, old, new *words) bool {
	return slices.ContainsFunc(m.places, func(p place) bool {
		if p.kind != ofStretch || p.lineage != lineage || p.words == whole {
			return false
		}
		_, had := old.stretch(p.words)
		_, has := new.stretch(p.words)
		return had != has
	})
}

// stretches returns the stretches, in order, that both versions of a block have and whose new text is
// a known item, or may be unknown there. It records the new texts. If look is true, a text that is
// known only in part is left to the second rendering.
func (m *Mask) stretches(lineage int32, old, new *words, look bool) (all []standing) {
	for _, s := range m.standing(lineage, old, new) {
		if !s.had {
			continue
		}
		p := m.find(s.where)
		is, words := m.itemAt(lineage, new, s.new), few(len(new.in(s.new)))
		// The old text must be a known item. The new one must be, too, or have an expected length
		// where unknown items may come.
		met, any := m.met(is), (p.anything() || !look && s.words != whole && p.another()) && int(words) <= atMost(int(p.size))
		if !met && !any || !m.met(m.itemAt(lineage, old, s.old)) {
			continue
		}
		if !met && look && slices.Contains(m.ends(new, new.in(s.new)), true) || s.words == whole && m.reframed(lineage, old, new) {
			continue // a known item, and text beside it
		}
		if p.is(is) {
			p.came(met)
		}
		p.size = max(p.size, words)
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b standing) int { return cmp.Compare(a.new.From, b.new.From) })
	last := standing{}
	return slices.DeleteFunc(all, func(s standing) bool {
		if s.old.From < last.old.To || s.new.From < last.new.To {
			return true // overlapping
		}
		last = s
		return false
	})
}

// written marks as news the removal of text that an author had added at or beside words that vary:
// the mask has not seen it come or go. Two renderings that differ there do not prove that the page
// removed it.
func (m *Mask) written(lineage int32, old, new *words, edits []Edit) (all []Edit) {
	var known []Span
	for i := range m.places {
		if p := &m.places[i]; p.kind == ofStretch && p.lineage == lineage {
			if was, ok := old.stretch(p.words); ok && !was.Empty() {
				known = append(known, was)
			}
		}
	}
	for _, e := range edits {
		was, is := old.in(e.Old), new.in(e.New)
		if e.Why != TwoLook || len(known) == 0 {
			all = append(all, e)
			continue
		}
		stood, outside := make([]bool, len(was)), len(was)
		for i, w := range was {
			if stood[i] = slices.ContainsFunc(known, func(s Span) bool { return s.contains(w.Span) }); stood[i] {
				outside--
			}
		}
		if outside == len(was) || outside <= between {
			all = append(all, e)
			continue
		}
		vary := slices.Repeat([]bool{true}, len(is))
		all = append(all, split(e, was, is, stood, vary, TwoLook)...)
	}
	for _, s := range m.standing(lineage, old, new) {
		if !s.had || m.find(s.where).anything() || m.met(m.itemAt(lineage, old, s.old)) {
			continue
		}
		for i := range all {
			if e := &all[i]; s.old.contains(e.Old) && s.new.contains(e.New) && !e.Old.Empty() {
				e.Why = ""
			}
		}
	}
	return all
}

// shuffled returns the edits between two texts whose words change order each time: the words that
// only one text has. A word that the second rendering, which may be nil, replaces is a self-change.
func shuffled(old, new, again *words) []Edit {
	var came, went []Edit
	varies := map[byte]int{} // words that vary, by shape
	left := count(old.all)
	var gone map[string]int
	if again != nil {
		gone = count(again.all)
	}
	for _, w := range new.all {
		vary := false
		if again != nil {
			gone[w.text]--
			vary = gone[w.text] < 0
		}
		if left[w.text]--; left[w.text] >= 0 {
			continue
		}
		e := Edit{Old: Span{len(old.text), len(old.text)}, New: w.Span}
		if vary {
			varies[w.shape()]++
			e.Why = TwoLook
		}
		came = append(came, e)
	}
	has := count(new.all)
	for _, w := range old.all {
		if has[w.text]--; has[w.text] >= 0 {
			continue
		}
		e := Edit{Old: w.Span, New: Span{}}
		if varies[w.shape()] > 0 {
			varies[w.shape()]--
			e.Why = TwoLook
		}
		went = append(went, e)
	}
	return append(went, came...)
}

func count(ws []token) map[string]int {
	all := make(map[string]int, len(ws))
	for i := range ws {
		all[ws[i].text]++
	}
	return all
}
