package segment

import (
	"slices"

	"plat/plat"
	"plat/segment/markup"
)

// view is the input of the rules: the snapshot with, per node, all values
// derived from ancestors or descendants. It is computed in one pass down and
// one pass up, so that every rule costs O(1).
type view struct {
	*plat.Snapshot
	profile Profile
	info    []info
	visible []bool  // of the nodes, as in info: kept in a Cut
	sights  []sight // likewise

	windows []window       // clipping windows; see window.go
	slots   map[slot]int32 // of shadow trees

	canvases []plat.Rect // the last ones, at most maxCanvases
	made     []int32     // for each node, the start of its part of Generated; empty: nothing is generated
	states   []sight     // of Generated

	blockStyles []bool // which of Styles make block-level boxes
	painted     paintedBoxes
	tones       distanceCache
	textSize    float32 // the font size of most of the page's text, px
	dark        bool    // dark colour scheme: unpainted areas are dark

	sums []sums // over Nodes[:i], so that a run of nodes [a,b) holds sums[b] − sums[a]
}

// sums holds totals of a run of nodes.
type sums struct {
	chars int32 // shown characters without white space
	folds int32 // folded characters without white space
	links int32 // shown characters inside links
	media int32 // visible images, controls and other non-text content
	decor int32 // visible background pictures, which carry no weight
}

// info holds the derived values of one node.
type info struct {
	visible bool // the node or a descendant is visible
	text    bool // a visible text node
	media   bool // an element that shows content without text nodes
	overlay bool // lies over the page: fixed, with its own box
	over    bool // has an overlay among its descendants
	heading bool // inside h1 to h6
	picture bool // shows a background image and nothing else
	shows   bool // has visible content
	blocks  bool // holds block-level boxes
	passes  bool // satisfies rule 8 or 9, regardless of earlier rules
	fails   bool // a Schema child does not satisfy them
	mixed   bool // a child has a different background (rule 6)
	block   bool // became a block
	link    bool // inside a link
	turned  bool // its backface is shown
	inlaid  bool // background-clip: text, or letters that a canvas shows
	stays   bool // stays in place while the page scrolls, or an ancestor does
	clips   bool // clips its content
	sight        // of a text; of an element, the state its content inherits

	windows windows // that clip its children
	opacity float32 // including its ancestors

	kind kind

	depth int32 // in the DOM, document 0
	doc   int32 // its document node
	below int32 // its nearest ancestor or self with a negative z-index; 0: absent
	rank  int32 // number of element siblings before it
	elems int32 // element children: running count, then total
	prev  int32 // previous visible sibling, -1 if absent
	last  int32 // last visible child, -1 if absent

	kids   int32 // visible children
	schema int32 // visible children of kind Schema

	first int32     // first visible text or media node in it, -1 if absent
	font  float32   // its largest font, px
	shape uint32    // hash of the tags inside; equal for equal structure
	area  plat.Rect // bounding box of its visible content

	paint paint
}

// paint is the background of a node's content: a colour and, where an image or
// gradient is painted over it, the node that paints it.
type paint struct {
	color plat.Color
	image int32 // -1: no image
}

// canvas is the background of a page without a background of its own.
const canvas plat.Color = 0xffffffff

// look reads a snapshot. It calls chars late, for the numbers of visible characters of its text
// nodes.
func (v *view) look(s *plat.Snapshot, profile Profile, chars func() []int32) {
	v.Snapshot, v.profile, v.dark = s, profile, false
	n := len(s.Nodes)
	v.info = sized(v.info, n)
	v.sums = sized(v.sums, n+1)
	v.blockStyles = sized(v.blockStyles, len(s.Styles))
	for i := range s.Styles {
		v.blockStyles[i] = blockDisplay(s.Styles[i].Display)
	}
	v.visible, v.sights = make([]bool, n), make([]sight, n)
	v.listGenerated()
	v.down()
	texts := chars()
	v.count(texts)
	v.fold(texts)
	v.up()
	v.across()
}

// leave drops the references to the snapshot.
func (v *view) leave() {
	v.Snapshot, v.slots, v.visible, v.sights = nil, nil, nil, nil
	v.canvases = v.canvases[:0]
	v.painted.Clear()
}

