package browser

import (
	"context"
	"errors"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"
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

// findHeld notes the fixed elements outside of the window that something holds.
func (v *visit) findHeld(ctx context.Context, c *capture) error {
	fixed := c.indexOf("fixed")
	if fixed < 0 {
		return nil
	}
	worlds := map[cdp.FrameID]runtime.ExecutionContextID{}
	var refused *protocolError
	asked := 0
	for doc := range c.docs {
		d := &c.docs[doc]
		frame := cdp.FrameID(c.str(d.frameID))
		width, height := float64(v.o.Width), float64(v.o.Height)
		if doc > 0 {
			width, height = 0, 0 // the size of its frame is not looked up: all are asked for
		}
		for i, node := range d.box {
			r := d.bounds[4*i:][:4]
			if d.computed(i, position) != fixed || d.kind[node] != elementType || r[0] < width && r[1] < height {
				continue
			}
			if asked++; asked > maxHeld {
				return nil
			}
			world, ok := worlds[frame]
			if !ok {
				var err error
				if world, err = v.worldOf(ctx, frame); err != nil && !errors.As(err, &refused) {
					return err
				}
				worlds[frame] = world
			}
			if world == 0 {
				break // the frame is gone
			}
			value, err := v.evaluateOn(ctx, world, cdp.BackendNodeID(d.backend[node]), heldScript)
			if err != nil && !errors.As(err, &refused) {
				return err
			}
			if string(value) == "true" {
				d.styles[i*numAsked+position] = c.intern("absolute")
			}
		}
	}
	return nil
}

// intern is the index of a string, which is added if it is not there.
func (s *capture) intern(text string) int32 {
	if i := s.indexOf(text); i >= 0 {
		return i
	}
	s.strings = append(s.strings, text)
	return int32(len(s.strings)) - 1
}
