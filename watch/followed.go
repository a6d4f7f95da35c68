package watch

// A list is followed while its known entries are on the page, whatever the labels of their blocks become: an entry more or
// less may change the label of a block.

// noteFollowed stores how many entries the lists have that are followed.
func (m *Memory) noteFollowed(chosen, more []*list) {
	clear(m.followed)
	for _, all := range [][]*list{chosen, more} {
		for _, l := range all {
			if l.within && len(m.followed) < maxLists {
				m.followed[l.shape] = max(m.followed[l.shape], len(l.entries))
			}
		}
	}
}

// follows notes whether a list was chosen before, and whether it was followed at the previous check and would now lose more than
// a fifth of its entries by the labels of their blocks, although most of them are on the page.
func (m *Memory) follows(t *tree, l *list, g *region) {
	was := m.followed[l.shape]
	l.known = m.lists[l.shape] != nil
	inside, known := 0, 0
	for i := range l.entries {
		e := &l.entries[i]
		if t.inMain(l.records[i].first, e.Block) {
			inside++
		}
		if m.seen.facts[fact('t', sum(e.key), 0, whenever)] {
			known++
		}
	}
	l.followed = was > 0 && !g.chosen && inside*5 < was*4 && known*2 >= was
	l.within = l.followed || inside*5 >= len(l.entries)*4
}

// outside reports whether an entry is in a block of boilerplate, and its list was not followed before.
func (t *tree) outside(l *list, e *Entry) bool { return !l.followed && t.boilerplate(e.Block) }
