package article

// Names are believed as far as they tell parts of the page apart. What is called
// furniture, but holds most of the page's prose, is a wrapper named for
// something else on the page ("sidebar-right", "comments-open"), or the names
// are those of a page builder's boxes ("widget").
const (
	mostProse = 0.5 // share of the prose in one element
	allProse  = 0.9 // the same for what may be longer than the text: comments, footers, menus
	mostNamed = 0.6 // share of the prose in all elements of one kind
)

// long are kinds of furniture that may hold more prose than the text.
const long = hintComments | hintFooter | hintNavigation | hintRelated

// trust drops what names say wrongly, and hands the rest on to what is inside.
func (t *text) trust() {
	for h := hints(1); h <= lastFurniture; h <<= 1 {
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
	if h&long != 0 {
		return
	}
	named := int32(0)
	for i := int32(0); i < int32(len(t.at)); i++ {
		if t.at[i].own&h != 0 {
			named += t.prose(i)
			i = t.at[i].end - 1
		}
	}
	if float64(named) >= mostNamed*float64(t.total) {
		for i := range t.at {
			t.at[i].own &^= h
		}
	}
}
