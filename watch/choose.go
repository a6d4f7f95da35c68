package watch

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"golang.org/x/net/html/atom"

	"plat/plat"
)

// class is the kind of evidence that an entry is an item, from weak to strong.
type class uint8

const (
	none    class = iota
	further       // an entry of some other list of the main part, see further.go
	plain         // a short text in a list that is most of the page's main part
	row           // a row of a table
	linking       // it begins with its link, or its only link has the text that most entries use ("Read more")
	dated         // it has a date or a version and links, or a date apart from its text
	article       // its own title, and its own date, version or address
)

// least is the minimum number of entries of a class that make a list.
var least = map[class]int{article: 2, dated: 3, linking: 5, row: 5, plain: 4}

func (c class) String() string {
	return [...]string{"nothing", "texts", "texts", "rows", "links", "dated entries", "articles"}[c]
}

// maxWork limits how often a node is examined, on average over a page: once for each enclosing
// element that may be an entry. Real pages need about 20.
const maxWork = 60

// maxEntries limits the entries of chosen lists, and separately those of the other candidates,
// so that the memory has room for both.
const maxEntries = maxMarks / 2

// maxRecords limits the records that are read, over all candidates.
const maxRecords = 60_000

// choose returns the lists whose entries are items. Chosen lists do not nest. others holds the
// entries of all candidates, without their addresses.
func (t *tree) choose(g *region, m *Memory) (chosen, more []*list, others []mark) {
	all := t.lists()
	work, records := maxWork*len(t.nodes), maxRecords
	var plains []*list
	for _, l := range all {
		l.records = l.records[:min(len(l.records), maxEntries, records)]
		records -= len(l.records)
		for _, r := range l.records {
			work -= int(r.end - r.first)
		}
		if work < 0 {
			l.records = nil // a page made to be slow
		}
		t.fill(l)
		for i := range l.entries {
			if e := &l.entries[i]; e.words < 30 && len(others) < maxEntries {
				others = append(others, mark{title: sum(e.key), date: e.Dated, version: sum(e.version)})
			}
		}
		m.follows(t, l, g)
		l.weigh(t)
		if p := t.plain(l, g); p != nil {
			plains = append(plains, p)
		}
		if f := t.further(l, g); f != nil {
			more = append(more, f)
		}
		l.class = t.qualify(l, g)
	}
	if !slices.ContainsFunc(all, func(l *list) bool { return l.class > none }) {
		for _, l := range all {
			l.class = t.left(l, g)
		}
	}
	all = append(all, t.composed(plains)...)
	if !slices.ContainsFunc(all, func(l *list) bool { return l.class > none && !l.few }) {
		if most := t.most(plains); most != nil {
			all = most
		}
	}
	slices.SortStableFunc(all, func(a, b *list) int { return cmp.Or(cmp.Compare(b.class, a.class), cmp.Compare(b.score, a.score)) })
	inside := make([]bool, len(t.nodes)) // nodes of an item
	around := make([]bool, len(t.nodes)) // the first node of an item and its ancestors
	left := maxEntries
	for _, l := range all {
		if l.class == none {
			break
		}
		free := func(r record) bool { return !inside[r.first] && !slices.Contains(around[r.first:r.end], true) }
		l.keep(func(i int) bool { return i < left })
		if l.keep(func(i int) bool { return free(l.records[i]) }); len(l.records) == 0 {
			continue
		}
		chosen = append(chosen, l)
		left -= len(l.records)
		for _, r := range l.records {
			for k := r.first; k < r.end; k++ {
				inside[k] = true
			}
			for k := r.first; k >= 0 && !around[k]; k = t.nodes[k].parent {
				around[k] = true
			}
		}
	}
	slices.SortStableFunc(chosen, func(a, b *list) int { return cmp.Compare(a.records[0].first, b.records[0].first) })
	return chosen, t.apart(more, chosen), others
}

// keep drops the records for which keep is false.
func (l *list) keep(keep func(i int) bool) {
	n := 0
	for i := range l.records {
		if keep(i) {
			l.records[n], l.entries[n] = l.records[i], l.entries[i]
			n++
		}
	}
	l.records, l.entries = l.records[:n], l.entries[:n]
}

// fill reads the entries of a list's records, and drops records without a title.
func (t *tree) fill(l *list) {
	l.entries = make([]Entry, len(l.records))
	ok := make([]bool, len(l.records))
	for i, r := range l.records {
		l.entries[i], ok[i] = t.entry(r)
	}
	l.keep(func(i int) bool { return ok[i] })
	t.columns(l)
	l.retitle(t)
	l.readdress()
	called := map[string]int{}
	for i := range l.entries {
		called[l.entries[i].called]++
	}
	for i := range l.entries {
		e := &l.entries[i]
		if e.opens && t.onlyDate(e.Title) {
			l.days++
		}
		e.named = e.called != "" && e.links == 1 && called[e.called]*2 > len(l.entries)
	}
}

// distinct is the share of titles that differ.
func (l *list) distinct(key func(e *Entry) string) float64 {
	n := map[string]bool{}
	for i := range l.entries {
		n[key(&l.entries[i])] = true
	}
	delete(n, "")
	return float64(len(n)) / float64(len(l.entries))
}

// share is the share of entries that have a property.
func (l *list) share(has func(e *Entry) bool) float64 {
	n := 0
	for i := range l.entries {
		if has(&l.entries[i]) {
			n++
		}
	}
	return float64(n) / float64(len(l.entries))
}

func keyOf(e *Entry) string { return e.key }

