package markdown

import (
	"bytes"
	"slices"
	"unicode"
	"unicode/utf8"
)

// inline writes spans as a line, or as lines where they are broken.
type inline struct {
	out     []byte
	cell    bool // in a cell: one line, in which bars end it
	heading bool // one line
	closed  int  // where in out emphasis has ended last
}

// line returns the spans of a paragraph, heading or cell as Markdown.
func line(spans []span, cell, heading bool) []byte {
	w := inline{cell: cell, heading: heading, closed: -1}
	w.write(joined(spans), done{strong: heading}, ' ', false)
	return w.out
}

// joined returns spans with code right after code as one span: otherwise their backticks would be one
// mark. It has the emphasis that all parts have.
func joined(spans []span) []span {
	all := make([]span, 0, len(spans))
	for len(spans) > 0 {
		s, n := spans[0], 1
		for n < len(spans) && s.style.code && spans[n].style.code && spans[n].gap == noGap && spans[n].style.link == s.style.link {
			n++
		}
		for i, t := range spans[1:n] {
			if i == 0 {
				s.text = bytes.Clone(s.text)
			}
			s.text = append(s.text, t.text...)
			s.style.strong = s.style.strong && t.style.strong
			s.style.em = s.style.em && t.style.em
			s.style.del = s.style.del && t.style.del
		}
		all, spans = append(all, s), spans[n:]
	}
	return all
}

// done reports which parts of a style are written around spans.
type done struct{ link, strong, em, del bool }

// write writes spans. after is the first character after them; inside reports that the marks around
// them are written.
func (w *inline) write(spans []span, d done, after rune, inside bool) {
	for i := 0; i < len(spans); {
		if i > 0 || !inside && len(w.out) > 0 {
			w.gap(spans[i].gap)
		}
		wrap, n := longest(spans[i:], d)
		next := after
		if i+n < len(spans) {
			next = spans[i+n].first(d)
		}
		part := spans[i : i+n]
		switch wrap {
		case nothing:
			w.span(&spans[i], next)
		case ofLink:
			inner := d
			inner.link = true
			w.out = append(w.out, '[')
			w.write(part, inner, ']', true)
			w.out = append(append(append(w.out, "]("...), part[0].style.href...), ')')
		case ofStrong:
			inner := d
			inner.strong = true
			w.emphasis("**", part, inner, next)
		case ofEm:
			inner := d
			inner.em = true
			w.emphasis("_", part, inner, next)
		case ofDel:
			inner := d
			inner.del = true
			w.emphasis("~~", part, inner, next)
		}
		i += n
	}
}

// wrapper is the part of a style that is written around spans.
type wrapper uint8

const (
	nothing wrapper = iota
	ofLink
	ofStrong
	ofEm
	ofDel
)

// longest returns the part of a style that the most spans from the first on share, and their number.
func longest(spans []span, d done) (best wrapper, n int) {
	first, n := &spans[0].style, 1
	run := func(is wrapper, has bool, same func(*style) bool) {
		if !has {
			return
		}
		k := 1
		for k < len(spans) && same(&spans[k].style) {
			k++
		}
		if best == nothing || k > n {
			best, n = is, k
		}
	}
	run(ofLink, first.link > 0 && !d.link, func(s *style) bool { return s.link == first.link })
	run(ofStrong, first.strong && !d.strong, func(s *style) bool { return s.strong })
	run(ofEm, first.em && !d.em, func(s *style) bool { return s.em })
	run(ofDel, first.del && !d.del, func(s *style) bool { return s.del })
	return best, n
}

// first returns the first character of a span, or of the marks around it; a blank if one is before
// it. Marks of emphasis do not count.
func (s *span) first(d done) rune {
	switch {
	case s.gap > noGap:
		return ' '
	case s.style.link > 0 && !d.link:
		return '['
	case s.image != "":
		return '!'
	}
	if s.style.code {
		return '`'
	}
	r, _ := utf8.DecodeRune(s.text)
	return r
}

func (w *inline) gap(g gap) {
	switch {
	case g == noGap:
	case g == lineEnd && !w.cell && !w.heading:
		w.out = append(w.out, "  \n"...)
	default:
		w.out = append(w.out, ' ')
	}
}

// emphasis writes spans between marks, or without marks where these would not be parsed as such
// (CommonMark 0.31, section 6.2). Underscores are not marks within a word; asterisks are, if there
// are no further ones near that they could belong to.
func (w *inline) emphasis(mark string, spans []span, d done, after rune) {
	from, closed := len(w.out), w.closed
	before, _ := utf8.DecodeLastRune(w.out)
	if from == 0 || w.out[from-1] == '\n' {
		before = ' '
	}
	can := true
	if mark == "_" && (ofWord(before) || ofWord(after)) {
		mark = "*"
		can = !d.strong && !slices.ContainsFunc(spans, func(s span) bool { return s.style.strong })
	}
	if can && (from == 0 || from != closed || w.out[from-1] != mark[0]) {
		w.out = append(w.out, mark...)
		w.write(spans, d, rune(mark[0]), true)
		inner := w.out[from+len(mark):]
		first, _ := utf8.DecodeRune(inner)
		last, _ := utf8.DecodeLastRune(inner)
		tildes := mark == "~~" && (before == '~' || last == '~' || after == '~') // which GitHub counts
		if len(inner) > 0 && flanks(before, first) && flanks(after, last) && !tildes {
			w.out = append(w.out, mark...)
			w.closed = len(w.out)
			return
		}
	}
	w.out, w.closed = w.out[:from], closed
	w.write(spans, d, after, true)
}

// flanks reports whether a mark between two characters is at the border of the inner text.
func flanks(outside, inside rune) bool {
	return !unicode.IsSpace(inside) && (!punctuation(inside) || unicode.IsSpace(outside) || punctuation(outside))
}

func punctuation(r rune) bool { return unicode.IsPunct(r) || unicode.IsSymbol(r) }

// ofWord reports whether an underscore beside a character may be within a word.
func ofWord(r rune) bool { return !unicode.IsSpace(r) && !punctuation(r) }

// span writes a span without the marks around it.
func (w *inline) span(s *span, after rune) {
	switch {
	case s.image != "":
		w.out = appendText(append(w.out, "!["...), s.text, w.cell, w.heading, false)
		w.out = append(append(append(w.out, "]("...), s.image...), ')')
	case s.style.code && !bytes.HasSuffix(w.out, []byte("`")):
		w.code(s.text)
	default:
		w.out = appendText(w.out, s.text, w.cell, w.heading, after == '[')
	}
}

// code writes code between more backticks than are in it.
func (w *inline) code(s []byte) {
	s = bytes.ReplaceAll(s, []byte("\n"), []byte(" "))
	mark := bytes.Repeat([]byte("`"), longestRun(s)+1)
	w.out = append(w.out, mark...)
	padded := s[0] == '`' || s[len(s)-1] == '`'
	if padded {
		w.out = append(w.out, ' ')
	}
	for _, c := range s {
		if c == '|' && w.cell {
			w.out = append(w.out, '\\')
		}
		w.out = append(w.out, c)
	}
	if padded {
		w.out = append(w.out, ' ')
	}
	w.out = append(w.out, mark...)
}

// longestRun returns the length of the longest run of backticks.
func longestRun(s []byte) int {
	most, n := 0, 0
	for _, c := range s {
		if c != '`' {
			n = 0
			continue
		}
		n++
		most = max(most, n)
	}
	return most
}
