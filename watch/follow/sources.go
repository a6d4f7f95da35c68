package follow

import (
	"plat/watch"
)

// sources are the memories of the page and the feeds of a subscription, without the one that is examined.
type sources []*watch.Memory

// others returns the memories of the other sources of a subscription with feeds.
func (x *examiner) others(i int) (all sources, err error) {
	if len(x.s.Feeds) == 0 || x.Following.Pages[i].Depth > 1 {
		return nil, nil
	}
	for k := range x.Following.Pages {
		p := &x.Following.Pages[k]
		if k == i || p.Depth > 1 || len(p.Memory) == 0 {
			continue
		}
		m := watch.New()
		if err := m.UnmarshalBinary(p.Memory); err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	return all, nil
}

// have reports whether a source has had an entry of the examined one, whose memory is own: what is in a feed and on the page is
// one item.
func (s sources) have(e *watch.Entry, own *watch.Memory) bool {
	for _, m := range s {
		if m.Has(e, own) {
			return true
		}
	}
	return false
}
