package replay

import (
	"bytes"
	"html"

	"plat/plat/weburl"
)

// maxNested limits the documents of a page's frames after escaping them in attributes, in
// bytes. The document of a nested frame is escaped again with the one around it.
const maxNested = 32 << 20

// leftOut replaces the document of a frame that would be too large.
const leftOut = "<p>This frame is left out: with the frames in it, it is too large to be shown."

// frameDone inserts the document of a frame into the frame's start tag, which is the last
// output.
func (w *rewriter) frameDone(document []byte) {
	size := escapedLen(document)
	if w.nested+size > maxNested {
		document = []byte(leftOut)
		size = escapedLen(document)
	}
	w.nested += size
	out := w.reopen()
	out.WriteString(` srcdoc="`)
	out.Grow(size)
	escapeTo(out, document)
	out.WriteString(`">`)
}

// setApart sets whether a frame's document stands apart. It does if it has a URL of its own, or equals the document at that
// URL. rest begins with the document.
func (w *rewriter) setApart(f *frame, owner *opened, rest []byte) {
	at := w.frameBase(owner)
	if d := w.documents[string(w.key)]; d != nil {
		at = weburl.NewBase(d.URL)
	}
	if w.apart == nil || owner.frameURL == "" || !weburl.IsWeb(at.String()) {
		return
	}
	if r, ok := w.Assets.manifest.Find(at.String()); ok && r.Left == "" {
		return // a player would show it in place of the file
	}
	before, known := w.apart[at.String()]
	if known && (before == nil || !bytes.HasPrefix(rest, before)) {
		return
	}
	if !known {
		w.apart[at.String()] = nil // until its end
	}
	f.at, f.apart, f.again, f.input = at, true, known, rest
}

// standApart adds a finished document to those beside the page, and has the frame load it.
func (w *rewriter) standApart(f *frame, document []byte) {
	at := f.at.String()
	if !f.again {
		w.frames = append(w.frames, Document{URL: at, Type: htmlType, Body: document})
		w.apart[at] = f.input[:len(f.input)-len(w.rest)]
	}
	w.frameAt(at)
}

// frameAt gives the start tag of a frame, which is the last output, the URL of its document.
func (w *rewriter) frameAt(url string) {
	w.reopen().WriteString(` src="` + html.EscapeString(url) + `">`)
}

// escapes maps characters to their replacements in html.EscapeString.
var escapes = [256]string{'&': "&amp;", '\'': "&#39;", '<': "&lt;", '>': "&gt;", '"': "&#34;"}

// escapedLen returns the length of the output of escapeTo.
func escapedLen(text []byte) (size int) {
	for _, c := range text {
		size += max(1, len(escapes[c]))
	}
	return size
}

// escapeTo writes the result of html.EscapeString without a copy of the text.
func escapeTo(out *bytes.Buffer, text []byte) {
	from := 0
	for i, c := range text {
		if esc := escapes[c]; esc != "" {
			out.Write(text[from:i])
			out.WriteString(esc)
			from = i + 1
		}
	}
	out.Write(text[from:])
}
