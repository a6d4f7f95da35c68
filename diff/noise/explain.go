package noise

import (
	"cmp"
	"slices"
	"time"
)

// edits are those between two texts of a block. Where words are known to vary, what stands
// there is one edit, and what stands between is compared by itself: quotes have words in
// common with each other and with what is around them. look says that there was a second look,
// or can be one.
func (m *Mask) edits(lineage int32, old *words, then seen, new *words, now time.Time, look bool) (all []Edit) {
	i, j := 0, 0
	for _, s := range m.stretches(lineage, old, new, look) {
		all = append(all, edits(old.part(i, old.at(s.old.From)), then, new.part(j, new.at(s.new.From)), now)...)
		if i, j = old.at(s.old.To), new.at(s.new.To); old.text[s.old.From:s.old.To] != new.text[s.new.From:s.new.To] {
			all = append(all, Edit{s.old, s.new, Learned})
		}
	}
	return append(all, edits(old.part(i, len(old.all)), then, new.part(j, len(new.all)), now)...)
}

// part is a text with some of its words.
func (w *words) part(from, to int) *words { return &words{text: w.text, all: w.all[from:to]} }

// explain marks the edits of a block that are words that vary.
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

// mostKnown is how many words an edit may have in which parts are looked for that are known.
const mostKnown = 60

// known divides from edits what was seen to come and go, at their ends: a quote beside which
// somebody has written something.
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
			all = append(all, e) // one for another: see stretches
			continue
		}
		all = append(all, split(e, was, is, stood, vary, Learned)...)
	}
	return all
}

// ends says which words of a part of a text are known to come and go: the longest row of them
// at its end, and at its beginning.
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

// A standing is where a stretch is in two versions of a block.
type standing struct {
	where
	old, new Span
	had      bool // the old version has it
}

// standing returns where the stretches are that a version of a block has.
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

// reframed reports whether only one of two versions of a block has the words around a known
// stretch: somebody has changed them.
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

// stretches are the stretches of a block that both versions have, and where something has
// come that was there before, or anything may come, in order. They note what has come. If a
// look tells, what is known in part only is left to it.
func (m *Mask) stretches(lineage int32, old, new *words, look bool) (all []standing) {
	for _, s := range m.standing(lineage, old, new) {
		if !s.had {
			continue
		}
		p := m.find(s.where)
		is, words := itemOf(new.text[s.new.From:s.new.To]), few(len(new.in(s.new)))
		// What went must be known to come and go, and what came too, or be such as comes there.
		met, any := m.met(is), p.anything() && int(words) <= atMost(int(p.size))
		if !met && !any || !m.met(itemOf(old.text[s.old.From:s.old.To])) {
			continue
		}
		if !met && look && slices.Contains(m.ends(new, new.in(s.new)), true) || s.words == whole && m.reframed(lineage, old, new) {
			continue // it is known, and something beside it
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
			return true // they overlap
		}
		last = s
		return false
	})
}

// written marks as news what somebody had written where words vary, or beside them, and is
// gone: it is none of what has been seen there. So two looks that differ there do not prove
// that it went by itself.
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
		if !s.had || m.find(s.where).anything() || m.met(itemOf(old.text[s.old.From:s.old.To])) {
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

// shuffled are the edits between two texts whose words stand in another order each time:
// those words that only one of them has. What a second look, nil if there was none, has
// other words for varies.
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
