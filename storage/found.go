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
	if q.SkipFirst && v.Oldest {
		return nil
	}
	seen := map[ContentKey]bool{}
	var out []Found
	for i := range v.Blocks {
		b := &v.Blocks[i]
		if !b.Leaf() || int(since[i]) != v.N || seen[KeyOf(b)] {
			continue
		}
		seen[KeyOf(b)] = true
		f := foundIn(v, b)
		if q.Match(&f) {
			out = append(out, f)
		}
	}
	return out
}

// foundIn returns a block with which something began or ended in v.
func foundIn(v *plat.Version, b *plat.Block) Found {
	f := Found{URL: v.URL, N: v.N, Taken: v.Taken, Block: WithoutBase(b)}
	if own := plat.SelfChangeOf(v.SelfChanges, b.Lineage); own.Suppressed() {
		f.SelfChange = own.Why
	}
	return f
}

// Began returns how a content that the version before did not have began in its lineage: [First] in the
// oldest version, [plat.Added] if the lineage was not there, else the kind of change, [Unrecorded] if that
// was not stored.
func Began(b *plat.Block, oldest bool, wasThere func() bool) plat.Kind {
	switch {
	case oldest:
		return First
	case b.Change != "" && b.Change != plat.Moved:
		return b.Change
	case wasThere():
		return Unrecorded
	}
	return plat.Added
}

// ChangesIn returns the changes of v against prev, the version before, that match q: contents that begin,
// in page order, then removed blocks in the order of prev, each content of a lineage once. prev is nil if v
// is the oldest kept version.
func (q *BlockQuery) ChangesIn(v, prev *plat.Version) []Found {
	if prev == nil && q.SkipFirst {
		return nil
	}
	is, was, before := KeysOf(v.Blocks), map[ContentKey]bool{}, map[int32]*plat.Block{}
	if prev != nil {
		was, before = KeysOf(prev.Blocks), lineagesOf(prev, is)
	}
	var out []Found
	add := func(b *plat.Block, kind plat.Kind) {
		f := foundIn(v, b)
		f.Change = &BlockChange{Kind: kind}
		if prev != nil {
			f.Change.N, f.Change.Took = prev.N, prev.Taken
		}
		if kind == plat.Removed {
			f.Change.Old = &f.Block
		} else if old := before[b.Lineage]; old != nil {
			bare := WithoutBase(old)
			f.Change.Old = &bare
		}
		if q.Match(&f) {
			out = append(out, f)
		}
	}
	there := map[int32]bool{} // lineages of v
	for i := range v.Blocks {
		b := &v.Blocks[i]
		if !b.Leaf() {
			continue
		}
		there[b.Lineage] = true
		if k := KeyOf(b); !was[k] {
			was[k] = true
			add(b, Began(b, prev == nil, func() bool { return before[b.Lineage] != nil }))
		}
	}
	if prev == nil {
		return out
	}
	for i := range prev.Blocks {
		b := &prev.Blocks[i]
		if k := KeyOf(b); b.Leaf() && !there[b.Lineage] && !is[k] {
			is[k] = true
			add(b, plat.Removed)
		}
	}
	return out
}

// lineagesOf returns a leaf of v for each lineage: if several have it, one whose content is not in kept.
func lineagesOf(v *plat.Version, kept map[ContentKey]bool) map[int32]*plat.Block {
	all := map[int32]*plat.Block{}
	for i := range v.Blocks {
		b := &v.Blocks[i]
		if first := all[b.Lineage]; b.Leaf() && (first == nil || kept[KeyOf(first)] && !kept[KeyOf(b)]) {
			all[b.Lineage] = b
		}
	}
	return all
}

// SkipOldest drops what is in the oldest kept version of a URL, if q says so.
func (q *BlockQuery) SkipOldest(found []Found, oldest int) []Found {
	if !q.SkipFirst {
		return found
	}
	return slices.DeleteFunc(found, func(f Found) bool { return f.N <= oldest })
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
