package watch

import (
	"fmt"
	"strings"
)

// Lists are the lists of a page.
type Lists struct {
	Chosen  []List   // in the order of the page
	Further []List   // see [Result]
	Passed  []Passed // passed over, those of boilerplate last, and the largest first
	Feed    bool     // the page shows a feed, which may be empty
}

// Has reports whether an entry has an address, or a title.
func (l *Lists) Has(title, url string) bool {
	u, t := urlKey(url), titleKey(title)
	for i := range l.Chosen {
		for k := range l.Chosen[i].Entries {
			e := &l.Chosen[i].Entries[k]
			if u != "" && urlKey(e.URL) == u || t != "" && titleKey(e.Title) == t {
				return true
			}
		}
	}
	return false
}

// Find returns the lists of a page, each with the reason why it is chosen or passed over.
func Find(p *Page, opt Options) (*Lists, error) {
	t, err := read(p)
	if err != nil {
		return nil, err
	}
	g, _ := New().region(p.Blocks, &opt)
	lists, more, _ := t.choose(&g, New())
	more = besides(more, lists)
	found := &Lists{Feed: t.feed, Chosen: t.shown(lists), Further: t.shown(more)}
	for i, l := range lists {
		found.Chosen[i].Heading = t.headingOf(l)
	}
	for i, l := range more {
		found.Further[i].Heading = t.headingOf(l)
	}
	found.Passed = t.passed(lists, &g)
	return found, nil
}

// Reasons for which lists are passed over.
const (
	inLabel     = "in " // a labelled block, or an element
	inElement   = inLabel + "an element for navigation, a header, a footer or an aside"
	alikeTitles = "its titles are alike"
)

// why returns the reason why a list is passed over, or the empty string if there is no single
// reason.
func (t *tree) why(l *list, g *region) string {
	e := &l.entries[0]
	switch {
	case !g.has(e.Block):
		return "not in a chosen block"
	case t.boilerplate(e.Block):
		for b := e.Block; b >= 0; b = t.blocks[b].Parent {
			if t.boilerplate(b) && (t.blocks[b].Parent < 0 || !t.boilerplate(t.blocks[b].Parent)) {
				if t.blocks[b].Lineage == 0 { // the page is not archived
					return fmt.Sprintf(inLabel+"a block labelled %s", t.blocks[b].Label)
				}
				return fmt.Sprintf(inLabel+"block #%d, labelled %s", t.blocks[b].Lineage, t.blocks[b].Label)
			}
		}
	case e.outer:
		return inElement
	case e.own:
		return "it leads to places on the page itself"
	case l.distinct(func(e *Entry) string { return e.Title }) < .5:
		return alikeTitles
	}
	return ""
}

// reasons lists the evidence for a list.
func (l *list) reasons() string {
	n := len(l.entries)
	var linked, heading, dated, version int
	for i := range l.entries {
		e := &l.entries[i]
		for of, yes := range map[*int]bool{&linked: e.linked, &heading: e.heading, &dated: e.Dated.OK(), &version: e.version != ""} {
			if yes {
				*of++
			}
		}
	}
	var out []string
	add := func(k int, what string) {
		switch {
		case k == n:
			out = append(out, "all are "+what)
		case k*5 >= n:
			out = append(out, fmt.Sprintf("%d are %s", k, what))
		}
	}
	add(heading, "headings")
	add(linked, "links")
	add(dated, "dated")
	add(version, "called by a version")
	if len(out) == 0 {
		return "entries of one shape"
	}
	return "of the titles " + strings.Join(out, ", ")
}

// besides returns the further lists whose titles are not those of a chosen list, or of one before: the parts of entries, as sections and
// as cards, have the same ones.
func besides(more, chosen []*list) (out []*list) {
	titles := map[string]bool{}
	for _, l := range chosen {
		for i := range l.entries {
			titles[l.entries[i].key] = true
		}
	}
	for _, l := range more {
		known := 0
		for i := range l.entries {
			if titles[l.entries[i].key] {
				known++
			}
		}
		if 2*known > len(l.entries) {
			continue
		}
		out = append(out, l)
		for i := range l.entries {
			titles[l.entries[i].key] = true
		}
	}
	return out
}
