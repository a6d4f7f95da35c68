package feed

import (
	"regexp"
	"slices"

	"plat/plat"
)

// Filter selects the changes that a feed shows.
type Filter struct {
	Match   *regexp.Regexp // on title and text; nil: all
	Exclude *regexp.Regexp // nil: nothing is left out
	Kinds   []plat.Kind
	Labels  []plat.Label
	All     bool // include self-changes
}

// WithDefaults returns f with defaults for empty kinds or labels: the kinds that are news
// ([plat.Kind.News]) except other markup, and all labels except advertisements.
func (f Filter) WithDefaults() Filter {
	if len(f.Labels) == 0 {
		f.Labels = plat.Labels
		if !slices.Contains(f.Kinds, plat.Advertisement) {
			f.Labels = without(plat.Labels, plat.LabelAdvertisement)
		}
	}
	if len(f.Kinds) == 0 {
		f.Kinds = slices.DeleteFunc(slices.Clone(plat.Kinds), func(k plat.Kind) bool { return !k.News() || k == plat.Format })
		if slices.Contains(f.Labels, plat.LabelAdvertisement) {
			f.Kinds = append(f.Kinds, plat.Advertisement)
		}
	}
	return f
}

func without[T comparable](all []T, x T) []T {
	return slices.DeleteFunc(slices.Clone(all), func(y T) bool { return x == y })
}

// MayShow reports whether a version can have selected changes.
func (f *Filter) MayShow(v *plat.Version) bool {
	held := map[plat.Kind]int{}
	if f.All {
		held = plat.SuppressedKinds(v.SelfChanges)
	}
	return slices.ContainsFunc(f.Kinds, func(k plat.Kind) bool { return v.Changes[k]+held[k] > 0 })
}

// Unaffected reports whether a lineage has no selected change between two versions. Only a full
// comparison detects a moved block.
func (f *Filter) Unaffected(old, now *plat.Version, lineage int32) bool {
	if slices.Contains(f.Kinds, plat.Moved) && (now.Changes[plat.Moved] > 0 || f.All && plat.SuppressedKinds(now.SelfChanges)[plat.Moved] > 0) {
		return false
	}
	standing := func(v *plat.Version) []*plat.Block {
		var all []*plat.Block
		for i := range v.Blocks {
			if b := &v.Blocks[i]; b.Leaf() && b.Lineage == lineage {
				all = append(all, b)
			}
		}
		return all
	}
	return slices.EqualFunc(standing(old), standing(now), func(a, b *plat.Block) bool {
		return a.Hash == b.Hash && a.Lead == b.Lead && slices.Equal(a.Hidden, b.Hidden)
	})
}

// Wants reports whether the filter selects a change.
func (f *Filter) Wants(it *Change) bool {
	matches := func(re *regexp.Regexp) bool { return re.MatchString(it.Title) || re.MatchString(it.Text) }
	return (f.All || it.SelfChange == "") && slices.Contains(f.Kinds, it.Kind) && slices.Contains(f.Labels, it.Label) &&
		(f.Match == nil || matches(f.Match)) && (f.Exclude == nil || !matches(f.Exclude))
}
