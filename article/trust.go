package article

// Names are believed as far as they tell parts of the page apart. What is called
// boilerplate, but holds most of the page's prose, is a wrapper named for
// something else on the page ("sidebar-right", "comments-open"). Where a page
// builder names every box so ("widget"), no prose is left outside, and the page is
// read once more by a wary reader, see names.go.
const (
	mostProse = 0.5 // share of the prose in one element
	allProse  = 0.9 // the same for what may be longer than the text: comments, footers, menus
)

// long are kinds of boilerplate that may hold more prose than the text.
const long = hintComments | hintFooter | hintNavigation | hintRelated

// trust drops what names say wrongly, and hands the rest on to what is inside.
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
