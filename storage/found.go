package storage

import (
	"slices"
	"time"

	"plat"
)

// ContentKey names a content in its lineage: the same content may stand in several.
type ContentKey struct {
	Lineage int32
	Hash    plat.Hash
}

// KeyOf is the key of a leaf's content.
func KeyOf(b *plat.Block) ContentKey { return ContentKey{b.Lineage, b.Hash} }

// NewIn returns what q asks for of the contents that are new in v, each once, in page
// order. since is what [Since] returned for v.
func (q *BlockQuery) NewIn(v *plat.Version, since []int32) []Found {
	seen := map[ContentKey]bool{}
	var out []Found
	for i := range v.Blocks {
		b := &v.Blocks[i]
		if !b.Leaf() || int(since[i]) != v.N || seen[KeyOf(b)] {
			continue
		}
		seen[KeyOf(b)] = true
		if f := (Found{URL: v.URL, N: v.N, Taken: v.Taken, Block: *b}); q.Match(&f) {
			out = append(out, f)
		}
	}
	return out
}

// StandingIn returns what q asks for of the blocks of v, those with the latest contents
// first. since is what [Since] returned for v, taken says when the versions were taken
// that it names.
func (q *BlockQuery) StandingIn(v *plat.Version, since []int32, taken func(n int32) time.Time) []Found {
	var out []Found
	for i := range v.Blocks {
		if !v.Blocks[i].Leaf() {
			continue
		}
		if f := (Found{URL: v.URL, N: int(since[i]), Taken: taken(since[i]), Block: v.Blocks[i]}); q.Match(&f) {
			out = append(out, f)
		}
	}
	slices.SortStableFunc(out, func(a, b Found) int { return b.N - a.N })
	return out
}
