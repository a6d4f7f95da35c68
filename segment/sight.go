package segment

import (
	"plat"
	"plat/markup"
)

// Reason says why a text is in its state.
type Reason uint8

// Reasons not to see a text, and what opens it.
const (
	Plain       Reason = iota // nothing hides it
	NoBox                     // it is not laid out
	NeverShown                // it is in an element that shows no text
	Invisible                 // visibility: hidden or collapse
	Transparent               // the opacity of what it is in
	Clear                     // the text has a transparent colour
	Camouflaged               // it has the colour of what is behind it
	Clipped                   // what it is in shows nothing of it
	OffPage                   // it lies where the page cannot be scrolled to
	Turned                    // its back is shown, which is not seen
	Empty                     // it has no size
	Covered                   // something opaque lies over it

	InDetails  // in a closed <details>
	Referred   // something on the page names it as what it opens
	UntilFound // hidden=until-found
	TabPanel   // the panel of a tab
	Expandable // beside something with aria-expanded or aria-haspopup
	InMenu     // the menu of an item
	Slide      // it takes turns with its siblings
	Choice     // an option of a <select>
	Toggled    // behind a check box or a radio button
	Named      // its class says so, and something is seen beside it
)

var reasons = [...]string{
	"", "not laid out", "in an element that is never shown", "visibility", "opacity", "transparent colour", "the colour of its background",
	"clipped", "off the page", "turned away", "no size", "covered",
	"in closed details", "opened by reference", "hidden until found", "tab panel", "expandable", "menu", "slide", "choice", "toggled", "by its class",
}

func (r Reason) String() string { return reasons[r] }

// sight is the state of a text, and why.
type sight struct {
	state markup.State
	why   Reason
}

// hide hides what is not hidden yet.
func (s *sight) hide(why Reason) {
	if s.state == markup.Shown {
		*s = sight{markup.Hidden, why}
	}
}

// Limits of what is seen.
const (
	leastOpacity = 0.05
	leastAlpha   = 0.05 // of text
	leastBox     = 0.5  // px of a text
	leastWidth   = 2.5  // px that are seen of a text that has more
	leastHeight  = 4    // px that are seen of a text that has more: less is no letter
	leastTone    = 0.02 // distance of colours in OKLab: the just noticeable one
)

// unpainted reports whether an element of a vector picture is never drawn where it stands
// (SVG 2, section 5.4 and chapter 14).
func unpainted(name string) bool {
	switch name {
	case "defs", "symbol", "clipPath", "mask", "pattern", "marker", "desc", "title", "metadata", "linearGradient", "radialGradient", "annotation", "annotation-xml":
		return true
	}
	return false
}

// slot is a place of a shadow tree for children of its host.
type slot struct {
	host int32
	name string
}

// rememberSlot notes a slot of a shadow tree. Shadow trees come before the children of
// their hosts.
func (v *view) rememberSlot(i int32, n *plat.Node) {
	if n.Name != "slot" {
		return
	}
	for p := n.Parent; p > 0; p = v.Nodes[p].Parent {
		if v.Nodes[p].Kind != plat.ShadowNode {
			continue
		}
		name, _ := n.Attr("name")
		at := slot{v.Nodes[p].Parent, name}
		if v.slots == nil {
			v.slots = map[slot]int32{}
		}
		if _, ok := v.slots[at]; !ok {
			v.slots[at] = i
		}
		return
	}
}

// flatParent is the parent of node i in the flat tree (CSS Scoping 1, section 3.4): for the
// child of a shadow host the slot that it is shown in.
func (v *view) flatParent(i int32) int32 {
	n := &v.Nodes[i]
	if v.slots == nil || n.Kind != plat.ElementNode && n.Kind != plat.TextNode {
		return n.Parent
	}
	name := ""
	if n.Kind == plat.ElementNode {
		name, _ = n.Attr("slot")
	}
	if s, ok := v.slots[slot{n.Parent, name}]; ok {
		return s
	}
	return n.Parent
}

