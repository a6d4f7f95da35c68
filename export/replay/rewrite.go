package replay

import (
	"bytes"
	"html"

	nethtml "golang.org/x/net/html"

	"plat/plat"
	"plat/plat/weburl"
	"plat/segment/markup"
)

// rewriter makes an archived page viewable: references point to archived
// resources, links to mementos of the same time, and active content (scripts,
// refreshes, forms) is removed. Its input was written by markup.Serialize:
// elements are closed in the order in which they were opened, and shadow roots
// and frame documents are in templates.
//
// A server's policy keeps the page inert however a browser parses it, but an exported page has
// no policy. So the output has the same meaning whether a parser reads it as text, as HTML, or
// as SVG and MathML: see inert.go.
type rewriter struct {
	View

	// styles are rules inserted by scripts, by the pathKey of the <style>
	// element whose text they replace, or of the root that adopted them.
	styles  map[string]string
	adopted map[string]string

	// canvases are the URLs of the pictures of <canvas> elements, by pathKey.
	canvases map[string]string

	at        *weburl.Base                   // of the rewritten page
	final     string                         // its address after redirects
	defined   map[string]bool                // custom elements, of its state
	media     map[string]string              // of its state, by pathKey
	animated  map[string]string              // the same
	opened    map[string]string              // the same
	targets   map[string]bool                // the same
	controls  map[string]*plat.Control       // the same
	unstyled  map[string]bool                // the same
	documents map[string]*plat.DocumentState // the same
	refused   map[string]*refused            // the same
	modes     map[string]string              // the same
	begun     map[string]string              // the same
	states    map[string]string              // the same
	languages map[string]string              // the same
	sprites   sprites
	replaces  bool // see [Document]
	returns   bool // the page has carriage returns, which the input has as character references

	apart  map[string][]byte // documents that stand apart, not inside the page, by URL, as the input has them; nil: none do
	rest   []byte            // the input after the present token
	frames []Document        // those of frames
	quirky int               // documents in quirks mode around the innermost, see quirks.go

	stack []opened
	key   []byte // pathKey of the innermost element

	nested int // bytes of frames' documents in attributes; see maxNested
	inside int // bytes of style sheets of files inside the page
}

// opened is an open element, shadow root or frame document.
type opened struct {
	name     string
	spelt    string // name as in the start tag: SVG names are case-sensitive
	step     int32  // see plat.Block.Path
	children int32  // number of child elements so far
	foreign  bool   // an element of SVG or MathML
	literal  bool   // its text has no character references
	sheet    []byte // text of a <style> so far
	muted    bool   // inside a <style>: not written
	frame    *frame // a frame's document
	frameURL string // URL of a frame's document, as written
	sandbox  bool   // its document has no scripts
	opaque   bool   // a frame's document has an origin of its own
	standard bool   // it is laid out in standards mode
	hollow   bool   // its content is not written, except the document of a frame
	void     bool   // it has no end tag
	awaits   bool   // it ends after the document of its frame
	grid     *grid  // a <frameset>
	key      int    // length of its parent's key

	copies // in a document or shadow root
}

// frame is a document being written.
type frame struct {
	out    *bytes.Buffer
	base   *weburl.Base   // to which references are relative
	others []*weburl.Base // to which they may have been before
	at     *weburl.Base   // of the rewritten document
	apart  bool           // it stands at that URL, not in the one around it
	xml    bool           // it is one of XML with style sheets

	scriptless bool   // its sandbox, or that of the page, has no scripts, so it shows its <noscript>
	again      bool   // so does an equal document before it
	input      []byte // the document, and the rest of the input
	based      bool   // base is final
	depth      int    // 0 is the page

	refused *refused
	mode    string // in which it is laid out; empty: as its document type says

	language   string          // that its header says; empty: none
	instructed []nethtml.Token // <link> elements of instructions, not written yet

	url    string // of the document; empty: none is known
	origin string // empty: that of no file

	outside *Assets // of the document around it, if this one is in quirks mode; see quirks.go
}

