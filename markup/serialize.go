package markup

import (
	"strings"

	"plat"
)

// Serialize writes the page as HTML: what XMLHttpRequest or "copy outer HTML"
// would give (HTML Living Standard section 13.3), doctype and comments
// included, as Chrome writes it. Three things are added that outerHTML leaves
// out, each as a <template> at the start of the element that owns it:
//
//   - a shadow root, as <template shadowrootmode="open|closed">;
//   - the contents of a <template>, which outerHTML has too;
//   - the document of a frame, as <template data-plat-frame>, so that frames
//     are part of the page; the src or srcdoc attribute stays as it was.
//
// Text that the browser generates is added as comments, <!--plat:before Note-->: of
// pseudo-elements inside of their element, of what a control shows behind it.
//
// An HTML parser need not build the same DOM from it (no serialisation can
// promise that, section 13.3 says), but the bytes depend on the DOM alone.
func Serialize(s *plat.Snapshot) []byte { return SerializeParts(s, nil, nil) }

// SerializeParts is [Serialize], and says of each of some parts which bytes it has become and
// what is not shown of them, as states says of each text. Parts are in document order and do
// not overlap; without parts states may be nil.
func SerializeParts(s *plat.Snapshot, parts []Part, states States) []byte {
	w := writer{nodes: s.Nodes, generated: s.Generated, out: make([]byte, 0, 64+40*len(s.Nodes)), parts: parts, states: states}
	w.subtree(0, int32(len(s.Nodes)))
	return w.out
}

// OuterHTML is Serialize without what it adds: the document element as
// document.documentElement.outerHTML gives it.
func OuterHTML(s *plat.Snapshot) []byte {
	w := writer{nodes: s.Nodes, plain: true}
	for i := int32(1); i < int32(len(s.Nodes)); i = s.Nodes[i].End {
		if s.Nodes[i].Kind == plat.ElementNode {
			w.subtree(i, s.Nodes[i].End)
			break
		}
	}
	return w.out
}

// frameOpen and frameClose hold the document of a frame.
const (
	frameOpen  = "<template data-plat-frame>"
	frameClose = "</template>"
)

// writer serialises nodes in one pass. Depth costs heap, not stack.
type writer struct {
	nodes []plat.Node
	plain bool // leave out shadow roots and frames
	out   []byte
	open  []int32 // elements whose end tag is still to come

	parts  []Part // still to come
	in     *Part  // the one that is being written
	states States
	mute   int32 // nodes before this one lie in an element that is never shown

	generated []plat.Generated // of nodes still to be written
	pending   []pending        // of elements that are open, the innermost last
	next      int32            // of all, generated[0]
}

// pending is a generated text that follows the content of an element.
type pending struct {
	*plat.Generated
	k int32
}

// generatedMark begins the comment that holds generated text.
const generatedMark = "<!--plat:"

// generate writes a generated text.
func (w *writer) generate(g *plat.Generated, k int32) {
	from := len(w.out)
	w.out = append(append(append(w.out, generatedMark...), g.Kind...), ' ')
	w.out = append(appendEscaped(w.out, g.Text, false), "-->"...)
	if w.in != nil {
		w.in.text(w.states.OfGenerated(k), from, len(w.out))
	}
}

func (w *writer) subtree(i, end int32) {
	for i < end || len(w.open) > 0 {
		for len(w.open) > 0 && w.nodes[w.open[len(w.open)-1]].End <= i {
			o := w.open[len(w.open)-1]
			w.open = w.open[:len(w.open)-1]
			w.close(o)
			w.leave(w.nodes[o].End, o)
		}
		if i >= end {
			break
		}
		if w.in == nil && len(w.parts) > 0 && w.parts[0].Nodes.First == i {
			w.in, w.parts = &w.parts[0], w.parts[1:]
			w.in.From = len(w.out)
		}
		n := &w.nodes[i]
		if w.plain && (n.Kind == plat.ShadowNode || n.Kind == plat.DocumentNode && i > 0) {
			i = n.End
			continue
		}
		w.start(i, n)
		if n.End > i+1 || n.Kind != plat.TextNode && n.Kind != plat.CommentNode && n.Kind != plat.DoctypeNode {
			w.open = append(w.open, i)
		} else {
			w.leave(n.End, i)
		}
		i++
	}
}

// leave ends the part whose last node is last, once all of it is written.
func (w *writer) leave(end, last int32) {
	p := w.in
	if p == nil || end != p.Nodes.End || w.nodes[last].Parent != w.nodes[p.Nodes.First].Parent {
		return
	}
	p.To = len(w.out)
	w.in = nil
}

