package diff

import (
	"cmp"
	"encoding/binary"
	"slices"

	"plat/plat"
)

// leaf is a leaf block during a comparison.
type leaf struct {
	*plat.Block
	index int32 // in Blocks
	id    int32 // equal ids show equal text
	text  string
	known bool // text is the leaf's visible text; false if not loaded
	sk    *sketch
}

// leaves returns the leaves in reading order, the order of slots.
func leaves(blocks []plat.Block) []*leaf {
	all := make([]leaf, 0, len(blocks))
	for i := range blocks {
		if blocks[i].Leaf() {
			all = append(all, leaf{Block: &blocks[i], index: int32(i)})
		}
	}
	order := make([]*leaf, len(all))
	for i := range all {
		order[i] = &all[i]
	}
	slices.SortStableFunc(order, func(a, b *leaf) int {
		return cmp.Or(cmp.Compare(a.Slot, b.Slot), cmp.Compare(a.Pos, b.Pos))
	})
	return order
}

// number assigns ids to all leaves, and copies texts of new leaves to old ones of the
// same id, which need not be loaded.
func number(old, new []*leaf) {
	ids := map[string]*leaf{}
	var key []byte
	of := func(l *leaf) (*leaf, bool) {
		key = append(key[:0], l.Hash[:]...)
		for _, h := range l.Hidden {
			key = binary.AppendVarint(key, int64(h))
		}
		key = append(key, '/')
		for _, h := range l.Folded {
			key = binary.AppendVarint(key, int64(h))
		}
		first, ok := ids[string(key)]
		if !ok {
			l.id = int32(len(ids))
			ids[string(key)] = l
			return l, false
		}
		l.id = first.id
		return first, true
	}
	for _, l := range new {
		of(l)
		l.text, l.known = l.Text, l.Text != "" || l.TextLen == 0
	}
	for _, l := range old {
		first, ok := of(l)
		l.text, l.known = l.Text, l.Text != "" || l.TextLen == 0
		if ok && !l.known {
			l.text, l.known = first.text, first.known
		}
	}
}

// sameText reports whether two leaves show the same words in the same order. A leaf
// whose text was not loaded counts as different: a false change is better than a
// missed one.
func sameText(a, b *leaf) bool {
	if a.id == b.id {
		return true
	}
	return a.known && b.known && (a.text == b.text || sameWords([]*leaf{a}, []*leaf{b}))
}

// sameWords reports whether two sequences of leaves show the same words in the same
// order, regardless of their segmentation.
func sameWords(a, b []*leaf) bool {
	x, y := reader{rest: a}, reader{rest: b}
	for {
		v, okV := x.next()
		w, okW := y.next()
		if v != w || okV != okW || x.lost || y.lost {
			return false
		}
		if !okV {
			return true
		}
	}
}

// reader yields the words of a sequence of leaves.
type reader struct {
	rest []*leaf
	text string
	lost bool // a text was not loaded
}

func (r *reader) next() (string, bool) {
	for {
		w, rest := word(r.text)
		if w != "" {
			r.text = rest
			return w, true
		}
		if len(r.rest) == 0 {
			return "", false
		}
		r.text, r.lost = r.rest[0].text, r.lost || !r.rest[0].known
		r.rest = r.rest[1:]
	}
}
