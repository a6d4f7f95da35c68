package replay

import (
	"bytes"
	"encoding/base64"
	"strings"
)

// maxQuirky bounds the document of a frame that is laid out in quirks mode, in bytes: a browser navigates to no
// longer addresses than 2 MiB.
const maxQuirky = 1 << 20

// isQuirky reports whether browsers lay out a document in quirks mode: without a document type, or with one of
// before HTML 4.01 (HTML Living Standard, section 13.2.6.4.1; the common ones of its list).
func isQuirky(document []byte) bool {
	for {
		document = bytes.TrimLeft(document, " \t\r\n\f")
		rest, comment := bytes.CutPrefix(document, []byte("<!--"))
		end := bytes.Index(rest, []byte("-->"))
		if !comment || end < 0 {
			break
		}
		document = rest[end+len("-->"):]
	}
	if len(document) < len("<!DOCTYPE") || !strings.EqualFold(string(document[:len("<!DOCTYPE")]), "<!DOCTYPE") {
		return !drawnAlone(document)
	}
	head, _, _ := bytes.Cut(document, []byte(">"))
	kind := strings.ToLower(string(head))
	for _, old := range []string{"-//w3c//dtd html 3", "-//w3c//dtd html 4.0 ", "-//ietf//dtd html", "-//netscape comm. corp.//dtd", "-//microsoft//dtd", "-//w3o//dtd w3 html"} {
		if strings.Contains(kind, `public "`+old) {
			return !strings.HasPrefix(old, "-//w3c//dtd html 4.0") || !strings.Contains(kind, "strict")
		}
	}
	return strings.Contains(kind, `public "-//w3c//dtd html 4.01 `) && !strings.Contains(kind, "http") && !strings.Contains(kind, `4.01//en`)
}

// enterQuirks prepares the document with which the rest of the page begins, if it is in quirks mode, of which a browser shows only one with an address of its own in
// that mode: a data: URL, to which addresses without an origin are not relative.
func (w *rewriter) enterQuirks(f *frame, rest []byte) {
	if w.Origin == "" || w.Assets.prefix == "" || !isQuirky(rest) {
		return
	}
	f.quirky, f.outside = true, w.Assets
	if w.quirky == 0 {
		absolute := *w.Assets
		absolute.prefix = w.Origin + absolute.prefix
		w.Assets = &absolute
	}
	w.quirky++
}

// leaveQuirks ends the document.
func (w *rewriter) leaveQuirks(f *frame) {
	if f.quirky {
		w.Assets = f.outside
		w.quirky--
	}
}

// frameQuirky gives the start tag of a frame, which is the last output, the document in quirks mode.
func (w *rewriter) frameQuirky(document []byte) {
	out := w.out()
	out.Truncate(len(bytes.TrimSuffix(out.Bytes(), []byte(">"))))
	out.WriteString(` src="data:text/html;charset=utf-8;base64,`)
	size := base64.StdEncoding.EncodedLen(len(document))
	w.nested += size
	out.Grow(size + 2)
	out.Write(base64.StdEncoding.AppendEncode(nil, document))
	out.WriteString(`">`)
}
