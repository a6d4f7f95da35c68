package noise

import (
	"slices"
	"strings"

	"plat"
)

// Variant is the reason of changes back to what the whole page has been before: two variants
// of a test take turns, a banner comes and goes. It takes two such changes to know it.
const Variant Reason = "variant"

// stateOf is the hash of all words of a page.
func stateOf(l Look) uint32 {
	var all strings.Builder
	for _, b := range leaves(l.Blocks) {
		all.WriteString("\x00" + b.Text + "\x00" + unshown(b))
	}
	return hashOf(all.String())
}

// variant marks the changes between two states of a page that have been there before, unless
// a number differs: stock and prices go up and down.
func (j *judge) variant() {
	if !j.mask.Varies() {
		return // nothing that has been twice is known
	}
	was, is := stateOf(j.old), stateOf(j.now)
	if was == is || !j.mask.met(was) || !j.mask.met(is) {
		return
	}
	numbers := func(w *words, s Span) bool {
		return slices.ContainsFunc(w.in(s), func(t token) bool { return t.shape() == '0' || t.kind != word })
	}
	for i, c := range j.changes {
		v := j.found[i]
		if !otherWords(c, v) {
			continue
		}
		switch {
		case j.given.watched(c):
			return
		case c.Old >= 0 && c.New >= 0:
			was, is := parse(textOf(&j.old.Blocks[c.Old], c.Folded)), parse(textOf(&j.now.Blocks[c.New], c.Folded))
			if slices.ContainsFunc(v.Edits, func(e Edit) bool { return e.Why == "" && (numbers(was, e.Old) || numbers(is, e.New)) }) {
				return
			}
		default:
			if w := parse(j.block(c).Text); numbers(w, Span{To: len(w.text)}) {
				return
			}
		}
	}
	for i, c := range j.changes {
		if otherWords(c, j.found[i]) {
			j.found[i].Why = Variant
		}
	}
}

// otherWords reports whether words are what is news of a change, and not where a link leads.
func otherWords(c plat.Change, v Verdict) bool {
	return v.Why == "" && v.Kind == "" && weight(c.Kind) >= weight(plat.Content)
}

// flip notes that a page is another one than before, and perhaps one that it has been.
func (m *Mask) flip(old, now Look) {
	was, is := stateOf(old), stateOf(now)
	switch {
	case was == is:
		return
	case m.find(item(is)) != nil:
		m.meet(was)
		m.meet(is)
		return
	}
	for _, h := range []uint32{was, is} {
		if m.find(item(h)) == nil {
			if p := m.learn(item(h), 0); p != nil {
				p.shape = once
			}
		}
	}
}
