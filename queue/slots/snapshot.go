package slots

import (
	"hash/fnv"
	"slices"
)

// Snapshot is the set of items, such as links, that a page has at one time: their hashes,
// ascending, each once. An empty one is a page without items.
type Snapshot []uint64

// NewSnapshot returns the set of some items. They are hashed to 64 bits: two of a million
// different items are confused once in 40 million sets.
func NewSnapshot(items ...string) Snapshot {
	s := make(Snapshot, 0, len(items))
	for _, item := range items {
		h := fnv.New64a()
		h.Write([]byte(item))
		s = append(s, h.Sum64())
	}
	slices.Sort(s)
	return slices.Compact(s)
}

// Similarity returns S of definition 9, from 0 to 1. Its formula 3 is missing; the Jaccard index
// is used: the share of the items of either that both have. Two empty snapshots are alike.
func Similarity(a, b Snapshot) float64 {
	both := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			both, i, j = both+1, i+1, j+1
		}
	}
	either := len(a) + len(b) - both
	if either == 0 {
		return 1
	}
	return float64(both) / float64(either)
}
