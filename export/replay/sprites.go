package replay

import (
	"context"
	"net/url"
	"strconv"
	"strings"

	"plat/plat"
	"plat/plat/weburl"
)

// Limits of the drawings of which a document shows elements, beside its own bytes.
const (
	maxDrawing  = 2 << 20 // bytes of one
	maxDrawings = 8 << 20 // of all in a page
	maxPut      = 2 * maxDrawings
)

// sprites are the drawings with elements that a page shows (<use href="icons.svg#up">). Browsers show those only from
// the origin of the page. An export keeps the references, as its players give the files the origin of the
// page. A replay has none, so its documents get copies of these elements, with names of their own. Browsers look for
// names in the document or shadow root of the <use> element, so each gets its copies.
//
// On the page, such an element has the styles of its own file, and inherits those of the <use> element. The rules of
// the page do not apply to it. In a replay the same holds by rules for the copies, which have the attribute
// copyMark (see [copyGuard]).
type sprites struct {
	load  func(entry int) ([]byte, error) // of the manifest; nil: none
	drawn map[drawnAt]*drawnFile          // nil: not to be had
	size  int                             // bytes of these
	put   int                             // bytes in documents
	err   error                           // of the store
	files map[string]bool                 // origins of drawings; nil: not looked up yet
}

// drawnAt is the key of a rewritten drawing: its entry, and the prefix of the resources of the document that shows it.
type drawnAt struct {
	entry  int
	prefix string
}

// piece names an element of a drawing. The outermost has the empty name, beside its own.
type piece struct {
	entry int
	id    string
}

// drawnFile is a drawing that was rewritten for use inside of documents.
type drawnFile struct {
	text     []byte
	elements []span // in the order of their start tags
	ids      map[string]int
	sheet    string  // its rules
	refs     []piece // to which its rules lead
}

// span is the place of an element in a drawing's text.
type span struct {
	start, inside, after, end int // of the start tag and the content, of the end tag
	parent                    int // the first has itself
	refs                      []piece
}

// from reads drawings from a store.
func (s *sprites) from(ctx context.Context, store store, m plat.Manifest) {
	s.drawn = map[drawnAt]*drawnFile{}
	s.load = func(entry int) ([]byte, error) { return store.Resource(ctx, m[entry].Hash) }
}

// use returns what the reference of a <use> element becomes, and whether it leads to anything.
func (w *rewriter) use(ref string) (string, bool) {
	ref = strings.TrimSpace(ref)
	if strings.HasPrefix(ref, "#") {
		return ref, true
	}
	for _, base := range w.doc().bases() {
		abs := base.Resolve(ref)
		file, id, named := strings.Cut(abs, "#")
		switch {
		case named && file == weburl.WithoutFragment(w.doc().url):
			return "#" + id, true
		case w.Assets.prefix == "" && !strings.HasPrefix(file, "blob:"):
			if p, ok := w.piece(abs); ok {
				address := w.Assets.manifest[p.entry].URL
				if named {
					address += "#" + id
				}
				return w.near(ref, address), true
			}
		default:
			if local := w.drawing(abs); local != "" {
				return local, true
			}
		}
	}
	return "", false
}

// piece returns the stored element of a drawing with an absolute URL. Browsers show only those from the origin of the
// document.
func (w *rewriter) piece(abs string) (piece, bool) {
	file, id, _ := strings.Cut(abs, "#")
	i, found := w.Assets.manifest.Index(file)
	if !found || w.Assets.manifest[i].Left != "" || SafeType(w.Assets.manifest[i].Type) != typeSVG || origin(strings.TrimPrefix(file, "blob:")) != w.doc().origin {
		return piece{}, false
	}
	return piece{i, unescaped(id)}, true
}

// drawing returns the address, in the innermost document or shadow root, of an element of a drawing with an absolute
// URL; empty: it is not stored, or an export has its file.
func (w *rewriter) drawing(abs string) string {
	p, ok := w.piece(abs)
	if !ok || w.Assets.prefix == "" && !strings.HasPrefix(abs, "blob:") || w.file(p.entry) == nil {
		return ""
	}
	w.tree().copy(p)
	return "#" + p.name()
}

// copies are the elements of drawings that a document or shadow root needs, in order.
type copies struct {
	pieces []piece
	known  map[piece]bool
}

// copy adds elements.
func (c *copies) copy(pieces ...piece) {
	if c.known == nil {
		c.known = map[piece]bool{}
	}
	for _, p := range pieces {
		if !c.known[p] {
			c.known[p] = true
			c.pieces = append(c.pieces, p)
		}
	}
}