// retitle replaces the titles if fewer than 70% differ, by the first of four lines that differs
// in at least 85% of the entries.
func (l *list) retitle(t *tree) {
	if len(l.entries) < 3 || l.distinct(keyOf) >= .7 {
		return
	}
	for k := range 4 {
		line := func(e *Entry) string {
			if k >= len(e.lines) || e.heading {
				return e.Title
			}
			return e.lines[k]
		}
		if l.distinct(func(e *Entry) string { return titleKey(line(e)) }) < .85 || k > 0 && l.share(func(e *Entry) bool { return t.onlyDate(line(e)) }) > .5 {
			continue
		}
		for i := range l.entries {
			e := &l.entries[i]
			if title := tidy(t.undated(line(e))); title != "" && title != e.Title {
				e.linked = false
				e.title(title)
			}
		}
		return
	}
}

// readdress replaces an address that several entries share by the entry's first link that
// occurs nowhere else, unless that is a file's signature, such as mill-1.0.zip.asc.
func (l *list) readdress() {
	n := map[string]int{}
	for i := range l.entries {
		e := &l.entries[i]
		n[e.URL]++
		for _, u := range e.urls {
			if u != e.URL && !e.linked {
				n[u]++
			}
		}
	}
	for i := range l.entries {
		e := &l.entries[i]
		for _, u := range e.urls {
			if !e.linked && n[e.URL] > 1 && n[u] == 1 && !strings.HasPrefix(u, e.URL+".") {
				e.URL = u
				break
			}
		}
	}
}

// weigh scores a list. Where two lists overlap, the higher score wins. Linked titles, headings,
// dates and versions add to it, and it grows with the logarithm of the number of entries.
func (l *list) weigh(t *tree) {
	if len(l.entries) == 0 {
		return
	}
	var linked, heading, dated, version, outside, links float64
	for i := range l.entries {
		e := &l.entries[i]
		add := func(to *float64, yes bool) {
			if yes {
				*to += 1 / float64(len(l.entries))
			}
		}
		add(&linked, e.linked)
		add(&heading, e.heading)
		add(&dated, e.Dated.OK())
		add(&version, e.version != "")
		add(&outside, !e.opens && (e.outer || t.outside(l, e)))
		links += float64(e.links) / float64(len(l.entries))
	}
	l.score = .3 + .4*linked + .3*heading + .3*dated + .2*version
	l.score *= l.distinct(keyOf) * (1 - outside) * math.Log2(1+float64(len(l.entries)))
	if links > 10 && dated+version < .6 {
		l.score *= .3
	}
}

// boilerplate reports whether a leaf, or a block around it, has a label of boilerplate:
// navigation, footer, sidebar and the like.
func (t *tree) boilerplate(block int32) bool {
	for ; block >= 0; block = t.blocks[block].Parent {
		if boilerplateLabel(t.blocks[block].Label) {
			return true
		}
	}
	return false
}

// boilerplateLabel reports whether a label is one of boilerplate.
func boilerplateLabel(l plat.Label) bool {
	switch l {
	case plat.LabelNavigation, plat.LabelFooter, plat.LabelHeader, plat.LabelForm, plat.LabelAdvertisement,
		plat.LabelOverlay, plat.LabelSidebar, plat.LabelComments:
		return true
	}
	return false
}

// qualify keeps the entries of a list that are items, and returns their class: the strongest
// with enough entries, or a weaker one to which most entries belong.
func (t *tree) qualify(l *list, g *region) class {
	l.keep(func(i int) bool { return g.has(l.entries[i].Block) })
	if t.feed {
		return t.feedClass(l)
	}
	if len(l.entries) == 0 {
		return none
	}
	var n [article + 1]int
	classes := make([]class, len(l.entries))
	for i := range l.entries {
		classes[i] = t.classOf(l, i, g.chosen)
	}
	l.weaken(t, classes, g.chosen)
	for _, c := range classes {
		n[c]++
	}
	best := none
	for c := article; c > further; c-- {
		if n[c] >= least[c] || g.chosen && n[c] >= 2 || c == row && n[c] >= leastScheduled && l.scheduled() || c == article && n[c] == 1 && l.release() {
			best = c
			break
		}
	}
	if best == none && !g.chosen {
		return t.few(l, classes)
	}
	for c := best; c > plain; {
		if c--; n[c] >= least[c] && n[c]*2 > len(l.entries) {
			best = c // a few of a stronger class are chance: a title with a number
			break
		}
	}
	l.keep(func(i int) bool { return classes[i] >= max(best, row) })
	return best
}

// release reports whether a heading of the list names a version. A single release is enough for
// a list.
func (l *list) release() bool {
	return l.headed && slices.ContainsFunc(l.entries, func(e Entry) bool { return e.version != "" })
}

// classOf classifies an entry.
func (t *tree) classOf(l *list, i int, chosen bool) class {
	e := &l.entries[i]
	own := e.URL != "" && e.own
	has := e.Dated.OK() || e.version != ""
	switch {
	case vague(e.Title) || e.words > 60:
		return none
	case e.opens && (2*l.days > len(l.entries) || !t.onlyDate(e.Title)):
		return dated // anywhere on the page: a document's history is often in its footer
	case !chosen && (e.outer || t.outside(l, e)):
		return none
	case e.heading && (has && e.links > 0 || e.linked && !own):
		return article
	case e.linked && e.Dated.OK() && !own && e.links < 8:
		return article
	case e.apart && e.links == 0 && e.text <= maxPlain && !e.prose && !t.onlyDate(e.Title):
		return dated
	case l.headed:
		return none
	case has && e.lead < 200 && e.links > 0 && !own && !e.prose:
		return dated
	case e.URL != "" && (e.lead <= 3 || e.named) && !own && e.links < 4 && !e.prose:
		return linking
	case t.nodes[l.records[i].first].tag == atom.Tr && e.cells > 1:
		return row
	}
	return none
}
