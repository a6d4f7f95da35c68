package segment

import (
	"plat"
	"plat/markup"
)

// view is what the rules look at: the snapshot with, per node, everything that
// takes a look at ancestors or descendants to know. It is made in one pass down
// and one pass up, so that every rule costs O(1).
type view struct {
	*plat.Snapshot
	profile Profile
	info    []info

	windows []window       // that the page is seen through; see window.go
	slots   map[slot]int32 // of shadow trees, by host and name
	made    []int32        // for each node, where its part of Generated begins; nil: there is none
	states  []sight        // of Generated
	dark    bool           // the page is light on dark where nothing is painted, by its colour scheme

	// Sums over Nodes[:i], so that a run of nodes [a,b) holds x[b] − x[a].
	chars []int32 // shown characters, white space not counted
	folds []int32 // folded ones
	links []int32 // of these inside links
	media []int32 // visible images, controls and other things that are no text
	decor []int32 // pictures that are backgrounds: to be seen, but of no weight
}

// info is what is known of one node.
type info struct {
	visible bool // a reader sees the node or something in it
	text    bool // a text node that a reader sees
	overlay bool // lies over the page: fixed, with a box of its own
	over    bool // holds an overlay somewhere below
	heading bool // inside h1 to h6
	picture bool // shows a background image and nothing else
	shows   bool // something to be seen is in it
	blocks  bool // holds block-level boxes
	passes  bool // satisfies rule 8 or 9, whatever the rules before say
	fails   bool // a Schema child does not
	mixed   bool // a child shows another colour (rule 6)
	block   bool // was taken as a block
	link    bool // inside a link
	turned  bool // its back is shown
	inlaid  bool // a background is painted in its letters
	stays   bool // stays in place while the page scrolls, or is in what does
	clips   bool // what is in it is cut at its edges
	sight        // of a text; of an element what holds for all in it

	windows windows // that its children are seen in
	opacity float32 // with that of all around it

	kind kind

	depth int32 // in the DOM, document 0
	doc   int32 // the document that it is in
	below int32 // the element with a negative z-index that it is in; 0: none
	rank  int32 // how many element children of its parent stand before it
	elems int32 // element children so far, then in all
	prev  int32 // visible sibling before, -1 if none
	last  int32 // visible child so far, then the last one; -1 if none

	kids   int32 // visible children
	schema int32 // of these Schema

	first int32     // the first text or medium that is seen in it, -1 if none
	font  float32   // its largest font, px
	shape uint32    // of its element children, alike where they are
	area  plat.Rect // all that is seen of it and in it, on the page

	paint paint
}

// paint is what lies behind a node's content: a colour and, where an image or
// gradient is painted over it, the node that paints it.
type paint struct {
	color plat.Color
	image int32 // -1: none
}

// canvas is what a page without any background is painted on.
const canvas plat.Color = 0xffffffff

func look(s *plat.Snapshot, profile Profile) *view {
	n := len(s.Nodes)
	sums := make([]int32, 5*(n+1))
	v := &view{
		Snapshot: s, profile: profile, info: make([]info, n),
		chars: sums[:n+1], links: sums[n+1 : 2*n+2], media: sums[2*n+2 : 3*n+3], decor: sums[3*n+3 : 4*n+4], folds: sums[4*n+4:],
	}
	v.listGenerated()
	v.down()
	v.uncover()
	v.count()
	v.fold()
	v.up()
	v.across()
	v.addPictures()
	return v
}

// down hands on what children have from their parents.
func (v *view) down() {
	// Where a page may not be scrolled down, it mostly is for as long as a dialog is open.
	page := edges{0, 0, infinite, infinite}
	if v.Width > 0 {
		page.right = v.Width
	}
	view := page
	if !v.Viewport.Empty() {
		view.right, view.bottom = v.Viewport.W, v.Viewport.H
	}
	v.windows = []window{pageWindow: {page, page}, viewWindow: {view, view}}
	for i := range v.Nodes {
		n, at := &v.Nodes[i], int32(i)
		f := &v.info[i]
		f.prev, f.last, f.first = -1, -1, -1
		f.paint = paint{canvas, -1}
		f.windows, f.opacity = windows{pageWindow, pageWindow, viewWindow}, 1
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
			// A style sheet or script made visible is no text of the page; see Text.
			if markup.NeverShown(n.Name) || n.Foreign && unpainted(n.Name) {
				f.hide(NeverShown)
			}
			v.rememberSlot(at, n)
			if n.HasBox {
				v.seeElement(at, n, f)
			}
		}
	}
}

// seeElement completes what is known of an element with a box before its children are
// looked at.
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
	f.visible = f.state == markup.Shown && !st.Hidden && !v.windows[own].reach.meet(edgesOf(n.Box)).empty()
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
		v.dark = contrast(st.Color, canvas) < contrast(st.Color, 0xff)
	}
	f.windows = v.within(at, f.windows)
	f.clips = f.windows.flow != own && !v.scrollsPage(at)
}

// count sums up what is shown.
func (v *view) count() {
	for i := range v.Nodes {
		n, f := &v.Nodes[i], &v.info[i]
		var text, link, media int32
		switch {
		case f.text:
			text = markup.CountChars(n.Value)
		case n.Kind == plat.ElementNode:
			if f.visible && isMedia(n) {
				media = 1
			}
			for k, g := range v.generatedBy(int32(i)) {
				if g.Text != "" && v.states[v.made[i]+int32(k)].state == markup.Shown {
					text += markup.CountChars(g.Text)
				}
			}
		}
		if f.link {
			link = text
		}
		v.chars[i+1], v.links[i+1], v.media[i+1] = v.chars[i]+text, v.links[i]+link, v.media[i]+media
	}
}

// up tells parents of their children. Children come after their parents, so
// when a node is reached all below it is known.
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
		p.shows = p.shows || f.shows || f.text || f.picture || isMedia(n)
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
			continue // no part of what it lies over
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

// across links visible siblings and compares colours of parents and children.
func (v *view) across() {
	for i := 1; i < len(v.Nodes); i++ {
		f := &v.info[i]
		if !f.visible || f.overlay {
			continue
		}
		n := &v.Nodes[i]
		p := &v.info[n.Parent]
		f.prev, p.last = p.last, int32(i)
		if f.paint != p.paint && n.HasBox && v.differs(n, f.paint, &v.Nodes[n.Parent], p.paint) {
			p.mixed = true
		}
	}
}

// liesOver reports whether an element is an overlay: it stays where it is while
// the page scrolls, and is not itself what scrolls.
func (v *view) liesOver(n *plat.Node, st *plat.Style) bool {
	return st.Position == "fixed" && n.Name != "body" && n.Name != "html" &&
		n.Box.Area() < maxOverlay*float64(v.Width)*float64(v.Height)
}

// maxOverlay is the share of the page that an overlay covers at most: web
// applications fix their whole content, and that is the page.
const maxOverlay = 0.8

// isMedia holds for elements that show something without text nodes.
func isMedia(n *plat.Node) bool {
	switch n.Name {
	case "img", "video", "audio", "canvas", "svg", "object", "embed", "iframe", "frame", "math",
		"input", "select", "textarea", "progress", "meter", "button":
		return true
	}
	return false
}
