package browser

import (
	"context"
	"errors"
	"slices"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"

	"plat"
	"plat/browser/wire"
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
func (v *visit) findBroken(ctx context.Context, c *capture) error {
	for i := range c.docs {
		d := &c.docs[i]
		images, ask := c.imagesOf(d)
		if !ask {
			continue
		}
		var answer struct {
			Count  int   `json:"count"`
			Broken []int `json:"broken"`
		}
		var b []byte
		var err error
		if i == 0 {
			b, err = v.evaluate(ctx, 0, v.hooks+".broken()")
		} else if world, lost := v.worldOf(ctx, cdp.FrameID(c.str(d.frameID))); lost == nil {
			b, err = v.evaluate(ctx, world, brokenScript)
		} else {
			err = lost
		}
		var refused *wire.ProtocolError
		if errors.As(err, &refused) {
			continue // its frame is gone
		}
		if err != nil {
			return err
		}
		if jsonv2.Unmarshal(b, &answer) != nil || answer.Count != len(images) {
			continue // the page has changed since
		}
		for _, k := range answer.Broken {
			if k >= 0 && k < len(images) {
				if d.broken == nil {
					d.broken = map[int32]bool{}
				}
				d.broken[images[k]] = true
			}
		}
	}
	return nil
}

// imagesOf lists the images of a document, in its order, but for those in shadow trees and
// templates, and reports whether one of them has an alternative text.
func (s *capture) imagesOf(d *document) (images []int32, alt bool) {
	img, name := s.indexOf("IMG"), s.indexOf("alt")
	if img < 0 || name < 0 {
		return nil, false
	}
	var apart []bool // nodes in a template
	if slices.Contains(d.kind, fragmentType) {
		apart = make([]bool, len(d.kind))
	}
	for node, n := range d.name {
		if apart != nil { // parents come first
			p := d.parent[node]
			apart[node] = d.kind[node] == fragmentType || p >= 0 && apart[p]
		}
		if n != img || apart != nil && apart[node] || d.shadow.has(int32(node)) {
			continue
		}
		images = append(images, int32(node))
		from := int32(0)
		if node > 0 {
			from = d.attrsEnd[node-1]
		}
		for ; !alt && from+1 < d.attrsEnd[node]; from += 2 {
			alt = d.attrs[from] == name && s.str(d.attrs[from+1]) != ""
		}
	}
	return images, alt
}

// alternative is what an image shows instead of a picture, "" if it shows one.
func (d *document) alternative(node int32, n *plat.Node) string {
	if !d.broken[node] {
		return ""
	}
	text, _ := n.Attr("alt")
	return text
}
