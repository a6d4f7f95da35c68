package diff

import (
	"bytes"
	"slices"

	"plat/plat"
	"plat/segment/markup"
)

// kinds returns the changes of leaves.
func kinds(old, new []*leaf, m *matching, sameLayout bool) []plat.Change {
	stays := m.staying()
	var out []plat.Change
	for j, n := range new {
		i := m.old[j]
		if i < 0 {
			k, folded := m.single(n, m.gapN[j], plat.Added)
			out = append(out, plat.Change{Kind: k, Lineage: n.Lineage, Old: -1, New: n.index, Folded: folded})
			continue
		}
		o := old[i]
		k, folded := plat.Same, false
		same, unseen := sameText(o, n), plat.Same
		if same {
			unseen = sameUnseen(o, n)
		}
		switch {
		case !same:
			k = m.changed(o, n, m.gapO[i], m.gapN[j])
		case unseen == plat.Content:
			k, folded = wordKind(o, n), true
		case unseen == plat.Invisible:
			k = plat.Invisible
		case !stays[j] || sameLayout && o.Slot != n.Slot:
			if k = plat.Moved; o.Hash != n.Hash {
				// A link's target and an image matter more than the position.
				if m := Markup(o.Content, n.Content); m == plat.Link || m == plat.Image {
					k = m
				}
			}
		case o.Hash != n.Hash:
			k = Markup(o.Content, n.Content)
		case o.id != n.id || o.Lead != n.Lead:
			k = plat.Format
		}
		if k != plat.Same {
			out = append(out, plat.Change{Kind: k, Lineage: n.Lineage, Old: o.index, New: n.index, Folded: folded})
		}
	}
	for i, o := range old {
		if m.new[i] < 0 {
			k, folded := m.single(o, m.gapO[i], plat.Removed)
			out = append(out, plat.Change{Kind: k, Lineage: o.Lineage, Old: o.index, New: -1, Folded: folded})
		}
	}
	return out
}

// staying marks the new leaves that kept the order of their partners, so that the
// number of moved ones is minimal.
func (m *matching) staying() []bool {
	var order, at []int32
	for j, i := range m.old {
		if i >= 0 {
			order, at = append(order, i), append(at, int32(j))
		}
	}
	stays := make([]bool, len(m.old))
	for k, in := range increasing(order) {
		stays[at[k]] = in
	}
	return stays
}

// shifted reports whether the words of a leaf in gap also occur on the other side,
// only segmented differently.
func (m *matching) shifted(gap int32) bool { return m.page || gap >= 0 && m.shift[gap] }

// changed returns the kind of a pair with different words.
func (m *matching) changed(o, n *leaf, gapO, gapN int32) plat.Kind {
	if m.shifted(gapO) && m.shifted(gapN) || onlyImages(o, n) {
		return plat.Format
	}
	return wordKind(o, n)
}

// onlyImages reports whether the only difference is images that failed in one version
// and show their alternative texts.
func onlyImages(o, n *leaf) bool {
	if o.Content == nil || n.Content == nil {
		return false
	}
	return sameButImages([]*leaf{o}, []*leaf{n})
}

// sameButImages reports whether the visible text of two sequences of leaves differs only by images
// that failed in one version, regardless of their segmentation.
func sameButImages(old, new []*leaf) bool {
	was, altO := withoutAlt(old)
	is, altN := withoutAlt(new)
	return altO != altN && sameWords(was, is)
}

// withoutAlt returns leaves without the alternative texts of images that failed; alts is the number
// of these texts.
func withoutAlt(all []*leaf) (_ []*leaf, alts int) {
	for i, l := range all {
		if !markup.HasAlt(l.Content) {
			continue
		}
		text, n := markup.TextWithoutAlt(l.Content, l.Hidden)
		if n == 0 {
			continue
		}
		if alts == 0 {
			all = slices.Clone(all)
		}
		plain := *l
		plain.text = text
		all[i], alts = &plain, alts+n
	}
	return all, alts
}

// onlyAlt reports whether a leaf shows nothing but alternative texts of images that failed.
func onlyAlt(l *leaf) bool {
	plain, alts := withoutAlt([]*leaf{l})
	return alts > 0 && plain[0].text == ""
}

// wordKind returns the kind of a change of words.
func wordKind(o, n *leaf) plat.Kind {
	if o.Label == plat.LabelAdvertisement && n.Label == plat.LabelAdvertisement {
		return plat.Advertisement
	}
	return plat.Content
}

// single returns the kind of a leaf without a partner, and whether it is folded.
func (m *matching) single(l *leaf, gap int32, kind plat.Kind) (_ plat.Kind, folded bool) {
	switch {
	case l.text != "" && m.shifted(gap) && !onlyAlt(l):
		return plat.Format, false
	case l.Label == plat.LabelAdvertisement:
		return plat.Advertisement, false
	}
	return kind, l.text == "" && len(l.Folded) > 0
}

// sameUnseen compares the invisible text of a pair: [plat.Content] if folded text
// differs, [plat.Invisible] if only hidden text does, else [plat.Same], also if a
// leaf's content was not loaded.
func sameUnseen(o, n *leaf) plat.Kind {
	if o.Hash == n.Hash || o.Content == nil || n.Content == nil || len(o.Hidden)+len(n.Hidden) == 0 {
		return plat.Same
	}
	foldedO, hiddenO := markup.Unshown(o.Content, o.Hidden, o.Folded)
	foldedN, hiddenN := markup.Unshown(n.Content, n.Hidden, n.Folded)
	switch {
	case joinWords(foldedO) != joinWords(foldedN):
		return plat.Content
	case joinWords(hiddenO) != joinWords(hiddenN):
		return plat.Invisible
	}
	return plat.Same
}

// layoutKind returns the kind of change of the layout. doubtful reports that much of the laid-out
// text is in no block, so text that counts as hidden may be visible.
func layoutKind(old, new *plat.Layout, doubtful bool) plat.Kind {
	switch {
	case sameLayout(old, new):
		return plat.Same
	case old == nil || new == nil:
		return plat.Format
	case !bytes.Equal(old.HTML, new.HTML):
		was, is := joinWords(markup.LayoutText(old.HTML)), joinWords(markup.LayoutText(new.HTML))
		switch {
		case was == is:
		case doubtful && max(len(was), len(is)) >= doubtfulText:
			return plat.Content
		default:
			return plat.Invisible
		}
	}
	if len(old.Slots) == len(new.Slots) {
		if _, ok := Volatile(old.HTML, new.HTML); ok {
			return plat.Volatile
		}
	}
	return plat.Format
}

// doubtfulText is the amount of text that makes a layout doubtful, in bytes: most pages hide a few
// words on purpose.
const doubtfulText = 200
