package markup

import (
	"bytes"
	"unicode/utf8"
)

// PlainText returns the visible text of a block formatted as in a text file: paragraphs separated by
// an empty line, items of lists and definitions one a line, the cells of a row by tabs, and
// preformatted text, such as code, with its lines and blanks.
//
// Its input is as for [Text], and so are its words.
func PlainText(content []byte, hidden []int32) string {
	return setPlain(scanner{content: content, hidden: hidden}, plainText{})
}

// PreformattedText returns the [PlainText] of a block inside preformatted text, see [Preformatted].
func PreformattedText(content []byte, hidden []int32) string {
	return setPlain(scanner{content: content, hidden: hidden}, plainText{pre: 1, fresh: true})
}

// RubyPlainText returns the text as PlainText did until 2026-11-29, and PreformattedText if pre is set: its words are those of
// [EarlierText].
func RubyPlainText(content []byte, hidden []int32, pre bool) string {
	p := plainText{}
	if pre {
		p = plainText{pre: 1, fresh: true}
	}
	return setPlain(scanner{content: content, hidden: hidden, earlier: true}, p)
}

// EarlierPlainText returns the text as PlainText did until 2026-11-27: line breaks and blocks in
// preformatted text were as outside of it, so that its empty lines were lost, or lines got one
// between them. Archives have checksums of such texts.
func EarlierPlainText(content []byte, hidden []int32) string {
	return setPlain(scanner{content: content, hidden: hidden, earlier: true}, plainText{earlier: true})
}

// setPlain sets a text with a new p.
func setPlain(s scanner, p plainText) string {
	p.b = make([]byte, 0, len(s.content)/2)
	for s.next() {
		switch s.kind {
		case isGap:
			if s.tagged && (p.pre == 0 || p.earlier) {
				p.part(newLine)
			} else {
				p.part(blank)
			}
		case isText:
			p.text(s.text)
		case isGenerated:
			if s.apart {
				p.part(blank)
			}
			p.text(s.text)
			if s.apart {
				p.part(blank)
			}
		case isTag:
			if s.afterLink() {
				p.part(blank)
			}
			p.tag(s.name, s.end)
		}
	}
	return string(bytes.TrimRight(p.b, " \t\n"))
}

// gap is the space between two words; of several the largest counts.
type gap uint8

const (
	noGap gap = iota
	blank
	newLine
	emptyLine
)

var gaps = [...]string{noGap: "", blank: " ", newLine: "\n", emptyLine: "\n\n"}

// plainText puts a text together.
type plainText struct {
	b       []byte
	pending gap    // before the next word
	pre     int    // how many preformatted elements are open
	fresh   bool   // one has just begun
	indent  []byte // blanks that it begins with
	lists   int    // how many lists are open
	earlier bool   // see [EarlierPlainText]

	// Of the row of a table that is open:
	before gap  // before it
	first  bool // no cell has begun
	said   bool // the cell has text
	lines  bool // a cell has several lines
	begun  bool // a cell has begun, and has no text yet
	tabs   int  // before its text
}

// part requests a gap before the next word.
func (p *plainText) part(g gap) {
	if p.begun && g > blank {
		return // the start of a cell is beside the previous cell
	}
	p.pending = max(p.pending, g)
}

func (p *plainText) tag(name []byte, end bool) {
	if p.pre > 0 && !p.earlier && p.line(name) {
		return
	}
	switch string(name) {
	case "li", "dt", "dd", "br", "option", "summary":
		p.part(newLine)
	case "ul", "ol", "dl", "menu":
		if end {
			p.lists = max(0, p.lists-1)
		}
		if p.lists == 0 {
			p.part(emptyLine)
		} else {
			p.part(newLine)
		}
		if !end {
			p.lists++
		}
	case "thead", "tbody", "tfoot", "colgroup", "col":
		p.part(newLine)
	case "table":
		p.begun, p.tabs = false, 0
		p.part(emptyLine)
		p.lines = true // of the row around it
	case "tr":
		p.begun, p.tabs = false, 0
		switch {
		case p.said && p.lines:
			p.part(emptyLine)
		case p.said:
			p.pending = newLine // the end of the last paragraph of a cell does not count
		default:
			p.part(newLine)
		}
		p.before = p.pending
		p.first, p.said, p.lines = true, false, false
	case "td", "th":
		switch {
		case end:
			if p.begun = false; !p.earlier {
				p.part(blank) // before text outside of cells
			}
		case p.first:
			p.part(newLine)
			p.first, p.begun = false, true
		case p.lines:
			p.begun = false
			p.part(emptyLine)
		default:
			p.begun = true
			p.tabs++
		}
	case "pre", "listing":
		p.part(emptyLine)
		if end {
			p.pre = max(0, p.pre-1)
			p.b = bytes.TrimRight(p.b, " \t\r\n")
		} else {
			p.pre++
		}
		p.fresh = !end
	default:
		if !inline(name) {
			p.part(emptyLine)
		}
	}
}

