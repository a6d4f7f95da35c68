package markdown

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"

	"plat/plat/weburl"
	"plat/segment/markup"
)

// element is an open element, with the state to restore after it.
type element struct {
	name   string
	breaks bool // a paragraph ends with it

	into  int // number of open containers
	style style
	base  *weburl.Base
	level int
	pre   int
	lang  string
	inert int
	src   string // of a frame
}

// begin reads a start tag.
func (b *builder) begin(p *markup.Piece) {
	if markup.VoidElement(p.Name) {
		b.void(p)
		return
	}
	e := element{
		name: p.Name, breaks: !markup.Inline(p.Name),
		into: len(b.into), style: b.style, base: b.base, level: b.level, pre: b.pre, lang: b.lang, inert: b.inert,
	}
	if e.breaks {
		b.breakLine()
	}
	switch p.Name {
	case "div", "figure", "pre", "code":
		if l := language(p); l != "" {
			b.lang = l
			if b.pre > 0 && b.leaf != nil && len(bytes.TrimSpace(b.leaf.text)) == 0 {
				b.leaf.lang = l
			}
		}
	case "iframe", "frame", "object", "embed":
		e.src, _ = p.Attr("src")
	case "template":
		b.template(p)
	}
	switch {
	case b.pre > 0:
	case b.style.begin(p.Name):
	case p.Name == "a":
		if href, ok := p.Attr("href"); ok {
			b.links++
			b.style.link, b.style.href = b.links, resolve(b.base, href)
			if b.style.href == "" {
				b.style.link = 0
			}
		}
	default:
		b.block(p)
	}
	b.open = append(b.open, e)
}

// end reads an end tag.
func (b *builder) end() {
	n := len(b.open) - 1
	if n < 0 {
		return
	}
	e := &b.open[n]
	if e.breaks {
		b.breakLine()
	}
	if len(b.into) > e.into || b.pre > e.pre || b.level != e.level {
		b.endLeaf()
	}
	b.into = b.into[:e.into]
	b.style, b.base, b.level, b.pre, b.lang, b.inert = e.style, e.base, e.level, e.pre, e.lang, e.inert
	b.open = b.open[:n]
}

// begin sets the format of text in an element, and reports whether the element changes it.
func (s *style) begin(name string) bool {
	switch name {
	case "b", "strong":
		s.strong = true
	case "i", "em", "cite", "dfn", "var":
		s.em = true
	case "s", "del", "strike":
		s.del = true
	case "code", "kbd", "samp", "tt":
		s.code = true
	default:
		return false
	}
	return true
}

// void reads an element without content.
func (b *builder) void(p *markup.Piece) {
	switch p.Name {
	case "br":
		switch {
		case b.pre > 0:
			b.verbatim([]byte("\n"))
		case b.joined:
		case b.level > 0:
			b.gap = max(b.gap, blank)
		case b.gap == lineEnd:
			b.endLeaf()
		case b.leaf != nil:
			b.gap = lineEnd
		}
	case "hr":
		if b.breakLine(); !p.InLayout && b.pre == 0 && b.level == 0 {
			b.add(&block{kind: rule})
		}
	case "img":
		src, _ := p.Attr("src")
		if p.Hidden || p.InLayout || src == "" {
			return
		}
		if src = resolve(b.base, src); strings.HasPrefix(src, "http") {
			alt, _ := p.Attr("alt")
			b.image(src, alt)
		}
	case "base":
		if href, ok := p.Attr("href"); ok {
			b.rebase(b.base.At(href))
		}
	case "meta":
		b.rebase(b.base.Meta(p.Attr))
	default:
		if !markup.Inline(p.Name) {
			b.breakLine()
		}
	}
}

// rebase sets the base of the document's links.
func (b *builder) rebase(u *weburl.Base) {
	if u != b.base {
		b.base = u
		for i := range b.open { // the elements around it, up to the document
			e := &b.open[len(b.open)-1-i]
			if e.name == "template" {
				break // a different document is around it
			}
			e.base = u
		}
	}
}

