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
	var run []byte // unescaped text, scratch
	for i := 0; i < len(content); {
		for len(hidden) > 1 && int(hidden[1]) <= i {
			hidden = hidden[2:]
		}
		next := len(content) // start of the next hidden range
		if len(hidden) > 1 {
			if next = max(i, int(hidden[0])); next == i {
				end := min(len(content), int(hidden[1]))
				t.space = true
				t.brk = t.brk || bytes.IndexByte(content[i:end], '<') >= 0
				i = end
				continue
			}
			next = min(next, len(content))
		}
		if content[i] != '<' {
			end := bytes.IndexByte(content[i:next], '<')
			if end < 0 {
				end = next - i
			}
			run = unescape(run[:0], content[i:i+end])
			i += end
			t.words(run)
			continue
		}
		rest := content[i:]
		if text, length, ok := generatedText(rest); ok {
			run = unescape(run[:0], text)
			kind := rest[len(generatedMark):]
			ofImage := bytes.HasPrefix(kind, []byte(plat.Alt))
			apart := bytes.HasPrefix(kind, []byte(plat.Value)) || ofImage
			t.space = t.space || apart
			if ofImage {
				alts++
			}
			if alt || !ofImage {
				t.words(run)
			}
			t.space = t.space || apart
			i += length
			continue
		}
		if bytes.HasPrefix(rest, []byte("<!")) {
			stop := []byte(">")
			if bytes.HasPrefix(rest, []byte("<!--")) {
				stop = []byte("-->")
			}
			i += after(rest, stop, 2)
			continue
		}
		name, length := tag(rest)
		// Adjacent links are menu items, separated only by style.
		t.space = t.space || string(name) == "a" && bytes.HasSuffix(content[:i], []byte("</a>"))
		i += length
		if !inline(name) {
			t.brk = true
		}
		kind := rawText(string(name))
		if bytes.HasPrefix(rest, []byte("</")) || kind == notRaw || string(name) == "iframe" || i == next {
			continue // a frame's document is markup, its fallback text is hidden
		}
		stop := bytes.Index(content[i:], []byte("</"+string(name)+">"))
		if stop < 0 {
			stop = len(content) - i
		}
		if kind == rawSeen {
			t.words(content[i : i+stop])
		}
		i += stop
	}
	return t.b.String(), alts
}

// generatedText parses a comment with generated text at the start of b; see
// [Serialize].
func generatedText(b []byte) (text []byte, length int, ok bool) {
	if !bytes.HasPrefix(b, []byte(generatedMark)) {
		return nil, 0, false
	}
	length = after(b, []byte("-->"), len(generatedMark))
	_, text, ok = bytes.Cut(b[len(generatedMark):length], []byte(" "))
	return bytes.TrimSuffix(text, []byte("-->")), length, ok
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
	t.b.Write(w)
}

// after returns the length of b up to and including the first stop at or after
// from.
func after(b, stop []byte, from int) int {
	if i := bytes.Index(b[from:], stop); i >= 0 {
		return from + i + len(stop)
	}
	return len(b)
}

// tag returns the name and length of the tag at the start of b. Serialize
// escapes ">" in attributes, so the first one ends the tag.
func tag(b []byte) (name []byte, length int) {
	from := 1
	if len(b) > 1 && b[1] == '/' {
		from = 2
	}
	length = after(b, []byte(">"), 1)
	name = b[from:length]
	if i := bytes.IndexAny(name, " >"); i >= 0 {
		name = name[:i]
	}
	return name, length
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

// unescape reverses appendEscaped.
func unescape(dst, s []byte) []byte {
	for {
		i := bytes.IndexByte(s, '&')
		if i < 0 {
			return append(dst, s...)
		}
		dst = append(dst, s[:i]...)
		s = s[i:]
		switch {
		case bytes.HasPrefix(s, []byte("&amp;")):
			dst, s = append(dst, '&'), s[5:]
		case bytes.HasPrefix(s, []byte("&lt;")):
			dst, s = append(dst, '<'), s[4:]
		case bytes.HasPrefix(s, []byte("&gt;")):
			dst, s = append(dst, '>'), s[4:]
		case bytes.HasPrefix(s, []byte("&nbsp;")):
			dst, s = append(dst, 0xc2, 0xa0), s[6:]
		default:
			dst, s = append(dst, '&'), s[1:]
		}
	}
}
