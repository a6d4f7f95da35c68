package capture

import (
	"errors"
	"fmt"
	"slices"

	"plat/browser/devtools"
)

// ErrMalformed is returned for a snapshot that is not as Chrome writes it.
var ErrMalformed = errors.New("malformed snapshot")

// Capture is the result of DOMSnapshot.captureSnapshot: columns of numbers, and
// one table of strings that they point into (-1 is the empty string).
type Capture struct {
	docs    []document
	strings []string

	// Canvases, if set, gets the canvases that have a box.
	Canvases *[]Canvas

	// Instructions, if set, gets the instructions of XML documents.
	Instructions *[]Instruction
}

// document is one document of a capture: the page's own first, then those of
// its frames, each after the one that contains it.
type document struct {
	url, base, charset, title, language, publicID, systemID int32
	frameID                                                 int32
	width, height                                           float64 // of the content
	scrollX, scrollY                                        float64 // the scroll position

	parent, kind, name, value, backend []int32
	attrs                              []int32 // names and values of all nodes in turn
	attrsEnd                           []int32 // for each node, where its end

	frame                 rare // owner node -> index of the document
	pseudo                rare // node -> string
	inputValue, textValue rare // of controls: node -> string
	selected              rare // options
	shadow                rare // node -> string; set for shadow roots and the nodes inside

	box      []int32   // layout object -> node
	styles   []int32   // numAsked for each layout object
	bounds   []float64 // four for each layout object
	paint    []int32   // for each layout object
	text     []int32   // for each layout object, -1 for objects without text
	lineBox  []int32   // line -> layout object
	lineRect []float64 // four for each line
	lineFrom []int32
	lineLen  []int32

	boxless []bool         // nodes whose boxes do not count; see DropBoxes
	broken  map[int32]bool // images that show their alternative text; see ImageList
}

// rare is a sparse column. Indexes ascend.
type rare struct{ index, value []int32 }

func (r *rare) has(i int32) bool {
	_, ok := slices.BinarySearch(r.index, i)
	return ok
}

// Parse reads a snapshot. Its strings are part of b.
func Parse(b []byte) (*Capture, error) {
	s := &Capture{}
	c := devtools.NewCursor(b)
	c.Object(func(name []byte) {
		switch string(name) {
		case "documents":
			c.Array(func() { s.docs = append(s.docs, parseDocument(c)) })
		case "strings":
			s.strings = parseStrings(c)
		default:
			c.Skip()
		}
	})
	if c.Err() != nil || len(s.docs) == 0 {
		return nil, ErrMalformed
	}
	for i := range s.docs {
		if err := s.docs[i].check(len(s.strings)); err != nil {
			return nil, fmt.Errorf("document %d: %w", i, err)
		}
	}
	return s, nil
}

func parseStrings(c *devtools.Cursor) (all []string) {
	c.Array(func() { all = append(all, c.AsString()) })
	return all
}

func parseDocument(c *devtools.Cursor) document {
	d := document{url: -1, base: -1, charset: -1, title: -1, language: -1, publicID: -1, systemID: -1, frameID: -1}
	c.Object(func(name []byte) {
		switch string(name) {
		case "documentURL":
			d.url = c.Int32()
		case "baseURL":
			d.base = c.Int32()
		case "title":
			d.title = c.Int32()
		case "encodingName":
			d.charset = c.Int32()
		case "contentLanguage":
			d.language = c.Int32()
		case "frameId":
			d.frameID = c.Int32()
		case "publicId":
			d.publicID = c.Int32()
		case "systemId":
			d.systemID = c.Int32()
		case "contentWidth":
			d.width = c.Float()
		case "contentHeight":
			d.height = c.Float()
		case "scrollOffsetX":
			d.scrollX = c.Float()
		case "scrollOffsetY":
			d.scrollY = c.Float()
		case "nodes":
			d.parseNodes(c)
		case "layout":
			d.parseLayout(c)
		case "textBoxes":
			d.parseLines(c)
		default:
			c.Skip()
		}
	})
	return d
}

func (d *document) parseNodes(c *devtools.Cursor) {
	c.Object(func(name []byte) {
		switch string(name) {
		case "parentIndex":
			d.parent = c.Column(d.parent)
		case "nodeType":
			d.kind = c.Column(d.kind)
		case "nodeName":
			d.name = c.Column(d.name)
		case "nodeValue":
			d.value = c.Column(d.value)
		case "backendNodeId":
			d.backend = c.Column(d.backend)
		case "attributes":
			d.attrsEnd = slices.Grow(d.attrsEnd, len(d.parent))
			c.Array(func() {
				d.attrs = c.Column(d.attrs)
				d.attrsEnd = append(d.attrsEnd, int32(len(d.attrs)))
			})
		case "contentDocumentIndex":
			d.frame = parseRare(c)
		case "pseudoType":
			d.pseudo = parseRare(c)
		case "inputValue":
			d.inputValue = parseRare(c)
		case "textValue":
			d.textValue = parseRare(c)
		case "optionSelected":
			d.selected = parseRare(c)
		case "shadowRootType":
			d.shadow = parseRare(c)
		default:
			c.Skip()
		}
	})
}