// template begins the contents of a template, a shadow tree or the document of a frame; see
// [markup.Serialize].
func (b *builder) template(p *markup.Piece) {
	if _, ok := p.Attr("data-plat-frame"); ok {
		if n := len(b.open); n > 0 {
			b.base = b.base.Frame(b.open[n-1].src)
		}
		return
	}
	if _, ok := p.Attr("shadowrootmode"); !ok {
		b.inert++
	}
}

// block begins a block.
func (b *builder) block(p *markup.Piece) {
	if b.level > 0 {
		return // a heading is one line
	}
	switch p.Name {
	case "h1", "h2", "h3", "h4", "h5", "h6":
		b.level = int(p.Name[1] - '0')
	case "pre", "listing", "xmp", "plaintext":
		b.pre++
	case "dt":
		b.style.strong = true
	case "ul", "menu":
		b.push(&block{kind: list})
	case "ol":
		l := &block{kind: list, ordered: true, start: 1}
		if at, ok := p.Attr("start"); ok {
			if n, err := strconv.Atoi(at); err == nil && n >= 0 && n <= maxStart {
				l.start = n
			}
		}
		b.push(l)
	case "li":
		b.item()
	case "blockquote":
		b.push(&block{kind: quote})
	case "table":
		b.push(&block{kind: table})
	case "tr":
		if t := b.top(); t.kind == table {
			t.rows = append(t.rows, row{head: b.within("thead")})
		}
	case "td", "th":
		b.cell(p)
	}
}

// maxStart bounds the numbers of lists: CommonMark has nine digits.
const maxStart = 99_999_999

// push opens a container.
func (b *builder) push(l *block) {
	if len(b.into) < maxNest {
		b.add(l)
		b.into = append(b.into, l)
	}
}

// item opens an item, in a list of its own unless it is in a list.
func (b *builder) item() {
	if len(b.into) >= maxNest {
		return
	}
	l := b.top()
	if l.kind != list {
		if n := len(l.kids); n > 0 && l.kids[n-1].loose {
			l = l.kids[n-1]
		} else {
			l = &block{kind: list, loose: true}
			b.add(l)
		}
	}
	i := &block{kind: container}
	l.kids = append(l.kids, i)
	b.into = append(b.into, i)
}

// cell opens a cell.
func (b *builder) cell(p *markup.Piece) {
	t := b.top()
	if t.kind != table || len(b.into) >= maxNest {
		return
	}
	if len(t.rows) == 0 {
		t.rows = append(t.rows, row{})
	}
	r := &t.rows[len(t.rows)-1]
	c := cell{block: &block{kind: container}, head: p.Name == "th", cols: spanned(p, "colspan"), rows: spanned(p, "rowspan")}
	r.cells = append(r.cells, c)
	b.into = append(b.into, c.block)
}

// spanned returns how many columns or rows a cell spans.
func spanned(p *markup.Piece, name string) int {
	if v, ok := p.Attr(name); ok {
		if n, err := strconv.Atoi(v); err == nil && n > 1 {
			return n
		}
	}
	return 1
}

// within reports whether the innermost element is of a name.
func (b *builder) within(name string) bool {
	return len(b.open) > 0 && b.open[len(b.open)-1].name == name
}

// finish ends the document: images after the text of an article are not part of it.
func (b *builder) finish() {
	b.endLeaf()
	b.images = nil
}

// language returns the language that code is in, as the classes of an element say it.
func language(p *markup.Piece) string {
	class, _ := p.Attr("class")
	for c := range strings.FieldsSeq(class) {
		if m := languageClass.FindStringSubmatch(c); m != nil && (p.Name == "pre" || p.Name == "code" || m[1] != "lang") {
			m = m[1:]
			switch l := strings.ToLower(m[1]); l {
			case "default", "none", "text", "plaintext", "plain", "notranslate", "source", "auto":
			default:
				return l
			}
		}
	}
	return ""
}

// languageClass is a class that names a language: the one of the HTML Standard, section
// 4.5.15, and those of GitHub, Sphinx, MediaWiki and prettify.
var languageClass = regexp.MustCompile(`^(language|lang|highlight-source|highlight|mw-highlight-lang)-([A-Za-z][A-Za-z0-9+#.]{0,19})$`)
