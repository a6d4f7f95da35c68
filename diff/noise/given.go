package noise

import (
	"slices"

	"plat/plat"
)

// Ignored is the reason of what somebody does not want to hear of.
const Ignored Reason = "ignored"

// Given is what somebody has said of a page's changes. Each part may be nil.
type Given struct {
	// Watched reports whether a change is news whatever else is known.
	Watched func(plat.Change) bool

	// Ignored returns whether no part of a change is news, or else which parts of the shown
	// texts of its block are none, in order.
	Ignored func(plat.Change) (all bool, old, new []plat.Range)
}

// ignored returns what of a change is ignored.
func (g *Given) ignored(c plat.Change) (all bool, old, new []plat.Range) {
	if g == nil || g.Ignored == nil {
		return false, nil, nil
	}
	return g.Ignored(c)
}

func (g *Given) watched(c plat.Change) bool { return g != nil && g.Watched != nil && g.Watched(c) }

// ignored returns which parts of the texts of a block are ignored; none of what is folded.
func (j *judge) ignored(c plat.Change) (old, new []plat.Range) {
	if c.Folded {
		return nil, nil
	}
	_, old, new = j.given.ignored(c)
	return old, new
}

// between compares two texts where as many parts of both are ignored: each of these is an edit,
// and what stands between is compared by itself.
func (j *judge) between(c plat.Change, was, is *words, old, new []plat.Range) (all []Edit) {
	a, b := 0, 0
	for k, r := range old {
		s := new[k]
		if was.at(r.From) == was.at(r.To) && is.at(s.From) == is.at(s.To) {
			continue // a part of a word
		}
		all = append(all, j.edits(c.Lineage, was.part(a, was.at(r.From)), is.part(b, is.at(s.From)))...)
		if a, b = was.at(r.To), is.at(s.To); was.text[r.From:r.To] != is.text[s.From:s.To] {
			all = append(all, Edit{Span(r), Span(s), Ignored})
		}
	}
	return append(all, j.edits(c.Lineage, was.part(a, len(was.all)), is.part(b, len(is.all)))...)
}

// within marks the edits that lie within what is ignored.
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

// rulesOnly leaves of the reasons only what somebody has said, and what stands elsewhere.
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
