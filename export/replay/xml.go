package replay

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html/atom"

	"plat/plat"
	"plat/plat/weburl"
)

// xmlType is the media type of a rewritten document of XML.
const xmlType = "application/xml; charset=utf-8"

// errNoXML is returned for a document that cannot be written as XML.
var errNoXML = errors.New("no document of XML")

// comment matches a comment, and instruction a processing instruction for a style sheet (Associating Style Sheets with XML
// documents 1.0) as markup.Serialize writes it.
var (
	comment     = regexp.MustCompile(`(?s)<!--.*?-->`)
	instruction = regexp.MustCompile(`(?s)<!--\?xml-stylesheet\s(.*?)\?-->`)
)

// isXML reports whether browsers show a version as a document of XML of which the names of elements are not those of HTML.
func isXML(v *plat.Version) bool {
	kind, _, _ := strings.Cut(strings.ToLower(v.Capture.ContentType), ";")
	switch kind = strings.TrimSpace(kind); kind {
	case "application/xhtml+xml", typeSVG:
		return false
	}
	return kind == "text/xml" || kind == "application/xml" || strings.HasSuffix(kind, "+xml")
}

// xml writes a document of XML that has style sheets of CSS as XML, in which their rules apply to the elements that they
// name. Others, and those that cannot be written, give [errNoXML]: they are written as HTML.
//
// It holds no part that runs or leads elsewhere, also if it is read as HTML.
func (w *rewriter) xml(ctx context.Context, s store, v *plat.Version, in []byte) ([]byte, error) {
	if !isXML(v) {
		return nil, errNoXML
	}
	x := &xmlWriter{rewriter: w, bound: map[string][]string{"": {""}, "xml": {xmlSpace}}}
	x.base = weburl.NewBase(v.Capture.FinalURL)
	x.out.Grow(len(in) + len(in)/8)
	for _, m := range instruction.FindAllSubmatch(prolog(in), -1) {
		if err := x.instruction(ctx, s, m[1]); err != nil {
			return nil, err
		}
	}
	if x.out.Len() == 0 {
		return nil, errNoXML
	}
	d := xml.NewDecoder(bytes.NewReader(comment.ReplaceAll(in, nil)))
	d.Entity = map[string]string{"nbsp": "\u00a0"} // as markup.Serialize writes it
	for {
		t, err := d.RawToken()
		switch {
		case err == io.EOF && x.ended && len(x.open) == 0:
			return x.out.Bytes(), nil
		case err != nil:
			return nil, errNoXML
		}
		switch t := t.(type) {
		case xml.StartElement:
			if x.ended {
				return nil, errNoXML
			}
			if err := x.start(&t); err != nil {
				return nil, err
			}
		case xml.EndElement:
			if err := x.end(t.Name); err != nil {
				return nil, err
			}
		case xml.CharData:
			x.text(string(t))
		}
	}
}

// prolog returns a document's comments, instructions and declaration before its first element.
func prolog(in []byte) []byte {
	rest := in
	for {
		end := ""
		switch {
		case bytes.HasPrefix(rest, []byte("<!--")):
			end = "-->"
		case bytes.HasPrefix(rest, []byte("<!")):
			end = ">"
		}
		_, after, ok := bytes.Cut(rest, []byte(end))
		if end == "" || !ok {
			return in[:len(in)-len(rest)]
		}
		rest = after
	}
}

// xmlWriter writes a document of XML.
type xmlWriter struct {
	*rewriter
	base  *weburl.Base
	out   bytes.Buffer
	open  []element
	bound map[string][]string // namespaces of prefixes, innermost last
	ended bool
	data  int // bytes of style sheets written into it
}

// element is an open element.
type element struct {
	raw      xml.Name // its Space is the prefix
	space    string   // namespace
	bound    []string // prefixes that it binds
	children int32
	key      int    // length of its parent's key
	left     bool   // it and its content are left out
	sheet    []byte // text of a style sheet so far
	isSheet  bool
}

