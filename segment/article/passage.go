package article

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"plat/plat"
	"plat/segment/markup"
)

// passage is a run of text without a paragraph break: a paragraph, a heading, a
// list item, a cell, a button's label.
type passage struct {
	text   string  // words separated by single blanks, lines by "\n"; preformatted text is verbatim
	first  int32   // its first text node
	last   int32   // its last one
	block  int32   // nearest block element around it
	chars  int     // letters and digits
	linked int     // those inside links
	words  int     // runs without a blank
	wide   int     // letters of scripts without blanks
	bold   int     // letters and digits set bold
	ends   bool    // ends like a sentence
	seen   bool    // painted
	size   float32 // px, of its longest part
	box    plat.Rect
}

// linkShare returns the share of a passage's letters that are inside links.
func (q *passage) linkShare() float64 {
	if q.chars == 0 {
		return 0
	}
	return float64(q.linked) / float64(q.chars)
}

// passages splits the page's text into passages: at the borders of block
// elements, and at two consecutive line breaks.
func (p *page) passages() []passage {
	var all []passage
	c := cutter{p: p}
	open := int32(-1) // innermost block that is still open
	looked := 0
	ruby := int32(-1) // where the ruby annotation ends that is open
	for i := int32(0); i < int32(len(p.at)); i++ {
		n, a := &p.Nodes[i], &p.at[i]
		if ruby >= 0 && ruby <= i {
			c.readings(&ruby)
		}
		for open >= 0 && p.at[open].end <= i {
			c.endBlock(open, &all)
			open = p.outer(open)
		}
		switch {
		case n.Kind == plat.ElementNode && a.text && markup.GutterOf(p.Nodes, i, a.end, &looked):
			if a.block == i {
				c.endBlock(i, &all)
			}
			i = a.end - 1
		case n.Name == "ruby" && ruby < 0:
			ruby = a.end
		case ruby >= 0 && (n.Name == "rt" || n.Name == "rtc" || n.Name == "rp"):
			c.hold(n.Name, i)
			i = a.end - 1
		case !a.text || n.Kind == plat.ElementNode && a.own&(hintOverlay|hintUnread) != 0 && p.aside(i):
			// Code, controls, and insertions into a line such as tooltips or
			// text for screen readers.
			if n.Kind == plat.ElementNode && a.block == i {
				c.end(&all)
			}
			c.blank = true
			i = a.end - 1
		case n.Kind == plat.TextNode:
			if a.link && anchorSigns[strings.TrimSpace(n.Value)] {
				c.blank = true
				continue
			}
			c.add(i)
		case n.Kind != plat.ElementNode:
		case n.Name == "br" && a.pre:
			if c.lineEnd { // the line that it ends is empty
				c.blanks = append(c.blanks, '\n')
			}
			c.lineEnd = true
		case n.Name == "br":
			if c.breaks++; c.breaks > 1 {
				c.end(&all)
			}
		case a.block == i:
			c.endBlock(i, &all)
			open = i
		}
	}
	c.readings(&ruby)
	c.end(&all)
	return all
}

// hold keeps the text of a reading above a word until the word ends; see [markup.Text].
func (c *cutter) hold(name string, i int32) {
	for k := i; name != "rp" && k < c.p.at[i].end; k++ {
		if n := &c.p.Nodes[k]; n.Kind == plat.TextNode && c.p.at[k].seen {
			c.held = markup.AppendReading(c.held, squeeze(n.Value))
		}
	}
}

// readings writes the readings of a ruby annotation that has ended behind its words.
func (c *cutter) readings(ruby *int32) {
	if len(c.held) > 0 && c.b.Len() > 0 {
		c.b.WriteString("(" + string(c.held) + ")")
	}
	c.held, *ruby = c.held[:0], -1
}

// anchorSigns are the texts of links to the line that contains them.
var anchorSigns = wordSet("¶ # § 🔗 ⚓ ∞")

// maxAside is the maximum length of a text inserted into a line, in bytes: tooltips get as long.
const maxAside = 1000

// aside reports whether an element is an insertion into a line: it is short and
// holds no block. A custom element may be inline and yet contain a page.
func (p *page) aside(i int32) bool {
	if p.at[i].block == i || p.at[i].end-i >= wrapper {
		return false
	}
	bytes := 0
	for k := i; k < p.at[i].end; k++ {
		if n, a := &p.Nodes[k], &p.at[k]; n.Kind == plat.TextNode && a.text {
			if bytes += len(n.Value); bytes > maxAside || a.block != p.at[i].block && strings.TrimSpace(n.Value) != "" {
				return false
			}
		}
	}
	return true
}