func (d *document) parseLayout(c *devtools.Cursor) {
	c.Object(func(name []byte) {
		switch string(name) {
		case "nodeIndex":
			d.box = c.Column(d.box)
		case "styles":
			d.styles = slices.Grow(d.styles, len(d.box)*numAsked)
			c.Array(func() {
				from := len(d.styles)
				d.styles = c.Column(d.styles)
				// Nodes other than elements have no styles.
				for len(d.styles) < from+numAsked {
					d.styles = append(d.styles, -1)
				}
				d.styles = d.styles[:from+numAsked]
			})
		case "bounds":
			d.bounds = c.Rects(d.bounds)
		case "paintOrders":
			d.paint = c.Column(d.paint)
		case "text":
			d.text = c.Column(d.text)
		default:
			c.Skip()
		}
	})
}

func (d *document) parseLines(c *devtools.Cursor) {
	c.Object(func(name []byte) {
		switch string(name) {
		case "layoutIndex":
			d.lineBox = c.Column(d.lineBox)
		case "bounds":
			d.lineRect = c.Rects(d.lineRect)
		case "start":
			d.lineFrom = c.Column(d.lineFrom)
		case "length":
			d.lineLen = c.Column(d.lineLen)
		default:
			c.Skip()
		}
	})
}

func parseRare(c *devtools.Cursor) (r rare) {
	c.Object(func(name []byte) {
		switch string(name) {
		case "index":
			r.index = c.Column(nil)
		case "value":
			r.value = c.Column(nil)
		default:
			c.Skip()
		}
	})
	return r
}

// check validates all indexes, so that later code need not.
func (d *document) check(strings int) error {
	n, boxes, lines := len(d.parent), len(d.box), len(d.lineBox)
	if n == 0 || len(d.kind) != n || len(d.name) != n || len(d.value) != n || len(d.backend) != n || len(d.attrsEnd) != n {
		return fmt.Errorf("%w: columns of nodes differ in length", ErrMalformed)
	}
	if len(d.styles) != boxes*numAsked || len(d.bounds) != 4*boxes || len(d.paint) != boxes && len(d.paint) != 0 || len(d.text) != boxes && len(d.text) != 0 {
		return fmt.Errorf("%w: columns of the layout differ in length", ErrMalformed)
	}
	if len(d.lineRect) != 4*lines || len(d.lineFrom) != lines || len(d.lineLen) != lines {
		return fmt.Errorf("%w: columns of the lines differ in length", ErrMalformed)
	}
	for i, p := range d.parent {
		if p >= int32(i) || p < -1 || (p == -1) != (i == 0) {
			return fmt.Errorf("%w: node %d has parent %d", ErrMalformed, i, p)
		}
	}
	if !slices.IsSorted(d.selected.index) {
		return fmt.Errorf("%w: options are not sorted", ErrMalformed)
	}
	if slices.Contains(d.kind[1:], documentType) || d.kind[0] != documentType {
		return fmt.Errorf("%w: a document in the wrong place", ErrMalformed)
	}
	if outside(d.box, 0, n) || outside(d.lineBox, 0, boxes) {
		return fmt.Errorf("%w: a box without a node", ErrMalformed)
	}
	for _, r := range []*rare{&d.frame, &d.pseudo, &d.shadow, &d.inputValue, &d.textValue} {
		if !slices.IsSorted(r.index) || len(r.value) != len(r.index) {
			return fmt.Errorf("%w: a rare column is not sorted or not paired", ErrMalformed)
		}
	}
	if outside(d.name, -1, strings) || outside(d.value, -1, strings) || outside(d.attrs, -1, strings) || outside(d.styles, -1, strings) || outside(d.text, -1, strings) || outside(d.pseudo.value, -1, strings) ||
		outside([]int32{d.url, d.base, d.charset, d.title, d.language, d.publicID, d.systemID, d.frameID}, -1, strings) || outside(d.shadow.value, -1, strings) {
		return fmt.Errorf("%w: no such string", ErrMalformed)
	}
	return nil
}

// outside reports whether a value is not in [low, high).
func outside(v []int32, low, high int) bool {
	for _, x := range v {
		if int(x) < low || int(x) >= high {
			return true
		}
	}
	return false
}
