package browser

import (
	"context"
	"errors"

	"github.com/chromedp/cdproto/cdp/jsonv2"

	"plat/browser/capture"
	"plat/browser/devtools"
)

// An image that could not be loaded shows its alternative text. A capture does not tell such
// an image from others: the documents with images that have one are asked.

// brokenScript is what hooks.js has as broken, for documents of frames: their hooks have names
// of their own. What a page names "images" must not stand in for the list.
const brokenScript = `(() => {
  const all = Object.getOwnPropertyDescriptor(Document.prototype, 'images').get.call(document);
  const broken = [];
  for (let i = 0; i < all.length; i++) if (all[i].complete && !all[i].naturalWidth && all[i].alt) broken.push(i);
  return { count: all.length, broken };
})()`

// findBroken notes the images that show their alternative text. Those in shadow trees are not
// looked at.
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
