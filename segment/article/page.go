package article

import (
	"strings"

	"plat/plat"
)

// page is a snapshot with per-node data derived from the surrounding nodes.
type page struct {
	*plat.Snapshot
	at     []place // by node
	locale string  // language tag of the page, or that its meta elements declare
}

// place is the data that a node inherits from its ancestors, and its extent.
type place struct {
	parent, end int32 // as in plat.Node, but guaranteed to nest
	block       int32 // nearest block-level node, itself included; a root counts as one

	own  hints // from the element's own tag, role, class and id
	all  hints // including its ancestors'; set by text.trust
	text bool  // a text node whose text is used
	link bool  // inside a link
	seen bool  // visible: not hidden by style, size or position
	pre  bool  // inside preformatted text
	main bool  // in an element declared as the main text

	item, inItem bool // with itemtype, and inside of such

	stamp string // machine-readable date of the element
}

// read processes every node once, parents first. It relies only on the order of
// nodes, since the snapshot may come from a damaged file: ends that do not nest
// are cut to those of the surrounding node. wary is passed to the reader of
// names.
func read(s *plat.Snapshot, wary bool) *page {
	p := &page{Snapshot: s, at: make([]place, len(s.Nodes))}
	up := int32(-1) // the innermost node still open
	names := &reader{known: map[string]hints{}, wary: wary}
	for i := range p.at {
		n, a := &s.Nodes[i], &p.at[i]
		for up >= 0 && p.at[up].end <= int32(i) {
			up = p.at[up].parent
		}
		end := int32(len(p.at))
		over := place{block: int32(i), seen: true, text: true}
		if up >= 0 {
			over = p.at[up]
			end = over.end
		}
		*a = place{
			parent: up, end: min(max(n.End, int32(i)+1), end), block: over.block, text: over.text, link: over.link, seen: over.seen, main: over.main, pre: over.pre,
			inItem: over.item || over.inItem,
		}
		st := p.style(n)
		switch n.Kind {
		case plat.ElementNode:
			a.own = names.hintsOf(n)
			_, a.item = n.Attr("itemtype")
			if n.Name == "pre" || n.Name == "table" {
				p.noPicture(up)
			}
			a.stamp = stamp(n, a.own)
			a.main = a.main || n.Name == "article" || n.Name == "main" || a.own&hintBody != 0
			if st != nil && st.Position == "fixed" {
				a.own |= hintOverlay // stays over the page while scrolling
			}
			a.text = a.text && !mute(n)
			a.pre = a.pre || n.Name == "pre"
			a.link = a.link || n.Name == "a" && leads(n)
			a.seen = a.seen && (st == nil || st.Opacity > 0)
			if isBlock(n, st) && !p.initial(int32(i), st) {
				a.block = int32(i)
			}
		case plat.TextNode:
			a.seen = a.seen && st != nil && !st.Hidden && n.Box.W > 0 && n.Box.H > 0 && n.Box.X+n.Box.W > 0 && n.Box.Y+n.Box.H > 0
		case plat.TemplateNode:
			a.text = false
		case plat.DocumentNode:
			if up >= 0 { // a frame: a page inside this one
				a.text = false
			}
		case plat.CommentNode, plat.DoctypeNode:
			a.text = false
		}
		if a.end > int32(i)+1 {
			up = int32(i)
		}
	}
	return p
}

// noPicture drops the hint that a figure around code or a table is beside the text; up is the node
// around that figure.
func (p *page) noPicture(up int32) {
	for k := 0; up >= 0 && k < 8; up, k = p.at[up].parent, k+1 {
		if p.Nodes[up].Name == "figure" {
			p.at[up].own &^= hintCaption
		}
	}
}

// leads reports whether an <a> is a link; without href it is only an anchor.
func leads(n *plat.Node) bool {
	_, ok := n.Attr("href")
	return ok
}

// style returns a node's style, nil if it was not laid out.
func (p *page) style(n *plat.Node) *plat.Style {
	if !n.HasBox || n.Style < 0 || int(n.Style) >= len(p.Styles) {
		return nil
	}
	return &p.Styles[n.Style]
}

// mute reports whether the text of an element is not content: code, fallback text for old browsers,
// and controls, whose text is their state.
func mute(n *plat.Node) bool {
	switch n.Name {
	case "head", "script", "style", "noscript", "template", "iframe", "object", "embed", "audio", "video", "canvas",
		"select", "option", "textarea", "button", "input", "datalist", "progress", "meter", "svg", "map", "dialog":
		return true
	}
	return n.Foreign && n.Name != "math"
}

// isBlock reports whether an element separates paragraphs. Elements without
// layout are classified by tag.
func isBlock(n *plat.Node, st *plat.Style) bool {
	if st != nil && st.Display != "" && st.Display != "none" {
		return !strings.HasPrefix(st.Display, "inline") && st.Display != "contents" && !strings.HasPrefix(st.Display, "ruby")
	}
	return !inlineTags[n.Name] && !n.Foreign
}

// inlineTags are inline unless a style overrides it.
var inlineTags = wordSet(`a abbr acronym b bdi bdo big br cite code data del dfn em font i img ins kbd label mark math nobr q rp rt ruby s
	samp small span strike strong sub sup time tt u var wbr`)

// initial reports whether an element is a drop cap: it is laid out as a block,
// but belongs to its paragraph.
func (p *page) initial(i int32, st *plat.Style) bool {
	if st == nil || !inlineTags[p.Nodes[i].Name] || st.Float != "left" && st.Float != "right" {
		return false
	}
	letters := 0
	for k := i + 1; k < min(max(p.Nodes[i].End, i+1), int32(len(p.Nodes))); k++ {
		if letters += len(strings.TrimSpace(p.Nodes[k].Value)); k > i+3 || letters > 4 {
			return false
		}
	}
	return letters > 0
}

func wordSet(s string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(s) {
		m[w] = true
	}
	return m
}
