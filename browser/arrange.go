package browser

import (
	"context"
	"errors"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"

	"plat/browser/capture"
	"plat/browser/devtools"
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

// arrange arranges what c shows not to be in its place, and reports whether the page is to
// be captured again.
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

// eachOf runs a function in a world of its own on each element, and calls f with the index of
// each for which it has returned true.
func (v *visit) eachOf(ctx context.Context, elements []capture.Element, function string, f func(i int)) error {
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
		if string(value) == "true" {
			f(i)
		}
	}
	return nil
}

// showScript makes visible what is skipped in the document or shadow root of an element.
// What waits to be found by a search stays as it is. The rule is known in resources/resource.js as
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
