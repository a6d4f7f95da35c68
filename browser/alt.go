package browser

import (
	"context"
	"errors"

	"github.com/chromedp/cdproto/cdp/jsonv2"

	"plat/browser/capture"
	"plat/browser/devtools"
)

// An image that failed to load shows its alternative text. A capture does not mark such images:
// a script finds them in documents that contain images with alternative text.

// brokenScript evaluates to the same list as `broken` in hooks.js. Documents of frames need it,
// because the name of their hooks is unknown here. It reads images through the prototype's
// getter, since a page may define an element named "images".
const brokenScript = `(() => {
  const all = Object.getOwnPropertyDescriptor(Document.prototype, 'images').get.call(document);
  const broken = [];
  for (let i = 0; i < all.length; i++) if (all[i].complete && !all[i].naturalWidth && all[i].alt) broken.push(i);
  return { count: all.length, broken };
})()`

// findBroken marks the images that show their alternative text. It does not cover shadow trees.
func (v *visit) findBroken(ctx context.Context, c *capture.Capture) error {
	for _, images := range c.ImageLists() {
		var answer struct {
			Count  int   `json:"count"`
			Broken []int `json:"broken"`
		}
		var b []byte
		var err error
		if images.Main {
			b, err = v.Hook(ctx, "broken()")
		} else if world, lost := v.WorldOf(ctx, images.Frame); lost == nil {
			b, err = v.Evaluate(ctx, world, brokenScript)
		} else {
			err = lost
		}
		var refused *devtools.ProtocolError
		if errors.As(err, &refused) {
			continue // its frame is gone
		}
		if err != nil {
			return err
		}
		if jsonv2.Unmarshal(b, &answer) != nil || answer.Count != images.Count() {
			continue // the page has changed since
		}
		for _, k := range answer.Broken {
			images.SetBroken(k)
		}
	}
	return nil
}
