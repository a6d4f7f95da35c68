package segment

import (
	"slices"

	"plat/plat"
	"plat/segment/markup"
)

// Reason is the cause of a text's state.
type Reason uint8

// Causes of hidden text, and ways to open folded text.
const (
	Plain       Reason = iota // shown
	NoBox                     // not laid out
	NeverShown                // in an element that never shows text
	Invisible                 // visibility: hidden or collapse
	Transparent               // opacity of the element or an ancestor
	Clear                     // transparent text colour
	Camouflaged               // text colour equals the background
	Clipped                   // clipped away by an ancestor
	OffPage                   // outside the scrollable area
	Turned                    // rotated, with a hidden backface
	Empty                     // zero size
	Covered                   // covered by an opaque box

	InDetails  // in a closed <details>
	Referred   // referenced by an opener
	UntilFound // hidden=until-found
	TabPanel   // the panel of a tab
	Expandable // beside something with aria-expanded or aria-haspopup
	InMenu     // menu of an item
	Slide      // alternates with its siblings
	Choice     // an option of a <select>
	Toggled    // behind a check box or a radio button
	Named      // by its class, with visible content beside it
)

var reasons = [...]string{
	"", "not laid out", "in an element that is never shown", "visibility", "opacity", "transparent colour", "the colour of its background",
	"clipped", "off the page", "turned away", "no size", "covered",
	"in closed details", "opened by reference", "hidden until found", "tab panel", "expandable", "menu", "slide", "choice", "toggled", "by its class",
}

func (r Reason) String() string { return reasons[r] }

// sight is the state of a text and its cause.
type sight struct {
	state markup.State
	why   Reason
}

// hide hides a shown text; other states stay.
func (s *sight) hide(why Reason) {
	if s.state == markup.Shown {
		*s = sight{markup.Hidden, why}
	}
}

// Thresholds of visibility.
const (
	leastOpacity = 0.05
	leastAlpha   = 0.05 // of the text colour
	leastBox     = 0.5  // px of a text
	leastWidth   = 2.5  // visible px of a wider text
	leastHeight  = 4    // visible px of a higher text: less shows no letter
	leastTone    = 0.02 // colour distance in OKLab: just noticeable
)

// unpainted reports whether an SVG or MathML element is never drawn directly
// (SVG 2, section 5.4 and chapter 14).
func unpainted(name string) bool {
	switch name {
	case "defs", "symbol", "clipPath", "mask", "pattern", "marker", "desc", "title", "metadata", "linearGradient", "radialGradient", "annotation", "annotation-xml":
		return true
	}
	return false
}

// slot identifies a slot of a shadow tree by its host and name.
type slot struct {
	host int32
	name string
}

// rememberSlot records a slot of a shadow tree. Shadow trees precede the
// children of their hosts.
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

// flatParent returns the parent of node i in the flat tree (CSS Scoping 1, section 3.4). For the
// child of a shadow host, it is the slot that the child is assigned to.
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

// seeText sets whether text node i is visible, apart from occlusion and
// background colour, which uncover checks.
func (v *view) seeText(i int32, n *plat.Node, f *info) {
	if markup.Blank(n.Value) || v.Nodes[n.Parent].Name == "iframe" {
		return
	}
	if p := &v.Nodes[n.Parent]; p.Name == "option" && p.HasBox && !n.HasBox {
		f.text = v.info[n.Parent].visible // rendered by the <select>, without a box of its own
		if !f.text {
			f.hide(Clipped)
		}
		return
	}
	if f.state == markup.Shown {
		f.why = NoBox
		if n.HasBox {
			st := &v.Styles[n.Style]
			// A text node has its parent's style but is not positioned itself.
			f.inlaid = f.inlaid || v.overDrawing(n.Box, st)
			f.why = v.whyUnseen(n.Box, st, f.windows.flow, f.inlaid)
		}
		if f.why != Plain {
			f.state = markup.Hidden
		}
	}
	f.text = f.state == markup.Shown
	f.visible = f.text
}

// maxCanvases is the number of canvases that a text is compared with: a viewer lays a text over the canvas before it.
const maxCanvases = 64

// addCanvas records a canvas of the page.
func (v *view) addCanvas(box plat.Rect) {
	if len(v.canvases) == maxCanvases {
		v.canvases = slices.Delete(v.canvases, 0, 1)
	}
	v.canvases = append(v.canvases, box)
}

// overDrawing reports whether a text without colour lies over a canvas. Viewers of documents draw the
// letters there, and lay the text over them to be selected and found.
func (v *view) overDrawing(box plat.Rect, st *plat.Style) bool {
	if colourless(st) {
		for _, c := range v.canvases {
			if x, y := box.X+box.W/2, box.Y+box.H/2; x > c.X && x < c.X+c.W && y > c.Y && y < c.Y+c.H {
				return true
			}
		}
	}
	return false
}

// colourless reports whether the letters of a style have no colour.
func colourless(st *plat.Style) bool { return float64(st.Color&0xff) < leastAlpha*255 && !st.Shadowed }

// whyUnseen returns why a text with a box and a style is hidden in window w;
// Plain if it is visible.
func (v *view) whyUnseen(box plat.Rect, st *plat.Style, w int32, inlaid bool) Reason {
	part := v.windows[w].reach.Meet(edgesOf(box))
	switch {
	case st.Hidden:
		return Invisible
	case box.W < leastBox || box.H < leastBox:
		return Empty
	case part.Width() < min(box.W, leastWidth) || part.Height() < min(box.H, leastHeight):
		if w <= viewWindow {
			return OffPage
		}
		return Clipped
	case colourless(st) && !inlaid:
		return Clear
	}
	return Plain
}

// listGenerated indexes the generated content by node.
func (v *view) listGenerated() {
	if v.made = v.made[:0]; len(v.Generated) == 0 {
		return
	}
	v.made, v.states = sized(v.made, len(v.Nodes)+1), sized(v.states, len(v.Generated))
	clear(v.states)
	k := 0
	for i := range v.made {
		for k < len(v.Generated) && v.Generated[k].Node < int32(i) {
			k++
		}
		v.made[i] = int32(k)
	}
}

// generatedBy returns the content generated for node i; its states are
// v.states[v.made[i]:].
func (v *view) generatedBy(i int32) []plat.Generated {
	if len(v.made) == 0 {
		return nil
	}
	return v.Generated[v.made[i]:v.made[i+1]]
}

// seenPart returns the part of node i's box that scrolling can reveal.
func (v *view) seenPart(i int32) plat.Rect {
	n := &v.Nodes[i]
	w := v.windowOf(i)
	if w == viewWindow {
		w = pageWindow // fixed content is drawn at its position on the page
	}
	e := v.windows[w].reach.Meet(edgesOf(n.Box))
	return plat.Rect{X: e.Left, Y: e.Top, W: e.Width(), H: e.Height()}
}

// edgeOf returns the box that clips the content of node i.
func (v *view) edgeOf(i int32) plat.Rect {
	if n := &v.Nodes[i]; n.Kind == plat.DocumentNode && n.Parent >= 0 {
		return v.Nodes[n.Parent].Box
	}
	return v.Nodes[i].Box
}

// seeGenerated sets whether v.Generated[k], generated for node i, is visible.
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

// windowOf returns the window that clips node i, which has a box.
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
