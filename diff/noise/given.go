package noise

import (
	"slices"

	"plat/plat"
)

// Ignored is the reason of a change that the user excludes by a rule.
const Ignored Reason = "ignored"

// Given holds the user's rules for the changes of a page. Each field may be nil.
type Given struct {
	// Watched reports whether a change is news regardless of all other evidence.
	Watched func(plat.Change) bool

	// Ignored returns whether no part of a change is news, or else the ignored ranges of the visible
	// texts of its block, in order.
	Ignored func(plat.Change) (all bool, old, new []plat.Range)
}

// ignored returns the ignored part of a change.
func (g *Given) ignored(c plat.Change) (all bool, old, new []plat.Range) {
	if g == nil || g.Ignored == nil {
		return false, nil, nil
	}
	return g.Ignored(c)
}

func (g *Given) watched(c plat.Change) bool { return g != nil && g.Watched != nil && g.Watched(c) }

// ignored returns the ignored ranges of the texts of a block; nil for folded text.
func (j *judge) ignored(c plat.Change) (old, new []plat.Range) {
	if c.Folded {
		return nil, nil
	}
	_, old, new = j.given.ignored(c)
	return old, new
}

// between compares two texts with equal numbers of ignored ranges: each range is an edit, and the
// texts between them are compared separately.
func (j *judge) between(c plat.Change, was, is *words, old, new []plat.Range) (all []Edit) {
	a, b := 0, 0
	for k, r := range old {
		s := new[k]
		if was.at(r.From) == was.at(r.To) && is.at(s.From) == is.at(s.To) {
			continue // part of a word
		}
		all = append(all, j.edits(c.Lineage, was.part(a, was.at(r.From)), is.part(b, is.at(s.From)))...)
		if a, b = was.at(r.To), is.at(s.To); was.text[r.From:r.To] != is.text[s.From:s.To] {
			all = append(all, Edit{Old: Span(r), New: Span(s), Why: Ignored})
		}
	}
	return append(all, j.edits(c.Lineage, was.part(a, len(was.all)), is.part(b, len(is.all)))...)
}

// within marks the edits inside ignored ranges.
func within(edits []Edit, old, new []plat.Range) {
	lies := func(s Span, all []plat.Range) bool {
		return s.Empty() || slices.ContainsFunc(all, func(r plat.Range) bool { return Span(r).contains(s) })
	}
	for i := range edits {
		if e := &edits[i]; e.Why == "" && lies(e.Old, old) && lies(e.New, new) {
			e.Why = Ignored
		}
	}
}

// rulesOnly removes all reasons but the user's rules and changes of order.
func (j *judge) rulesOnly() {
	for i, c := range j.changes {
		v := &j.found[i]
		all := true
		for k := range v.Edits {
			if e := &v.Edits[k]; e.Why != Ignored {
				e.Why, all = "", false
			}
		}
		if !all || v.Why != Order && v.Why != Ignored {
			v.Why = ""
		}
		if v.Old, v.New = nil, nil; len(v.Edits) > 0 {
			v.mark(parse(textOf(&j.old.Blocks[c.Old], c.Folded)), parse(textOf(&j.now.Blocks[c.New], c.Folded)))
		}
	}
}
