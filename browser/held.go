package browser

import (
	"context"

	"github.com/chromedp/cdproto/cdp"
)

// A fixed element stays in the window, unless something around it holds it: what has a
// transform, a filter, will-change and some others is its containing block (CSS Positioned
// Layout 3, section 2.1). Then it stands on the page as an absolute one does, and is captured as
// such. Which those are only Chrome knows; it is asked for elements that the window does not
// show.

// maxHeld is how many fixed elements of a page are looked at.
const maxHeld = 64

// heldScript reports whether a fixed element has a containing block other than the window.
const heldScript = `function() {
  return this instanceof HTMLElement && Object.getOwnPropertyDescriptor(HTMLElement.prototype, 'offsetParent').get.call(this) !== null;
}`

// findHeld writes the fixed elements outside of the window that something holds as absolute.
func (v *visit) findHeld(ctx context.Context, c *capture) error {
	fixed := c.indexOf("fixed")
	if fixed < 0 {
		return nil
	}
	var elements []element
	var positions []*int32 // of each
	for doc := range c.docs {
		d := &c.docs[doc]
		width, height := float64(v.o.Width), float64(v.o.Height)
		if doc > 0 {
			width, height = 0, 0 // the size of its frame is not looked up: all are asked for
		}
		for i, node := range d.box {
			r := d.bounds[4*i:][:4]
			if d.computed(i, position) != fixed || d.kind[node] != elementType || r[0] < width && r[1] < height || len(elements) == maxHeld {
				continue
			}
			elements = append(elements, element{cdp.FrameID(c.str(d.frameID)), cdp.BackendNodeID(d.backend[node])})
			positions = append(positions, &d.styles[i*numAsked+position])
		}
	}
	return v.eachOf(ctx, elements, heldScript, func(i int) { *positions[i] = c.intern("absolute") })
}

// intern is the index of a string, which is added if it is not there.
func (s *capture) intern(text string) int32 {
	if i := s.indexOf(text); i >= 0 {
		return i
	}
	s.strings = append(s.strings, text)
	return int32(len(s.strings)) - 1
}