func (w *writer) start(i int32, n *plat.Node) {
	switch n.Kind {
	case plat.DocumentNode:
		if i > 0 {
			w.out = append(w.out, frameOpen...)
		}
	case plat.DoctypeNode:
		w.doctype(n)
	case plat.ElementNode:
		if NeverShown(n.Name) {
			w.mute = max(w.mute, n.End)
		}
		w.out = append(append(w.out, '<'), n.Name...)
		for j := range n.Attrs {
			w.out = append(append(w.out, ' '), n.Attrs[j].Name...)
			w.out = append(w.out, `="`...)
			w.out = appendEscaped(w.out, n.Attrs[j].Value, true)
			w.out = append(w.out, '"')
		}
		w.out = append(w.out, '>')
		w.startGenerated(i)
	case plat.TextNode:
		w.text(i, n)
	case plat.CommentNode:
		from := len(w.out)
		w.out = append(append(append(w.out, "<!--"...), n.Value...), "-->"...)
		if w.in != nil && (strings.Contains(n.Value, "--") || strings.HasPrefix(n.Value, "plat:")) {
			w.in.hide(from, len(w.out)) // it may seem to end early, or to be ours
		}
	case plat.ShadowNode:
		w.out = append(append(append(w.out, `<template shadowrootmode="`...), n.Value...), `">`...)
	}
}

// startGenerated writes what is generated before the content of element i, and remembers
// the rest.
func (w *writer) startGenerated(i int32) {
	for len(w.generated) > 0 && w.generated[0].Node <= i {
		g, k := &w.generated[0], w.next
		w.generated, w.next = w.generated[1:], w.next+1
		switch {
		case w.plain || g.Text == "" || g.Node < i:
		case g.Kind == plat.Before:
			w.generate(g, k)
		default:
			w.pending = append(w.pending, pending{g, k})
		}
	}
}

// endGenerated writes what is generated of element i that comes before its end tag, or
// behind it.
func (w *writer) endGenerated(i int32, behind bool) {
	for len(w.pending) > 0 {
		p := w.pending[len(w.pending)-1]
		if p.Node != i || (p.Kind == plat.After) == behind {
			return
		}
		w.pending = w.pending[:len(w.pending)-1]
		w.generate(p.Generated, p.k)
	}
}

func (w *writer) close(i int32) {
	switch n := &w.nodes[i]; n.Kind {
	case plat.ElementNode:
		w.endGenerated(i, false)
		if n.Foreign || !VoidElement(n.Name) {
			w.out = append(append(append(w.out, "</"...), n.Name...), '>')
		}
		w.endGenerated(i, true)
	case plat.ShadowNode:
		w.out = append(w.out, frameClose...)
	case plat.DocumentNode:
		if i > 0 {
			w.out = append(w.out, frameClose...)
		}
	}
}

func (w *writer) doctype(n *plat.Node) {
	w.out = append(append(w.out, "<!DOCTYPE "...), n.Name...)
	public, _ := n.Attr("public")
	system, _ := n.Attr("system")
	switch {
	case public != "":
		w.out = append(append(append(w.out, ` PUBLIC "`...), public...), '"')
		if system != "" {
			w.out = append(append(append(w.out, ` "`...), system...), '"')
		}
	case system != "":
		w.out = append(append(append(w.out, ` SYSTEM "`...), system...), '"')
	}
	w.out = append(w.out, '>')
}

func (w *writer) text(i int32, n *plat.Node) {
	if n.Value == "" {
		return
	}
	kind := notRaw
	p := &w.nodes[n.Parent]
	if p.Kind == plat.ElementNode {
		kind = rawText(p.Name)
	}
	from := len(w.out)
	if kind != notRaw && !p.Foreign {
		w.out = append(w.out, n.Value...)
	} else {
		w.out = appendEscaped(w.out, n.Value, false)
	}
	part := w.in
	switch {
	case part == nil || Blank(n.Value):
	case kind == rawUnseen && p.Name != "iframe" && !strings.Contains(n.Value, "</"):
		// Text jumps over it by itself; no reader sees it either way.
	case kind == rawUnseen, i < w.mute:
		part.text(Hidden, from, len(w.out))
	default:
		part.text(w.states.OfText(i), from, len(w.out))
	}
}

// appendEscaped escapes text, or an attribute's value; Chrome escapes < and > in
// both (since version 138 in attributes too).
func appendEscaped(out []byte, s string, attr bool) []byte {
	from := 0
	for i := 0; i < len(s); i++ {
		var esc string
		n := 1
		switch s[i] {
		case '&':
			esc = "&amp;"
		case '<':
			esc = "&lt;"
		case '>':
			esc = "&gt;"
		case '"':
			if !attr {
				continue
			}
			esc = "&quot;"
		case 0xc2: // U+00A0 is c2 a0
			if i+1 >= len(s) || s[i+1] != 0xa0 {
				continue
			}
			esc, n = "&nbsp;", 2
		default:
			continue
		}
		out = append(append(out, s[from:i]...), esc...)
		i += n - 1
		from = i + 1
	}
	return append(out, s[from:]...)
}
