package workers

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"plat/diff"
	"plat/plat"
	"plat/storage/history"
)

const (
	// learnEvery is the number of versions between two runs, and learnFrom the number
	// of versions examined. Fewer than leastSeen changes of a block prove nothing.
	learnEvery = 8
	learnFrom  = 16
	leastSeen  = 6

	// Siblings are merged if all of them changed in at least the share together of
	// their changes. A block is split if it changed in at least the share often of
	// versions, each time in less than the share small of its words.
	together = 0.9
	often    = 0.75
	small    = 0.2
)

// versionReader is the part of a store that is read.
type versionReader interface {
	Version(ctx context.Context, url string, n int) (*plat.Version, error)
	Contents(ctx context.Context, hashes []plat.Hash) ([][]byte, error)
}

// learnLevel learns from a page's history where its blocks are too fine or too coarse: the level
// manager of BWAP (sections 2.4, 2.5, 3.1 and 5). Siblings that nearly always change together are merged
// into one block; a block that often changes, each time only in a small part, is split. It returns the adjustments of the segmentation level for the version of a URL after v,
// its last one.
func learnLevel(ctx context.Context, s versionReader, v *plat.Version) ([]plat.Adjust, error) {
	if v.N < learnEvery || v.N%learnEvery != 0 {
		return v.Adjust, nil
	}
	history := []*plat.Version{v}
	for n := v.N - 1; n > 0 && n > v.N-learnFrom; n-- {
		old, err := s.Version(ctx, v.URL, n)
		if errors.Is(err, plat.ErrNotFound) {
			break
		}
		if err != nil {
			return nil, err
		}
		if old.Level != v.Level || !sameLevel(old.Adjust, v.Adjust) {
			break // segmented with other parameters: not comparable
		}
		history = append(history, old)
	}
	slices.Reverse(history)
	if len(history) <= leastSeen {
		return v.Adjust, nil
	}
	// Drop adjustments whose blocks no longer exist, for example after a redesign.
	out := slices.DeleteFunc(slices.Clone(v.Adjust), func(a plat.Adjust) bool {
		return !slices.ContainsFunc(v.Blocks, func(b plat.Block) bool { return slices.Equal(a.Path, b.Path) })
	})
	for _, path := range families(history) {
		out = put(out, plat.Adjust{Path: path})
	}
	for _, b := range frequent(history) {
		if slices.ContainsFunc(out, func(a plat.Adjust) bool { return !a.Split && within(b.Path, a.Path) }) {
			continue // part of a merged block
		}
		part, err := smallParts(ctx, s, history, b.Lineage)
		if err != nil {
			return nil, err
		}
		if part {
			out = put(out, plat.Adjust{Path: b.Path, Split: true})
		}
	}
	return out, nil
}

// within reports whether a path is equal to outer or below it.
func within(path, outer []int32) bool {
	return len(path) >= len(outer) && slices.Equal(path[:len(outer)], outer)
}

// put adds an adjustment. A split block may later be merged; a merged one is never
// split again, because its history no longer shows its parts. So no place changes
// more than twice, and adjustments never oscillate.
func put(list []plat.Adjust, a plat.Adjust) []plat.Adjust {
	for i := range list {
		if slices.Equal(list[i].Path, a.Path) {
			list[i].Split = list[i].Split && a.Split
			return list
		}
	}
	return append(list, a)
}

// sameLevel reports whether two lists of adjustments are the same.
func sameLevel(a, b []plat.Adjust) bool {
	return slices.EqualFunc(a, b, func(x, y plat.Adjust) bool { return x.Split == y.Split && slices.Equal(x.Path, y.Path) })
}

// families returns the paths of parent blocks whose children are all leaves that
// nearly always changed together.
func families(history []*plat.Version) [][]int32 {
	type count struct {
		path        []int32
		seen, whole int
	}
	counts := map[string]*count{}
	var order []*count
	for i := 1; i < len(history); i++ {
		old := byLineage(history[i-1])
		now := history[i].Blocks
		kids := make([]struct{ all, leaves, changed int }, len(now))
		for j := range now {
			p := now[j].Parent
			if p <= 0 {
				continue // the page itself is never merged
			}
			kids[p].all++
			if now[j].Leaf() {
				kids[p].leaves++
				if h, ok := old[now[j].Lineage]; !ok || h != now[j].Hash {
					kids[p].changed++
				}
			}
		}
		for j := range kids {
			k := kids[j]
			if k.all < 2 || k.leaves != k.all || k.changed == 0 {
				continue
			}
			if slices.Equal(now[j].Path, now[j+1].Path) {
				continue // a run has the path of its first part
			}
			key := fmt.Sprint(now[j].Path)
			c := counts[key]
			if c == nil {
				c = &count{path: now[j].Path}
				counts[key] = c
				order = append(order, c)
			}
			c.seen++
			if k.changed == k.all {
				c.whole++
			}
		}
	}
	var out [][]int32
	for _, c := range order {
		if c.seen >= leastSeen && float64(c.whole) >= together*float64(c.seen) {
			out = append(out, c.path)
		}
	}
	return out
}

func byLineage(v *plat.Version) map[int32]plat.Hash {
	m := make(map[int32]plat.Hash, len(v.Blocks))
	for i := range v.Blocks {
		if b := &v.Blocks[i]; b.Leaf() {
			m[b.Lineage] = b.Hash
		}
	}
	return m
}

// frequent returns the leaves of the last version that changed in most versions.
func frequent(history []*plat.Version) []*plat.Block {
	changes := map[int32]int{}
	for i := 1; i < len(history); i++ {
		old := byLineage(history[i-1])
		for l, h := range byLineage(history[i]) {
			if was, ok := old[l]; ok && was != h {
				changes[l]++
			}
		}
	}
	var out []*plat.Block
	last := history[len(history)-1]
	for i := range last.Blocks {
		b := &last.Blocks[i]
		if n := changes[b.Lineage]; b.Leaf() && n >= leastSeen && float64(n) >= often*float64(len(history)-1) {
			out = append(out, b)
		}
	}
	return out
}

// smallParts reports whether every change of a lineage's leaf concerned a small share
// of its words.
func smallParts(ctx context.Context, s versionReader, past []*plat.Version, lineage int32) (bool, error) {
	var last *plat.Block
	for _, v := range past {
		i := slices.IndexFunc(v.Blocks, func(b plat.Block) bool { return b.Leaf() && b.Lineage == lineage })
		if i < 0 {
			continue
		}
		b := []plat.Block{v.Blocks[i]}
		if err := history.Load(ctx, s, b, []plat.Hash{b[0].Hash}); err != nil {
			return false, err
		}
		if last != nil && last.Hash != b[0].Hash && changedShare(last.Text, b[0].Text) > small {
			return false, nil
		}
		last = &b[0]
	}
	return true, nil
}

// changedShare is the share of two texts, by length, that differs.
func changedShare(a, b string) float64 {
	if len(a)+len(b) == 0 {
		return 0
	}
	n := 0
	for _, s := range diff.Words(a, b) {
		if s.Op != diff.Equal {
			n += len(s.Text)
		}
	}
	return float64(n) / float64(len(a)+len(b))
}
