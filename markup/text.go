package markup

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"plat"
)

// Text returns the visible text of a block: its content without markup, scripts
// and hidden ranges (see plat.Block.Hidden). Words are separated by single
// blanks, and paragraphs, cells and the like by "\n".
//
// It accepts only bytes written by Serialize. The archive stores content and
// hidden, so Text returns exactly the text that was compared when they were
// captured.
func Text(content []byte, hidden []int32) string {
	text, _ := textOf(content, hidden, true)
	return text
}

// TextWithoutAlt is [Text] without the alternative texts of images that failed
// to load; alts is their number.
func TextWithoutAlt(content []byte, hidden []int32) (text string, alts int) {
	return textOf(content, hidden, false)
}

// HasAlt reports whether there may be alternative texts of images that failed to load; it is
// quick.
func HasAlt(content []byte) bool { return bytes.Contains(content, altMark) }

var altMark = []byte(generatedMark + string(plat.Alt) + " ")

func textOf(content []byte, hidden []int32, alt bool) (_ string, alts int) {
	var t textBuilder
	t.b.Grow(len(content) / 2)
	s := scanner{content: content, hidden: hidden}
	for s.next() {
		if s.kind == isGenerated && s.ofImage {
			alts++
		}
		t.piece(&s, alt)
	}
	return t.b.String(), alts
}

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
	return f.b.String(), h.b.String()
}

// LayoutText returns the text of a layout without the head. If the page was cut
// correctly, none of it is visible on the page.
func LayoutText(html []byte) string {
	if _, body, ok := bytes.Cut(html, []byte("</head>")); ok {
		html = body
	}
	return Text(html, nil)
}

type textBuilder struct {
	b     strings.Builder
	brk   bool // a line break is pending before the next word
	space bool // a blank is pending

	placed func(word []byte, from int) // unless nil: called with each word, and where in the text it begins
}

// piece appends what was just scanned.
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
		t.space = t.space || s.afterLink()
		t.brk = t.brk || !inline(s.name)
	}
}

// words appends a piece of text.
func (t *textBuilder) words(s []byte) {
	for len(s) > 0 {
		r, n := utf8.DecodeRune(s)
		if spaceRune(r) {
			t.space = true
			s = s[n:]
			continue
		}
		end := 0
		for end < len(s) {
			r, n := utf8.DecodeRune(s[end:])
			if spaceRune(r) {
				break
			}
			end += n
		}
		t.word(s[:end])
		s = s[end:]
	}
}

func (t *textBuilder) word(w []byte) {
	if blankBytes(w) {
		return
	}
	if t.b.Len() > 0 {
		if t.brk {
			t.b.WriteByte('\n')
		} else if t.space {
			t.b.WriteByte(' ')
		}
	}
	t.brk, t.space = false, false
	if t.placed != nil {
		t.placed(w, t.b.Len())
	}
	t.b.Write(w)
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
