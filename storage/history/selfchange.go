package history

import (
	"slices"
	"strings"

	"plat/diff"
	"plat/plat"
)

// SelfChange returns the self-change in a change, or nil. It is only known for consecutive
// versions.
func (c *Comparison) SelfChange(ch *plat.Change) *plat.SelfChange {
	if !c.follows() {
		return nil
	}
	return plat.SelfChangeOf(c.New.SelfChanges, ch.Lineage)
}

// Suppressed reports whether no part of a change is news: neither the block itself nor an image
// in it.
func (c *Comparison) Suppressed(ch *plat.Change) bool {
	own := c.SelfChange(ch)
	return own.Suppressed() && (own.Why == ignored || !slices.ContainsFunc(c.Files, func(f diff.File) bool { return f.Why == "" && slices.Contains(f.Blocks, ch.New) }))
}

// ignored is the reason of changes that match a user's ignore rule.
const ignored = "ignored"

// Counts returns the numbers of changes that are news, and of self-changes, by kind.
func (c *Comparison) Counts() (news, heldBack map[plat.Kind]int) {
	left := plat.Changes{Layout: c.Layout}
	heldBack = map[plat.Kind]int{}
	for i := range c.Blocks {
		if ch := &c.Blocks[i]; c.Suppressed(ch) {
			heldBack[ch.Kind]++
		} else {
			left.Blocks = append(left.Blocks, *ch)
		}
	}
	reasons := map[string]bool{}
	for i := range c.Files {
		if why := c.Files[i].Why; why != "" && !reasons[why] {
			reasons[why] = true
			heldBack[plat.Image]++
		}
	}
	return left.Count(), heldBack
}

// marked returns the words of a change, divided at the bounds of self-changes. old is the text
// that contains the deleted words.
func marked(spans []diff.Span, old string, own *plat.SelfChange) []Word {
	var all []Word
	before, after := 0, 0 // offsets in the old and in the new text
	for _, s := range spans {
		switch {
		case s.Op == diff.Insert && own != nil:
			all = append(all, divided(s, after, own.New)...)
		case s.Op == diff.Delete && own != nil:
			if i := strings.Index(old[before:], s.Text); i >= 0 {
				before += i
				all = append(all, divided(s, before, own.Old)...)
				before += len(s.Text)
				break
			}
			fallthrough
		default:
			all = append(all, Word{Op: s.Op.String(), Text: s.Text})
		}
		if s.Op != diff.Delete {
			after += len(s.Text)
		}
		if s.Op == diff.Equal { // equal except for white space
			for word := range strings.FieldsSeq(s.Text) {
				if i := strings.Index(old[before:], word); i >= 0 {
					before += i + len(word)
				}
			}
		}
	}
	return all
}

// divided returns the parts of a span that begins at offset at of its text: those inside of
// ranges, and those between. White space beside a range belongs to it.
func divided(s diff.Span, at int, ranges []plat.Range) []Word {
	var all []Word
	from := 0
	add := func(to int, own bool) {
		if to = min(to, len(s.Text)); from < to {
			all = append(all, Word{Op: s.Op.String(), Text: s.Text[from:to], SelfChange: own})
			from = to
		}
	}
	// space adds the text up to an offset to the range, if it is only white space.
	space := func(to int) {
		if to = min(to, len(s.Text)); from < to && strings.TrimSpace(s.Text[from:to]) == "" {
			add(to, true)
		}
	}
	i, _ := slices.BinarySearchFunc(ranges, at, func(r plat.Range, at int) int { return r.To - at })
	for _, r := range ranges[i:] {
		if r.From-at >= len(s.Text) {
			break
		}
		space(r.From - at)
		add(r.From-at, false)
		add(r.To-at, true)
		space(len(s.Text))
	}
	add(len(s.Text), false)
	return all
}