// line ends a line of preformatted text, if a tag does: a line break, or that of a block, which
// is a line or several.
func (p *plainText) line(name []byte) bool {
	switch string(name) {
	case "pre", "listing", "table", "thead", "tbody", "tfoot", "colgroup", "col", "tr", "td", "th":
		return false
	case "br":
		if p.indent = nil; !p.fresh && p.tabs == 0 {
			p.gap() // the line that it ends may be empty
		}
	default:
		if inline(name) || p.pending <= blank && bytes.HasSuffix(p.b, []byte("\n")) {
			return true
		}
	}
	p.part(newLine)
	return true
}

// gap appends the gap that is pending.
func (p *plainText) gap() {
	if len(p.b) > 0 {
		p.b = append(p.b, gaps[p.pending]...)
	}
	p.pending = noGap
}

// text appends a piece of text.
func (p *plainText) text(s []byte) {
	if p.pre > 0 {
		p.verbatim(s)
		return
	}
	for len(s) > 0 {
		n := spaceAt(s)
		if n > 0 {
			p.part(blank)
		}
		s = s[n:]
		n = wordAt(s)
		p.word(s[:n])
		s = s[n:]
	}
}

// verbatim appends preformatted text.
func (p *plainText) verbatim(s []byte) {
	if p.fresh { // empty lines before the text say nothing
		for line, rest, ok := bytes.Cut(s, []byte("\n")); ok && blankBytes(line); line, rest, ok = bytes.Cut(s, []byte("\n")) {
			s, p.indent = rest, nil
		}
		p.indent = append(p.indent, s...)
		if blankBytes(s) {
			return
		}
		s, p.indent, p.fresh = p.indent, nil, false
	}
	switch {
	case p.earlier && (p.pending > blank || p.tabs > 0), p.tabs > 0, p.pending > blank && !blankBytes(s):
		p.word(s)
		return
	case p.earlier:
	case p.pending > blank, p.pending == blank && !endsBlank(p.b) && spaceAt(s) == 0:
		p.gap()
	}
	p.pending = noGap
	p.b = appendVerbatim(p.b, s)
}

// endsBlank reports whether a text ends with a blank, or is empty.
func endsBlank(b []byte) bool {
	r, _ := utf8.DecodeLastRune(b)
	return len(b) == 0 || spaceRune(r)
}

// word appends a word, or several.
func (p *plainText) word(w []byte) {
	if blankBytes(w) {
		return
	}
	if len(p.b) > 0 {
		g := p.pending
		switch {
		case p.tabs > 0 && p.said:
			g = noGap
		case p.tabs > 0:
			g = p.before
		}
		p.lines = p.lines || p.said && g > blank
		p.b = append(p.b, gaps[g]...)
	}
	for ; p.tabs > 0; p.tabs-- {
		p.b = append(p.b, '\t')
	}
	p.pending, p.begun, p.said = noGap, false, true
	p.b = appendVerbatim(p.b, w)
}

// appendVerbatim appends a text with its blanks; other control characters become blanks,
// as in [Text].
func appendVerbatim(b, s []byte) []byte {
	from := len(b)
	b = append(b, s...)
	for i := from; i < len(b); i++ {
		if c := b[i]; c < ' ' && c != '\t' && c != '\n' {
			b[i] = ' '
		}
	}
	return b
}
