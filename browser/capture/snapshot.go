package capture

import (
	"math"
	"slices"
	"strings"

	"plat/plat"
)

// Node types of the DOM standard, section 4.4.
const (
	elementType     = 1
	textType        = 3
	cdataType       = 4
	instructionType = 7
	commentType     = 8
	documentType    = 9
	doctypeType     = 10
	fragmentType    = 11
)

func (s *Capture) str(i int32) string {
	if i < 0 {
		return ""
	}
	return s.strings[i]
}

// dead reports whether a document is Chrome's own page in place of a frame that failed to load: its
// content is not the site's.
func (s *Capture) dead(d *document) bool {
	return strings.HasPrefix(s.str(d.url), "chrome-error:")
}

// Snapshot returns the capture as one tree with its boxes.
func (s *Capture) Snapshot() *plat.Snapshot {
	out := &plat.Snapshot{}
	at := make([][]int32, len(s.docs)) // node of a document -> node of the snapshot, -1 if omitted
	total := 0
	for i := range s.docs {
		total += len(s.docs[i].parent)
	}
	out.Nodes = make([]plat.Node, 0, total)
	s.tree(out, at)
	s.place(out, at)
	return out
}

// indexOf returns a string's index in the table. An absent string has an index that is never
// used: -1 is the empty string.
func (s *Capture) indexOf(text string) int32 {
	if i := slices.Index(s.strings, text); i >= 0 {
		return int32(i)
	}
	return -2
}

// tree appends the nodes in document order, each frame's under its owner.
func (s *Capture) tree(out *plat.Snapshot, at [][]int32) {
	type place struct {
		doc, node int32
		self      int32 // in out.Nodes
	}
	var open []place // the path from the root
	names := make([]tag, len(s.strings))
	next := make([][]int32, len(s.docs))
	child := make([][]int32, len(s.docs)) // first child not yet visited

	languages := make([]language, len(s.docs))

	begin := func(doc int32) {
		d := &s.docs[doc]
		languages[doc] = d.languageIn(s.strings)
		n := len(d.parent)
		links := make([]int32, 3*n)
		next[doc], child[doc], at[doc] = links[:n], links[n:2*n], links[2*n:]
		for i := range n {
			child[doc][i], at[doc][i] = -1, -1
		}
		for i := int32(n) - 1; i > 0; i-- {
			p := d.parent[i]
			next[doc][i] = child[doc][p]
			child[doc][p] = i
		}
	}
	push := func(doc, node int32) {
		d := &s.docs[doc]
		self, parent := int32(len(out.Nodes)), int32(-1)
		if len(open) > 0 {
			parent = open[len(open)-1].self
		}
		n := s.node(d, node, names)
		if n.Parent = parent; n.Kind == plat.ElementNode {
			languages[doc].spell(&n, parent, out.Nodes, s.str(d.name[node]))
		}
		out.Nodes = append(out.Nodes, n)
		at[doc][node] = self
		open = append(open, place{doc, node, self})
	}

	begin(0)
	push(0, 0)
	for len(open) > 0 {
		top := open[len(open)-1]
		d := &s.docs[top.doc]
		if i, ok := slices.BinarySearch(d.frame.index, top.node); ok {
			// Only in a malformed capture is a document below a later one, and each is used once,
			// so the loop ends.
			doc := d.frame.value[i]
			if doc > top.doc && int(doc) < len(s.docs) && at[doc] == nil && !s.dead(&s.docs[doc]) {
				begin(doc)
				push(doc, 0)
				continue
			}
		}
		i := child[top.doc][top.node]
		for i >= 0 && d.pseudo.has(i) {
			i = next[top.doc][i]
		}
		if i >= 0 {
			child[top.doc][top.node] = next[top.doc][i]
			push(top.doc, i)
			continue
		}
		out.Nodes[top.self].End = int32(len(out.Nodes))
		open = open[:len(open)-1]
	}
}

