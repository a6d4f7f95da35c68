package watch

import (
	"fmt"
	"slices"
)

// Reasons for a page without a list of news. plat reports only additions to its other lists until the reader chooses a list.
const (
	NoList   = "no list of the page is surely one of news"
	Restless = "the only list of the page has other entries at every visit"
)

// earlier are these reasons as archives from before 2026-12 store them.
var earlier = []string{"no list was found on the page", "the only list on the page has other entries at every visit"}

// gone is the reason while a page that had a list has none.
const gone = "its list is gone"

// Undecided reports whether a reason means that the reader has to choose what to watch. With any other reason, a page that
// was watched before is broken.
func Undecided(broken string) bool {
	return broken == NoList || broken == Restless || slices.Contains(earlier, broken)
}

// broken returns the reason why a check cannot report entries of lists of news: there is no such list, or most of
// its entries are gone. If it stays so at the next check, the page is accepted as it is. A feed may be empty.
func (m *Memory) broken(lists []*list, feed bool) string {
	n := entries(lists)
	was := m.entries
	switch {
	case n == 0 && was == 0 && feed:
		return ""
	case n == 0 && was == 0 && m.listed:
		return gone
	case n == 0 && was == 0:
		return NoList
	case n > 0 && n*4 >= was, m.doubts > 0:
		m.doubts, m.entries, m.listed = 0, n, true
		if n == 0 && !feed {
			return gone
		}
		return ""
	case n == 0:
		m.doubts++
		return fmt.Sprintf("the list of %d entries is gone", was)
	}
	m.doubts++
	return fmt.Sprintf("of %d entries only %d are left", was, n)
}

func entries(lists []*list) int {
	n := 0
	for _, l := range lists {
		n += len(l.entries)
	}
	return n
}

// restless reports whether no list reports its entries any more, see [Memory.vote].
func (m *Memory) restless(lists []*list) bool {
	return len(lists) > 0 && !slices.ContainsFunc(lists, func(l *list) bool {
		k := m.lists[l.shape]
		return k == nil || k.churn <= maxChurn || l.class > linking
	})
}
