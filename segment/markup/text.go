package markup

import (
	"bytes"
	"sync"

	"plat/plat"
)

// Text returns the visible text of a block: its content without markup, scripts
// and hidden ranges (see plat.Block.Hidden). Words are separated by single
// blanks, and paragraphs, cells and the like by "\n".
//
// It accepts only bytes written by Serialize. The archive stores content and
// hidden, so Text returns exactly the text that was compared when they were
// captured.
func Text(content []byte, hidden []int32) string {
	text, _ := textOf(scanner{content: content, hidden: hidden}, true)
	return text
}

// EarlierText returns the text as Text did until 2026-11-29: the readings of ruby annotations were among their words, and line numbers in
// code. Archives have references to bytes of such texts.
func EarlierText(content []byte, hidden []int32) string {
	text, _ := textOf(scanner{content: content, hidden: hidden, earlier: true}, true)
	return text
}

// SearchText returns [Text] with the readings of ruby annotations at its end, so that words are found that they interrupt.
func SearchText(content []byte, hidden []int32) string {
	text, _ := textOf(scanner{content: content, hidden: hidden, ruby: ruby{apart: true}}, true)
	return text
}

// TextWithoutAlt returns [Text] without the alternative texts of images that failed to load; alts is
// their number.
func TextWithoutAlt(content []byte, hidden []int32) (text string, alts int) {
	return textOf(scanner{content: content, hidden: hidden}, false)
}

// HasAlt reports whether there may be alternative texts of images that failed to load; it is
// quick.
func HasAlt(content []byte) bool { return bytes.Contains(content, altMark) }

var altMark = []byte(generatedMark + string(plat.Alt) + " ")

func textOf(s scanner, alt bool) (_ string, alts int) {
	b := buffers.Get().(*buffer)
	t := textBuilder{b: b.text[:0]}
	if len(s.content) > maxBuffer {
		t.b = make([]byte, 0, len(s.content)) // growing takes twice as much
	}
	s.scratch = b.scratch
	for s.next() {
		if s.kind == isGenerated && s.ofImage {
			alts++
		}
		t.piece(&s, alt)
	}
	text := string(t.b) + string(s.ruby.all)
	if b.text, b.scratch = t.b, s.scratch; cap(b.text)+cap(b.scratch) <= maxBuffer {
		buffers.Put(b)
	}
	return text, alts
}

// maxBuffer is the maximum size of a buffer, in bytes, that is kept for the next text.
const maxBuffer = 1 << 20

// buffer is reusable memory for textOf.
type buffer struct{ text, scratch []byte }

var buffers = sync.Pool{New: func() any { return new(buffer) }}

// Unshown returns the text in a block's hidden ranges: the folded text and the
// rest. Its input is as for Text.
func Unshown(content []byte, hidden, folded []int32) (foldedText, hiddenText string) {
	var f, h textBuilder
	part := func(t *textBuilder, from, to int32) {
		if from = max(0, from); from < to && int(to) <= len(content) {
			t.brk = true
			t.words([]byte(Text(content[from:to], nil)))
		}
	}
	for ; len(hidden) > 1; hidden = hidden[2:] {
		from, to := hidden[0], hidden[1]
		for len(folded) > 1 && folded[0] < to {
			part(&h, from, folded[0])
			part(&f, folded[0], folded[1])
			from, folded = folded[1], folded[2:]
		}
		part(&h, from, to)
	}
	return string(f.b), string(h.b)
}

// LayoutText returns the text of a layout without the head. If the page was cut correctly, none of it
// is visible on the page.
func LayoutText(html []byte) string { return Text(withoutHead(html), nil) }

// EarlierLayoutText returns the text as LayoutText did when texts were those of [EarlierText].
func EarlierLayoutText(html []byte) string { return EarlierText(withoutHead(html), nil) }

// withoutHead returns a layout from the end of its head on.
func withoutHead(html []byte) []byte {
	if _, body, ok := bytes.Cut(html, []byte("</head>")); ok {
		return body
	}
	return html
}

type textBuilder struct {
	b     []byte
	brk   bool // a line break is pending before the next word
	space bool // a blank is pending

	placed func(word []byte, from int) // unless nil: called with each word, and where in the text it begins
}

// piece appends the piece scanned last.
func (t *textBuilder) piece(s *scanner, alt bool) {
	switch s.kind {
	case isGap:
		t.space = true
		t.brk = t.brk || s.tagged
	case isText:
		t.words(s.text)
	case isGenerated:
		t.space = t.space || s.apart
		if alt || !s.ofImage {
			t.words(s.text)
		}
		t.space = t.space || s.apart
	case isTag:
		if !t.brk { // a break comes before the next word in any case
			t.brk, t.space = !inline(s.name), t.space || s.afterLink()
		}
	}
}

// words appends a piece of text.
func (t *textBuilder) words(s []byte) {
	for {
		n := spaceAt(s)
		t.space = t.space || n > 0
		if s = s[n:]; len(s) == 0 {
			return
		}
		end := 0
		if t.placed == nil {
			end = lineAt(s)
		}
		if end == 0 {
			end = wordAt(s)
		}
		t.word(s[:end])
		s = s[end:]
	}
}

// word appends a word, or words with single blanks between them.
func (t *textBuilder) word(w []byte) {
	if blankBytes(w) {
		return
	}
	if len(t.b) > 0 {
		if t.brk {
			t.b = append(t.b, '\n')
		} else if t.space {
			t.b = append(t.b, ' ')
		}
	}
	t.brk, t.space = false, false
	if t.placed != nil {
		t.placed(w, len(t.b))
	}
	t.b = append(t.b, w...)
}

// inline reports whether a tag leaves the line unbroken. The list is by name,
// because the style is unknown when only the stored bytes are left.
func inline(name []byte) bool {
	switch string(name) {
	case "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i",
		"img", "ins", "kbd", "label", "mark", "nobr", "q", "rb", "rp", "rt", "rtc", "ruby", "s", "samp", "script", "slot", "small",
		"span", "strike", "strong", "style", "sub", "sup", "time", "tt", "u", "var", "wbr", "noscript":
		return true
	}
	return false
}