// spelt returns a name with its prefix.
func spelt(n xml.Name) string {
	if n.Space == "" {
		return n.Local
	}
	return n.Space + ":" + n.Local
}

// pseudo parses the pseudo-attributes of an instruction.
func pseudo(text []byte) (start xml.StartElement, ok bool) {
	t, err := xml.NewDecoder(bytes.NewReader(slices.Concat([]byte("<x "), text, []byte("/>")))).RawToken()
	start, ok = t.(xml.StartElement)
	return start, ok && err == nil
}

// instruction writes the instruction for a style sheet, given its pseudo-attributes, if the sheet is one of CSS and kept.
func (x *xmlWriter) instruction(ctx context.Context, s store, text []byte) (err error) {
	start, ok := pseudo(text)
	if !ok {
		return nil
	}
	kind, href := "", ""
	var others []xml.Attr
	for _, a := range start.Attr {
		switch a.Name.Local {
		case "type":
			kind = a.Value
		case "href":
			href = a.Value
		case "media":
			others = append(others, xml.Attr{Name: a.Name, Value: scripted(a.Value, true)})
		case "title", "alternate":
			others = append(others, a)
		}
	}
	if kind != "" && kind != typeCSS {
		return nil
	}
	if href, err = x.sheetAt(ctx, s, href); err != nil || href == "" {
		return err
	}
	x.out.WriteString(`<?xml-stylesheet type="text/css" href="` + escapeXML.Replace(href) + `"`)
	for _, a := range others {
		x.out.WriteString(" " + a.Name.Local + `="` + escapeXML.Replace(a.Value) + `"`)
	}
	x.out.WriteString("?>")
	return nil
}

// sheetAt returns the address of a style sheet; empty: it is not kept. Players find only addresses relative to the
// document, so sheets of other hosts stand inside of an exported one.
func (x *xmlWriter) sheetAt(ctx context.Context, s store, ref string) (string, error) {
	if inside, ok := x.Assets.dataSheet(ref); ok {
		return x.inside(inside), nil
	}
	found := x.Assets.find(x.base, ref)
	if found == "" || x.Assets.prefix != "" {
		return found, nil
	}
	if near := relative(x.at.String(), found); near != found {
		return near, nil
	}
	r, ok := x.Assets.manifest.Find(found)
	if !ok || r.Left != "" || r.Size > maxTakenIn {
		return "", nil
	}
	text, err := s.Resource(ctx, r.Hash)
	if err != nil {
		return "", err
	}
	return x.inside(dataURL("text/css;charset=utf-8", []byte(x.Assets.Sheet(string(text), found)))), nil
}

// inside returns a data: URL, or the empty string if the document has too many of them.
func (x *xmlWriter) inside(data string) string {
	if x.data += len(data); x.data > maxTakenIn {
		return ""
	}
	return data
}

// start writes a start tag.
func (x *xmlWriter) start(t *xml.StartElement) error {
	e := element{raw: t.Name, key: len(x.key)}
	if len(x.open) > 0 {
		parent := &x.open[len(x.open)-1]
		x.key = appendStep(x.key, parent.children)
		parent.children++
		e.left = parent.left || parent.isSheet
	} else {
		x.key = appendStep(x.key[:0], 0)
	}
	for _, a := range t.Attr {
		if prefix, binds := binding(a.Name); binds {
			x.bound[prefix] = append(x.bound[prefix], a.Value)
			e.bound = append(e.bound, prefix)
		}
	}
	var ok bool
	if e.space, ok = x.space(t.Name.Space); !ok {
		return errNoXML
	}
	e.left = e.left || x.runs(e.space, t.Name)
	e.isSheet = !e.left && t.Name.Local == "style" && (e.space == xhtmlSpace || e.space == svgSpace)
	x.open = append(x.open, e)
	if e.left {
		return nil
	}
	x.out.WriteString("<" + spelt(t.Name))
	for _, a := range t.Attr {
		v, keep, err := x.attribute(e.space, t, a)
		if err != nil {
			return err
		}
		if keep {
			x.out.WriteString(" " + spelt(a.Name) + `="` + escapeXML.Replace(v) + `"`)
		}
		if name := strings.ToLower(a.Name.Local); a.Name.Space == "" && slices.Contains(x.Assets.selected, name) {
			x.out.WriteString(" data-plat-" + name + `="` + escapeXML.Replace(a.Value) + `"`)
		}
	}
	if class, ok := x.Marks[string(x.key)]; ok {
		x.out.WriteString(` data-plat="` + escapeXML.Replace(class) + `"`)
	}
	x.out.WriteByte('>')
	if len(x.open) == 1 && x.Banner != "" {
		x.out.WriteString(`<div xmlns="` + xhtmlSpace + `">` + x.Banner + `</div>`)
	}
	return nil
}

