package noise

import (
	"slices"
	"strings"
	"time"

	"plat/plat"
)

// Relearn restores a lost mask from one version: own are the self-changes since the version old; both
// have contents. The mask learns as if a second rendering had shown the old text where the page
// changed on its own, and the new text elsewhere. Call it for each version, the oldest first.
func (m *Mask) Relearn(old, now Look, own []plat.SelfChange) {
	m.Visited()
	was, is := byLineage(old.Blocks), byLineage(now.Blocks)
	again := &Again{Look: Look{At: old.At}}
	undo := map[int32]*plat.SelfChange{} // by lineage
	for i := range own {
		x := &own[i]
		a, b := was[x.Lineage], is[x.Lineage]
		if why := Reason(x.Why); why == Ignored || why == Variant || why == Returned || why == Order || why == Elsewhere || x.Kind == plat.Moved || a == nil && b == nil {
			continue
		}
		undo[x.Lineage] = x
		kind := x.Kind
		if b == nil {
			again.Blocks = append(again.Blocks, *a)
		} else if !x.Suppressed() {
			kind = plat.Content
		}
		again.Changes.Blocks = append(again.Changes.Blocks, plat.Change{Kind: kind, Lineage: x.Lineage})
	}
	for _, b := range now.Blocks {
		x, a := undo[b.Lineage], was[b.Lineage]
		switch {
		case x == nil || !b.Leaf():
		case a == nil:
			continue
		default:
			if x.Suppressed() {
				b.Content = a.Content
			}
			b.Text = undone(x, parse(a.Text), old.seen(), parse(b.Text), now.At)
		}
		again.Blocks = append(again.Blocks, b)
	}
	m.learnFrom(old, now, again)
}

// undone returns the new text of a block with the old words at its self-changes, except for those
// that the texts alone explain.
func undone(x *plat.SelfChange, old *words, then seen, new *words, now time.Time) string {
	own := func(ws []token, ranges []plat.Range) []bool {
		all := make([]bool, len(ws))
		for i, w := range ws {
			all[i] = x.Suppressed() || slices.ContainsFunc(ranges, func(r plat.Range) bool { return r.From <= w.From && w.To <= r.To })
		}
		return all
	}
	var text strings.Builder
	write := func(from *words, ws []token, which []bool, is bool) {
		for i, w := range ws {
			if which[i] == is {
				text.WriteString(from.text[w.From:from.next(w)] + " ")
			}
		}
	}
	at := 0 // the new text is written up to here
	for _, e := range edits(old, then, new, now) {
		if e.Why != "" {
			continue
		}
		text.WriteString(new.text[at:e.New.From])
		was, is := old.in(e.Old), new.in(e.New)
		write(old, was, own(was, x.Old), true)
		write(new, is, own(is, x.New), false)
		at = e.New.To
	}
	return text.String() + new.text[at:]
}

// next returns the start of the next word, or the end of the text.
func (w *words) next(t token) int {
	if i := w.at(t.To); i < len(w.all) {
		return w.all[i].From
	}
	return len(w.text)
}
