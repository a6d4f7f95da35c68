package replay

import (
	"bytes"
	"html"
	"net/url"
	"strings"

	nethtml "golang.org/x/net/html"

	"plat"
	"plat/markup"
)

// rewriter makes a page that was archived one that can be looked at: references
// lead to what was archived with it, links to mementos of the same time, and what
// would act (scripts, refreshes, forms) is gone. It reads what markup.Serialize
// wrote: elements are closed in the order in which they were opened, shadow roots
// and the documents of frames stand in templates.
//
// It is for the looks. That a page cannot act holds by its policy, whatever a
// parser makes of it.
type rewriter struct {
	View

	// styles are rules that scripts put in, by the pathKey of the <style> element
	// whose text they replace, or of the root that adopted them.
	styles  map[string]string
	adopted map[string]string

	// canvases are the URLs of what stood in <canvas> elements, by pathKey.
	canvases map[string]string

	stack []opened
	key   []byte // pathKey of the innermost
}

// opened is an element, a shadow root or the document of a frame that is open.
type opened struct {
	name     string
	spelt    string // as in the start tag: names of SVG elements have capitals
	step     int32  // see plat.Block.Path
	children int32  // elements so far
	foreign  bool
	frame    *frame // a frame's document
	frameURL string // of a frame: where its document is from, as written
	key      int    // length of the key of what it stands in
}

// frame is a document that is being written.
type frame struct {
	out   *bytes.Buffer
	base  *url.URL
	depth int // 0 is the page
}

// maxDepth is how deep the documents of frames are shown in one another: each is
// written as an attribute of the one around it, and grows by that.
const maxDepth = 6

// addStyle takes rules that belong to a place; adopted sheets come in order.
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

// page rewrites a page; base is its URL.
func (w *rewriter) page(in []byte, base string) []byte {
	at, err := url.Parse(base)
	if err != nil {
		at = &url.URL{}
	}
	doc := &frame{out: bytes.NewBuffer(make([]byte, 0, len(in)+len(in)/8)), base: at}
	w.stack = []opened{{frame: doc}}
	z := nethtml.NewTokenizer(bytes.NewReader(in))
	skip := "" // the element whose inside is left out
	depth := 0 // of such elements in one another
	for {
		kind := z.Next()
		if kind == nethtml.ErrorToken {
			break
		}
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
			switch t.Data {
			case "iframe", "frame":
				z.NextIsNotRawText() // its document stands in it, in a template
			case "script", "noscript":
				// What stands in <noscript> was not shown: scripts were on.
				w.count()
				if kind == nethtml.StartTagToken {
					skip, depth = t.Data, 1
				}
				continue
			}
			w.start(&t, raw)
		case nethtml.EndTagToken:
			name, _ := z.TagName()
			w.end(string(name))
		case nethtml.TextToken:
			w.text(z.Raw())
		default:
			w.out().Write(z.Raw())
		}
	}
	for len(w.stack) > 1 {
		w.end(w.stack[len(w.stack)-1].name)
	}
	w.adopt(w.out())
	return doc.out.Bytes()
}

// doc is the innermost document that is being written.
func (w *rewriter) doc() *frame {
	for i := len(w.stack) - 1; ; i-- {
		if f := w.stack[i].frame; f != nil {
			return f
		}
	}
}

func (w *rewriter) out() *bytes.Buffer { return w.doc().out }

// count takes note of an element that is left out: it has a rank all the same.
func (w *rewriter) count() { w.stack[len(w.stack)-1].children++ }

// start writes a start tag.
func (w *rewriter) start(t *nethtml.Token, raw string) {
	parent := &w.stack[len(w.stack)-1]
	if t.Data == "template" {
		if at := templateOf(t); at != "" {
			o := opened{name: "template", spelt: "template", step: ^parent.children}
			if at == "frame" {
				o.frame = &frame{out: &bytes.Buffer{}, base: w.frameBase(parent), depth: w.doc().depth + 1}
			} else {
				w.out().WriteString(raw)
			}
			w.push(o)
			return
		}
	}
	rank := parent.children
	parent.children++
	o := opened{name: t.Data, spelt: tagName(raw), step: rank, foreign: parent.foreign && parent.name != "foreignobject" || t.Data == "svg" || t.Data == "math"}
	w.push(o)
	w.tag(t, raw)
	if markup.VoidElement(t.Data) && !o.foreign {
		w.pop()
		return
	}
	if t.Data == "body" && len(w.stack) == 3 {
		w.out().WriteString(w.Banner)
	}
}

// templateOf says what a template holds: "shadow" for a shadow root, "frame" for
// a frame's document, "" for its own contents.
func templateOf(t *nethtml.Token) string {
	for _, a := range t.Attr {
		switch a.Key {
		case "shadowrootmode":
			return "shadow"
		case "data-plat-frame":
			return "frame"
		}
	}
	return ""
}

// end writes an end tag, and those of what is still open inside.
func (w *rewriter) end(name string) {
	at := len(w.stack) - 1
	for at > 0 && w.stack[at].name != name {
		at--
	}
	if at == 0 {
		return // nothing is open that it could end
	}
	for len(w.stack) > at {
		if o := &w.stack[len(w.stack)-1]; o.step < 0 || o.frame != nil {
			w.adopt(w.out())
		}
		o := w.pop()
		if o.frame != nil {
			if o.frame.depth <= maxDepth {
				frameDone(w.out(), o.frame.out.String())
			}
			continue
		}
		w.out().WriteString("</" + o.spelt + ">")
	}
}

// frameDone puts the document of a frame into the frame's start tag, the last thing
// written.
func frameDone(out *bytes.Buffer, document string) {
	b := bytes.TrimSuffix(out.Bytes(), []byte(">"))
	out.Truncate(len(b))
	out.WriteString(` srcdoc="` + html.EscapeString(document) + `">`)
}

// adopt writes the sheets that the innermost root adopted.
func (w *rewriter) adopt(out *bytes.Buffer) {
	if css := w.adopted[string(w.key)]; css != "" {
		out.WriteString("<style>" + w.css(css) + "</style>")
	}
}

// text writes text; that of a <style> element with its references rewritten, or
// replaced by the rules that scripts put in.
func (w *rewriter) text(raw []byte) {
	o := &w.stack[len(w.stack)-1]
	switch {
	case o.name == "style" && w.styles[string(w.key)] != "":
		// tag has written them
	case o.name == "style":
		w.out().WriteString(w.css(string(raw)))
	case o.name == "iframe" || o.name == "frame" || o.name == "object":
		// what is shown where there are no frames
	default:
		w.out().Write(raw)
	}
}

// css rewrites rules that stand in the page.
func (w *rewriter) css(text string) string {
	// "</" would end the element, and means the same with a backslash.
	return strings.ReplaceAll(w.Assets.CSS(text, w.doc().base.String()), "</", `<\/`)
}

// frameBase is the URL of the document of a frame.
func (w *rewriter) frameBase(owner *opened) *url.URL {
	base := w.doc().base
	if owner.frameURL != "" {
		if u, err := base.Parse(owner.frameURL); err == nil && (u.Scheme == "http" || u.Scheme == "https") {
			return u
		}
	}
	return base
}
