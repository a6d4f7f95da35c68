package segment

import (
	"plat/plat"
	"plat/segment/markup"
)

// fold finds hidden content that a click or a touch reveals. For the outermost
// nodes that show nothing it examines the nodes beside them; for all such
// nodes, the references to them.
func (v *view) fold(chars []int32) {
	end := int32(len(v.Nodes))
	if v.sums[end].folds == 0 { // the texts that may be folded
		return
	}
	var out []int32 // outermost nodes that hold such text and show nothing
	for i := int32(1); i < end; {
		n := &v.Nodes[i]
		switch {
		case v.sums[n.End].folds == v.sums[i].folds, n.Kind == plat.TemplateNode, n.Kind == plat.ElementNode && (n.Name == "head" || markup.NeverShown(n.Name)):
			i = n.End
		case n.Kind == plat.TextNode:
			out = append(out, i)
			i++
		case n.Kind == plat.ElementNode && v.sums[n.End].chars == v.sums[i].chars && v.sums[n.End].media == v.sums[i].media:
			out = append(out, i)
			i = n.End
		default:
			i++
		}
	}
	if len(out) > 0 {
		f := folder{view: v, texts: chars, kids: map[int32]*siblings{}}
		f.refer()
		for _, i := range out {
			f.look(i)
		}
	}
	was, sum := int32(0), int32(0)
	for i := range end {
		may := v.sums[i+1].folds
		if may > was && v.info[i].state == markup.Folded {
			sum += chars[i]
		}
		was, v.sums[i+1].folds = may, sum
	}
}

// mayUnfold reports whether text of this sight may be seen after a click.
func (s *sight) mayUnfold() bool {
	return s.state == markup.Hidden && s.why != Clear && s.why != Camouflaged && s.why != NeverShown
}

// folder finds folded content.
type folder struct {
	*view
	texts   []int32         // visible characters of text nodes
	opened  map[string]bool // ids referenced by openers
	classes map[string]bool // classes referenced by openers
	tips    map[string]bool // ids of descriptions
	labels  map[string]bool // ids of labelled elements
	tabs    bool            // the page has a tab
	kids    map[int32]*siblings
}

// found reports whether node i holds shown or folded content.
func (f *folder) found(i int32) bool { return f.holds(i, f.Nodes[i].End) }

// look marks the folded content of a node that shows nothing.
func (f *folder) look(i int32) {
	n := &f.Nodes[i]
	if f.forScreenReaders(i) {
		return
	}
	if why := f.beside(i); why != Plain {
		f.mark(i, why)
		return
	}
	for k := i; k < n.End; {
		if f.Nodes[k].Kind == plat.ElementNode && !f.forScreenReaders(k) {
			if why := f.named(k); why != Plain {
				f.mark(k, why)
				k = f.Nodes[k].End
				continue
			}
		}
		k++
	}
}

// mark makes the texts of node i folded, except those that would stay hidden
// when it is opened.
func (f *folder) mark(i int32, why Reason) {
	for k := i; k < f.Nodes[i].End; k++ {
		n, s := &f.Nodes[k], &f.info[k]
		switch {
		case n.Kind == plat.TemplateNode, n.Kind == plat.ElementNode && markup.NeverShown(n.Name):
			k = n.End - 1
		case n.Kind == plat.TextNode && s.mayUnfold() && f.texts[k] > 0:
			s.sight = sight{markup.Folded, why}
		}
	}
}

// beside returns how a nearby element opens an element or text.
func (f *folder) beside(i int32) Reason {
	n := &f.Nodes[i]
	p := f.flatParent(i)
	if p != n.Parent {
		return f.besideSlot(p)
	}
	parent := &f.Nodes[p]
	switch parent.Name {
	case "details":
		if _, open := parent.Attr("open"); !open && f.info[p].visible && f.siblingsOf(p).summary != i {
			return InDetails
		}
	case "select", "optgroup":
		if f.info[p].visible || parent.Name == "optgroup" && f.info[parent.Parent].visible {
			return Choice
		}
	}
	if n.Kind != plat.ElementNode || n.Name == "dialog" {
		return Plain
	}
	kids := f.siblingsOf(p)
	switch {
	case parent.Name == "li" && len(kids.shown) > 0 && !f.offScreen(i),
		n.Name == "li" && len(kids.shown) > 0 && f.holdsList(i):
		return InMenu
	case kids.opened[i], n.Name == "dd" && f.headed(kids):
		return Expandable
	case f.toggled(p):
		return Toggled
	case !n.Foreign && !f.offScreen(i) && f.slide(i, kids, f.why(i)):
		return Slide
	case len(kids.shown) > 0 && foldsByName(n):
		return Named
	}
	// A menu behind a button, inside a navigation area.
	for up, k := p, 0; up > 0 && k < maxMenuDepth; up, k = f.Nodes[up].Parent, k+1 {
		e := &f.Nodes[up]
		role, _ := e.Attr("role")
		if e.Name != "nav" && role != "navigation" {
			continue
		}
		for k := up; k < e.End && k < up+maxMenuNodes; k++ {
			if b := &f.Nodes[k]; (b.Name == "button" || b.Name == "label" || b.Name == "summary") && f.info[k].visible && f.found(k) {
				return InMenu
			}
		}
		break
	}
	return Plain
}

// besideSlot does the work of beside for slotted content, whose opener is in the shadow tree.
func (f *folder) besideSlot(slot int32) Reason {
	for i := slot; i > 0 && f.Nodes[i].Kind == plat.ElementNode; i = f.Nodes[i].Parent {
		why := f.named(i)
		if why == Plain {
			why = f.beside(i)
		}
		if why != Plain {
			return why
		}
	}
	return Plain
}

// Limits of the search for a menu's opener.
const (
	maxMenuDepth = 6
	maxMenuNodes = 400
)

// why returns the reason why the first text of an element is hidden.
func (f *folder) why(i int32) Reason {
	for k := i; k < f.Nodes[i].End; k++ {
		if n := &f.Nodes[k]; n.Kind == plat.TextNode && f.info[k].state == markup.Hidden {
			return f.info[k].why
		}
	}
	return Plain
}

// offScreen reports whether an element is for screen readers only: clipped to
// nothing, or part of a line.
func (f *folder) offScreen(i int32) bool {
	n := &f.Nodes[i]
	return n.HasBox && (f.cutToNothing(n) || n.Name == "span")
}

// cutToNothing reports whether an element with a box clips all of its content.
func (f *folder) cutToNothing(n *plat.Node) bool {
	return f.Styles[n.Style].ClippedAway || n.Box.W <= 1 && n.Box.H <= 1
}

// forScreenReaders reports whether an element is clipped to nothing so that
// only screen readers find its content. Such content is never opened, even if a
// button refers to it.
func (f *folder) forScreenReaders(i int32) bool {
	n := &f.Nodes[i]
	return n.Kind == plat.ElementNode && n.HasBox && f.cutToNothing(n) && f.why(i) == Clipped
}

// holdsList reports whether the first element in element i is a list: a submenu
// opened by the item before it.
func (f *folder) holdsList(i int32) bool {
	for k := i + 1; k < f.Nodes[i].End; k = f.Nodes[k].End {
		if n := &f.Nodes[k]; n.Kind == plat.ElementNode {
			return n.Name == "ul" || n.Name == "ol"
		}
	}
	return false
}