// node returns a document's data of a node, except its place in the tree. names are the tags read
// so far, by string.
func (s *Capture) node(d *document, node int32, names []tag) (n plat.Node) {
	switch d.kind[node] {
	case documentType:
		n.Kind = plat.DocumentNode
	case doctypeType:
		n.Kind = plat.DoctypeNode
		n.Name = s.str(d.name[node])
		n.Attrs = []plat.Attr{{Name: "public", Value: s.str(d.publicID)}, {Name: "system", Value: s.str(d.systemID)}}
	case elementType:
		n.Kind = plat.ElementNode
		if i := d.name[node]; i >= 0 {
			if names[i].name == "" {
				names[i] = tagOf(s.strings[i])
			}
			n.Name, n.Foreign = names[i].name, names[i].foreign
		}
		from := int32(0)
		if node > 0 {
			from = d.attrsEnd[node-1]
		}
		if end := d.attrsEnd[node]; end > from {
			n.Attrs = make([]plat.Attr, 0, (end-from)/2)
			for ; from+1 < end; from += 2 {
				n.Attrs = append(n.Attrs, plat.Attr{Name: s.str(d.attrs[from]), Value: s.str(d.attrs[from+1])})
			}
		}
	case textType, cdataType:
		n.Kind, n.Value = plat.TextNode, s.str(d.value[node])
	case commentType:
		n.Kind, n.Value = plat.CommentNode, s.str(d.value[node])
	default: // processing instructions, which HTML writes as comments
		n.Kind, n.Value = plat.CommentNode, "?"+s.str(d.name[node])+" "+s.str(d.value[node])+"?"
	}
	return n
}

// language is the language of a document.
type language uint8

const (
	html     language = iota
	xhtml             // in which the names of HTML elements are in lower case, too
	otherXML          // whose names are all as the file has them
)

// languageOf tells the language by the nodeName of the outermost element.
func languageOf(outermost string) language {
	switch outermost {
	case "HTML":
		return html
	case "html":
		return xhtml
	}
	return otherXML
}

// languageIn returns the language of a document of a capture with these strings.
func (d *document) languageIn(strings []string) language {
	for i, kind := range d.kind {
		if kind == elementType && d.name[i] >= 0 {
			return languageOf(strings[d.name[i]])
		}
	}
	return html
}

// spell gives an element of XML in its parent the name that it has in the file, and notes whether it is one of HTML.
func (l language) spell(n *plat.Node, parent int32, nodes []plat.Node, nodeName string) {
	switch l {
	case xhtml:
		n.Foreign = foreignIn(n, &nodes[parent])
	case otherXML:
		n.Name, n.Foreign = nodeName, true
	}
}

// foreignIn reports whether an element of XHTML, in its parent, belongs to SVG or MathML.
func foreignIn(n, parent *plat.Node) bool {
	switch {
	case n.Name == "svg", n.Name == "math":
		return true
	case !parent.Foreign:
		return false
	}
	return parent.Name != "foreignObject" && parent.Name != "desc" && parent.Name != "title" && parent.Name != "annotation-xml"
}

// tag is an element's name as serialised.
type tag struct {
	name    string
	foreign bool
}

// tagOf undoes the DOM's change to the names of HTML elements, and only to them: nodeName is the
// name in upper case (DOM standard, section 4.9).
func tagOf(nodeName string) tag {
	for i := range len(nodeName) {
		if 'a' <= nodeName[i] && nodeName[i] <= 'z' {
			return tag{nodeName, true}
		}
	}
	return tag{lowerASCII(nodeName), false}
}

func lowerASCII(s string) string {
	b := []byte(s)
	for i, ch := range b {
		if 'A' <= ch && ch <= 'Z' {
			b[i] = ch + 'a' - 'A'
		}
	}
	return string(b)
}