// name returns the name of the copy of an element.
func (p piece) name() string { return "plat-" + strconv.Itoa(p.entry) + "-" + p.id }

// unescaped returns a fragment without escapes.
func unescaped(fragment string) string {
	if plain, err := url.PathUnescape(fragment); err == nil {
		return plain
	}
	return fragment
}

// origin returns the scheme, host and port of a URL.
func origin(url string) string {
	scheme, rest, ok := strings.Cut(url, "://")
	if !ok {
		return ""
	}
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		rest = rest[:i]
	}
	return scheme + "://" + rest
}

// tree returns the innermost document or shadow root.
func (w *rewriter) tree() *copies {
	i := len(w.stack) - 1
	for w.stack[i].frame == nil && (w.stack[i].name != "template" || w.stack[i].step >= 0) {
		i--
	}
	return &w.stack[i].copies
}

// file returns the rewritten drawing of an entry; nil if that is not stored, or is no drawing.
func (w *rewriter) file(entry int) *drawnFile {
	s := &w.sprites
	if s.load == nil {
		return nil
	}
	at := drawnAt{entry, w.Assets.prefix}
	if d, ok := s.drawn[at]; ok {
		return d
	}
	s.drawn[at] = nil
	data, err := s.load(entry)
	if err != nil {
		s.err = err
		return nil
	}
	if len(data) > maxDrawing || s.size+len(data) > maxDrawings {
		return nil
	}
	if d, err := w.drawingInside(data, entry); err == nil && s.size+len(d.text) <= maxDrawings {
		s.size += len(d.text)
		s.drawn[at] = d
	}
	return s.drawn[at]
}

// addDrawings writes the elements of drawings that the innermost document or shadow root shows, at its end.
func (w *rewriter) addDrawings() {
	tree := w.tree()
	if len(tree.pieces) == 0 {
		return
	}
	shown := map[int][]bool{} // the elements of entries
	var entries []int
	for at := 0; at < len(tree.pieces); at++ {
		p := tree.pieces[at]
		d := w.file(p.entry)
		if d == nil {
			continue
		}
		var refs []piece
		if shown[p.entry] == nil {
			shown[p.entry] = make([]bool, len(d.elements))
			entries = append(entries, p.entry)
			refs = d.refs
		}
		first, ok := d.ids[p.id]
		for i := first; ok && i < len(d.elements) && d.elements[i].start < d.elements[first].end && !shown[p.entry][i]; i++ {
			shown[p.entry][i] = true
			refs = append(refs, d.elements[i].refs...)
		}
		tree.copy(refs...)
	}
	out := w.out()
	before := out.Len()
	out.WriteString(`<svg aria-hidden="true" style="` + hidden + `"><style>` + copyGuard)
	for _, entry := range entries {
		out.WriteString(w.file(entry).sheet)
	}
	out.WriteString("</style>")
	for _, entry := range entries {
		if d := w.file(entry); w.sprites.put+len(d.text) <= maxPut {
			out.Write(d.only(shown[entry]))
		}
	}
	out.WriteString("</svg>")
	w.sprites.put += out.Len() - before
}

// hidden is the style of an element that takes no space, and shows nothing. Its parts can be used.
const hidden = "all:initial!important;position:absolute!important;width:0!important;height:0!important;overflow:hidden!important"

// only returns some of a drawing's elements, each with its content, and the tags of the elements around them.
func (d *drawnFile) only(shown []bool) []byte {
	around := make([]bool, len(shown))
	for i := range shown {
		for k := i; shown[i] && !around[k]; k = d.elements[k].parent {
			around[k] = true
		}
	}
	var out []byte
	var open []int
	for i, e := range d.elements {
		if !around[i] {
			continue
		}
		for len(open) > 0 && d.elements[open[len(open)-1]].end <= e.start {
			out = d.close(out, &open)
		}
		switch {
		case !shown[i]:
			out = append(out, d.text[e.start:e.inside]...)
			open = append(open, i)
		case i == 0 || !shown[e.parent]:
			out = append(out, d.text[e.start:e.end]...)
		}
	}
	for len(open) > 0 {
		out = d.close(out, &open)
	}
	return out
}

// close appends the end tag of the last of the open elements.
func (d *drawnFile) close(out []byte, open *[]int) []byte {
	last := len(*open) - 1
	e := d.elements[(*open)[last]]
	*open = (*open)[:last]
	return append(out, d.text[e.after:e.end]...)
}