// sized returns a slice of n elements in the memory of s if they fit; it does not clear them.
func sized[T any](s []T, n int) []T { return slices.Grow(s[:0], n)[:n] }

// down propagates inherited values from parents to children.
func (v *view) down() {
	// A page that must not scroll down usually has an open dialog that blocks
	// scrolling, so the page's height is not limited.
	page := edges{Right: infinite, Bottom: infinite}
	if v.Width > 0 {
		page.Right = v.Width
	}
	view := page
	if !v.Viewport.Empty() {
		view.Right, view.Bottom = v.Viewport.W, v.Viewport.H
	}
	v.windows = append(v.windows[:0], window{page, page}, window{view, view})
	for i := range v.Nodes {
		n, at := &v.Nodes[i], int32(i)
		f := &v.info[i]
		*f = info{prev: -1, last: -1, first: -1, paint: paint{canvas, -1}, windows: windows{pageWindow, pageWindow, viewWindow}, opacity: 1}
		if n.Parent >= 0 {
			p := &v.info[n.Parent]
			f.depth = p.depth + 1
			f.rank = p.elems
			if n.Kind == plat.ElementNode {
				p.elems++
			}
			from := &v.info[v.flatParent(at)]
			f.paint, f.link, f.heading, f.sight = from.paint, from.link, from.heading, from.sight
			f.turned, f.stays, f.opacity, f.windows, f.doc, f.inlaid, f.below = from.turned, from.stays, from.opacity, from.windows, from.doc, from.inlaid, from.below
		}
		switch n.Kind {
		case plat.TemplateNode:
			f.hide(NeverShown)
		case plat.DocumentNode:
			f.doc = at
			if i > 0 && v.Nodes[n.Parent].HasBox {
				scrolling := "auto"
				if s, _ := v.Nodes[n.Parent].Attr("scrolling"); s == "no" {
					scrolling = "hidden"
				}
				w := v.clip(f.windows.flow, v.Nodes[n.Parent].Box, scrolling, scrolling)
				f.windows, f.clips = windows{w, w, w}, true
				if v.Styles[v.Nodes[n.Parent].Style].Hidden {
					f.hide(Invisible)
				}
			}
		case plat.TextNode:
			v.seeText(at, n, f)
		case plat.ElementNode:
			f.media = isMedia(n.Name)
			// A style sheet or script made visible is not text of the page; see
			// Text.
			if markup.NeverShown(n.Name) || n.Foreign && unpainted(n.Name) {
				f.hide(NeverShown)
			}
			v.rememberSlot(at, n)
			if n.HasBox {
				v.seeElement(at, n, f)
			}
		}
		v.paint(at, n)
	}
}

// seeElement computes an element with a box, before its children are visited.
func (v *view) seeElement(at int32, n *plat.Node, f *info) {
	st := &v.Styles[n.Style]
	f.opacity *= st.Opacity
	f.turned = f.turned != st.Turned
	switch {
	case f.opacity < leastOpacity:
		f.hide(Transparent)
	case st.ClippedAway:
		f.hide(Clipped)
	case st.Backless && f.turned:
		f.hide(Turned)
	}
	if st.Below && st.Position != "static" {
		f.below = at
	}
	f.inlaid = f.inlaid || st.TextClip && st.Painted()
	f.stays = f.stays || st.Position == "fixed" || st.Position == "sticky"
	f.link = f.link || n.Name == "a"
	f.heading = f.heading || headingRank(n.Name) > 0
	own := f.windows.around(st)
	f.visible = f.state == markup.Shown && !st.Hidden && !v.windows[own].reach.Meet(edgesOf(n.Box)).Empty()
	if f.visible && n.Name == "canvas" {
		v.addCanvas(n.Box)
	}
	f.paint.color = st.Background.Over(f.paint.color)
	if st.BackgroundImage && !st.TextClip {
		f.paint.image = at
	} else if st.Background&0xff == 0xff {
		f.paint.image = -1
	}
	if f.visible {
		f.overlay = v.profile == Visual && v.liesOver(n, st)
	}
	if n.Parent == 0 {
		v.dark = colorDistance(st.Color, canvas) < colorDistance(st.Color, 0xff)
	}
	f.windows = v.within(at, f.windows)
	f.clips = f.windows.flow != own && !v.scrollsPage(at)
}

