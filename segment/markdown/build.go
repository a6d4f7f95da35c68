package markdown

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"plat/plat/weburl"
	"plat/segment/markup"
)

// kind is the kind of a block.
type kind uint8

const (
	paragraph kind = iota
	heading
	code
	rule
	container // of blocks: a cell, an item, the whole
	list      // of items
	quote
	table
)

// block is a block of Markdown.
type block struct {
	kind  kind
	level int    // of a heading, 1 to 6
	spans []span // of a paragraph or heading
	text  []byte // of code
	lang  string // that the code is in

	kids    []*block // of a container, list or quote; the captions of a table
	ordered bool     // list with numbers
	start   int      // number of the first
	loose   bool     // list made for items outside of any

	rows []row     // of a table
	grid [][]*cell // of a table of data, see cells
	head bool      // the first of them has the names of the columns
}

// row is a row of a table.
type row struct {
	cells []cell
	head  bool // all cells are headers, or it is in the head of its table
}

type cell struct {
	*block
	head       bool
	cols, rows int // it spans, ≥ 1
}

// span is a piece of a line in one format.
type span struct {
	gap   gap // before it
	text  []byte
	image string // the URL of an image; text is its alternative text
	style style
}

// style is the format of a span.
type style struct {
	strong, em, del, code bool

	link int // index of the link on the page, 0: no link
	href string
}

// gap is the space between two spans.
type gap uint8

const (
	noGap gap = iota
	blank
	lineEnd
)

// maxNest is the maximum depth of nested blocks. Deeper ones are written as if they were less deep.
const maxNest = 40

// builder makes blocks of pieces.
type builder struct {
	root *block
	open []element
	into []*block // the containers that are open, root first
	leaf *block   // the open paragraph, heading or code; nil if absent
	gap  gap      // before the next word

	style style
	links int
	base  *weburl.Base

	level int    // of the open heading, 0 if absent
	pre   int    // how many preformatted elements are open
	lang  string // of code, by the innermost element that names one
	inert int    // how many elements are open that are never rendered

	joined bool   // the text continues in the same line, see [markup.Piece]
	part   bool   // a part of the leaf is read
	said   bool   // a word was read
	images []span // read in a part, and shown if a text follows
}

func newBuilder(base *weburl.Base) *builder {
	b := &builder{root: &block{kind: container}, base: base}
	b.into = []*block{b.root}
	return b
}

func (b *builder) piece(p *markup.Piece) {
	b.joined = p.Joined
	switch p.Kind {
	case markup.StartPiece:
		b.begin(p)
	case markup.EndPiece:
		b.end()
	case markup.TextPiece:
		if b.pre > 0 {
			b.verbatim(p.Text)
		} else {
			b.words(p.Text)
		}
	case markup.AltPiece:
		b.unshown()
		b.words(p.Text)
	case markup.AddedPiece:
		b.added(string(p.Text))
	case markup.BlankPiece:
		b.gap = max(b.gap, blank)
	case markup.LinePiece:
		b.breakLine()
	}
}

// top returns the innermost open container.
func (b *builder) top() *block { return b.into[len(b.into)-1] }

// breakLine ends the paragraph, unless it continues. Headings are one line.
func (b *builder) breakLine() {
	switch {
	case b.pre > 0:
		if b.leaf != nil && !bytes.HasSuffix(b.leaf.text, []byte("\n")) {
			b.leaf.text = append(b.leaf.text, '\n')
		}
	case b.level > 0:
		b.gap = max(b.gap, blank)
	case b.joined && b.leaf != nil && b.leaf.kind == paragraph:
	default:
		b.endLeaf()
	}
}

// endLeaf ends the paragraph, heading or code.
func (b *builder) endLeaf() { b.leaf, b.gap = nil, noGap }

// add appends a block to the innermost container: in a list to its last item, in a table to
// its last cell, or to the caption.
func (b *builder) add(l *block) {
	at := b.top()
	if at.kind == list {
		if len(at.kids) == 0 {
			at.kids = append(at.kids, &block{kind: container})
		}
		at = at.kids[len(at.kids)-1]
	}
	if n := len(at.rows); n > 0 {
		r := &at.rows[n-1]
		if len(r.cells) == 0 {
			r.cells = append(r.cells, cell{block: &block{kind: container}, cols: 1, rows: 1})
		}
		at = r.cells[len(r.cells)-1].block
	}
	at.kids = append(at.kids, l)
}

// line returns the paragraph or heading that the next word is in.
func (b *builder) line() *block {
	if b.leaf == nil {
		if b.leaf = (&block{kind: paragraph}); b.level > 0 {
			b.leaf.kind, b.leaf.level = heading, b.level
		}
		b.add(b.leaf)
	}
	return b.leaf
}

// words appends a text.
func (b *builder) words(s []byte) {
	for len(s) > 0 {
		rest := bytes.TrimLeftFunc(s, space)
		if len(rest) < len(s) {
			b.gap = max(b.gap, blank)
		}
		n := bytes.IndexFunc(rest, space)
		if n < 0 {
			n = len(rest)
		}
		b.word(clean(rest[:n]))
		s = rest[n:]
	}
}

