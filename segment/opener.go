package segment

import (
	"slices"
	"strings"

	"plat/plat"
	"plat/segment/markup"
)

// refer collects the ids and classes that visible elements refer to.
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

// named returns how an element's own attributes mark it as opened by something.
func (f *folder) named(i int32) Reason {
	n := &f.Nodes[i]
	if _, open := n.Attr("open"); n.Name == "details" && !open && f.info[i].visible {
		return InDetails // the visible part is the browser's default summary
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

// foldsByName reports whether an element's class names a folding component.
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

// siblings summarises a node's children as evidence of how the hidden ones are
// opened.
type siblings struct {
	shown   []int32        // elements with visible content; at most maxKids
	toggles bool           // has a check box or radio button with a label
	fields  bool           // has a text field
	opened  map[int32]bool // hidden elements after an opener
	summary int32          // the first <summary>; 0: no summary
}

// maxKids is the maximum number of shown children of a node that are compared with a hidden one.
const maxKids = 8

func (f *folder) siblingsOf(p int32) *siblings {
	if s, ok := f.kids[p]; ok {
		return s
	}
	s := &siblings{}
	f.kids[p] = s
	var named bool // an explicit opener has been seen
	plain := 0     // while > 0, a clickable opener is near; counts down with each shown sibling
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

// opener reports whether and how explicitly an element opens its following siblings.
type opener uint8

const (
	opensNothing opener = iota
	opensPlain          // clickable
	opensNamed          // explicit: aria-expanded or aria-haspopup
)

// opens reports whether element i contains an opener for the element's
// following siblings, as opposed to an opener for its own content.
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
				return opensNothing // its target is explicit, see refer
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

// hiddenIn reports whether Nodes[from:to] contains hidden or folded text.
func (f *folder) hiddenIn(from, to int32) bool {
	for k := from; k < min(to, from+maxMenuNodes); k++ {
		if n := &f.Nodes[k]; n.Kind == plat.TextNode && f.info[k].state != markup.Shown && f.info[k].why != NeverShown && f.texts[k] > 0 {
			return true
		}
	}
	return false
}

// maxOpener limits the nodes of an element, such as a heading, that are
// searched for a button.
const maxOpener = 16

// toggled reports whether a labelled check box or radio button is a child of
// element p or of one of its next ancestors. One beside text fields is part of
// a form and does not count.
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

// maxToggleDepth is the number of ancestors searched for a check box.
const maxToggleDepth = 3

// headed reports whether a <dt> among the siblings is shown.
func (f *folder) headed(kids *siblings) bool {
	return slices.ContainsFunc(kids.shown, func(i int32) bool { return f.Nodes[i].Name == "dt" })
}
