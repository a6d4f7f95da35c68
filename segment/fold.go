package segment

import (
	"slices"
	"strings"

	"plat"
)

// fold finds what is not shown but a click or a touch away. It looks at the outermost nodes
// in which nothing is shown, for what is beside them, and at all of them for what names them.
func (v *view) fold() {
	var out []int32 // outermost nodes that hold text and show nothing
	for i := int32(1); i < int32(len(v.Nodes)); {
		n := &v.Nodes[i]
		switch {
		case n.Kind == plat.TemplateNode, n.Kind == plat.ElementNode && (n.Name == "head" || neverShown(n.Name)):
			i = n.End
		case n.Kind == plat.TextNode:
			if !v.info[i].text && !blank(n.Value) {
				out = append(out, i)
			}
			i++
		case n.Kind == plat.ElementNode && v.chars[n.End] == v.chars[i] && v.media[n.End] == v.media[i]:
			out = append(out, i)
			i = n.End
		default:
			i++
		}
	}
	if len(out) > 0 {
		f := folder{view: v, kids: map[int32]*siblings{}}
		f.refer()
		for _, i := range out {
			f.look(i)
		}
	}
	for i := range v.Nodes {
		v.folds[i+1] = v.folds[i]
		if n, f := &v.Nodes[i], &v.info[i]; n.Kind == plat.TextNode && f.state == Folded {
			v.folds[i+1] += countChars(n.Value)
		}
	}
}

// folder finds what is folded.
type folder struct {
	*view
	opened  map[string]bool // ids that something names as what it opens
	classes map[string]bool // classes, likewise
	tips    map[string]bool // ids of what describes something
	labels  map[string]bool // ids of what has a label
	tabs    bool            // something is a tab
	kids    map[int32]*siblings
}

// siblings are the children of a node, as far as they tell how others are opened.
type siblings struct {
	shown   []int32        // elements in which something is seen; at most maxKids
	toggles bool           // a check box or radio button with a label is among them
	fields  bool           // one to type in is
	opened  map[int32]bool // elements in which nothing is seen, after one that opens something
	summary int32          // the first <summary>; 0: there is none
}

// maxKids is how many shown children of a node are compared with a hidden one.
const maxKids = 8

// found reports whether a reader finds anything in node i.
func (f *folder) found(i int32) bool { return f.holds(i, f.Nodes[i].End) }

// refer lists what is named by what a reader finds.
func (f *folder) refer() {
	f.opened, f.classes, f.tips, f.labels = map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}
	for i := range f.Nodes {
		n := &f.Nodes[i]
		if n.Kind != plat.ElementNode || len(n.Attrs) == 0 {
			continue
		}
		for k := range n.Attrs {
			a := &n.Attrs[k]
			switch a.Name {
			case "aria-controls", "popovertarget", "commandfor":
				if f.found(int32(i)) {
					for id := range strings.FieldsSeq(a.Value) {
						f.opened[id] = true
					}
				}
			case "data-bs-target", "data-target", "data-toggle-target", "data-collapse-toggle", "data-modal-target", "data-tabs-target", "data-dropdown-toggle", "href":
				if a.Name == "href" && n.Name != "a" || !f.found(int32(i)) {
					continue
				}
				for name := range strings.FieldsFuncSeq(a.Value, func(r rune) bool { return r == ' ' || r == ',' }) {
					switch {
					case len(name) > 1 && name[0] == '#':
						f.opened[name[1:]] = true
					case a.Name == "href":
					case name[0] == '.':
						f.classes[name[1:]] = true
					default:
						f.opened[name] = true
					}
				}
			case "aria-describedby":
				if f.found(int32(i)) {
					for id := range strings.FieldsSeq(a.Value) {
						f.tips[id] = true
					}
				}
			case "for":
				if n.Name == "label" && f.found(int32(i)) {
					f.labels[a.Value] = true
				}
			case "role":
				f.tabs = f.tabs || a.Value == "tab" && f.found(int32(i))
			}
		}
	}
}

// look marks what is folded of a node in which nothing is shown.
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

// mark makes the texts of node i folded, but for those that would not be seen either when it
// is open.
func (f *folder) mark(i int32, why Reason) {
	for k := i; k < f.Nodes[i].End; k++ {
		n, s := &f.Nodes[k], &f.info[k]
		switch {
		case n.Kind == plat.TemplateNode, n.Kind == plat.ElementNode && neverShown(n.Name):
			k = n.End - 1
		case n.Kind != plat.TextNode || s.state != Hidden || blank(n.Value):
		case s.why == Clear, s.why == Camouflaged, s.why == NeverShown:
		default:
			s.sight = sight{Folded, why}
		}
	}
}

