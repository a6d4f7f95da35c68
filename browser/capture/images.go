package capture

import (
	"slices"

	"github.com/chromedp/cdproto/cdp"

	"plat/plat"
)

// ImageList is the list of a document's images, in document order, without those in shadow trees
// and templates.
type ImageList struct {
	Frame cdp.FrameID
	Main  bool // the page's own document, not a frame's
	doc   *document
	nodes []int32
}

// ImageLists returns the lists of documents with at least one image that has an alternative text.
func (s *Capture) ImageLists() (all []ImageList) {
	for i := range s.docs {
		d := &s.docs[i]
		if images, alt := s.imagesOf(d); alt {
			all = append(all, ImageList{cdp.FrameID(s.str(d.frameID)), i == 0, d, images})
		}
	}
	return all
}

// Count returns the number of images.
func (l *ImageList) Count() int { return len(l.nodes) }

// SetBroken marks the k-th image as showing its alternative text. It ignores invalid indexes.
func (l *ImageList) SetBroken(k int) {
	if k < 0 || k >= len(l.nodes) {
		return
	}
	if l.doc.broken == nil {
		l.doc.broken = map[int32]bool{}
	}
	l.doc.broken[l.nodes[k]] = true
}

// imagesOf lists the images of a document, in document order, without those in shadow trees and
// templates, and reports whether one of them has an alternative text.
func (s *Capture) imagesOf(d *document) (images []int32, alt bool) {
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

// alternative returns the text that an image shows instead of a picture, "" if it shows a picture.
func (d *document) alternative(node int32, n *plat.Node) string {
	if !d.broken[node] {
		return ""
	}
	text, _ := n.Attr("alt")
	return text
}