// outer returns the block around a block.
func (p *page) outer(block int32) int32 {
	if up := p.at[block].parent; up >= 0 {
		return p.at[up].block
	}
	return -1
}

// cutter collects one passage at a time.
type cutter struct {
	p      *page
	q      passage
	b      strings.Builder
	blank  bool   // a blank is pending
	breaks int    // line breaks since the last word
	held   []byte // readings of the ruby annotation that is open
	most   int    // letters in the node that determined the passage's size

	blanks  []byte // of preformatted text, since the last word
	lineEnd bool   // a line of it has ended without a line feed
}

// codeLines are the elements in preformatted text that are lines of it, if they are blocks.
var codeLines = wordSet("div code span li ol ul")

// endBlock ends the passage where a block begins or ends, or a line of preformatted text.
func (c *cutter) endBlock(i int32, all *[]passage) {
	switch n := &c.p.Nodes[i]; {
	case !c.p.at[i].pre || !codeLines[n.Name]:
		c.end(all)
	case len(c.blanks) == 0 || c.blanks[len(c.blanks)-1] != '\n':
		c.lineEnd = true
	}
}

func (c *cutter) add(i int32) {
	n, a := &c.p.Nodes[i], &c.p.at[i]
	st := c.p.style(n)
	chars, rest := 0, n.Value
	c.b.Grow(len(rest))
	for len(rest) > 0 {
		r, size := utf8.DecodeRuneInString(rest)
		switch {
		case r == 0x00ad || r == 0x200b || r == 0xfeff: // soft hyphen, zero-width: skip
		case unicode.IsSpace(r) && a.pre:
			c.space(r)
		case unicode.IsSpace(r):
			c.blank = true
		default:
			if c.b.Len() == 0 {
				c.q = passage{first: i, block: a.block}
				c.b.Write(c.blanks[bytes.LastIndexByte(c.blanks, '\n')+1:])
			} else if c.gap() {
				c.q.words++
			}
			c.blank, c.breaks, c.blanks, c.lineEnd = false, 0, c.blanks[:0], false
			c.b.WriteRune(r)
			if blankless(r) {
				c.q.wide++
			}
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				chars++
			}
		}
		rest = rest[size:]
	}
	if c.q.chars += chars; chars > 0 {
		c.q.last = i
	}
	if st != nil && st.FontSize > 0 && (c.b.Len() > 0 && c.q.size == 0 || chars > c.most) {
		c.q.size, c.most = st.FontSize, chars
	}
	if a.link {
		c.q.linked += chars
	}
	if st != nil && st.FontWeight >= 600 {
		c.q.bold += chars
	}
	if chars > 0 && a.seen {
		c.q.seen = true
		c.q.box = c.q.box.Union(n.Box)
	}
}

// space takes a blank of preformatted text.
func (c *cutter) space(r rune) {
	if c.lineEnd {
		c.blanks, c.lineEnd = append(c.blanks, '\n'), false
	}
	if r < ' ' && r != '\n' && r != '\t' {
		r = ' '
	}
	c.blanks = utf8.AppendRune(c.blanks, r)
}

// gap writes the gap between two words, and reports whether it is not empty.
func (c *cutter) gap() bool {
	from := c.b.Len()
	if c.b.Write(c.blanks); c.lineEnd {
		c.b.WriteByte('\n')
	}
	switch {
	case c.b.Len() > from:
	case c.breaks > 0:
		c.b.WriteByte('\n')
	case c.blank:
		c.b.WriteByte(' ')
	}
	return c.b.Len() > from
}

// end ends the current passage, if any.
func (c *cutter) end(all *[]passage) {
	if c.b.Len() > 0 {
		c.q.text = c.b.String()
		c.q.words++
		r, _ := utf8.DecodeLastRuneInString(strings.TrimRight(c.q.text, "\"'”’“»«)]）》】"))
		c.q.ends = strings.ContainsRune(".!?…:。！？：．।؟۔」』", r)
		*all = append(*all, c.q)
		c.b.Reset()
	}
	c.q = passage{}
	c.blank, c.breaks, c.most, c.blanks, c.lineEnd = false, 0, 0, c.blanks[:0], false
}
