package browser

import (
	"context"

	"plat/browser/capture"
)

// A fixed element stays in the window, unless an ancestor with a transform, a filter, will-change
// or the like is its containing block (CSS Positioned Layout 3, section 2.1). Then it is
// positioned on the page like an absolute element, and captured as such. Only Chrome knows these
// containing blocks; scripts query them for elements outside the window.

// maxHeld bounds the fixed elements of a page that are queried.
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
