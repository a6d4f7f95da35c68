package watch

import (
	"golang.org/x/net/html/atom"

	"plat/plat/calendar"
)

// Entries may share a title: the minutes of every meeting, the builds of a branch, the same job in several places. They differ
// by their dates, addresses or further texts.

// leastApart is the minimum share of the entries of one title that dates, addresses or further texts tell apart.
const leastApart = .7

// identity has the values by which entries of one title may differ.
type identity struct {
	key, url string
	date     calendar.Day
	extra    uint64
}

// apart returns the share of the entries, of those that pass, that differ by title, address, date or further texts.
func (l *list) apart(passes func(i int) bool) float64 {
	all, n := map[identity]bool{}, 0
	for i := range l.entries {
		if !passes(i) {
			continue
		}
		e := &l.entries[i]
		is := identity{key: e.key, date: e.Dated, extra: e.extra}
		if !e.own {
			is.url = urlKey(e.URL)
		}
		all[is] = true
		n++
	}
	return float64(len(all)) / float64(max(n, 1))
}

// weaken drops the classes of the entries of a list whose titles are alike: only articles and dated entries are items in spite of
// it, if they differ otherwise and follow one another. Texts such as "Updated on 3 May" that are all over a page are none. In a
// chosen block all classes are. A list that was chosen before remains one.
func (l *list) weaken(t *tree, classes []class, chosen bool) {
	distinct := l.distinct(keyOf)
	if distinct >= .5 {
		return
	}
	least := dated
	if chosen {
		least = row
	}
	strong := func(i int) bool { return classes[i] >= least }
	differ := l.apart(strong) >= leastApart && (chosen || t.inRow(l))
	if differ && distinct > 0 {
		l.score *= l.apart(strong) / distinct // the titles have lowered it
	}
	if l.known {
		return
	}
	for i := range classes {
		if !differ || !strong(i) {
			classes[i] = none
		}
	}
}

// inRow reports whether most entries of a list follow its previous entry, with nothing in between.
func (t *tree) inRow(l *list) bool {
	follow := 0
	for i := 1; i < len(l.records); i++ {
		last, r := l.records[i-1], l.records[i]
		bare := t.nodes[last.first].parent == t.nodes[r.first].parent
		for c := last.end; bare && c < r.first; c = t.nodes[c].end {
			tag := t.nodes[c].tag
			bare = tag == atom.Br || tag == atom.Hr || t.totals[t.nodes[c].end].text == t.totals[c].text
		}
		if bare {
			follow++
		}
	}
	return 2*follow >= len(l.records)-1
}

// company says which values an entry shares with further entries of its page.
type company struct {
	address bool // they have the same address and different titles
	title   bool // they are in its list and have the same title
	apart   bool // they are in its list and have the same title and address, and different dates or identifiers
}

// companies returns the company of each entry of the lists of a page.
func companies(lists []*list) func(l *list, e *Entry) company {
	titles := map[string]map[string]bool{} // by address
	named := make(map[*list]map[string]int, len(lists))
	type called struct {
		in       *list
		url, key string
	}
	const several = "several"
	marks := map[called]string{}
	for _, l := range lists {
		named[l] = map[string]int{}
		for i := range l.entries {
			e := &l.entries[i]
			u := urlKey(e.URL)
			if titles[u] == nil {
				titles[u] = map[string]bool{}
			}
			titles[u][e.key] = true
			named[l][e.key]++
			if at := (called{l, u, e.key}); e.Dated.OK() || e.id != "" {
				mark := e.Dated.String() + " " + e.id
				if earlier, ok := marks[at]; ok && earlier != mark {
					mark = several
				}
				marks[at] = mark
			}
		}
	}
	return func(l *list, e *Entry) company {
		u := urlKey(e.URL)
		return company{len(titles[u]) > 1, named[l][e.key] > 1, marks[called{l, u, e.key}] == several}
	}
}
