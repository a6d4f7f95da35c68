package diff

import (
	"bytes"
	"slices"

	"plat/plat"
)

// Side is one of the two versions of a comparison.
type Side struct {
	// Layout of the version. If both versions have the same layout, pass the same
	// pointer to both sides; it need not be loaded.
	Layout *plat.Layout

	// Blocks is the block tree in pre-order. Content and Text must be loaded for all
	// leaves of the new side, and for those leaves of the old side that Needed
	// returns.
	Blocks []plat.Block

	// Coverage of the version, see [plat.Page]; 0 if unknown.
	Coverage float64

	// Lineages is the highest lineage number assigned so far for the URL. Used only
	// on the old side.
	Lineages int32

	URL string // of the page itself; used only on the new side, by Show
}

// Result is the result of Compare.
type Result struct {
	plat.Changes

	// Old holds for every new block the index of the old block of the same lineage, -1 if there is no
	// such block. Leaves map to leaves, parent blocks to parent blocks; no old block occurs twice.
	Old []int32

	// Lineages is the highest lineage number assigned so far, to be stored with the
	// version.
	Lineages int32

	// Files are the images and style sheets with different bytes under the same URL, see Show.
	Files []File
}

// First numbers the lineages of a URL's first version, from 1 in block order, and
// returns the highest.
func First(blocks []plat.Block) int32 {
	for i := range blocks {
		blocks[i].Lineage, blocks[i].Base = int32(i+1), plat.Hash{}
	}
	return int32(len(blocks))
}

// Needed returns the hashes of the old leaves whose Content and Text Compare uses: those not in the
// new version with the same parts visible. Each is returned once, in block order; usually there are
// few.
//
// The text of a leaf depends on its Hidden list, so old leaves with the same hash each need their own
// Text.
func Needed(old, new []plat.Block) []plat.Hash {
	known := map[plat.Hash][]*plat.Block{}
	for i := range new {
		if b := &new[i]; b.Leaf() {
			known[b.Hash] = append(known[b.Hash], b)
		}
	}
	var need []plat.Hash
	named := map[plat.Hash]bool{}
	for i := range old {
		b := &old[i]
		if !b.Leaf() || named[b.Hash] {
			continue
		}
		if !slices.ContainsFunc(known[b.Hash], func(n *plat.Block) bool { return slices.Equal(n.Hidden, b.Hidden) && slices.Equal(n.Folded, b.Folded) }) {
			named[b.Hash] = true
			need = append(need, b.Hash)
		}
	}
	return need
}

// Compare determines the changes from the old to the new version. It sets Lineage and
// Base of the new blocks: aligned blocks share the lineage, the rest get the next free
// numbers; Base is the old content of the same lineage if the new content differs. The
// old side is not modified.
//
// Changes.Differs is formula 1: layouts byte for byte, and in every slot the sequence
// of leaves by content, preceding white space and visible parts. Blocks holds one
// entry per changed leaf: first those of the new version, in its order, then the
// removed ones, in the old order. The kinds:
//
//   - a pair of equal text is Moved if it left the common order (it is outside a
//     longest increasing subsequence of the pairs), or its slot under an
//     unchanged layout; else Volatile, Link, Image or Format, see [Markup], if
//     bytes differ; Link and Image also if it moved;
//   - a text difference in the layout is Invisible, because the layout shows no
//     text; it is Content if coverage is low and there is much of it;
//   - a pair with the same visible text is Content, with Folded set, if the folded
//     text differs, and Invisible if only the hidden text does;
//   - a pair of different text is Content, or Advertisement if both are labelled
//     so, except where only the alternative texts of images that failed make the
//     difference, or the text is only segmented differently (shift, see the
//     package comment): then it is Format;
//   - a leaf without a partner is Added or Removed, or Advertisement if labelled
//     so. If its text is only segmented differently it is Format, although Old or
//     New is -1: it has no lineage in common.
//
// So if the visible text of the page differs, word for word, at least one change is
// Added, Removed, Content, Moved or Advertisement, or Link or Image for a block that
// also moved. If it does not differ, no change is Content, and no leaf with text is
// Added or Removed.
//
// Images and style sheets are compared separately, see [OtherFiles] and Show.
//
// Time is approximately linear in leaves and text, see align.
func Compare(old, new Side) Result {
	low := func(s *Side) bool { return s.Coverage > 0 && s.Coverage < plat.LowCoverage }
	layout := layoutKind(old.Layout, new.Layout, low(&old) || low(&new))
	o, n := leaves(old.Blocks), leaves(new.Blocks)
	number(o, n)
	m := align(o, n)
	r := Result{Lineages: old.Lineages}
	r.Layout = layout
	r.Differs = layout != plat.Same || !sameSlots(o, n)
	r.Old = inner(old.Blocks, new.Blocks, o, n, m)
	r.lineages(old.Blocks, new.Blocks)
	r.Blocks = kinds(o, n, m, layout == plat.Same)
	return r
}

// lineages assigns lineages and bases along r.Old.
func (r *Result) lineages(old, new []plat.Block) {
	// A damaged high-water mark must not assign a number twice.
	for i := range old {
		r.Lineages = max(r.Lineages, old[i].Lineage)
	}
	for i, j := range r.Old {
		b := &new[i]
		b.Lineage, b.Base = 0, plat.Hash{}
		if j >= 0 {
			b.Lineage = old[j].Lineage
			if b.Leaf() && b.Hash != old[j].Hash {
				b.Base = old[j].Hash
			}
		}
		if b.Lineage == 0 {
			r.Lineages++
			b.Lineage = r.Lineages
		}
	}
}

// sameSlots evaluates formula 1 for blocks.
func sameSlots(old, new []*leaf) bool {
	return slices.EqualFunc(old, new, func(o, n *leaf) bool {
		return o.Slot == n.Slot && o.id == n.id && o.Lead == n.Lead
	})
}

// sameLayout evaluates formula 1 for layouts.
func sameLayout(a, b *plat.Layout) bool {
	if a == b {
		return true
	}
	return a != nil && b != nil && slices.Equal(a.Slots, b.Slots) && bytes.Equal(a.HTML, b.HTML)
}
