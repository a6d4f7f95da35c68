package diff

import "plat"

// kinds lists what became of each leaf that changed.
func kinds(old, new []*leaf, m *matching, sameLayout bool) []plat.Change {
	stays := m.staying()
	var out []plat.Change
	for j, n := range new {
		i := m.old[j]
		if i < 0 {
			out = append(out, plat.Change{Kind: m.single(n, m.gapN[j], plat.Added), Lineage: n.Lineage, Old: -1, New: n.index})
			continue
		}
		o := old[i]
		k := plat.Same
		switch {
		case !sameText(o, n):
			k = m.changed(o, n, m.gapO[i], m.gapN[j])
		case !stays[j] || sameLayout && o.Slot != n.Slot:
			k = plat.Moved
		case o.Hash != n.Hash:
			k = markupKind(o.Content, n.Content)
		case o.id != n.id || o.Lead != n.Lead:
			k = plat.Format
		}
		if k != plat.Same {
			out = append(out, plat.Change{Kind: k, Lineage: n.Lineage, Old: o.index, New: n.index})
		}
	}
	for i, o := range old {
		if m.new[i] < 0 {
			out = append(out, plat.Change{Kind: m.single(o, m.gapO[i], plat.Removed), Lineage: o.Lineage, Old: o.index, New: -1})
		}
	}
	return out
}

// staying marks the new leaves that kept the order of their partners: the least
// possible number of others moved.
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

// shifted reports whether the words of a leaf in gap are all there on the other
// side too, cut up otherwise.
func (m *matching) shifted(gap int32) bool { return m.page || gap >= 0 && m.shift[gap] }

// changed is the kind of a pair whose words differ.
func (m *matching) changed(o, n *leaf, gapO, gapN int32) plat.Kind {
	switch {
	case m.shifted(gapO) && m.shifted(gapN):
		return plat.Format
	case o.Label == plat.LabelAdvertisement && n.Label == plat.LabelAdvertisement:
		return plat.Advertisement
	}
	return plat.Content
}

// single is the kind of a leaf without a partner.
func (m *matching) single(l *leaf, gap int32, kind plat.Kind) plat.Kind {
	switch {
	case l.text != "" && m.shifted(gap):
		return plat.Format
	case l.Label == plat.LabelAdvertisement:
		return plat.Advertisement
	}
	return kind
}

// markupKind is the kind of a pair that shows the same words in other bytes.
func markupKind(old, new []byte) plat.Kind {
	if _, ok := Volatile(old, new); ok {
		return plat.Volatile
	}
	return plat.Format
}

// layoutKind is the kind of change of the layout.
func layoutKind(old, new *plat.Layout) plat.Kind {
	switch {
	case sameLayout(old, new):
		return plat.Same
	case old != nil && new != nil && len(old.Slots) == len(new.Slots):
		return markupKind(old.HTML, new.HTML)
	}
	return plat.Format
}