// maxDepth limits nested frames: each document is escaped into an attribute of
// the one around it, which multiplies its size.
const maxDepth = 6

// addStyle adds rules for a place; adopted sheets come in order.
func (w *rewriter) addStyle(p plat.StylePlace, css string) {
	key := pathKey(p.Path)
	if w.styles == nil {
		w.styles, w.adopted = map[string]string{}, map[string]string{}
	}
	if p.Adopted == 0 {
		w.styles[key] = css
		return
	}
	w.adopted[key] += css + "\n"
}

// push opens an element; pop closes the innermost.
func (w *rewriter) push(o opened) {
	o.key = len(w.key)
	w.key = appendStep(w.key, o.step)
	w.stack = append(w.stack, o)
}

func (w *rewriter) pop() (o opened) {
	o = w.stack[len(w.stack)-1]
	w.key = w.key[:o.key]
	w.stack = w.stack[:len(w.stack)-1]
	return o
}

// page rewrites a page; at is its own base.
func (w *rewriter) page(in []byte, at *weburl.Base) []byte {
	if w.State == nil {
		w.applyState()
	}
	if w.at == nil {
		w.at = at
	}
	doc := w.newFrame(at, 0)
	doc.at = w.at
	doc.settle(w.final, w.at.String())
	doc.begin(bytes.NewBuffer(make([]byte, 0, len(in)+len(in)/8)))
	w.stack = []opened{{frame: doc}}
	in = w.escapeInput(in)
	z := nethtml.NewTokenizer(bytes.NewReader(in))
	skip, depth := "", 0 // name of the element whose content is omitted; nesting of elements with that name
	rest := in           // after the token
	for {
		kind := z.Next()
		if kind == nethtml.ErrorToken {
			break
		}
		rest = rest[len(z.Raw()):]
		w.rest = rest
		if skip != "" {
			name, _ := z.TagName()
			switch {
			case kind == nethtml.StartTagToken && string(name) == skip:
				depth++
			case kind == nethtml.EndTagToken && string(name) == skip:
				if depth--; depth == 0 {
					skip = ""
				}
			}
			continue
		}
		switch kind {
		case nethtml.StartTagToken, nethtml.SelfClosingTagToken:
			raw := string(z.Raw())
			t := z.Token()
			if w.stack[len(w.stack)-1].holdsForeign() {
				z.NextIsNotRawText() // <style> has elements there
			}
			switch t.Data {
			case "iframe", "frame":
				z.NextIsNotRawText() // its document is inside, in a template
			case "script", "noscript", "noembed", "noframes":
				if t.Data == "noscript" && w.doc().scriptless {
					z.NextIsNotRawText()
					break
				}
				// Scripts were on, so <noscript> was not shown. Other ignored elements are not
				// shown either.
				w.standIn()
				w.count()
				if kind == nethtml.StartTagToken {
					skip, depth = t.Data, 1
				}
				continue
			}
			w.start(&t, raw, rest)
		case nethtml.EndTagToken:
			name, _ := z.TagName()
			w.end(string(name))
		case nethtml.TextToken:
			w.text(z.Raw())
		case nethtml.CommentToken:
			w.sheetOfXML(z.Raw(), rest)
		case nethtml.DoctypeToken:
			if raw := z.Raw(); w.doc().mode == "" && w.stack[len(w.stack)-1].frame != nil && bytes.LastIndexByte(raw, '<') == 0 && bytes.HasSuffix(raw, []byte(">")) {
				w.out().Write(raw)
			}
		}
	}
	for len(w.stack) > 1 {
		w.end(w.stack[len(w.stack)-1].name)
	}
	w.adopt(w.out())
	w.addDrawings()
	return doc.out.Bytes()
}

// doc returns the innermost document being written.
func (w *rewriter) doc() *frame {
	for i := len(w.stack) - 1; ; i-- {
		if f := w.stack[i].frame; f != nil {
			return f
		}
	}
}