// named says how an element says of itself that something opens it.
func (f *folder) named(i int32) Reason {
	n := &f.Nodes[i]
	if _, open := n.Attr("open"); n.Name == "details" && !open && f.info[i].visible {
		return InDetails // what it shows is the browser's own word
	}
	for k := range n.Attrs {
		switch a := &n.Attrs[k]; a.Name {
		case "id":
			if a.Value != "" && f.opened[a.Value] {
				return Referred
			}
		case "class":
			if len(f.classes) > 0 {
				for c := range strings.FieldsSeq(a.Value) {
					if f.classes[c] {
						return Referred
					}
				}
			}
		case "hidden":
			if strings.EqualFold(a.Value, "until-found") {
				return UntilFound
			}
		case "role":
			if a.Value == "tabpanel" && f.tabs {
				return TabPanel
			}
			if id, _ := n.Attr("id"); a.Value == "tooltip" && f.tips[id] {
				return Referred
			}
		}
	}
	return Plain
}

// beside says how something around an element or text opens it.
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
	// A menu behind a button, in a part of the page that is there to navigate.
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

// besideSlot is beside for what is shown in a slot: what opens it is in the shadow tree.
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

// Limits of the search for what opens a menu.
const (
	maxMenuDepth = 6
	maxMenuNodes = 400
)

// why is why the first text of an element is not shown.
func (f *folder) why(i int32) Reason {
	for k := i; k < f.Nodes[i].End; k++ {
		if n := &f.Nodes[k]; n.Kind == plat.TextNode && f.info[k].state == Hidden {
			return f.info[k].why
		}
	}
	return Plain
}

// offScreen reports whether an element is for screen readers: cut to nothing, or a part of a
// line.
func (f *folder) offScreen(i int32) bool {
	n := &f.Nodes[i]
	return n.HasBox && (f.cutToNothing(n) || n.Name == "span")
}

// cutToNothing reports whether an element with a box shows nothing of what is in it.
func (f *folder) cutToNothing(n *plat.Node) bool {
	return f.Styles[n.Style].ClippedAway || n.Box.W <= 1 && n.Box.H <= 1
}

// forScreenReaders reports whether an element is cut to nothing so that only screen readers
// find what is in it. Nothing opens that, though buttons may name it.
func (f *folder) forScreenReaders(i int32) bool {
	n := &f.Nodes[i]
	return n.Kind == plat.ElementNode && n.HasBox && f.cutToNothing(n) && f.why(i) == Clipped
}

// holdsList reports whether the first element in element i is a list: the part of the item
// before it that it opens.
func (f *folder) holdsList(i int32) bool {
	for k := i + 1; k < f.Nodes[i].End; k = f.Nodes[k].End {
		if n := &f.Nodes[k]; n.Kind == plat.ElementNode {
			return n.Name == "ul" || n.Name == "ol"
		}
	}
	return false
}

// headed reports whether a term of a list of descriptions is shown.
func (f *folder) headed(kids *siblings) bool {
	return slices.ContainsFunc(kids.shown, func(i int32) bool { return f.Nodes[i].Name == "dt" })
}

// toggled reports whether a check box or radio button with a label stands beside what is in
// element p, or beside p or what it is in. One beside fields to type in is part of a form.
func (f *folder) toggled(p int32) bool {
	for range maxToggleDepth {
		if p <= 0 || f.Nodes[p].Name == "form" {
			return false
		}
		if kids := f.siblingsOf(p); kids.toggles && !kids.fields {
			return true
		}
		p = f.Nodes[p].Parent
	}
	return false
}

// maxToggleDepth is how far up a check box is looked for.
const maxToggleDepth = 3

func (f *folder) siblingsOf(p int32) *siblings {
	if s, ok := f.kids[p]; ok {
		return s
	}
	s := &siblings{}
	f.kids[p] = s
	var named bool // one of them says that it opens something
	plain := 0     // one may open something, and this many shown ones more are part of it
	for i := p + 1; i < f.Nodes[p].End; i = f.Nodes[i].End {
		n := &f.Nodes[i]
		if n.Kind != plat.ElementNode {
			continue
		}
		if s.summary == 0 && n.Name == "summary" {
			s.summary = i
		}
		if n.Name == "input" {
			switch kind, _ := n.Attr("type"); kind {
			case "checkbox", "radio":
				id, _ := n.Attr("id")
				s.toggles = s.toggles || f.labels[id]
				continue
			case "", "text", "email", "password", "search", "tel", "url", "number", "date":
				s.fields = s.fields || f.found(i)
			}
		}
		if !f.found(i) {
			if named || plain > 0 {
				if s.opened == nil {
					s.opened = map[int32]bool{}
				}
				s.opened[i] = true
			}
			continue
		}
		if len(s.shown) < maxKids {
			s.shown = append(s.shown, i)
		}
		plain--
		switch f.opens(i) {
		case opensNamed:
			named = true
		case opensPlain:
			plain = 2
		}
	}
	return s
}

// opener says whether an element opens what comes after it.
type opener uint8

const (
	opensNothing opener = iota
	opensPlain          // it can be clicked at
	opensNamed          // it says so
)

