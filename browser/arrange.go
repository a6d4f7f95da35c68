package browser

import (
	"context"
	"errors"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"

	"plat/browser/wire"
)

// What a reader reaches by scrolling is laid out and in its place before a page is
// captured. A capture shows what is not, and then the page is arranged and captured again.
//
// What is far from the window is not laid out where a page says so by
// content-visibility: auto (CSS Containment 2, section 4). A reader who scrolls has it
// laid out on the way; here a style sheet makes it visible.
//
// What is left of or above the edge of a box that scrolls can be scrolled to, where the box
// has been scrolled or runs from right to left or from the bottom up. Such a box is scrolled
// to its least offsets, so that none of its content lies before its edge, and a page has the
// same boxes however far they were scrolled.

// arrangement is what has been done for a capture.
type arrangement struct {
	asked  map[cdp.BackendNodeID]bool // elements that were looked at
	hidden map[int32]bool             // whose contents a page has hidden; see hiddenIn
	rounds int
}

func newArrangement() *arrangement {
	return &arrangement{asked: map[cdp.BackendNodeID]bool{}, hidden: map[int32]bool{}}
}

// maxArranged is how often a page is captured again: content can be skipped inside of
// what was.
const maxArranged = 4

// maxAsked is how many elements are looked at in one round.
const maxAsked = 256

// arrange arranges what c shows not to be in its place, and reports whether the page is to
// be captured again.
func (v *visit) arrange(ctx context.Context, c *capture, a *arrangement) (again bool, err error) {
	if a.rounds == maxArranged {
		return false, nil
	}
	a.rounds++
	done := func(int) { again = true }
	if skipped := c.skippedIn(a.asked); len(skipped) > 0 {
		c.hiddenIn(a.hidden)
		if err := v.eachOf(ctx, skipped, showScript, done); err != nil {
			return false, err
		}
	}
	err = v.eachOf(ctx, c.scrolledIn(a.asked), backScript, done)
	return again, err
}

// element is one of a frame.
type element struct {
	frame cdp.FrameID
	id    cdp.BackendNodeID
}

// eachOf runs a function in a world of its own on each element, and calls f with the index of
// each for which it has returned true.
func (v *visit) eachOf(ctx context.Context, elements []element, function string, f func(i int)) error {
	worlds := map[cdp.FrameID]runtime.ExecutionContextID{}
	var refused *wire.ProtocolError
	for i, e := range elements {
		world, ok := worlds[e.frame]
		if !ok {
			var err error
			if world, err = v.worldOf(ctx, e.frame); err != nil && !errors.As(err, &refused) {
				return err
			}
			worlds[e.frame] = world
		}
		if world == 0 {
			continue // its frame is gone
		}
		value, err := v.evaluateOn(ctx, world, e.id, function)
		if err != nil && !errors.As(err, &refused) {
			return err
		}
		if string(value) == "true" {
			f(i)
		}
	}
	return nil
}

// showScript makes visible what is skipped in the document or shadow root of an element.
// What waits to be found by a search stays as it is. The rule is known in resource.js as
// well, which leaves it out of what is archived. Members are taken from prototypes:
// elements with names can stand in their place.
const showScript = `function() {
  const root = Node.prototype.getRootNode.call(this);
  const shown = Symbol.for('shown');
  if (root[shown]) return false;
  root[shown] = true;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('*:not([hidden=until-found i]) { content-visibility: visible !important }');
  const type = root.nodeType === 9 ? Document : ShadowRoot;
  Object.getOwnPropertyDescriptor(type.prototype, 'adoptedStyleSheets').get.call(root).push(sheet);
  return true;
}`

// backScript scrolls an element, or its document if it is the document element, to its
// least offsets.
const backScript = `function() {
  const get = (owner, name, of) => Object.getOwnPropertyDescriptor(owner.prototype, name).get.call(of);
  const box = get(Node, 'parentNode', this)?.nodeType === 9 && get(Document, 'scrollingElement', Node.prototype.getRootNode.call(this)) || this;
  const at = () => get(Element, 'scrollLeft', box) + ' ' + get(Element, 'scrollTop', box);
  const was = at();
  Element.prototype.scrollTo.call(box, { left: -1e9, top: -1e9, behavior: 'instant' });
  return at() !== was;
}`

// skippedIn lists the elements whose contents are not laid out because they are far from
// the window, at least one of each document and shadow root, but for those in asked,
// which has them from then on.
func (s *capture) skippedIn(asked map[cdp.BackendNodeID]bool) (all []element) {
	auto := s.indexOf("auto")
	for doc := range s.docs {
		d := &s.docs[doc]
		var laidOut, content []bool // of nodes: a child is laid out; there is one but comments
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
				break // it stands for all of the document
			}
		}
	}
	return all
}

// ask adds a node to all, if there is room and it is not in asked, which has it from then on.
func (s *capture) ask(all []element, d *document, node int32, asked map[cdp.BackendNodeID]bool) []element {
	id := cdp.BackendNodeID(d.backend[node])
	if asked[id] || len(all) == maxAsked {
		return all
	}
	asked[id] = true
	return append(all, element{cdp.FrameID(s.str(d.frameID)), id})
}

// hiddenIn adds to all the elements whose contents a page has hidden by content-visibility:
// hidden, which stay hidden; but not those inside of what is skipped, of which a capture
// tells nothing.
func (s *capture) hiddenIn(all map[int32]bool) {
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

// dropBoxes takes the boxes from what is inside of the given elements.
func (s *capture) dropBoxes(elements map[int32]bool) {
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

// scrolledIn lists the elements that hold text before their beginning, but for those in
// asked, which has them from then on: boxes that scroll, and the document element.
func (s *capture) scrolledIn(asked map[cdp.BackendNodeID]bool) (all []element) {
	auto, scroll := s.indexOf("auto"), s.indexOf("scroll")
	scrolls := func(overflow int32) bool { return overflow == auto || overflow == scroll }
	for doc := range s.docs {
		d := &s.docs[doc]
		var within []int32 // of nodes: the box that scrolls next around them, plus one
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
			// What can be scrolled to is part of the document's width.
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

// beforeBegin is how far text begins before what holds it at least, px: less is decoration.
const beforeBegin = 2

// maxNestedBoxes is how many boxes that scroll, one in the other, are looked at for a text.
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
