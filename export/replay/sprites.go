package replay

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"plat/plat"
)

// Limits of the drawings of which a document shows elements, beside its own bytes.
const (
	maxDrawing  = 2 << 20 // bytes of one
	maxDrawings = 8 << 20 // of all in a page
)

// sprites are the drawings with elements that a page shows (<use href="icons.svg#up">, fill="url(a.svg#b)").
// Browsers show those only from the origin of the page, and a replay has none. So they are put into the
// document, with the names of their elements changed.
type sprites struct {
	load  func(entry int) ([]byte, error) // of the manifest; nil: none
	texts map[int]string                  // by entry, fit for a document; empty: not to be had
	size  int                             // bytes of these
	put   int                             // bytes in documents
	err   error                           // of the store
}

// from reads drawings from a store.
func (s *sprites) from(ctx context.Context, store store, m plat.Manifest) {
	s.texts = map[int]string{}
	s.load = func(entry int) ([]byte, error) { return store.Resource(ctx, m[entry].Hash) }
}

// drawing returns the address, in the innermost document, of an element of a drawing with an absolute URL; empty
// if the URL is that of no stored drawing, or has no fragment.
func (w *rewriter) drawing(abs string) string {
	url, id, ok := strings.Cut(abs, "#")
	i, found := w.Assets.manifest.Index(url)
	if !ok || id == "" || !found || w.Assets.manifest[i].Left != "" || SafeType(w.Assets.manifest[i].Type) != typeSVG || w.sprites.load == nil {
		return ""
	}
	if w.sprites.text(i) == "" {
		return ""
	}
	if f := w.doc(); !slices.Contains(f.drawings, i) {
		f.drawings = append(f.drawings, i)
	}
	return "#" + spritePrefix(i) + id
}

// spritePrefix begins the names of the elements of a drawing.
func spritePrefix(entry int) string { return "plat-" + strconv.Itoa(entry) + "-" }

// text returns a drawing as it stands in documents.
func (s *sprites) text(entry int) string {
	if text, ok := s.texts[entry]; ok {
		return text
	}
	s.texts[entry] = ""
	data, err := s.load(entry)
	if err != nil {
		s.err = err
		return ""
	}
	if len(data) > maxDrawing || s.size+len(data) > maxDrawings {
		return ""
	}
	if inside, err := drawingInside(data, spritePrefix(entry)); err == nil && s.size+len(inside) <= maxDrawings {
		s.size += len(inside)
		s.texts[entry] = string(inside)
	}
	return s.texts[entry]
}

// addDrawings writes the drawings that a document shows elements of, at its end.
func (w *rewriter) addDrawings(f *frame) {
	for _, i := range f.drawings {
		if w.sprites.put += len(w.sprites.text(i)); w.sprites.put > 2*maxDrawings {
			return
		}
		f.out.WriteString(`<svg aria-hidden="true" style="position:absolute;width:0;height:0;overflow:hidden">` + w.sprites.text(i) + `</svg>`)
	}
}