// begin begins to write a document, with a document type if its own does not say in which mode it is laid out.
func (f *frame) begin(out *bytes.Buffer) {
	f.out = out
	if f.mode == "standards" {
		f.out.WriteString("<!DOCTYPE html>")
	}
}

// bases are those to which the references of a document are relative, or may have been.
func (f *frame) bases() []*weburl.Base { return append([]*weburl.Base{f.base}, f.others...) }

func (w *rewriter) out() *bytes.Buffer { return w.doc().out }

// count counts an omitted element, so that later siblings keep their rank.
func (w *rewriter) count() { w.stack[len(w.stack)-1].children++ }

// start writes a start tag, which comes before the rest of the page.
func (w *rewriter) start(t *nethtml.Token, raw string, rest []byte) {
	inside := holdsFrame(rest)
	parent := &w.stack[len(w.stack)-1]
	muted := parent.muted || parent.name == "style"
	if t.Data == "template" && !muted && w.template(t, raw, parent, rest) {
		return
	}
	muted = muted || parent.hollow || parent.name == "head" && !parent.foreign && endsHead(t.Data)
	rank := parent.children
	parent.children++
	o := opened{name: t.Data, spelt: inertName(tagName(raw)), step: rank, foreign: parent.holdsForeign() || t.Data == "svg" || t.Data == "math", muted: muted}
	if t.Data == "noscript" && !o.foreign {
		o.spelt = shownNoscript
	}
	if o.literal = !o.foreign && (t.Data == "xmp" || t.Data == "plaintext"); o.literal {
		o.spelt = "pre" // which has the same rendering, and whose text can be escaped
	}
	w.push(o)
	switch {
	case muted:
	case t.Data == "frameset" && !o.foreign:
		w.frameset(t)
	case o.foreign || !w.embedded(t, inside, rest):
		w.tag(t, raw)
	}
	if markup.VoidElement(t.Data) && !o.foreign {
		if inside && !muted && (t.Data == "frame" || t.Data == "embed") {
			w.stack[len(w.stack)-1].awaits = true
			return
		}
		if o := w.pop(); o.spelt == "iframe" && !muted {
			w.out().WriteString("</iframe>")
		}
		return
	}
	if t.Data == "body" && len(w.stack) == 3 {
		w.out().WriteString(w.Banner)
	}
}

// endsHead reports whether the start tag of an element ends the head of a page (HTML Living Standard, section
// 13.2.6.4.4). Only scripts put such elements, as the frames of loaders, into a head, where they are not shown; as
// markup they would begin the body. Drawings stay: the page may use their parts.
func endsHead(name string) bool {
	switch name {
	case "base", "basefont", "bgsound", "link", "meta", "noframes", "noscript", "script", "style", "svg", "template", "title":
		return false
	}
	return true
}

// template begins a shadow root or the document of a frame, or reports that a template is an
// ordinary one. The only attribute written for a shadow root is its mode.
func (w *rewriter) template(t *nethtml.Token, raw string, parent *opened, rest []byte) bool {
	o := opened{name: "template", spelt: "template", step: ^parent.children}
	mode, shadow := attr(t, "shadowrootmode")
	switch {
	case raw == frameMark && framed(parent.name):
		base, depth, key := w.frameBase(parent), w.doc().depth+1, len(w.key)
		w.key = appendStep(w.key, o.step)
		around := w.doc()
		o.frame = w.newFrame(base, depth)
		o.frame.at, o.frame.scriptless = around.at, around.scriptless || parent.sandbox
		o.frame.inherit(around, parent)
		w.setApart(o.frame, parent, rest)
		if !parent.standard {
			w.enterQuirks(o.frame, rest)
		}
		w.key = w.key[:key]
		o.frame.begin(&bytes.Buffer{})
	case shadow && !parent.hollow:
		w.out().WriteString(`<template shadowrootmode="` + html.EscapeString(mode) + `">`)
	default:
		return false
	}
	w.push(o)
	return true
}

