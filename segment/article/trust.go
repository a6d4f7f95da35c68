package article

// Names are trusted as far as they distinguish parts of the page. An element
// named as boilerplate that holds most of the page's prose is a wrapper named
// for something else on the page ("sidebar-right", "comments-open"). If a page
// builder names every box like that ("widget"), no prose is left, and the page
// is read again by a wary reader, see names.go.
const (
	mostProse = 0.5 // share of the prose in one element
	allProse  = 0.9 // the same for kinds that may be longer than the text: comments, footers, menus
)

// long are the kinds of boilerplate that may hold more prose than the text.
const long = hintComments | hintFooter | hintNavigation | hintRelated

// trust drops unreliable names, and propagates the rest to descendants.
func (t *text) trust() {
	for h := hints(1); h <= lastBoilerplate; h <<= 1 {
		t.distrust(h)
	}
	for i := range t.at {
		a := &t.at[i]
		if a.all = a.own; a.parent >= 0 {
			a.all |= t.at[a.parent].all
		}
	}
}

func (t *text) distrust(h hints) {
	for i := range t.at {
		a := &t.at[i]
		if a.own&h == 0 {
			continue
		}
		share := float64(t.prose(int32(i)))
		headed := t.heads[a.end] > t.heads[i+1]
		if share >= mostProse*float64(t.total) && (h&long == 0 || headed || share > allProse*float64(t.total)) {
			a.own &^= h
		}
	}
}
