package web

import (
	"regexp"
	"slices"
	"strings"

	"plat"
)

// feedAsk says which changes a feed shows.
type feedAsk struct {
	limit     int
	filter    *regexp.Regexp // on title and text; nil takes all
	filterout *regexp.Regexp // nil leaves nothing out
	kinds     []plat.Kind
	labels    []plat.Label
}

// readFeedAsk reads the parameters of a feed that select its items. Without kinds
// or labels, what nobody waits for is left out: volatile changes, hidden text and
// advertisements.
func readFeedAsk(p *params) *feedAsk {
	a := &feedAsk{limit: p.limit(), filter: p.pattern("filter"), filterout: p.pattern("filterout")}
	a.kinds = several(p, "kinds", plat.Kinds)
	a.labels = several(p, "labels", plat.Labels)
	if len(a.labels) == 0 {
		a.labels = plat.Labels
		if !slices.Contains(a.kinds, plat.Advertisement) {
			a.labels = without(plat.Labels, plat.LabelAdvertisement)
		}
	}
	if len(a.kinds) == 0 {
		a.kinds = without(without(plat.Kinds, plat.Volatile), plat.Invisible)
		if !slices.Contains(a.labels, plat.LabelAdvertisement) {
			a.kinds = without(a.kinds, plat.Advertisement)
		}
	}
	return a
}

func without[T comparable](all []T, x T) []T {
	return slices.DeleteFunc(slices.Clone(all), func(y T) bool { return x == y })
}

// several are names, separated by commas, that are all among those there are.
func several[T ~string](p *params, name string, all []T) []T {
	var some []T
	for v := range strings.SplitSeq(p.query.Get(name), ",") {
		if v = strings.TrimSpace(v); v != "" {
			some = append(some, one(p, name, v, all))
		}
	}
	return some
}

// pattern is a regular expression, nil if it is not given. Those of Go take time
// linear in what they are matched with.
func (p *params) pattern(name string) *regexp.Regexp {
	v := p.text(name, maxPattern)
	if v == "" {
		return nil
	}
	re, err := regexp.Compile(v)
	if err != nil {
		p.fail("%s: %s", name, err)
	}
	return re
}

// mayShow reports whether a version with so many changes of each kind can have any
// that are asked for.
func (a *feedAsk) mayShow(n map[plat.Kind]int) bool {
	return slices.ContainsFunc(a.kinds, func(k plat.Kind) bool { return n[k] > 0 })
}

// stays reports whether nothing that is asked for became of a lineage between two
// versions. That a block was moved is seen only when all are compared.
func (a *feedAsk) stays(old, now *plat.Version, lineage int32) bool {
	if now.Changes[plat.Moved] > 0 && slices.Contains(a.kinds, plat.Moved) {
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

func (a *feedAsk) wants(it *feedItem) bool {
	matches := func(re *regexp.Regexp) bool { return re.MatchString(it.Title) || re.MatchString(it.Text) }
	return slices.Contains(a.kinds, it.Kind) && slices.Contains(a.labels, it.Label) &&
		(a.filter == nil || matches(a.filter)) && (a.filterout == nil || !matches(a.filterout))
}
