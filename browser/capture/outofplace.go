package capture

import "github.com/chromedp/cdproto/cdp"

// Misplaced content of a page. The caller has Chrome move it into place.

// Element is an element by Chrome's id, and the frame that contains it.
type Element struct {
	Frame cdp.FrameID
	ID    cdp.BackendNodeID
}

// maxAsked bounds the elements listed for one round.
const maxAsked = 256

// SkippedIn lists the elements whose contents are not laid out because they are far from the
// window: at least one per document and shadow root. It omits those in asked, and adds the rest to
// it.
func (s *Capture) SkippedIn(asked map[cdp.BackendNodeID]bool) (all []Element) {
	auto := s.indexOf("auto")
	for doc := range s.docs {
		d := &s.docs[doc]
		var laidOut, content []bool // of nodes: a child is laid out; a child other than a comment exists
		alone := len(d.shadow.index) == 0
		for i, node := range d.box {
			if d.computed(i, contentVisibility) != auto {
				continue
			}
			if laidOut == nil {
				laidOut, content = make([]bool, len(d.parent)), make([]bool, len(d.parent))
				for n, p := range d.parent {
					if p >= 0 && d.kind[n] != commentType {
						content[p] = true
					}
				}
				for _, n := range d.box {
					if p := d.parent[n]; p >= 0 {
						laidOut[p] = true
					}
				}
			}
			if laidOut[node] || !content[node] {
				continue
			}
			before := len(all)
			if all = s.ask(all, d, node, asked); alone && len(all) > before {
				break // one element suffices for the whole document
			}
		}
	}
	return all
}

// ask adds a node to all and to asked, if there is room and asked lacks it.
func (s *Capture) ask(all []Element, d *document, node int32, asked map[cdp.BackendNodeID]bool) []Element {
	id := cdp.BackendNodeID(d.backend[node])
	if asked[id] || len(all) == maxAsked {
		return all
	}
	asked[id] = true
	return append(all, Element{cdp.FrameID(s.str(d.frameID)), id})
}

// HiddenIn adds to all the elements whose contents are hidden by content-visibility: hidden, which
// stay hidden. It omits those inside skipped contents, of which a capture has no layout.
func (s *Capture) HiddenIn(all map[int32]bool) {
	hidden := s.indexOf("hidden")
	for doc := range s.docs {
		d := &s.docs[doc]
		for i, node := range d.box {
			if d.computed(i, contentVisibility) == hidden {
				all[d.backend[node]] = true
			}
		}
	}
}

// DropBoxes removes the boxes of the nodes inside the given elements.
func (s *Capture) DropBoxes(elements map[int32]bool) {
	if len(elements) == 0 {
		return
	}
	for doc := range s.docs {
		d := &s.docs[doc]
		d.boxless = make([]bool, len(d.parent))
		for node, p := range d.parent { // parents come first
			d.boxless[node] = p >= 0 && (d.boxless[p] || elements[d.backend[p]])
		}
	}
}

// ScrolledIn lists the scroll containers and document elements with text before their beginning. It
// omits those in asked, and adds the rest to it.
func (s *Capture) ScrolledIn(asked map[cdp.BackendNodeID]bool) (all []Element) {
	auto, scroll := s.indexOf("auto"), s.indexOf("scroll")
	scrolls := func(overflow int32) bool { return overflow == auto || overflow == scroll }
	for doc := range s.docs {
		d := &s.docs[doc]
		var within []int32 // of nodes: the next scroll container around them, plus one
		for i, node := range d.box {
			if scrolls(d.computed(i, overflowX)) || scrolls(d.computed(i, overflowY)) {
				if within == nil {
					within = make([]int32, len(d.parent))
				}
				within[node] = int32(i) + 1
			}
		}
		around := func(node int32) int32 { // of a node that does not scroll itself
			if p := d.parent[node]; p >= 0 {
				return within[p]
			}
			return 0
		}
		if within != nil {
			for node := range d.parent { // parents come first
				if within[node] == 0 {
					within[node] = around(int32(node))
				}
			}
		}
		rooted := false
		for i, node := range d.box {
			r := d.bounds[4*i:][:4]
			if d.kind[node] != textType || r[2] <= 0 || r[3] <= 0 {
				continue
			}
			// The document's width includes all content that can be scrolled to.
			if before := -r[0]; before > beforeBegin && before <= d.width && !rooted {
				rooted = true
				all = s.ask(all, d, d.root(), asked)
			}
			if within == nil {
				continue
			}
			for j, deep := within[node], 0; j > 0 && deep < maxNestedBoxes; j, deep = around(d.box[j-1]), deep+1 {
				if b := d.bounds[4*(j-1):][:4]; r[0] < b[0]-beforeBegin || r[1] < b[1]-beforeBegin {
					all = s.ask(all, d, d.box[j-1], asked)
				}
			}
		}
	}
	return all
}

// beforeBegin is the least distance of text before the beginning of its container, px: less is
// decoration.
const beforeBegin = 2

// maxNestedBoxes bounds the nested scroll containers examined for a text.
const maxNestedBoxes = 16

// root is the document element.
func (d *document) root() int32 {
	for node, p := range d.parent {
		if p == 0 && d.kind[node] == elementType {
			return int32(node)
		}
	}
	return 0
}

// Fixed is a fixed element outside the window.
type Fixed struct {
	Element
	position *int32 // its style of that name
}

// FixedOutside lists the first fixed elements, at most most, outside of a window of width and
// height, in px.
func (s *Capture) FixedOutside(width, height float64, most int) (all []Fixed) {
	name := s.indexOf("fixed")
	if name < 0 {
		return nil
	}
	for doc := range s.docs {
		d := &s.docs[doc]
		if doc > 0 {
			width, height = 0, 0 // the size of its frame is not looked up: all are listed
		}
		for i, node := range d.box {
			r := d.bounds[4*i:][:4]
			if d.computed(i, position) != name || d.kind[node] != elementType || r[0] < width && r[1] < height || len(all) == most {
				continue
			}
			all = append(all, Fixed{Element{cdp.FrameID(s.str(d.frameID)), cdp.BackendNodeID(d.backend[node])}, &d.styles[i*numAsked+position]})
		}
	}
	return all
}

// SetAbsolute changes the position of a fixed element to absolute.
func (s *Capture) SetAbsolute(f Fixed) { *f.position = s.intern("absolute") }

// intern returns the index of a string, and adds it if absent.
func (s *Capture) intern(text string) int32 {
	if i := s.indexOf(text); i >= 0 {
		return i
	}
	s.strings = append(s.strings, text)
	return int32(len(s.strings)) - 1
}
