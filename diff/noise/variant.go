package noise

import (
	"slices"
	"strings"

	"plat/diff/noise/times"
	"plat/plat"
)

// Variant is the reason of a change back to the state that the whole page had a few visits ago: two
// variants, as in an A/B test, alternate. It takes two such changes.
const Variant Reason = "variant"

// stateOf returns the hash of all words of a page.
func stateOf(l Look) uint32 {
	var all strings.Builder
	for _, b := range leaves(l.Blocks) {
		all.WriteString("\x00" + b.Text + "\x00" + unshown(b))
	}
	return hashOf(all.String())
}

// backAndForth is the maximum number of visits in one state of a page that still counts as
// alternating.
const backAndForth = 3

// pairOf returns the place of a pair of page states that may alternate; ok is false if the states are
// equal.
func pairOf(old, now Look) (pair where, ok bool) {
	was, is := stateOf(old), stateOf(now)
	return item(min(was, is)*31 + max(was, is)), was != is
}

// variant marks the changes between two states of a page that alternate every few visits, unless a
// number differs: stock and prices go up and down.
func (j *judge) variant(pair func() (where, bool)) {
	if !j.mask.Varies() {
		return // the mask has no place that varies
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

// otherWords reports whether the news of a change is in its words, not in the target of a link.
func otherWords(c plat.Change, v Verdict) bool {
	return v.Why == "" && v.Kind == "" && weight(c.Kind) >= weight(plat.Content)
}

// flip records that a page changed its state. Of a pair that alternates, the first change and the
// first change back are news.
func (m *Mask) flip(pair where) {
	if p := m.find(pair); p != nil && p.age <= backAndForth {
		p.shape, p.age = 0, 0
	} else if p = m.learn(pair, 0); p != nil {
		p.shape = once
	}
}