// opens says whether there is an opener in element i for what comes after the element, not for
// something in it.
func (f *folder) opens(i int32) opener {
	n := &f.Nodes[i]
	best := opensNothing
	for k := i; k < n.End && k < i+maxOpener; k++ {
		e := &f.Nodes[k]
		if e.Kind != plat.ElementNode {
			continue
		}
		is := opensNothing
		for a := range e.Attrs {
			switch at := &e.Attrs[a]; {
			case at.Name == "aria-controls":
				return opensNothing // it says itself what it opens
			case at.Name == "aria-expanded" && at.Value != "true", at.Name == "aria-haspopup" && at.Value != "false":
				is = opensNamed
			case at.Name == "onclick", at.Name == "role" && at.Value == "button",
				e.Name == "a" && at.Name == "href" && (at.Value == "#" || strings.HasPrefix(at.Value, "javascript:")),
				strings.HasPrefix(at.Name, "@click"), strings.HasPrefix(at.Name, "x-on:click"), strings.HasPrefix(at.Name, "v-on:click"), at.Name == "ng-click":
				is = max(is, opensPlain)
			}
		}
		if e.Name == "button" && is == opensNothing {
			if kind, _ := e.Attr("type"); kind != "submit" && kind != "reset" {
				is = opensPlain
			}
		}
		if is > best && !f.hiddenIn(e.End, n.End) {
			best = is
		}
	}
	return best
}

// hiddenIn reports whether there is text in Nodes[from:to] that is not shown.
func (f *folder) hiddenIn(from, to int32) bool {
	for k := from; k < min(to, from+maxMenuNodes); k++ {
		if n := &f.Nodes[k]; n.Kind == plat.TextNode && f.info[k].state != Shown && f.info[k].why != NeverShown && !blank(n.Value) {
			return true
		}
	}
	return false
}

// maxOpener is how many nodes a heading or the like has at most, in which a button is.
const maxOpener = 16

// slide reports whether an element takes turns with a sibling that is shown. It has the same
// tag, and either it is out of sight and in line with the sibling, or it has no class that the
// sibling has not, but for such as say that it is not its turn.
func (f *folder) slide(at int32, kids *siblings, why Reason) bool {
	n := &f.Nodes[at]
	own := classesOf(n)
	for _, i := range kids.shown {
		s := &f.Nodes[i]
		if s.Name != n.Name {
			continue
		}
		if n.HasBox && s.HasBox && inLine(n.Box, s.Box) && f.moved(at) {
			return true
		}
		other := classesOf(s)
		shared := 0
		alien := slices.ContainsFunc(own, func(c string) bool {
			if slices.Contains(other, c) {
				shared++
				return false
			}
			return !idleClass(c)
		})
		if !alien && (shared > 0 || len(own) == 0 && len(other) == 0 && why == Clipped && f.track(n.Parent)) {
			return true
		}
	}
	return false
}

// moved reports whether an element is behind the edge of what clips it, where a reader does
// not scroll to.
func (f *folder) moved(i int32) bool {
	if !f.seenPart(i).Empty() {
		return false
	}
	for p := f.Nodes[i].Parent; p > 0; p = f.Nodes[p].Parent {
		if n := &f.Nodes[p]; f.info[p].clips {
			st := &f.Styles[n.Style]
			return n.Kind == plat.ElementNode && !scrolls(st.OverflowX) && !scrolls(st.OverflowY)
		}
	}
	return true
}

// inLine reports whether two boxes are of one row or column: carousels and tickers move
// such behind a window.
func inLine(a, b plat.Rect) bool {
	near := func(x, y float32) bool { return x-y <= 1 && y-x <= 1 }
	return !a.Empty() && !b.Empty() &&
		(near(a.W, b.W) && (near(a.X, b.X) || near(a.Y, b.Y)) || near(a.H, b.H) && near(a.Y, b.Y))
}

// classesOf lists the classes of an element, the first maxClasses of them.
func classesOf(n *plat.Node) (all []string) {
	class, _ := n.Attr("class")
	for c := range strings.FieldsSeq(class) {
		if all = append(all, c); len(all) == maxClasses {
			break
		}
	}
	return all
}

const maxClasses = 32

// track reports whether the children of an element are moved behind a window.
func (f *folder) track(i int32) bool {
	return f.info[i].clips || f.Nodes[i].Parent > 0 && f.info[f.Nodes[i].Parent].clips
}

// idleClass reports whether a class says that it is not the turn of what has it.
func idleClass(c string) bool {
	c = strings.ToLower(c)
	c = strings.TrimPrefix(c, "is-")
	switch c {
	case "hidden", "inactive", "next", "prev", "clone", "cloned", "closed", "collapsed", "hide":
		return true
	}
	return strings.Contains(c, "slide") || strings.Contains(c, "carousel")
}

// foldsByName reports whether the class of an element says that it opens beside what is
// shown.
func foldsByName(n *plat.Node) bool {
	class, _ := n.Attr("class")
	for c := range strings.FieldsSeq(strings.ToLower(class)) {
		for _, word := range [...]string{"dropdown", "drop-down", "submenu", "sub-menu", "collapse", "accordion", "tab-pane", "tabpanel", "tooltip", "popover"} {
			if strings.Contains(c, word) {
				return true
			}
		}
	}
	return false
}
