package segment

import (
	"unicode/utf8"

	"plat"
)

// view is what the rules look at: the snapshot with, per node, everything that
// takes a look at ancestors or descendants to know. It is made in one pass down
// and one pass up, so that every rule costs O(1).
type view struct {
	*plat.Snapshot
	profile Profile
	info    []info

	// Sums over Nodes[:i], so that a run of nodes [a,b) holds x[b] − x[a].
	chars []int32 // visible characters, white space not counted
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
	gone    bool // transparent or never shown, with all that is in it

	kind kind

	depth int32 // in the DOM, document 0
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
	sums := make([]int32, 4*(n+1))
	v := &view{
		Snapshot: s, profile: profile, info: make([]info, n),
		chars: sums[:n+1], links: sums[n+1 : 2*n+2], media: sums[2*n+2 : 3*n+3], decor: sums[3*n+3:],
	}
	v.down()
	v.up()
	v.across()
	v.addPictures()
	return v
}

// down hands on what children have from their parents.
func (v *view) down() {
	for i := range v.Nodes {
		n, at := &v.Nodes[i], int32(i)
		f := &v.info[i]
		f.prev, f.last, f.first = -1, -1, -1
		f.paint = paint{canvas, -1}
		if n.Parent >= 0 {
			p := &v.info[n.Parent]
			f.depth, f.paint, f.link, f.gone = p.depth+1, p.paint, p.link, p.gone
			f.heading = p.heading
			f.rank = p.elems
			if n.Kind == plat.ElementNode {
				p.elems++
			}
		}
		// A style sheet or script made visible is no text of the page; see Text.
		f.gone = f.gone || n.Kind == plat.ElementNode && rawText(n.Name) == rawUnseen && n.Name != "iframe"
		var text, link, media int32
		switch {
		case n.Kind == plat.TemplateNode:
			f.gone = true
		case !n.HasBox:
		case n.Kind == plat.TextNode:
			st := &v.Styles[n.Style]
			if !f.gone && !st.Hidden && inSight(n.Box) && !blank(n.Value) && v.Nodes[n.Parent].Name != "iframe" {
				f.visible, f.text = true, true
				text = countChars(n.Value)
				if f.link {
					link = text
				}
			}
		case n.Kind == plat.ElementNode:
			st := &v.Styles[n.Style]
			f.gone = f.gone || st.Opacity == 0
			f.link = f.link || n.Name == "a"
			f.heading = f.heading || headingRank(n.Name) > 0
			f.visible = !f.gone && !st.Hidden && inSight(n.Box)
			f.paint.color = st.Background.Over(f.paint.color)
			if st.BackgroundImage {
				f.paint.image = at
			} else if st.Background&0xff == 0xff {
				f.paint.image = -1
			}
			if f.visible {
				f.overlay = v.profile == Visual && v.liesOver(n, st)
				if isMedia(n) {
					media = 1
				}
			}
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
		p.area = p.area.Union(f.area)
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

// inSight reports whether a box covers something that can be scrolled to: a
// page extends to the right and down only.
func inSight(r plat.Rect) bool { return !r.Empty() && r.X+r.W > 0 && r.Y+r.H > 0 }

// liesOver reports whether an element is an overlay: it stays where it is while
// the page scrolls, and is not itself what scrolls.
func (v *view) liesOver(n *plat.Node, st *plat.Style) bool {
	return st.Position == "fixed" && n.Name != "body" && n.Name != "html" &&
		n.Box.Area() < maxOverlay*float64(v.Width)*float64(v.Height)
}

// maxOverlay is the share of the page that an overlay covers at most: web
// applications fix their whole content, and that is the page.
const maxOverlay = 0.8

// countChars counts what a reader would call the characters of s.
func countChars(s string) int32 {
	n := int32(0)
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c > ' ' {
				n++
			}
			i++
			continue
		}
		r, w := utf8.DecodeRuneInString(s[i:])
		if !spaceRune(r) && !zeroWidth(r) {
			n++
		}
		i += w
	}
	return n
}

// isMedia holds for elements that show something without text nodes.
func isMedia(n *plat.Node) bool {
	switch n.Name {
	case "img", "video", "audio", "canvas", "svg", "object", "embed", "iframe", "frame", "math",
		"input", "select", "textarea", "progress", "meter", "button":
		return true
	}
	return false
}
