package browser

import (
	"context"
	"errors"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"

	"plat/browser/capture"
	"plat/browser/devtools"
)

// Content that a user reaches by scrolling is laid out and moved into place before a page is
// captured. If a capture shows skipped or misplaced content, the page is arranged and captured
// again.
//
// With content-visibility: auto (CSS Containment 2, section 4) a page skips the layout of
// content far from the window. Scrolling would lay it out; here a style sheet makes it visible.
//
// Content left of or above the edge of a scroll container is reachable if the container has been
// scrolled, or runs from right to left or from the bottom up. Such a container is scrolled to its
// least offsets, so that no content lies before its edge, and the boxes of a page do not depend
// on how far a container was scrolled.

// arrangement records the elements already arranged for a capture.
type arrangement struct {
	asked  map[cdp.BackendNodeID]bool // elements already handled
	hidden map[int32]bool             // nodes whose contents the page has hidden; see [capture.Capture.HiddenIn]
	rounds int
}

func newArrangement() *arrangement {
	return &arrangement{asked: map[cdp.BackendNodeID]bool{}, hidden: map[int32]bool{}}
}

// maxArranged bounds the captures of a page: skipped content may contain more skipped content.
const maxArranged = 4

// arrange moves misplaced content of c into place, and reports whether the page must be captured
// again.
func (v *visit) arrange(ctx context.Context, c *capture.Capture, a *arrangement) (again bool, err error) {
	if a.rounds == maxArranged {
		return false, nil
	}
	a.rounds++
	done := func(int) { again = true }
	if skipped := c.SkippedIn(a.asked); len(skipped) > 0 {
		c.HiddenIn(a.hidden)
		if err := v.eachOf(ctx, skipped, showScript, done); err != nil {
			return false, err
		}
	}
	err = v.eachOf(ctx, c.ScrolledIn(a.asked), backScript, done)
	return again, err
}

// eachOf runs a JavaScript function in an isolated world on each element, and calls f with the
// index of each element for which it returns true.
func (v *visit) eachOf(ctx context.Context, elements []capture.Element, function string, f func(i int)) error {
	return v.valuesOf(ctx, elements, function, func(i int, value []byte) {
		if string(value) == "true" {
			f(i)
		}
	})
}

// valuesOf is eachOf for all values, JSON; of nodes that are gone it calls f with nil.
func (v *visit) valuesOf(ctx context.Context, elements []capture.Element, function string, f func(i int, value []byte)) error {
	worlds := map[cdp.FrameID]runtime.ExecutionContextID{}
	var refused *devtools.ProtocolError
	for i, e := range elements {
		world, ok := worlds[e.Frame]
		if !ok {
			var err error
			if world, err = v.WorldOf(ctx, e.Frame); err != nil && !errors.As(err, &refused) {
				return err
			}
			worlds[e.Frame] = world
		}
		if world == 0 {
			continue // its frame is gone
		}
		value, err := v.EvaluateOn(ctx, world, e.ID, function)
		if err != nil && !errors.As(err, &refused) {
			return err
		}
		f(i, value)
	}
	return nil
}

// showScript makes skipped content visible in the document or shadow root of an element. Content
// with hidden=until-found stays hidden. resources/resource.js contains the same rule, to omit
// this style sheet from the archive. Members are read from prototypes, because named elements
// can shadow them.
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