// word appends a word.
func (b *builder) word(w []byte) {
	if len(w) == 0 {
		return
	}
	b.show()
	l := b.line()
	if len(l.spans) == 0 {
		b.gap = noGap
	}
	if k := len(l.spans) - 1; k >= 0 && b.gap <= blank && l.spans[k].image == "" && l.spans[k].style == b.style {
		if b.gap == blank {
			l.spans[k].text = append(l.spans[k].text, ' ')
		}
		l.spans[k].text = append(l.spans[k].text, w...)
	} else {
		l.spans = append(l.spans, span{gap: b.gap, text: append([]byte(nil), w...), style: b.style})
	}
	b.gap, b.said = noGap, true
}

// verbatim appends preformatted text.
func (b *builder) verbatim(s []byte) {
	if b.leaf == nil || b.leaf.kind != code {
		if len(bytes.TrimFunc(s, space)) > 0 {
			b.show()
		}
		b.leaf = &block{kind: code, lang: b.lang}
		b.add(b.leaf)
	}
	b.said = true
	for _, r := range string(s) {
		switch {
		case r == '\n', r == '\t':
		case r < ' ':
			r = ' '
		case hostile(r):
			continue
		}
		b.leaf.text = utf8.AppendRune(b.leaf.text, r)
	}
}

// image appends an image. For an article, it shows only images within the text that are not links to
// other texts.
func (b *builder) image(src, alt string) {
	i := span{gap: b.gap, text: clean([]byte(markup.Words(alt))), image: src, style: b.style}
	switch {
	case len(i.text) == 0 || b.pre > 0 || b.inert > 0:
	case b.part && (!b.said || b.style.link > 0 && !toImage(b.style.href)):
	case b.part:
		i.gap = noGap
		b.images = append(b.images, i)
	default:
		b.put(i)
	}
}

// put appends an image to the line.
func (b *builder) put(i span) {
	i.style.code = false
	l := b.line()
	if len(l.spans) == 0 {
		i.gap = noGap
	}
	l.spans = append(l.spans, i)
	b.gap = noGap
}

// show appends the images that were read before a text, which are a paragraph of their own
// if it begins one.
func (b *builder) show() {
	if len(b.images) == 0 {
		return
	}
	all, alone := b.images, b.leaf == nil && b.level == 0
	b.images = nil
	for _, i := range all {
		i.gap = blank
		b.put(i)
	}
	if alone {
		b.endLeaf()
	}
	b.gap = max(b.gap, blank)
}

// unshown takes back the last image: it failed to load.
func (b *builder) unshown() {
	if n := len(b.images); n > 0 {
		b.images = b.images[:n-1]
		return
	}
	if b.leaf == nil {
		return
	}
	if n := len(b.leaf.spans); n > 0 && b.leaf.spans[n-1].image != "" {
		b.gap = max(b.gap, b.leaf.spans[n-1].gap)
		b.leaf.spans = b.leaf.spans[:n-1]
	}
}

// added appends a text that no element is around: paragraphs separated by an empty line,
// lines by a line's end.
func (b *builder) added(s string) {
	look, level, pre := b.style, b.level, b.pre
	defer func() { b.style, b.level, b.pre = look, level, pre }()
	if b.pre > 0 {
		if !strings.HasPrefix(s, "\n\n") && !strings.HasSuffix(s, "\n\n") { // a piece of code that the block has otherwise
			b.verbatim([]byte(s))
			return
		}
		b.pre = 0
		b.endLeaf()
	}
	for i, p := range strings.Split(s, "\n\n") {
		if i > 0 {
			b.level = 0
			b.style = style{}
			b.endLeaf()
		}
		for k, line := range strings.Split(p, "\n") {
			if k > 0 && b.leaf != nil && b.level == 0 {
				b.gap = lineEnd
			}
			b.words(clean([]byte(line))) // in texts of articles, controls do not count as blanks
		}
	}
	if pre > 0 {
		b.endLeaf()
	}
}

// space reports whether a character separates words, see [markup.Words].
func space(r rune) bool { return r <= ' ' || r > 0x7f && unicode.IsSpace(r) }

// hostile reports whether a character can hide or reorder the text around it, see excerpt.Printable.
func hostile(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == 0x2028 || r == 0x2029 || r >= 0x206a && r <= 0x206f ||
		r == 0xfeff || r >= 0xfff9 && r <= 0xfffb || r >= 0xe0000 && r <= 0xe007f
}

// clean returns a text that is UTF-8 and has no hostile character.
func clean(s []byte) []byte {
	ok := true
	for _, c := range s {
		ok = ok && c >= ' ' && c < 0x7f
	}
	if ok {
		return s
	}
	return bytes.Map(func(r rune) rune {
		if hostile(r) {
			return -1
		}
		return r
	}, bytes.ToValidUTF8(s, []byte("\uFFFD")))
}

// words returns the words of a block, for comparison.
func (l *block) words() string {
	var s strings.Builder
	for i := range l.spans {
		if l.spans[i].gap > noGap {
			s.WriteByte(' ')
		}
		s.Write(l.spans[i].text)
	}
	s.Write(l.text)
	for _, k := range l.kids {
		s.WriteString(k.words())
	}
	for i := range l.rows {
		for _, c := range l.rows[i].cells {
			s.WriteString(c.words())
		}
	}
	return s.String()
}
