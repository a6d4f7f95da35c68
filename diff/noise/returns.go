package noise

import (
	"slices"
	"strconv"
	"strings"

	"plat/diff/noise/times"
	"plat/plat"
)

// Returned is the reason of a text that is back in a block where many texts take turns, a sponsor or a
// quote, each for a few visits. Two renderings of one visit may show the same, so they prove nothing
// here. A text that was never there is news.
const Returned Reason = "returned"

// Limits of what counts as a place where texts take turns. The states of a thing, "delayed by fog" and
// "on time", return too, but they are few, short or have numbers, or one of them lasts.
const (
	leastReturned = 6  // different texts that have been there before they came
	leastSpoken   = 5  // words of each text
	mostTurns     = 2  // blocks with another text at one visit; more are a different page
	mostVariants  = 32 // texts that a mask keeps
)

// A swap is a block whose whole text was replaced by another.
type swap struct {
	change   int // index of the change
	at       where
	old, new where // the texts
}

// swaps returns the blocks whose whole text was replaced. It reads their texts.
func (j *judge) swaps() (all []swap) {
	for i, c := range j.changes {
		if c.Kind != plat.Content || c.Folded || c.Old < 0 || c.New < 0 || j.given.watched(c) {
			continue
		}
		a, b := &j.old.Blocks[c.Old], &j.now.Blocks[c.New]
		was, is := scan(a.Text), scan(b.Text)
		if from, to := edges(was, is); from+to > between || !saying(was) || !saying(is) || repeats(was, is) || repeats(is, was) || unshown(a) != unshown(b) {
			continue
		}
		all = append(all, swap{i, where{kind: ofTurns, lineage: c.Lineage}, variantOf(c.Lineage, a), variantOf(c.Lineage, b)})
	}
	return all
}

// turns returns the swaps that nothing else explains, nil if they are too many.
func (j *judge) turns(all []swap) (out []swap) {
	for _, s := range all {
		if v := &j.found[s.change]; v.Kind == "" && (v.Why == "" || v.Why == Returned) {
			out = append(out, s)
		}
	}
	if len(out) > mostTurns {
		return nil
	}
	return out
}

// variantOf is the place of a text that takes turns in a block: with the tags and the targets of its links.
func variantOf(lineage int32, b *plat.Block) where {
	return where{kind: ofVariant, item: hashOf(strconv.Itoa(int(lineage)) + " " + string(b.Content))}
}

// saying reports whether a text is a sentence without numbers.
func saying(ws []token) bool {
	numbers := func(t token) bool { return t.Kind != times.Word || strings.ContainsFunc(t.text, times.IsNumeral) }
	return len(spoken(ws)) >= leastSpoken && !slices.ContainsFunc(ws, numbers)
}

// returned marks the texts that are back where many take turns.
func (j *judge) returned(all []swap) {
	for _, t := range all {
		p := j.mask.find(t.at)
		if p == nil || p.shape < leastReturned || p.age > backAndForth || j.mask.find(t.old) == nil || j.mask.find(t.new) == nil {
			continue
		}
		j.found[t.change].Why = Returned
	}
}

// swapped records the texts that took turns. One that lasted is not a turn: then the place has to prove
// itself again.
func (m *Mask) swapped(all []swap) {
	for _, t := range all {
		p := m.find(t.at)
		lasted := p == nil || p.age > backAndForth
		if p = m.learn(t.at, 0); p == nil {
			continue
		}
		if lasted {
			p.shape = 0
		}
		back := false // for the first time
		if v := m.find(t.new); v != nil {
			back = v.shape != once
			v.shape, v.age = once, 0
		}
		if back {
			m.find(t.at).shape++
		}
		for _, text := range []where{t.old, t.new} {
			if m.find(text) == nil {
				m.learn(text, 0)
			}
		}
	}
	m.dropVariants()
}

// dropVariants drops the oldest texts that take turns, if there are too many.
func (m *Mask) dropVariants() {
	for {
		n, oldest := 0, -1
		for i := range m.places {
			if p := &m.places[i]; p.kind == ofVariant {
				if n++; oldest < 0 || p.age > m.places[oldest].age {
					oldest = i
				}
			}
		}
		if n <= mostVariants {
			return
		}
		m.places = slices.Delete(m.places, oldest, oldest+1)
	}
}

// turning reports whether a place is one of those whose texts take turns: nothing that two renderings
// have proven.
func (p *place) turning() bool { return p.kind == ofTurns || p.kind == ofVariant }
