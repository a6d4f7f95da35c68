package replay

import (
	"bytes"
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
		return !drawnAlone(document) && !isStyledXML(document)
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

// isQuirky reports whether a document was laid out in quirks mode. rest begins with it.
func (f *frame) isQuirky(rest []byte) bool {
	if f.mode != "" {
		return f.mode == "quirks"
	}
	return isQuirky(rest)
}

// enterQuirks prepares the document of a frame, with which the rest of the page begins, if it is in quirks mode. A
// browser lays out a document in that mode only if it has an address of its own. It gets a data: URL, in which
// addresses need an origin.
func (w *rewriter) enterQuirks(f *frame, rest []byte) {
	if w.Origin == "" || w.Assets.prefix == "" || !f.isQuirky(rest) {
		return
	}
	f.outside = w.Assets
	if w.quirky == 0 {
		absolute := *w.Assets
		absolute.prefix = w.Origin + absolute.prefix
		w.Assets = &absolute
	}
	w.quirky++
}

// leaveQuirks ends the document.
func (w *rewriter) leaveQuirks(f *frame) {
	if f.outside != nil {
		w.Assets = f.outside
		w.quirky--
	}
}

// frameQuirky gives the start tag of a frame, which is the last output, the document in quirks mode.
func (w *rewriter) frameQuirky(document []byte) {
	src := dataURL("text/html;charset=utf-8", document)
	w.nested += len(src)
	w.reopen().WriteString(` src="` + src + `">`)
}
