package browser

import (
	"context"

	"plat/browser/capture"
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
func (v *visit) findHeld(ctx context.Context, c *capture.Capture) error {
	fixed := c.FixedOutside(float64(v.o.Width), float64(v.o.Height), maxHeld)
	elements := make([]capture.Element, len(fixed))
	for i := range fixed {
		elements[i] = fixed[i].Element
	}
	return v.eachOf(ctx, elements, heldScript, func(i int) { c.SetAbsolute(fixed[i]) })
}
