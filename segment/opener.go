package segment

import (
	"slices"
	"strings"

	"plat"
	"plat/markup"
)

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
		if n := &f.Nodes[k]; n.Kind == plat.TextNode && f.info[k].state != markup.Shown && f.info[k].why != NeverShown && !markup.Blank(n.Value) {
			return true
		}
	}
	return false
}

// maxOpener is how many nodes a heading or the like has at most, in which a button is.
const maxOpener = 16

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

// headed reports whether a term of a list of descriptions is shown.
func (f *folder) headed(kids *siblings) bool {
	return slices.ContainsFunc(kids.shown, func(i int32) bool { return f.Nodes[i].Name == "dt" })
}