// count completes the states of texts, and computes the sums; until [view.fold], folds counts the
// texts that it may find.
func (v *view) count(chars []int32) {
	var sum sums
	v.sums[0] = sum
	for i := range v.Nodes {
		n, f := &v.Nodes[i], &v.info[i]
		text := int32(0)
		if f.text && n.HasBox && n.Kind == plat.TextNode {
			v.uncover(int32(i))
		}
		switch {
		case f.text:
			text = chars[i]
		case n.Kind == plat.TextNode:
			if f.mayUnfold() && chars[i] > 0 {
				sum.folds++
			}
		case n.Kind == plat.ElementNode:
			if f.visible && f.media {
				sum.media++
			}
			for k, g := range v.generatedBy(int32(i)) {
				if g.Text != "" && v.states[v.made[i]+int32(k)].state == markup.Shown {
					text += markup.CountChars(g.Text)
				}
			}
		}
		sum.chars += text
		if f.link {
			sum.links += text
		}
		v.sums[i+1] = sum
	}
}

// up accumulates values from children to parents. Children come after their
// parents, so in reverse order every node's descendants are complete when it is
// reached.
func (v *view) up() {
	for i := len(v.Nodes) - 1; i > 0; i-- {
		n, f := &v.Nodes[i], &v.info[i]
		p := &v.info[n.Parent]
		p.over = p.over || f.over || f.overlay
		if !f.visible {
			continue
		}
		f.picture = !f.shows && v.pictured(int32(i))
		v.classify(int32(i))
		v.lookAt(int32(i))
		f.passes = f.kind == schema && f.kids > 0 && !f.fails
		p.visible = true
		p.shows = p.shows || f.shows || f.text || f.picture || f.media
		if f.overlay {
			continue
		}
		p.font = max(p.font, f.font)
		area := f.area
		if p.clips {
			area = area.Intersect(v.edgeOf(n.Parent))
		}
		p.area = p.area.Union(area)
		if f.first >= 0 {
			p.first = f.first
		}
		if n.Kind == plat.ElementNode {
			p.shape = p.shape*31 + tagHash(n.Name)
		}
		if f.over && f.kids == 0 && (!n.HasBox || n.Box.Empty()) {
			continue // not part of the content below it
		}
		p.blocks = p.blocks || f.blocks || v.blockLevel(n)
		p.kids++
		if f.kind == schema {
			p.schema++
			p.fails = p.fails || !f.passes
		}
	}
	if len(v.Nodes) > 0 {
		v.classify(0)
	}
}

// across links visible siblings, compares colours of parents and children, sums up the
// background pictures, and finds the usual font size.
func (v *view) across() {
	var fonts majority[float32]
	for i := range v.Nodes {
		n, f := &v.Nodes[i], &v.info[i]
		v.visible[i], v.sights[i] = f.visible, f.sight
		v.sums[i+1].decor = v.sums[i].decor
		if f.picture {
			v.sums[i+1].decor++
		}
		if f.text {
			fonts.Add(f.font, v.sums[i+1].chars-v.sums[i].chars)
		}
		if i == 0 || !f.visible || f.overlay {
			continue
		}
		p := &v.info[n.Parent]
		f.prev, p.last = p.last, int32(i)
		if f.paint != p.paint && n.HasBox && v.differs(n, f.paint, &v.Nodes[n.Parent], p.paint) {
			p.mixed = true
		}
	}
	v.textSize = 16
	if fonts.Most > 0 {
		v.textSize = fonts.Value
	}
}

// liesOver reports whether an element is an overlay: it stays in place while
// the page scrolls, and does not itself scroll.
func (v *view) liesOver(n *plat.Node, st *plat.Style) bool {
	return st.Position == "fixed" && n.Name != "body" && n.Name != "html" &&
		n.Box.Area() < maxOverlay*float64(v.Width)*float64(v.Height)
}

// maxOverlay is the maximum share of the page that an overlay covers. Web
// applications fix their whole content; that is the page, not an overlay.
const maxOverlay = 0.8

// isMedia reports whether an element of that name shows content without text nodes.
func isMedia(name string) bool {
	switch name {
	case "img", "video", "audio", "canvas", "svg", "object", "embed", "iframe", "frame", "math",
		"input", "select", "textarea", "progress", "meter", "button":
		return true
	}
	return false
}