// seeText says whether text node i is seen, as far as it does not depend on what lies over
// it or behind it.
func (v *view) seeText(i int32, n *plat.Node, f *info) {
	if markup.Blank(n.Value) || v.Nodes[n.Parent].Name == "iframe" {
		return
	}
	if p := &v.Nodes[n.Parent]; p.Name == "option" && p.HasBox && !n.HasBox {
		f.text = v.info[n.Parent].visible // a list shows it by other means
		if !f.text {
			f.hide(Clipped)
		}
		return
	}
	if f.state == markup.Shown {
		f.why = NoBox
		if n.HasBox {
			st := &v.Styles[n.Style]
			// Its style is its parent's, but it is not positioned itself.
			f.why = v.whyUnseen(n.Box, st, f.windows.flow, f.inlaid)
		}
		if f.why != Plain {
			f.state = markup.Hidden
		}
	}
	f.text = f.state == markup.Shown
	f.visible = f.text
}

// whyUnseen is why a text with a box and a style is not seen in window w; Plain if it is.
func (v *view) whyUnseen(box plat.Rect, st *plat.Style, w int32, inlaid bool) Reason {
	part := v.windows[w].reach.meet(edgesOf(box))
	switch {
	case st.Hidden:
		return Invisible
	case box.W < leastBox || box.H < leastBox:
		return Empty
	case part.width() < min(box.W, leastWidth) || part.height() < min(box.H, leastHeight):
		if w <= viewWindow {
			return OffPage
		}
		return Clipped
	case float64(st.Color&0xff) < leastAlpha*255 && !st.Shadowed && !inlaid:
		return Clear
	}
	return Plain
}

// listGenerated finds for each node its part of what is generated.
func (v *view) listGenerated() {
	if len(v.Generated) == 0 {
		return
	}
	v.made, v.states = make([]int32, len(v.Nodes)+1), make([]sight, len(v.Generated))
	k := 0
	for i := range v.made {
		for k < len(v.Generated) && v.Generated[k].Node < int32(i) {
			k++
		}
		v.made[i] = int32(k)
	}
}

// generatedBy is what is generated for node i; its states are v.states[v.made[i]:].
func (v *view) generatedBy(i int32) []plat.Generated {
	if v.made == nil {
		return nil
	}
	return v.Generated[v.made[i]:v.made[i+1]]
}

// seenPart is what of the box of node i is seen by scrolling.
func (v *view) seenPart(i int32) plat.Rect {
	n := &v.Nodes[i]
	w := v.windowOf(i)
	if w == viewWindow {
		w = pageWindow // what is fixed is drawn where it stands on the page
	}
	e := v.windows[w].reach.meet(edgesOf(n.Box))
	return plat.Rect{X: e.left, Y: e.top, W: e.width(), H: e.height()}
}

// edgeOf is the box at whose edges node i cuts what is in it.
func (v *view) edgeOf(i int32) plat.Rect {
	if n := &v.Nodes[i]; n.Kind == plat.DocumentNode && n.Parent >= 0 {
		return v.Nodes[n.Parent].Box
	}
	return v.Nodes[i].Box
}

// seeGenerated says of what is generated for node i, the k-th of all, whether it is seen.
func (v *view) seeGenerated(i, k int32) {
	n, g, s := &v.Nodes[i], &v.Generated[k], &v.states[k]
	st := &v.Styles[g.Style]
	if *s = v.info[i].sight; !n.HasBox || g.Text == "" || s.state != markup.Shown {
		return
	}
	w := v.info[i].windows.around(st)
	if g.Kind == plat.Value || g.Kind == plat.Alt { // its box is the element's
		w = v.windowOf(i)
	}
	if why := v.whyUnseen(g.Box, st, w, v.info[i].inlaid); why != Plain {
		s.hide(why)
	} else if st.Opacity*v.info[i].opacity < leastOpacity {
		s.hide(Transparent)
	}
}

// windowOf is the window that node i, which has a box, is seen in.
func (v *view) windowOf(i int32) int32 {
	n := &v.Nodes[i]
	if n.Parent < 0 {
		return pageWindow
	}
	f := &v.info[v.flatParent(i)].windows
	if n.Kind != plat.ElementNode {
		return f.flow
	}
	return f.around(&v.Styles[n.Style])
}

// State is the state of a text node, and why; of other nodes it is what holds for all in them.
func (c *Cut) State(node int32) (markup.State, Reason) {
	f := &c.view.info[node]
	return f.state, f.why
}
