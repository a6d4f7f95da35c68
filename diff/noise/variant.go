package noise

import (
	"slices"
	"strings"

	"plat/diff/noise/times"
	"plat/plat"
)

// Variant is the reason of changes back to what the whole page was a few visits ago: two
// variants of a test take turns. It takes two such changes to know it.
const Variant Reason = "variant"

// stateOf is the hash of all words of a page.
func stateOf(l Look) uint32 {
	var all strings.Builder
	for _, b := range leaves(l.Blocks) {
		all.WriteString("\x00" + b.Text + "\x00" + unshown(b))
	}
	return hashOf(all.String())
}

// backAndForth is how many visits a page may stay as it is, and still go back and forth.
const backAndForth = 3

// pairOf is the place of two states of a page that may take turns; ok is false if they are one.
func pairOf(old, now Look) (pair where, ok bool) {
	was, is := stateOf(old), stateOf(now)
	return item(min(was, is)*31 + max(was, is)), was != is
}

// variant marks the changes between two states of a page that take turns every few visits,
// unless a number differs: stock and prices go up and down.
func (j *judge) variant(pair func() (where, bool)) {
	if !j.mask.Varies() {
		return // nothing that has been twice is known
	}
	at, ok := pair()
	p := j.mask.find(at)
	if !ok || p == nil || p.shape == once || p.age > backAndForth {
		return
	}
	numbers := func(w *words, s Span) bool { return strings.ContainsFunc(w.text[s.From:s.To], times.IsNumeral) }
	for i, c := range j.changes {
		v := j.found[i]
		switch {
		case j.given.watched(c):
			return
		case !otherWords(c, v):
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
	p.age = 0
}

// otherWords reports whether words are what is news of a change, and not where a link leads.
func otherWords(c plat.Change, v Verdict) bool {
	return v.Why == "" && v.Kind == "" && weight(c.Kind) >= weight(plat.Content)
}

// flip notes that a page is in another state than before. Of two that take turns, the first
// change and the first one back are news.
func (m *Mask) flip(pair where) {
	if p := m.find(pair); p != nil && p.age <= backAndForth {
		p.shape, p.age = 0, 0
	} else if p = m.learn(pair, 0); p != nil {
		p.shape = once
	}
}
