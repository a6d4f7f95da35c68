package replay

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding/unicode"
)

// The namespaces of kept elements and attributes in pictures.
const (
	xmlSpace   = "http://www.w3.org/XML/1998/namespace"
	svgSpace   = "http://www.w3.org/2000/svg"
	xhtmlSpace = "http://www.w3.org/1999/xhtml"
	xlinkSpace = "http://www.w3.org/1999/xlink"
)

// svgNames and xhtmlNames list the elements that only display content. Those of XHTML occur in
// <foreignObject>.
var (
	svgNames = names(`a animate animateMotion animateTransform circle clipPath defs desc ellipse
		feBlend feColorMatrix feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap feDistantLight feDropShadow
		feFlood feFuncA feFuncB feFuncG feFuncR feGaussianBlur feImage feMerge feMergeNode feMorphology feOffset fePointLight
		feSpecularLighting feSpotLight feTile feTurbulence filter foreignObject g image line linearGradient marker mask mpath path
		pattern polygon polyline radialGradient rect set stop style svg switch symbol text textPath title tref tspan use view`)
	xhtmlNames = names(`b blockquote br center code dd div dl dt em font h1 h2 h3 h4 h5 h6 hr i li ol p pre s small span strong sub sup
		table tbody td tfoot th thead tr u ul`)
	xhtmlAttrs = names(`align class colspan dir height id lang rowspan style title width`)
)

func names(list string) map[string]bool {
	all := map[string]bool{}
	for _, name := range strings.Fields(list) {
		all[name] = true
	}
	return all
}

// errNoPicture is returned for data that browsers do not show as an SVG picture either.
var errNoPicture = errors.New("no SVG picture")

// harmlessSVG rewrites an SVG picture so that opening it as a page does no more than showing it
// in an <img>, where browsers do not run scripts or send requests. It keeps only elements and
// attributes that display content, and leaves out comments, instructions and declarations,
// which parsers may interpret differently.
func harmlessSVG(data []byte, beside func(ref string) string) ([]byte, error) {
	return drawing(data, &picture{css: &Assets{picture: true}, beside: beside})
}

func drawing(data []byte, p *picture) ([]byte, error) {
	data, err := undeclared(data)
	if err != nil {
		return nil, err
	}
	d := xml.NewDecoder(bytes.NewReader(data))
	d.Entity = map[string]string{}
	for {
		token, err := d.Token()
		if err == io.EOF && p.out.Len() > 0 {
			return p.out.Bytes(), nil
		}
		if err != nil {
			return nil, err
		}
		if p.copier != nil && p.out.Len() > 2*maxDrawing {
			return nil, errNoPicture
		}
		switch t := token.(type) {
		case xml.Directive:
			for _, e := range entity.FindAllSubmatch(t, -1) {
				d.Entity[string(e[1])] = string(e[2]) + string(e[3])
			}
		case xml.StartElement:
			if len(p.open) == 0 && (p.out.Len() > 0 || t.Name != (xml.Name{Space: svgSpace, Local: "svg"})) {
				return nil, errNoPicture
			}
			p.start(&t)
		case xml.EndElement:
			p.end()
		case xml.CharData:
			p.text(string(t))
		}
	}
}

// declaration matches the declaration of a document (XML 1.0, section 2.8), of XML 1.1 too.
var declaration = regexp.MustCompile(`^\s*<\?xml\s[^>]{0,200}?(?:encoding\s*=\s*["']([A-Za-z0-9._:-]{1,40})["'][^>]{0,100}?)?\?>`)

