package noise

import (
	"cmp"
	"slices"
	"strings"

	"plat/plat"
)

// words judges the visible words of a block.
func (j *judge) words(c plat.Change, was, is *words, earlier []Edit) (v Verdict) {
	var second *words
	if j.again != nil {
		// If the block is divided differently there, its words are searched in the whole page.
		if b := j.second[c.Lineage]; b != nil {
			second = parse(j.inLook(is, b, c.Folded))
		} else if j.searched++; j.searched <= mostSearched {
			second = j.page(c.Folded).words
		}
	}
	order := Reason("")
	switch {
	case second != nil && reordered(is, second) && !j.earlier.hadOthers(c, is):
		order = TwoLook
	case j.mask.knowsOrder(c.Lineage, hashOf(is.text)):
		order = Learned
	}
	if order != "" {
		v.Edits, v.Why = shuffled(was, is, second), order
	} else {
		old, new := j.ignored(c)
		if len(old) == len(new) && len(old) > 0 {
			v.Edits = j.between(c, was, is, old, new)
		} else {
			v.Edits = j.edits(c.Lineage, was, is)
			within(v.Edits, old, new)
		}
		v.Edits = j.explained(c.Lineage, was, is, v.Edits, second, earlier)
		if numbers, ok := byPlace(was, is); ok && anyOpen(v.Edits) {
			if numbers = j.explained(c.Lineage, was, is, numbers, second, earlier); !anyOpen(numbers) {
				v.Edits = numbers
			}
		}
	}
	v.Edits = datesOf(j.ran(c, was, is, v.Edits))
	v.Other = gone(was, v.Edits) && !sharedLine(was.text, is.text)
	for _, e := range v.Edits {
		if e.Why == "" {
			v.Why = ""
			if j.mask.reframed(c.Lineage, was, is) {
				return v
			}
			lines := j.lines(c, is.text)
			if v.Why = cmp.Or(lines.why(was.text, is.text), j.exchanged(c, was, is, v.Other)); v.Why == "" {
				v.Old, v.New = lines.marks(was.text, is.text)
			}
			if v.Why == "" && !c.Folded {
				v.Why = j.part(j.move().gap[&j.now.Blocks[c.New]])
			}
			for i := 0; i < len(v.Edits) && v.Why != ""; i++ {
				v.Edits[i].Why = v.Why
			}
			return v
		}
		v.Why = e.Why
	}
	if !v.Other || !slices.ContainsFunc(v.Edits, func(e Edit) bool { return e.Why != Ignored }) {
		return v
	}
	// A different item is in the same place.
	if j.again != nil && !j.leaves(c) || v.Why == Learned && !j.mask.met(itemOf(is.text)) && !j.balanced(&j.now.Blocks[c.New]) && !j.replaced(c, is) {
		v.reopen()
	}
	return v
}

// replaced reports whether a second rendering has a text in place of a new one that has nothing in
// common with it: what an author writes beside a text that varies is in both.
func (j *judge) replaced(c plat.Change, is *words) bool {
	for k := j; k.again != nil; k = k.earlier {
		b := k.second[c.Lineage]
		if b == nil || k.shows(is.text, c.Folded) {
			continue
		}
		other := parse(textOf(b, c.Folded))
		if from, to := edges(is.all, other.all); from+to == 0 && !repeats(is.all, other.all) && !repeats(other.all, is.all) {
			return true
		}
	}
	return false
}

// reopen removes all reasons.
func (v *Verdict) reopen() {
	v.Why, v.Old, v.New = "", nil, nil
	for i := range v.Edits {
		v.Edits[i].Why = ""
	}
}

// edits returns the edits of a block. A text where unknown items may come stays unexplained if the
// mask knows only a part of it and a second rendering can decide.
func (j *judge) edits(lineage int32, was, is *words) []Edit {
	return j.mask.edits(lineage, was, j.old.seen(), is, j.now.At, j.again != nil || j.mask.mayLook())
}

// inLook returns the text of a block in the second rendering, together with the blocks that only that
// rendering has and whose lines begin or end like the new lines of the block.
func (j *judge) inLook(is *words, second *plat.Block, folded bool) string {
	text := textOf(second, folded)
	here := strings.Split(text, "\n")
	missing := scanned(withoutLines(strings.Split(is.text, "\n"), append(linesIn(j.old.Blocks), here...)))
	if folded || len(missing) == 0 || len(missing) > mostLines {
		return text
	}
	if j.joined++; j.joined > mostSearched {
		return text
	}
	has := byLineage(j.now.Blocks)
	var all []string
	for _, b := range leaves(j.again.Blocks) {
		if b == second {
			all = append(all, text)
			continue
		}
		shared := has[b.Lineage] == nil && slices.ContainsFunc(scanned(strings.Split(b.Text, "\n")), func(line []token) bool {
			return slices.ContainsFunc(missing, func(s []token) bool {
				from, to := edges(line, s)
				return max(from, to) >= between
			})
		})
		if shared {
			all = append(all, b.Text)
		}
	}
	return strings.Join(all, "\n")
}

// hadOthers reports whether an earlier second rendering showed different words in a block, or divided
// it differently: then a rendering with the same words in a different order is chance.
func (j *judge) hadOthers(c plat.Change, is *words) bool {
	for ; j.again != nil; j = j.earlier {
		b := j.second[c.Lineage]
		if b == nil {
			return true
		}
		if again := parse(textOf(b, c.Folded)); again.text != is.text && !reordered(is, again) {
			return true
		}
	}
	return false
}

// explained returns the edits of a block, explained by the second rendering (which may be nil), by an
// earlier one and by the mask.
func (j *judge) explained(lineage int32, was, is *words, edits []Edit, second *words, earlier []Edit) []Edit {
	if second != nil {
		edits = joined(confirmed(edits, was, is, second), earlier, was, is)
		edits = j.mask.written(lineage, was, is, edits)
	}
	j.mask.explain(lineage, was, is, edits)
	return j.mask.known(edits, was, is)
}

// anyOpen reports whether an edit has no reason.
func anyOpen(edits []Edit) bool {
	return slices.ContainsFunc(edits, func(e Edit) bool { return e.Why == "" })
}

// datesOf makes dates news that are beside edited words and not beside a clock: they are dates of a
// release, not of the visit.
func datesOf(edits []Edit) []Edit {
	if !anyOpen(edits) || slices.ContainsFunc(edits, func(e Edit) bool { return e.Why == Clock }) {
		return edits
	}
	for i := range edits {
		if e := &edits[i]; e.Why == Date {
			e.Why = ""
		}
	}
	return edits
}
