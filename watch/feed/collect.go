package feed

import (
	"context"
	"iter"
	"slices"

	"plat/plat"
	"plat/storage/history"
)

// Limits of the versions that are read for a feed.
const (
	maxVersions = 500 // latest versions of a URL that are searched for changes
	maxCompared = 60  // versions that are compared
)

// Source provides the versions and changes of a page.
type Source interface {
	Trees(ctx context.Context, url string, from, to int) iter.Seq2[*plat.Version, error]
	Compared(ctx context.Context, url string, old, now int) (*history.Diff, error)
}

// Collect sets the entries of a feed: at most limit of the selected changes of a URL, or of one
// lineage if that is not 0, latest first. Self-changes that are left out are counted in
// Suppressed. Versions that cannot contain a selected change are not compared.
func (f *Feed) Collect(ctx context.Context, from Source, url string, lineage int32, head int, filter *Filter, limit int, at Pages) error {
	const window = 20
	compared := 0
	for to := head; to > 1 && to > head-maxVersions; to -= window {
		var trees []*plat.Version
		for v, err := range from.Trees(ctx, url, max(1, to-window), to) {
			if err != nil {
				return err
			}
			trees = append(trees, v)
		}
		for i := len(trees) - 1; i > 0; i-- {
			old, now := trees[i-1], trees[i]
			f.Suppressed += filter.heldBack(now, lineage)
			if !filter.MayShow(now) || lineage > 0 && filter.Unaffected(old, now, lineage) {
				continue
			}
			if compared++; compared > maxCompared {
				return nil
			}
			d, err := from.Compared(ctx, url, old.N, now.N)
			if err != nil {
				return err
			}
			for _, it := range Changes(d, lineage, at) {
				if err := ctx.Err(); err != nil {
					return err // matching a long text takes seconds
				}
				if filter.Wants(&it) {
					f.Entries = append(f.Entries, it.Entry)
				}
				if len(f.Entries) == limit {
					return nil
				}
			}
		}
	}
	return nil
}

// heldBack counts the self-changes of a version that the filter leaves out only because All is
// not set.
func (f *Filter) heldBack(v *plat.Version, lineage int32) (n int) {
	for _, own := range v.SelfChanges {
		if !f.All && slices.Contains(f.Kinds, own.Kind) && (lineage == 0 || lineage == own.Lineage) {
			n++
		}
	}
	return n
}
