package storage

import (
	"slices"
	"time"

	"plat/plat"
)

// ContentKey identifies a content in its lineage; several lineages may share a
// content.
type ContentKey struct {
	Lineage int32
	Hash    plat.Hash
}

// KeyOf returns the key of a leaf's content.
func KeyOf(b *plat.Block) ContentKey { return ContentKey{b.Lineage, b.Hash} }

// KeysOf returns the keys of the leaf blocks.
func KeysOf(blocks []plat.Block) map[ContentKey]bool {
	keys := make(map[ContentKey]bool, len(blocks))
	for i := range blocks {
		if b := &blocks[i]; b.Leaf() {
			keys[KeyOf(b)] = true
		}
	}
	return keys
}

// NewIn returns the contents new in v that match q, each once, in page order. since
// is the result of [Since] for v.
func (q *BlockQuery) NewIn(v *plat.Version, since []int32) []Found {
	seen := map[ContentKey]bool{}
	var out []Found
	for i := range v.Blocks {
		b := &v.Blocks[i]
		if !b.Leaf() || int(since[i]) != v.N || seen[KeyOf(b)] {
			continue
		}
		seen[KeyOf(b)] = true
		f := Found{URL: v.URL, N: v.N, Taken: v.Taken, Block: WithoutBase(b)}
		if own := plat.SelfChangeOf(v.SelfChanges, b.Lineage); own.Suppressed() {
			f.SelfChange = own.Why
		}
		if q.Match(&f) {
			out = append(out, f)
		}
	}
	return out
}

// StandingIn returns the blocks of v that match q, latest contents first. since is
// the result of [Since] for v; taken returns when a version listed there was taken.
func (q *BlockQuery) StandingIn(v *plat.Version, since []int32, taken func(n int32) time.Time) []Found {
	var out []Found
	for i := range v.Blocks {
		if !v.Blocks[i].Leaf() {
			continue
		}
		if f := (Found{URL: v.URL, N: int(since[i]), Taken: taken(since[i]), Block: WithoutBase(&v.Blocks[i])}); q.Match(&f) {
			out = append(out, f)
		}
	}
	slices.SortStableFunc(out, func(a, b Found) int { return b.N - a.N })
	return out
}
