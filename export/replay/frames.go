package replay

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"

	nethtml "golang.org/x/net/html"
)

// frameMark begins the document of a frame in the page; see markup.Serialize, which writes an attribute of the
// page's own differently, with its value.
const frameMark = "<template data-plat-frame>"

// embedded writes the start tag of a <frame>, an <object> or an <embed>. inside reports whether the page has its
// document, rest is the page after the tag. One with a document becomes a frame, one with a stored image an image, a
// plug-in the empty space that Chrome leaves for it, and a different <object> shows its content. It returns false for
// other elements, and for an <embed> without any of these.
func (w *rewriter) embedded(t *nethtml.Token, inside bool, rest []byte) bool {
	o := &w.stack[len(w.stack)-1]
	from := "src"
	switch t.Data {
	case "frame", "embed":
	case "object":
		from = "data"
	default:
		return false
	}
	ref, _ := attr(t, from)
	if inside || t.Data == "frame" {
		o.spelt, o.frameURL = "iframe", ref
		o.hollow = true // the page did not show its content
		style := w.frameLook(t.Data)
		if inside && t.Data != "frame" {
			natural, fills := naturalSize(rest[len(frameMark):])
			if natural != "" {
				style += ";" + natural
			}
			if fills && !sizedByItself(t) {
				t.Attr = append(t.Attr, nethtml.Attribute{Key: "width", Val: "100%"})
			}
		}
		if t.Data != "frame" {
			t.Attr = append(t.Attr, nethtml.Attribute{Key: "frameborder", Val: "0"})
		}
		w.replaced(t, "", strings.TrimPrefix(style, ";"))
		return true
	}
	if path, ok := w.asset(ref); ok && ref != "" {
		o.spelt, o.hollow, o.void = "img", true, true
		w.replaced(t, path, "")
		return true
	}
	if isPlugin(t, ref) && (t.Data == "embed" || !hasFallback(rest)) {
		o.spelt, o.hollow, o.void = "img", true, true
		w.replaced(t, unsized, "")
		return true
	}
	if t.Data == "embed" {
		return false // without an address it shows nothing, in its size
	}
	w.replaced(t, "", "")
	if w.Assets.failed(w.doc().base, ref) && !hasFallback(rest) {
		w.out().WriteString("<span></span>") // an <object> that shows its content has no size; one without content has
	}
	return true
}

// sizedByItself reports whether the attributes of an element give it a width or a height.
func sizedByItself(t *nethtml.Token) bool {
	for _, name := range []string{"width", "height"} {
		if v, _ := attr(t, name); strings.TrimSpace(v) != "" {
			return true
		}
	}
	style, _ := attr(t, "style")
	return strings.Contains(strings.ToLower(style), "width") || strings.Contains(strings.ToLower(style), "height")
}

// unsized is a transparent picture without a size or ratio of its own: as an image it is as large as a plug-in, 300 by
// 150 unless attributes or styles say otherwise.
const unsized = "data:image/svg+xml,%3Csvg%20xmlns=%27http://www.w3.org/2000/svg%27/%3E"

// isPlugin reports whether an element is for a plug-in, such as Flash. A headless Chrome has none, and keeps the space.
func isPlugin(t *nethtml.Token, ref string) bool {
	if kind, _ := attr(t, "type"); kind != "" {
		kind = strings.ToLower(strings.TrimSpace(kind))
		return strings.HasPrefix(kind, "application/x-") || kind == "application/pdf"
	}
	ref, _, _ = strings.Cut(ref, "#")
	ref, _, _ = strings.Cut(ref, "?")
	ref = strings.ToLower(strings.TrimSpace(ref))
	return strings.HasSuffix(ref, ".swf") || strings.HasSuffix(ref, ".pdf")
}

// hasFallback reports whether the content of an <object>, which rest begins with, is more than parameters and spaces.
func hasFallback(rest []byte) bool {
	z := nethtml.NewTokenizer(bytes.NewReader(rest))
	for {
		switch z.Next() {
		case nethtml.CommentToken:
		case nethtml.TextToken:
			if len(bytes.Trim(z.Raw(), " \t\n\r\f")) > 0 {
				return true
			}
		case nethtml.StartTagToken, nethtml.SelfClosingTagToken, nethtml.EndTagToken:
			if name, _ := z.TagName(); string(name) != "param" {
				return string(name) != "object"
			}
		default:
			return false // the end of the page
		}
	}
}

// frameLook is the style of what was no <iframe>.
func (w *rewriter) frameLook(name string) string {
	if name == "frame" {
		return "border:0;width:100%;height:100%" + w.gridAround().edges()
	}
	return ""
}

