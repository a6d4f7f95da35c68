package rules

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"plat/diff/noise"
	"plat/plat"
)

// A Side is one version of a page. Text and Content of the leaves that differ between the two
// must be loaded. Layout is needed only where [Set.Selects].
type Side struct {
	Blocks []plat.Block
	Layout *plat.Layout
}

// Selects reports whether there are rules with selectors.
func (s Set) Selects() bool {
	return slices.ContainsFunc(s, func(r Rule) bool { return r.Selector != "" })
}

// Given returns, for a comparison of two versions of a page to which all rules of the set apply, the
// verdict of the rules on each change; nil for an empty set.
func (s Set) Given(old, now Side) *noise.Given {
	if len(s) == 0 {
		return nil
	}
	a := application{old: old, now: now}
	for _, r := range s {
		x := applied{Rule: r}
		if r.Selector != "" {
			x.old, x.now = parts(old, r.selector), parts(now, r.selector)
		}
		if r.Watch {
			a.watch = append(a.watch, x)
		} else {
			a.ignore = append(a.ignore, x)
		}
	}
	return &noise.Given{Watched: a.watched, Ignored: a.ignored}
}

// Touches returns the number of blocks of a version to which a rule applies.
func (r *Rule) Touches(side Side) (n int) {
	a := application{now: side}
	x := applied{Rule: *r}
	if r.Selector != "" {
		x.now = parts(side, r.selector)
	}
	for i := range side.Blocks {
		if !side.Blocks[i].Leaf() {
			continue
		}
		if all, _, new := a.touched(&x, plat.Change{Old: -1, New: int32(i)}); all || len(new) > 0 {
			n++
		}
	}
	return n
}

// applied is a rule, and the parts that its selector selects in both versions.
type applied struct {
	Rule
	old, now map[int32]selected // by block index
}

type application struct {
	old, now      Side
	watch, ignore []applied
}

// watched reports whether a change touches a part that a rule watches.
func (a *application) watched(c plat.Change) bool {
	return slices.ContainsFunc(a.watch, func(x applied) bool {
		all, old, new := a.touched(&x, c)
		if all || len(old)+len(new) == 0 {
			return all
		}
		was, is := "", ""
		if c.Old >= 0 {
			was = cut(a.old.Blocks[c.Old].Text, old)
		}
		if c.New >= 0 {
			is = cut(a.now.Blocks[c.New].Text, new)
		}
		return was != is
	})
}

// ignored returns the parts of a change that rules ignore.
func (a *application) ignored(c plat.Change) (all bool, old, new []plat.Range) {
	for i := range a.ignore {
		whole, x, y := a.touched(&a.ignore[i], c)
		if whole {
			return true, nil, nil
		}
		old, new = append(old, x...), append(new, y...)
	}
	if c.Old >= 0 {
		old = joined(a.old.Blocks[c.Old].Text, old)
	}
	if c.New >= 0 {
		new = joined(a.now.Blocks[c.New].Text, new)
	}
	// A block that came or went is ignored if it has no other text.
	switch {
	case c.Old < 0 && len(new) > 0:
		return rest(a.now.Blocks[c.New].Text, new) == "", nil, nil
	case c.New < 0 && len(old) > 0:
		return rest(a.old.Blocks[c.Old].Text, old) == "", nil, nil
	}
	return false, old, new
}

// touched returns whether a rule covers the whole block of a change, or else which ranges of its
// texts.
func (a *application) touched(x *applied, c plat.Change) (all bool, old, new []plat.Range) {
	side := func(s Side, i int32, of map[int32]selected) (bool, []plat.Range) {
		if i < 0 {
			return false, nil
		}
		b := &s.Blocks[i]
		switch {
		case x.Block != 0:
			return b.Lineage == x.Block, nil
		case x.Text != "":
			var in []plat.Range
			for _, m := range x.text.FindAllStringIndex(b.Text, -1) {
				in = append(in, plat.Range{From: m[0], To: m[1]})
			}
			return false, in
		}
		p := of[i]
		return p.whole, find(b.Text, p.elements)
	}
	before, old := side(a.old, c.Old, x.old)
	after, new := side(a.now, c.New, x.now)
	return before && (after || c.New < 0) || after && c.Old < 0 || x.Block != 0 && (before || after), old, new
}

// find returns the positions of elements in the text of a block, in order. White space does not
// matter. If a part of an element is not shown, its texts are searched one by one.
func find(text string, elements [][]string) (all []plat.Range) {
	var flat strings.Builder
	var places []int // per byte of flat, its position in text
	for i, r := range text {
		if !unicode.IsSpace(r) {
			for k := range utf8.RuneLen(r) {
				places = append(places, i+k)
			}
			flat.WriteRune(r)
		}
	}
	at := 0
	look := func(part string) bool {
		i := strings.Index(flat.String()[at:], part)
		if i < 0 || part == "" {
			return false
		}
		from, to := at+i, at+i+len(part)
		all = append(all, plat.Range{From: places[from], To: places[to-1] + 1})
		at = to
		return true
	}
	for _, texts := range elements {
		if !look(strings.Join(texts, "")) {
			for _, t := range texts {
				look(t)
			}
		}
	}
	return all
}

// joined sorts ranges of a text, and merges those with only white space between.
func joined(text string, all []plat.Range) (out []plat.Range) {
	slices.SortFunc(all, func(x, y plat.Range) int { return x.From - y.From })
	for _, r := range all {
		if n := len(out); n > 0 && (r.From <= out[n-1].To || strings.TrimSpace(text[out[n-1].To:r.From]) == "") {
			out[n-1].To = max(out[n-1].To, r.To)
			continue
		}
		out = append(out, r)
	}
	return out
}

// cut returns the text within ranges.
func cut(text string, in []plat.Range) string {
	var b strings.Builder
	for _, r := range in {
		b.WriteString(text[r.From:r.To])
		b.WriteByte('\n')
	}
	return b.String()
}

// rest returns the text outside of ranges, without the white space around it.
func rest(text string, in []plat.Range) string {
	var b strings.Builder
	at := 0
	for _, r := range in {
		b.WriteString(text[at:r.From])
		at = r.To
	}
	b.WriteString(text[at:])
	return strings.TrimSpace(b.String())
}
