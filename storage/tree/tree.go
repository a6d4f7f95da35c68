// Package tree encodes versions of a page, with their block trees, as differences to the version
// before. A block that is as it was takes no byte, one that changed some ten.
package tree

import (
	"fmt"

	"plat/plat"
	"plat/storage/wire"
)

// A Tree is a version with what a store knows of its blocks.
type Tree struct {
	plat.Version

	// Since[i] is the first version in which the lineage of Blocks[i] had its content; 0 for
	// parent blocks: see [storage.Since].
	Since []int32

	// Chain is the output of [Encode] for the chain up to this version, if the store keeps it: the
	// dictionary of the next.
	Chain []byte

	shapes []shape // of Blocks
}

type (
	writer struct{ wire.Writer }
	reader struct{ wire.Reader }
)

// An encoded tree is a difference to the previous version:
//
//	head    a mask of the fields of the version that differ, and these fields
//	blocks  their number; then, alternately, the number that follow as predicted, and one
//	        that does not: the block it resembles, a mask of the fields that differ, and these fields
//
// A block is predicted to follow the one that its predecessor resembles. Boxes are
// relative to the previous sibling, paths to the previous block, slots to the previous leaf, so
// that an insertion changes nothing below it. A block without a similar one is encoded as a
// difference to its predecessor in the same version.
//
// A version without a reference (a key version) starts a chain.

// KeyEvery is the length of a chain of versions: version 1, 1+KeyEvery, … are key versions. On the
// recorded histories 32 takes 2 to 4 percent more space than 64 and halves the time to read the last
// version of a chain.
const KeyEvery = 32

// KeyBefore returns the number of the last key version up to n.
func KeyBefore(n int) int { return (n-1)/KeyEvery*KeyEvery + 1 }

// Fields of the head, bits of its mask.
const (
	headLayout = 1 << iota
	headDuration
	headPageBytes
	headWireBytes
	headChanges
	headHeader
	headLineages
	headTitle
	headMeta
	headPicture
	headCoverage
	headStatus
	headLevel
	headAdjust
	headProfile
	headFinalURL
	headContentType
	headLanguage
	headBrowser
	headViewport
	headUnsettled // before format 4: toggles whether the page was captured at a limit
	headResources // since format 3
	headSettled   // since format 4
	headSteps     // since format 4
	headCoarse    // since format 5
	headItself    // since format 9
	headArticle   // since format 12
)

// maxBlocks exceeds the number of blocks of any page. It bounds the allocation for a damaged
// row.
const maxBlocks = 1 << 22

// Encode encodes t as a difference to prev, which may be nil. Taken is not encoded.
func Encode(t, prev *Tree) []byte {
	prev = reference(prev)
	w := &writer{wire.Writer{B: make([]byte, 0, 512)}}
	w.head(&t.Version, &prev.Version)
	w.blocks(t, prev)
	return w.B
}

// Decode decodes version n of url, encoded against the same prev. The caller sets Taken. The error
// is plat.ErrCorrupt for anything that Encode does not write.
func Decode(b []byte, url string, n int, prev *Tree) (*Tree, error) {
	prev = reference(prev)
	t := &Tree{Version: plat.Version{URL: url, N: n}}
	r := &reader{wire.Reader{B: b}}
	r.head(&t.Version, &prev.Version)
	r.blocks(t, prev)
	if len(r.B) > 0 {
		r.Fail("trailing bytes")
	}
	if r.Err != nil {
		return nil, fmt.Errorf("version %d of %s: %w", n, url, r.Err)
	}
	return t, nil
}

// reference returns prev, which may be nil, with shapes: a tree that was neither decoded nor encoded
// has none. It does not modify prev.
func reference(prev *Tree) *Tree {
	switch {
	case prev == nil:
		return &Tree{}
	case len(prev.shapes) == len(prev.Blocks):
		return prev
	}
	shaped := *prev
	Encode(&shaped, nil)
	return &shaped
}

func (w *writer) blocks(t, prev *Tree) {
	w.Uint(uint64(len(t.Blocks)))
	byLineage := make(map[int32]int, len(prev.Blocks))
	for i := len(prev.Blocks) - 1; i >= 0; i-- {
		if l := prev.Blocks[i].Lineage; l != 0 {
			byLineage[l] = i
		}
	}
	s := newShapeEncoder(t.Blocks)
	t.shapes = make([]shape, len(t.Blocks))
	next, run, fresh := 0, uint64(0), prev.Lineages
	var rec writer
	for i := range t.Blocks {
		b := &t.Blocks[i]
		j, fromPrevious := byLineage[b.Lineage]
		if b.Lineage == 0 {
			j, fromPrevious = similar(prev.Blocks, next, b)
		}
		m := predictorOf(t, prev, i, j, fromPrevious)
		t.shapes[i] = s.shape(i, m.block.Hash)
		rec.B = rec.B[:0]
		mask := rec.block(t, i, m, fresh)
		if fromPrevious && j == next && mask == 0 {
			run++
		} else {
			w.Uint(run)
			run = 0
			if fromPrevious {
				w.Uint(1 + wire.Zigzag(int64(j-next)))
			} else {
				w.Uint(0)
			}
			w.Uint(mask)
			w.B = append(w.B, rec.B...)
		}
		if fromPrevious {
			next = j + 1
		}
		fresh = max(fresh, b.Lineage)
		s.past(i)
	}
	if run > 0 {
		w.Uint(run)
	}
}

// similar finds a block without lineage that resembles b, at blocks[from] or up to 15
// after it.
func similar(blocks []plat.Block, from int, b *plat.Block) (int, bool) {
	for j := from; j < min(from+16, len(blocks)); j++ {
		p := &blocks[j]
		if p.Lineage == 0 && p.Leaf() == b.Leaf() && p.Tag == b.Tag && p.Level == b.Level && p.Rule == b.Rule {
			return j, true
		}
	}
	return 0, false
}

func (r *reader) blocks(t, prev *Tree) {
	n := r.Uint()
	if n > maxBlocks {
		r.Fail("too many blocks")
	}
	s := newShapeEncoder(nil)
	next, fresh := 0, prev.Lineages
	add := func(m predictor, explicit bool) {
		i := len(t.Blocks)
		t.Blocks = append(t.Blocks, *m.block)
		t.shapes = append(t.shapes, *m.shape)
		t.Since = append(t.Since, 0)
		s.blocks = t.Blocks
		var mask uint64
		if explicit {
			mask = r.Uint()
		}
		r.block(t, s, i, m, mask, fresh)
		fresh = max(fresh, t.Blocks[i].Lineage)
		s.past(i)
	}
	for uint64(len(t.Blocks)) < n && r.Err == nil {
		run := r.Uint()
		if run > n-uint64(len(t.Blocks)) || run > uint64(len(prev.Blocks)-next) {
			r.Fail("too many predicted blocks")
			break
		}
		for range run {
			add(predictorOf(t, prev, len(t.Blocks), next, true), false)
			next++
		}
		if uint64(len(t.Blocks)) == n {
			break
		}
		code := r.Uint()
		if code == 0 {
			add(predictorOf(t, prev, len(t.Blocks), 0, false), true)
			continue
		}
		j := int64(next) + wire.Unzigzag(code-1)
		if j < 0 || j >= int64(len(prev.Blocks)) {
			r.Fail("reference to an unknown block")
			break
		}
		add(predictorOf(t, prev, len(t.Blocks), int(j), true), true)
		next = int(j) + 1
	}
}