// binding returns the prefix that an attribute binds to a namespace, and whether it does (Namespaces in XML, section 3).
func binding(n xml.Name) (prefix string, binds bool) {
	if n.Space == "xmlns" {
		return n.Local, true
	}
	return "", n.Space == "" && n.Local == "xmlns"
}

// space returns the namespace of a prefix, and whether it is bound.
func (x *xmlWriter) space(prefix string) (string, bool) {
	all := x.bound[prefix]
	if len(all) == 0 {
		return "", false
	}
	return all[len(all)-1], true
}

// active are the elements of HTML that run something, or show other documents.
var active = names(`script iframe frame frameset object embed applet base basefont meta link noscript noembed noframes template portal fencedframe param`)

// runs reports whether an element of a namespace is left out: it runs something or shows another document, or, in an
// exported document, a parser of HTML takes it for one that does.
func (x *xmlWriter) runs(space string, n xml.Name) bool {
	name := strings.ToLower(n.Local)
	switch space {
	case xhtmlSpace:
		return active[name]
	case svgSpace:
		return !svgNames[n.Local]
	}
	return name == "script" && n.Space == "" && x.Assets.prefix == ""
}

// addresses are attributes of HTML whose values are addresses of files or of pages; leading are others that lead
// elsewhere, or run something.
var (
	addresses = names(`src href background lowsrc poster cite longdesc`)
	leading   = names(`srcset srcdoc data action formaction http-equiv ping manifest classid codebase archive profile usemap imagesrcset
		attributionsrc autofocus`)
)