// place adds boxes, styles and lines to the nodes. at maps a document's nodes to the snapshot's; a
// document without a map is omitted.
func (s *Capture) place(out *plat.Snapshot, at [][]int32) {
	origin := make([][2]float64, len(s.docs)) // of a document, in the page
	unseen := make([]bool, len(s.docs))       // documents of frames without a box
	styles := newStyleSet(s)
	var made generated
	origin[0] = s.docs[0].originAt([2]float64{})
	for doc := range s.docs {
		d := &s.docs[doc]
		if at[doc] == nil {
			continue
		}
		if self := at[doc][0]; self >= 0 {
			out.Nodes[self].Attrs = []plat.Attr{{Name: plat.DocumentURL, Value: s.str(d.url)}, {Name: plat.DocumentBase, Value: s.str(d.base)}, {Name: plat.DocumentCharset, Value: s.str(d.charset)}}
			if l := s.str(d.language); l != "" {
				out.Nodes[self].Attrs = append(out.Nodes[self].Attrs, plat.Attr{Name: plat.DocumentLanguage, Value: l})
			}
		}
		ox, oy := origin[doc][0], origin[doc][1]
		for i, node := range d.box {
			self := at[doc][node]
			if unseen[doc] || d.boxless != nil && d.boxless[node] {
				continue
			}
			r := rect(d.bounds[4*i:], ox, oy)
			if self < 0 {
				made.pseudo(s, d, at[doc], i, r, styles)
				continue
			}
			n := &out.Nodes[self]
			if n.HasBox { // more than one layout object, as for a first letter
				n.Box = n.Box.Union(r)
				continue
			}
			n.HasBox, n.Box = true, r
			n.Style = styles.index(d.styles[i*numAsked:][:numAsked])
			if len(d.paint) > 0 {
				n.Paint = d.paint[i]
			}
			made.own(s, d, node, i, n, self, r, styles)
		}
		for i, box := range d.lineBox {
			if self := at[doc][d.box[box]]; self >= 0 && out.Nodes[self].HasBox && out.Nodes[self].Kind == plat.TextNode {
				out.Lines = append(out.Lines, plat.Line{Node: self, Start: d.lineFrom[i], Len: d.lineLen[i], Box: rect(d.lineRect[4*i:], ox, oy)})
			}
		}
		for i, node := range d.frame.index {
			if child := d.frame.value[i]; int(child) > doc && int(child) < len(s.docs) && int(node) < len(at[doc]) {
				owner := boxOf(d, node)
				if unseen[child] = unseen[doc] || owner == nil || d.boxless != nil && d.boxless[node]; !unseen[child] {
					origin[child] = s.docs[child].originAt(inside(owner, boxOf(&s.docs[child], 0), ox, oy))
				}
			}
		}
	}
	slices.SortStableFunc(out.Lines, func(a, b plat.Line) int { return int(a.Node) - int(b.Node) })
	out.Generated = made.sorted(styles.all)
	out.Styles = styles.all
	if s.Canvases != nil {
		*s.Canvases = s.listCanvases(out, at)
	}
	if s.Instructions != nil {
		*s.Instructions = s.listInstructions(out, at)
	}
	d := &s.docs[0]
	out.FinalURL, out.Title, out.Language = s.str(d.url), s.str(d.title), s.str(d.language)
	out.Width, out.Height = float32(d.width), float32(d.height)
}

// originAt returns the origin of a document with its upper left corner at a point. A document that
// runs from right to left has content at negative coordinates, left of the origin.
func (d *document) originAt(at [2]float64) [2]float64 {
	return [2]float64{at[0] - min(0, d.scrollX), at[1] - min(0, d.scrollY)}
}

// inside returns the upper left corner of a frame's document: its owner's box less border and
// padding, assumed equal on both sides, since only the sizes of the two boxes are known.
func inside(owner, view []float64, ox, oy float64) (at [2]float64) {
	at = [2]float64{ox + owner[0], oy + owner[1]}
	if view != nil {
		for i := range at {
			at[i] += max(0, (owner[2+i]-view[2+i])/2)
		}
	}
	return at
}

func boxOf(d *document, node int32) []float64 {
	if i := slices.Index(d.box, node); i >= 0 {
		return d.bounds[4*i:][:4]
	}
	return nil
}

func rect(v []float64, ox, oy float64) plat.Rect {
	return plat.Rect{X: finite(v[0] + ox), Y: finite(v[1] + oy), W: max(0, finite(v[2])), H: max(0, finite(v[3]))}
}

// finite keeps overflow out of sums of coordinates.
func finite(f float64) float32 {
	if math.IsNaN(f) {
		return 0
	}
	return float32(max(-1e9, min(1e9, f)))
}