// end writes an end tag, and those of open elements inside it.
func (w *rewriter) end(name string) {
	at := len(w.stack) - 1
	for at > 0 && w.stack[at].name != name {
		at--
	}
	if at == 0 {
		return // no matching open element
	}
	for len(w.stack) > at {
		if o := &w.stack[len(w.stack)-1]; o.step < 0 || o.frame != nil {
			w.adopt(w.out())
			w.addDrawings()
		}
		w.sheet()
		o := w.pop()
		if o.frame != nil {
			w.leaveQuirks(o.frame)
			document := o.frame.out.Bytes()
			if drawnAlone(document) {
				style := drawingAlone
				if owner := w.stack[len(w.stack)-1].name; owner == "object" || owner == "embed" {
					style = drawingFitted
				}
				document = append([]byte(style), document...)
			} else if o.frame.xml {
				document = append([]byte(xmlAlone), document...)
			}
			switch {
			case w.stack[len(w.stack)-1].muted:
			case o.frame.apart:
				w.standApart(o.frame, document)
			case o.frame.outside != nil && len(document) <= maxQuirky && w.nested+2*len(document) < maxNested:
				w.frameQuirky(document)
			case o.frame.depth <= maxDepth:
				w.frameDone(document)
			}
			if w.stack[len(w.stack)-1].awaits {
				w.pop()
				w.out().WriteString("</iframe>")
			}
			continue
		}
		if o.muted || o.void {
			continue
		}
		w.out().WriteString("</" + o.spelt + ">")
	}
}

// adopt writes the sheets adopted by the innermost root.
func (w *rewriter) adopt(out *bytes.Buffer) {
	if css := w.adopted[string(w.key)]; css != "" {
		out.WriteString("<style>" + w.css(css) + "</style>")
	}
}

// text writes text. It collects the text of a <style> element until its end.
func (w *rewriter) text(raw []byte) {
	o := &w.stack[len(w.stack)-1]
	switch {
	case o.muted:
		// not part of the enclosing style sheet
	case o.name == "style":
		if !o.foreign {
			raw = w.withReturns(raw)
		}
		o.sheet = append(o.sheet, raw...)
	case o.hollow || o.name == "iframe":
		// for browsers without frames
	case o.name == "head" && len(bytes.Trim(raw, " \t\n\r\f")) > 0:
		// as endsHead
	case o.literal:
		w.out().WriteString(escapeReturns(string(w.withReturns(raw))))
	default:
		w.out().Write(bytes.ReplaceAll(raw, []byte("<"), []byte("&lt;")))
	}
}

// sheet writes the rules of the innermost element, if that is a <style>: its whole text,
// because comments and elements inside may interrupt a reference, or the rules inserted by
// scripts.
func (w *rewriter) sheet() {
	o := &w.stack[len(w.stack)-1]
	if o.name != "style" || o.muted {
		return
	}
	css := w.styles[string(w.key)]
	if css == "" {
		css = string(o.sheet)
		if o.foreign { // where text has character references
			css = html.UnescapeString(css)
		}
	}
	w.out().WriteString(w.css(css))
}

// css rewrites the rules of a <style> element or attribute.
func (w *rewriter) css(text string) string {
	return inertCSS(w.cssAt(w.doc().bases(), text))
}

// cssAt rewrites rules with references relative to one of some bases.
func (w *rewriter) cssAt(bases []*weburl.Base, text string) string {
	return w.cssRewriter(bases).rewrite(w.scripted(text))
}

func (w *rewriter) cssRewriter(bases []*weburl.Base) *cssRewriter {
	return &cssRewriter{Assets: w.Assets, bases: bases, drawing: w.drawing, refused: w.doc().refused}
}

// scripted returns media queries as they were true in the innermost document.
func (w *rewriter) scripted(media string) string { return scripted(media, !w.doc().scriptless) }

// frameBase returns the base of the document of a frame.
func (w *rewriter) frameBase(owner *opened) *weburl.Base { return w.doc().base.Frame(owner.frameURL) }