// undeclared returns a document in UTF-8 and without declaration.
func undeclared(data []byte) ([]byte, error) {
	if bytes.HasPrefix(data, []byte{0xFE, 0xFF}) || bytes.HasPrefix(data, []byte{0xFF, 0xFE}) {
		text, err := unicode.UTF16(unicode.BigEndian, unicode.ExpectBOM).NewDecoder().Bytes(data)
		if err != nil {
			return nil, err
		}
		return declaration.ReplaceAll(text, nil), nil
	}
	data = bytes.TrimPrefix(data, []byte("\xEF\xBB\xBF"))
	m := declaration.FindSubmatchIndex(data)
	if m == nil {
		return data, nil
	}
	rest := data[m[1]:]
	if m[2] < 0 {
		return rest, nil
	}
	r, err := charset.NewReaderLabel(string(data[m[2]:m[3]]), bytes.NewReader(rest))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// entity matches the declaration of a short text, which drawing programs use for namespaces. A
// longer one could enlarge a picture many times.
var entity = regexp.MustCompile(`<!ENTITY\s+([\w.-]+)\s+(?:"([^"<&%]{0,100})"|'([^'<&%]{0,100})')\s*>`)

// picture is an SVG picture being written.
type picture struct {
	out     bytes.Buffer
	css     *Assets                 // rewrites rules in which nothing is stored
	beside  func(ref string) string // see [separate]
	copier  *copier                 // nil: the picture stands alone
	open    []xml.Name
	sheet   []byte // text of the innermost element, if that is a <style>
	skipped int    // depth inside an element that is left out
}

func (p *picture) start(t *xml.StartElement) {
	known := t.Name.Space == svgSpace && svgNames[t.Name.Local] || t.Name.Space == xhtmlSpace && xhtmlNames[t.Name.Local]
	around := xml.Name{}
	if len(p.open) > 0 {
		around = p.open[len(p.open)-1]
	}
	drawn := t.Name.Space == svgSpace || p.within("foreignObject") // elsewhere, a parser of HTML leaves the drawing
	copied := p.copier != nil
	if p.skipped > 0 || !known || around.Local == "style" || copied && (!drawn || p.copier.omits(t.Name.Local)) {
		p.skipped++
		return
	}
	p.open = append(p.open, t.Name)
	if copied && t.Name.Local == "style" {
		p.copier.beginSheet(t)
		return
	}
	if copied {
		p.copier.start(p.out.Len())
	}
	p.out.WriteString("<" + t.Name.Local)
	if t.Name.Space != around.Space {
		p.out.WriteString(` xmlns="` + t.Name.Space + `"`)
	}
	written := map[string]bool{"xmlns": true}
	if copied {
		p.out.WriteString(p.copier.mark(t))
		written["id"] = true
	}
	for _, a := range t.Attr {
		name := a.Name.Local
		if a.Name == (xml.Name{Space: xmlSpace, Local: "space"}) {
			a.Name.Space, name = "", "xml:space" // the handling of blanks
		}
		if v, ok := p.attribute(t, a); ok && !written[name] {
			written[name] = true
			p.out.WriteString(" " + name + `="` + escapeXML.Replace(v) + `"`)
		}
	}
	p.out.WriteByte('>')
	if copied {
		p.copier.opened(p.out.Len())
	}
}

// within reports whether an element is open.
func (p *picture) within(name string) bool {
	return slices.ContainsFunc(p.open, func(n xml.Name) bool { return n.Local == name })
}

// attributeName matches the names of kept attributes.
var attributeName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)

// attribute returns the value of an attribute of an element, and reports whether it is kept.
func (p *picture) attribute(t *xml.StartElement, a xml.Attr) (string, bool) {
	name := strings.ToLower(a.Name.Local)
	switch {
	case t.Name.Space == xhtmlSpace && !xhtmlAttrs[name], !attributeName.MatchString(name), strings.HasPrefix(name, "on"):
		return "", false
	case name == "srcset", name == "ping":
		return "", false
	case name == "href" && (a.Name.Space == "" || a.Name.Space == xlinkSpace):
		ref := strings.TrimSpace(a.Value)
		if p.copier != nil {
			return p.copier.href(t.Name.Local, ref)
		}
		if strings.HasPrefix(ref, "#") {
			return ref, true
		}
		drawn := strings.EqualFold(t.Name.Local, "image") || t.Name.Local == "feImage"
		if p.beside != nil && !isData(ref) && (drawn || t.Name.Local == "use") {
			ref = p.beside(ref)
			return ref, ref != ""
		}
		return ref, drawn && strings.HasPrefix(strings.ToLower(ref), "data:image/")
	case name == "href", a.Name.Space != "", name == "src", name == "autofocus":
		return "", false
	case name == "to" || name == "from" || name == "by" || name == "values":
		for _, other := range t.Attr {
			changed := strings.ToLower(strings.TrimSpace(other.Value))
			if strings.EqualFold(other.Name.Local, "attributeName") && (strings.Contains(changed, "href") || strings.HasPrefix(changed, "on")) {
				return "", false
			}
		}
	}
	reference := strings.ContainsAny(a.Value, `(\`) // it may be one in CSS
	switch {
	case p.copier != nil && name == "style":
		return p.copier.style(a.Value), true
	case p.copier != nil && reference:
		return p.copier.css(a.Value, name, false), true
	case reference:
		return p.css.CSS(a.Value, nowhereElse), true
	}
	return a.Value, true
}

func (p *picture) end() {
	if p.skipped > 0 {
		p.skipped--
		return
	}
	name := p.open[len(p.open)-1].Local
	if p.copier != nil {
		p.endCopy(name)
		return
	}
	if name == "style" {
		p.out.WriteString(escapeXML.Replace(inertCSS(p.css.CSS(string(p.sheet), nowhereElse))))
		p.sheet = nil
	}
	p.open = p.open[:len(p.open)-1]
	p.out.WriteString("</" + name + ">")
}

// endCopy ends an element of a drawing that is copied.
func (p *picture) endCopy(name string) {
	p.open = p.open[:len(p.open)-1]
	if name == "style" {
		p.copier.endSheet(string(p.sheet))
		p.sheet = nil
		return
	}
	after := p.out.Len()
	p.out.WriteString("</" + name + ">")
	p.copier.end(after, p.out.Len())
}

func (p *picture) text(text string) {
	switch {
	case len(p.open) == 0 || p.skipped > 0:
	case p.open[len(p.open)-1].Local == "style":
		p.sheet = append(p.sheet, text...)
	default:
		p.out.WriteString(escapeXML.Replace(text))
	}
}

// escapeXML escapes text and values of attributes, including white space that parsers would
// normalise.
var escapeXML = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "\r", "&#13;", "\t", "&#9;", "\n", "&#10;")