// inertInHTML reports whether an attribute of an element of a vocabulary of XML does nothing if a parser of HTML takes
// the element for one of HTML.
func inertInHTML(element xml.Name, attribute, value string) bool {
	name := strings.ToLower(element.Local)
	switch known := element.Space == "" && atom.Lookup([]byte(name)) != 0; {
	case strings.HasPrefix(attribute, "on"):
		return false
	case !known:
		return true
	case addresses[attribute]:
		value = strings.TrimSpace(value)
		link := attribute == "href" && (name == "a" || name == "link")
		return weburl.Scheme(value) == "" && !strings.HasPrefix(value, "//") && !strings.Contains(value, `\`) || link && weburl.IsWeb(value)
	}
	return !leading[attribute] && (name != "link" || attribute != "rel") // a link without a relation leads nowhere
}

// attribute returns an attribute's new value, and reports whether it is kept.
func (x *xmlWriter) attribute(space string, t *xml.StartElement, a xml.Attr) (value string, keep bool, err error) {
	if _, binds := binding(a.Name); binds {
		return a.Value, true, nil
	}
	if a.Name.Space != "" {
		if _, ok := x.space(a.Name.Space); !ok {
			return "", false, errNoXML
		}
	}
	name := strings.ToLower(a.Name.Local)
	if a.Name.Space == "" && strings.HasPrefix(name, "data-plat") {
		return "", false, nil
	}
	switch space {
	case xhtmlSpace:
		value, keep = x.attributeOfHTML(strings.ToLower(t.Name.Local), name, a)
		return value, keep, nil
	case svgSpace:
		if a.Name.Space != "" {
			a.Name.Space, _ = x.space(a.Name.Space)
		}
		value, keep = (&picture{css: x.Assets}).attribute(&xml.StartElement{Name: xml.Name{Space: space, Local: t.Name.Local}, Attr: t.Attr}, a)
		return value, keep, nil
	}
	switch {
	case space == mathSpace && (strings.HasPrefix(name, "on") || addresses[name] || leading[name]),
		x.Assets.prefix == "" && !inertInHTML(t.Name, name, a.Value):
		return "", false, nil
	case name == "style":
		return x.Assets.CSS(a.Value, x.base), true, nil
	}
	return a.Value, true, nil
}

// mathSpace is the namespace of MathML.
const mathSpace = "http://www.w3.org/1998/Math/MathML"

// attributeOfHTML returns an attribute's new value on an element of HTML, and reports whether it is kept.
func (x *xmlWriter) attributeOfHTML(element, name string, a xml.Attr) (value string, keep bool) {
	switch {
	case a.Name.Space != "":
		return a.Value, spelt(a.Name) == "xml:lang" || spelt(a.Name) == "xml:space"
	case element == "a" && name == "href":
		to := weburl.WithoutFragment(x.base.Resolve(a.Value))
		switch {
		case len(to) > plat.MaxResourceURL:
		case weburl.IsWeb(to):
			return x.Link(to), true
		case programs[weburl.Scheme(to)]:
			return to, true
		}
		return "#", true // as in HTML
	case element == "img" && name == "src":
		if isData(a.Value) {
			return strings.TrimSpace(a.Value), true
		}
		found := x.Assets.find(x.base, a.Value)
		if x.Assets.prefix == "" {
			found = relative(x.at.String(), found)
		}
		return found, found != ""
	case name == "style":
		return x.Assets.CSS(a.Value, x.base), true
	case name == "type", name == "start", name == "value", name == "alt", name == "height", name == "width", name == "rowspan", name == "media":
		return a.Value, true
	}
	return a.Value, xhtmlAttrs[name]
}

// end writes the end tag of the innermost element.
func (x *xmlWriter) end(name xml.Name) error {
	if len(x.open) == 0 {
		return errNoXML
	}
	e := &x.open[len(x.open)-1]
	if e.raw != name {
		return errNoXML
	}
	if !e.left {
		if e.isSheet {
			x.out.WriteString(escapeXML.Replace(inertCSS(x.Assets.CSS(string(e.sheet), x.base))))
		}
		if len(x.open) == 1 && len(x.Marks) > 0 {
			x.out.WriteString(`<div xmlns="` + xhtmlSpace + `" style="display:none">` + x.MarkStyle + `</div>`)
		}
		x.out.WriteString("</" + spelt(name) + ">")
	}
	for _, prefix := range e.bound {
		x.bound[prefix] = x.bound[prefix][:len(x.bound[prefix])-1]
	}
	x.key = x.key[:e.key]
	x.open = x.open[:len(x.open)-1]
	x.ended = x.ended || len(x.open) == 0
	return nil
}

// text writes text. In an element that a parser of HTML takes for a style sheet, references stand as in one.
func (x *xmlWriter) text(text string) {
	if len(x.open) == 0 {
		return
	}
	e := &x.open[len(x.open)-1]
	switch {
	case e.left:
	case e.isSheet:
		e.sheet = append(e.sheet, text...)
	case strings.EqualFold(e.raw.Local, "style") && strings.ContainsAny(text, `@(\`):
		x.out.WriteString(escapeXML.Replace(x.Assets.CSS(text, nowhereElse)))
	default:
		x.out.WriteString(xmlText.Replace(text))
	}
}

// xmlText escapes text. A carriage return would become a line feed.
var xmlText = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\r", "&#13;")
