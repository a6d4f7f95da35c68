package forecast

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"plat/plat"
)

// Block counts the changes of a block of the last version. Its JSON is part of the interface.
type Block struct {
	Lineage int32      `json:"lineage"`
	Label   plat.Label `json:"label"`
	Topic   string     `json:"topic"`
	Changed int        `json:"changed"`    // versions in which the content differed from the previous one
	Of      int        `json:"of"`         // versions since the block's last gap, without the first of them
	Every   float64    `json:"every_days"` // time from one change to the next, on average over those versions
}

// Share returns the part of versions that had changed the block, in percent.
func (b Block) Share() int { return 100 * b.Changed / max(1, b.Of) }

// MaxVersions is the number of versions that [Blocks] reads: old changes of a block say little
// about its rate today, and reading all trees of a long history takes seconds.
const MaxVersions = 100

// Blocks returns the blocks of the last version, head, that have changed in one of the versions
// before, those that change most first, at most most. Self-changes, such as those of a clock, do
// not count.
func Blocks(ctx context.Context, store interface {
	Trees(ctx context.Context, url string, from, to int) iter.Seq2[*plat.Version, error]
}, url string, head, most int) ([]Block, error) {
	type lineage struct {
		has          map[plat.Hash]bool
		days         float64
		changed, all int
	}
	var before, now map[int32]*lineage // by number
	var last *plat.Version
	for v, err := range store.Trees(ctx, url, max(1, head-MaxVersions), head) {
		if err != nil {
			return nil, err
		}
		before, now = now, map[int32]*lineage{}
		for i := range v.Blocks {
			b := &v.Blocks[i]
			if !b.Leaf() {
				continue
			}
			l := now[b.Lineage]
			if l == nil {
				l = &lineage{has: map[plat.Hash]bool{}}
				now[b.Lineage] = l
			}
			l.has[b.Hash] = true
		}
		for n, l := range now {
			was := before[n]
			if was == nil {
				continue
			}
			l.all, l.changed, l.days = was.all+1, was.changed, was.days+v.Taken.Sub(last.Taken).Hours()/24
			if !plat.SelfChangeOf(v.SelfChanges, n).Suppressed() && !within(l.has, was.has) {
				l.changed++
			}
		}
		last = v
	}
	if last == nil {
		return nil, nil
	}
	all := []Block{}
	for i := range last.Blocks {
		b := &last.Blocks[i]
		if l := now[b.Lineage]; b.Leaf() && l.changed > 0 {
			all = append(all, Block{b.Lineage, b.Label, b.Topic, l.changed, l.all, l.days / float64(l.changed)})
			l.changed = 0 // several blocks may have the lineage
		}
	}
	slices.SortStableFunc(all, func(a, b Block) int { return cmp.Or(b.Changed-a.Changed, a.Of-b.Of) })
	return all[:min(most, len(all))], nil
}

// within reports whether all of a is in b.
func within(a, b map[plat.Hash]bool) bool {
	for h := range a {
		if !b[h] {
			return false
		}
	}
	return true
}