// replaced writes the start tag of an element that replaces a different one: the attributes that are for all
// elements, and the size.
func (w *rewriter) replaced(t *nethtml.Token, src, style string) {
	var kept []nethtml.Attribute
	for _, a := range t.Attr {
		switch a.Key {
		case "data", "src", "name", "usemap", "standby", "noresize", "srcdoc":
			continue
		case "type":
			if w.stack[len(w.stack)-1].spelt == t.Data {
				continue // with a type, an <object> without an address does not show its content
			}
		case "style":
			if style != "" {
				continue // below
			}
		}
		if v, keep := w.attribute(t, a); keep {
			kept = append(kept, nethtml.Attribute{Namespace: a.Namespace, Key: a.Key, Val: v})
		}
	}
	if style != "" {
		own, _ := attr(t, "style")
		kept = withStyle(kept, w.Assets.CSS(style+";"+own, w.doc().bases()...))
	}
	if src != "" {
		kept = append(kept, nethtml.Attribute{Key: "src", Val: src})
	}
	if o := &w.stack[len(w.stack)-1]; t.Data != "frame" && o.spelt != t.Data {
		kept = append(kept, nethtml.Attribute{Key: wasMark, Val: t.Data})
		w.replaces = true
	}
	if class, ok := w.Marks[string(w.key)]; ok {
		kept = append(kept, nethtml.Attribute{Key: "data-plat", Val: class})
	}
	w.writeTag(w.stack[len(w.stack)-1].spelt, kept)
}

// A grid is a <frameset>, with the borders between its frames.
type grid struct {
	width  int    // of the borders, px
	shown  bool   // there are borders
	colour string // of them
}

// borders reads the attributes of a <frameset>. Those that it does not have are those of the frameset around it (nil if
// there is none), as in Blink (HTMLFrameSetElement::AttachLayoutTree).
func borders(t *nethtml.Token, around *grid) *grid {
	g := grid{6, true, "#d0d0d0"}
	if around != nil {
		g.shown = around.shown
	}
	switch v, _ := attr(t, "frameborder"); strings.ToLower(v) {
	case "0", "no":
		g.shown = false
	case "1", "yes":
		g.shown = true
	}
	if around != nil && g.shown {
		g = *around
		g.shown = true
	}
	if v, ok := attr(t, "border"); ok {
		v = strings.TrimSpace(v)
		n, _ := strconv.Atoi(v[:len(v)-len(strings.TrimLeft(v, "0123456789"))]) // nothing is 0
		g.width = min(n, 100)
	}
	if v, _ := attr(t, "bordercolor"); plainColour.MatchString(v) {
		g.colour = v
	}
	return &g
}

// edges returns the style of the lines that Blink draws along borders (FrameSetPainter), for a frame or a frameset in g.
func (g *grid) edges() string {
	if g == nil || !g.shown || g.width < 3 {
		return ""
	}
	return ";box-shadow:1px 0 #aaa,0 1px #aaa,-1px 0 #000,0 -1px #000"
}

// gridAround returns the innermost frameset that is open in the present document, except the element that was opened
// last; nil if there is none.
func (w *rewriter) gridAround() *grid {
	for i := len(w.stack) - 2; i > 0 && w.stack[i].frame == nil; i-- {
		if g := w.stack[i].grid; g != nil {
			return g
		}
	}
	return nil
}

// plainColour matches colours of attributes that CSS reads in the same way.
var plainColour = regexp.MustCompile(`^(#[0-9A-Fa-f]{6}|#[0-9A-Fa-f]{3}|[A-Za-z]{3,20})$`)

// frameset writes a <frameset> as a grid of its frames: documents of <frame> elements need an address, and those of
// <iframe> elements do not.
func (w *rewriter) frameset(t *nethtml.Token) {
	o := &w.stack[len(w.stack)-1]
	o.spelt = "div"
	style := "display:grid;"
	around := w.gridAround()
	if around == nil {
		style += "position:absolute;inset:0;"
	}
	o.grid = borders(t, around)
	cols, _ := attr(t, "cols")
	rows, _ := attr(t, "rows")
	style += "grid-template-columns:" + tracks(cols) + ";grid-template-rows:" + tracks(rows)
	if o.grid.shown && o.grid.width > 0 {
		style += ";overflow:hidden;gap:" + strconv.Itoa(o.grid.width) + "px;background:" + o.grid.colour
	}
	style += around.edges()
	w.out().WriteString(`<div style="` + style + `">`)
}

// maxTracks bounds the rows or columns of a frameset.
const maxTracks = 200

