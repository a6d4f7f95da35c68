package fileview

import (
	"bytes"
	"encoding/xml"
	"io"
	"strings"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/css"
	"golang.org/x/net/html/charset"
)

// maxXML is the size of the longest file of XML that becomes a page, in bytes. Longer ones stay as Chrome shows them.
const maxXML = 8 << 20

const xhtmlSpace = "http://www.w3.org/1999/xhtml"

// elementPrefix makes names of elements that HTML gives no meaning (custom elements, WHATWG HTML, section 4.13.2): a
// <title> of XML is shown where it stands.
const elementPrefix = "x-"

// rootClass is the class of the root element, to which :root refers.
const rootClass = "x-root"

// StyledPage is the page of a file of XML that refers to style sheets of CSS. Each element becomes one whose name HTML does
// not know, and the selectors of the sheets follow; elements of XHTML stay. sheets are the rules as Chrome has read
// them. ok is false if the file is not well-formed.
func StyledPage(f *File, sheets []string) (page string, ok bool) {
	if len(f.Data) > maxXML {
		return "", false
	}
	d := xml.NewDecoder(bytes.NewReader(f.ownEncoding()))
	d.CharsetReader = charset.NewReaderLabel
	d.Entity = xml.HTMLEntity
	var style strings.Builder
	// The root of a document is a block, and its background is that of the window.
	style.WriteString("html,body{margin:0;padding:0}." + rootClass + "{display:block;min-height:100vh}")
	for _, s := range sheets {
		style.WriteString("\n" + renamed(s))
	}
	var b strings.Builder
	b.WriteString(head(f.Name(), strings.ReplaceAll(style.String(), "</", `<\/`)))
	depth, elements := 0, 0
	for {
		t, err := d.Token()
		if err == io.EOF {
			return b.String() + "</body></html>", elements > 0 && depth == 0
		}
		if err != nil {
			return "", false
		}
		switch t := t.(type) {
		case xml.StartElement:
			writeStart(&b, t, depth == 0)
			depth, elements = depth+1, elements+1
		case xml.EndElement:
			depth--
			if name := pageName(t.Name); !voidNames[name] {
				b.WriteString("</" + name + ">")
			}
		case xml.CharData:
			if depth > 0 {
				b.WriteString(escape(string(t)))
			}
		}
	}
}

// voidNames are the elements of HTML without an end tag (WHATWG HTML, section 13.1.2) that show something or break a line.
var voidNames = map[string]bool{"area": true, "br": true, "col": true, "hr": true, "img": true, "input": true, "wbr": true}

// shownNames are the elements of XHTML that stay in files of XML: those that only show content.
var shownNames = func() map[string]bool {
	m := map[string]bool{}
	for _, n := range strings.Fields(`a abbr b blockquote br caption cite code col colgroup dd del dfn div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i img ins kbd
		li ol p pre q s samp section small span strong sub sup table tbody td tfoot th thead tr u ul var wbr`) {
		m[n] = true
	}
	return m
}()

// pageName returns the name of an element in the page.
func pageName(n xml.Name) string {
	if n.Space == xhtmlSpace && shownNames[n.Local] {
		return n.Local
	}
	return elementName(n.Local)
}

// elementName returns the name of an element of HTML for one of XML, or for a selector.
func elementName(local string) string {
	return elementPrefix + strings.Map(func(r rune) rune {
		switch {
		case 'A' <= r && r <= 'Z':
			return r + 'a' - 'A'
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9', r == '-', r == '_', r > 0x7f:
			return r
		}
		return '-'
	}, local)
}

// writeStart writes a start tag. Attributes keep their names, so that selectors find them, but for those that would run
// something or have a meaning in HTML that they lack in XML.
func writeStart(b *strings.Builder, t xml.StartElement, root bool) {
	own := t.Name.Space == xhtmlSpace && shownNames[t.Name.Local]
	b.WriteString("<" + pageName(t.Name))
	class := ""
	for _, a := range t.Attr {
		name := a.Name.Local
		switch {
		case a.Name.Space == "xmlns", name == "xmlns", strings.HasPrefix(name, "on"), strings.ContainsAny(name, "\"'<>/= "):
			continue
		case name == "class":
			class = a.Value
			continue
		case !own && (name == "style" || name == "hidden" || name == "slot" || name == "is" || name == "popover"):
			continue
		}
		b.WriteString(" " + name + `="` + escape(a.Value) + `"`)
	}
	if root {
		class = strings.TrimSpace(class + " " + rootClass)
	}
	if class != "" {
		b.WriteString(` class="` + escape(class) + `"`)
	}
	b.WriteString(">")
}

// renamed returns a style sheet whose selectors have the names of the page.
func renamed(sheet string) string {
	p := css.NewParser(parse.NewInputString(sheet), false)
	var b strings.Builder
	for {
		kind, _, data := p.Next()
		switch kind {
		case css.ErrorGrammar:
			if p.Err() != io.EOF { // one that cannot be read stays as it is
				return sheet
			}
			return b.String()
		case css.AtRuleGrammar:
			if !bytes.EqualFold(data, []byte("@namespace")) { // names have none in the page
				b.Write(data)
				writeTokens(&b, p.Values())
				b.WriteString(";")
			}
		case css.BeginAtRuleGrammar:
			b.Write(data)
			writeTokens(&b, p.Values())
			b.WriteString("{")
		case css.QualifiedRuleGrammar:
			writeSelector(&b, p.Values())
			b.WriteString(",")
		case css.BeginRulesetGrammar:
			writeSelector(&b, p.Values())
			b.WriteString("{")
		case css.DeclarationGrammar, css.CustomPropertyGrammar:
			b.Write(data)
			b.WriteString(":")
			writeTokens(&b, p.Values())
			b.WriteString(";")
		case css.EndAtRuleGrammar, css.EndRulesetGrammar:
			b.WriteString("}")
		case css.CommentGrammar:
		default:
			b.Write(data)
		}
	}
}

func writeTokens(b *strings.Builder, tokens []css.Token) {
	for _, t := range tokens {
		b.Write(t.Data)
	}
}

// writeSelector writes a selector with the names of elements as in the page, without prefixes of namespaces.
func writeSelector(b *strings.Builder, tokens []css.Token) {
	is := func(i int, kind css.TokenType, data string) bool {
		return i >= 0 && i < len(tokens) && tokens[i].TokenType == kind && (data == "" || string(tokens[i].Data) == data)
	}
	brackets := 0
	for i, t := range tokens {
		switch {
		case t.TokenType == css.LeftBracketToken:
			brackets++
		case t.TokenType == css.RightBracketToken:
			brackets--
		case brackets > 0:
		case is(i, css.DelimToken, "|"), is(i+1, css.DelimToken, "|") && (t.TokenType == css.IdentToken || is(i, css.DelimToken, "*")):
			continue // a prefix
		case t.TokenType == css.IdentToken && is(i-1, css.ColonToken, "") && string(t.Data) == "root":
			s := b.String()
			b.Reset()
			b.WriteString(strings.TrimSuffix(s, ":") + "." + rootClass)
			continue
		case t.TokenType == css.IdentToken && !is(i-1, css.DelimToken, ".") && !is(i-1, css.ColonToken, ""):
			b.WriteString(elementName(string(t.Data)))
			continue
		}
		b.Write(t.Data)
	}
}