// tracks returns a list of lengths of a frameset (HTML Living Standard, section 2.3.4.6, "list of dimensions")
// as tracks of a grid. Without a relative length, all of them share the space in proportion.
func tracks(list string) string {
	if strings.TrimSpace(list) == "" {
		return "100%"
	}
	items := strings.Split(strings.TrimSuffix(strings.TrimSpace(list), ","), ",")
	items = items[:min(len(items), maxTracks)]
	relative := strings.Contains(list, "*")
	var all []string
	for _, item := range items {
		item = strings.TrimSpace(item)
		digits := 0
		for digits < len(item) && digits < 6 && (item[digits] >= '0' && item[digits] <= '9' || item[digits] == '.') {
			digits++
		}
		n, err := strconv.ParseFloat(item[:digits], 64)
		if err != nil {
			n = 0
		}
		number := strconv.FormatFloat(n, 'f', -1, 64)
		switch {
		case strings.HasSuffix(item, "*"):
			if digits == 0 {
				number = "1"
			}
			all = append(all, "minmax(0,"+number+"fr)")
		case !relative:
			all = append(all, "minmax(0,"+number+"fr)")
		case strings.HasSuffix(item, "%"):
			all = append(all, number+"%")
		default:
			all = append(all, number+"px")
		}
	}
	return strings.Join(all, " ")
}

// framed reports whether an element can show a document.
func framed(name string) bool {
	return name == "iframe" || name == "frame" || name == "object" || name == "embed"
}

// holdsFrame reports whether the document of a frame is next in the input.
func holdsFrame(rest []byte) bool { return bytes.HasPrefix(rest, []byte(frameMark)) }

// drawnAlone reports whether a document is a drawing, without an element of HTML around it.
func drawnAlone(document []byte) bool { return drawingIn(document) != nil }

// isStyledXML reports whether a document is one of XML with style sheets, without an element of HTML or a drawing around it.
func isStyledXML(document []byte) bool {
	return instruction.Match(beforeDrawing.Find(document)) && isOtherXML(document)
}

// isOtherXML reports whether the outermost element of a document, or of what is left of it, is neither one of HTML nor a drawing.
func isOtherXML(document []byte) bool {
	name := document[len(beforeDrawing.Find(document)):]
	return !bytes.HasPrefix(name, []byte("<svg")) && !bytes.EqualFold(name[:min(len("<html"), len(name))], []byte("<html"))
}

// beforeDrawing matches what may come before the element of a drawing.
var beforeDrawing = regexp.MustCompile(`^(?:\s+|<!--(?s:.*?)-->|(?i:<!doctype)[^<>]*>|<link [^<>]*>)+`)

// drawingIn returns a document from the tag of its drawing on, nil if it is none.
func drawingIn(document []byte) []byte {
	document = document[len(beforeDrawing.Find(document)):]
	if !bytes.HasPrefix(document, []byte("<svg")) {
		return nil
	}
	return document
}

// sheetOfXML writes the style sheet of an instruction before the outermost element of a drawing, or of other XML (see
// [instruction]), in a frame as a <link>, if it is one of CSS. Those of XHTML are written later.
func (w *rewriter) sheetOfXML(comment, rest []byte) {
	m := instruction.FindSubmatch(comment)
	f := w.stack[len(w.stack)-1].frame
	if m == nil || f == nil {
		return
	}
	f.xml = isOtherXML(rest)
	start, ok := pseudo(m[1])
	if !ok {
		return
	}
	link := nethtml.Token{Type: nethtml.StartTagToken, Data: "link", Attr: []nethtml.Attribute{{Key: "rel", Val: "stylesheet"}}}
	for _, a := range start.Attr {
		switch {
		case a.Name.Local == "type" && a.Value != "" && a.Value != typeCSS, a.Name.Local == "alternate" && a.Value == "yes":
			return
		case a.Name.Local == "href", a.Name.Local == "media":
			link.Attr = append(link.Attr, nethtml.Attribute{Key: a.Name.Local, Val: a.Value})
		}
	}
	if f.xml || drawingIn(rest) != nil {
		w.linkTag(&link)
	} else {
		f.instructed = append(f.instructed, link) // in front of the document type, it would make a page one in quirks mode
	}
}

// instructed writes the style sheets of the instructions before an element of HTML, in its first child that was opened last.
func (w *rewriter) instructed() {
	f := w.doc()
	if len(w.stack) < 3 || w.stack[len(w.stack)-3].frame != f {
		return
	}
	for i := range f.instructed {
		w.linkTag(&f.instructed[i])
	}
	f.instructed = nil
}

// xmlAlone is the style by which the elements of HTML around XML in a frame have no boxes.
const xmlAlone = "<style>html{margin:0}body{display:contents}</style>"

// The styles by which a drawing fills a frame as without an element of HTML around it. In a frame that replaces an <object> or
// <embed> it is as large as that.
const (
	drawingAlone  = "<style>html,body{margin:0;height:100%}svg{display:block}:where(body>svg:not([width])){width:100%}:where(body>svg:not([height])){height:100%}</style>"
	drawingFitted = "<style>html,body{margin:0;height:100%}svg{display:block}body>svg{width:100%!important;height:100%!important}</style>"
)
