package segment

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// Text is the text that a reader sees in a block: its content without markup,
// scripts and the text runs named in hidden. A text run is the text between two
// pieces of markup; those that are blank do not count. Words are separated by
// single blanks, and what stands in different paragraphs, cells or the like by
// "\n".
//
// It works on bytes that Serialize wrote, and on nothing else: the archive keeps
// bytes and hidden, and gets the very text that was compared when they were new.
func Text(content []byte, hidden []int32) string {
	var t textBuilder
	t.b.Grow(len(content) / 2)
	rank := int32(0)
	var run []byte // unescaped text of the run, scratch
	for i := 0; i < len(content); {
		if content[i] != '<' {
			end := bytes.IndexByte(content[i:], '<')
			if end < 0 {
				end = len(content) - i
			}
			run = unescape(run[:0], content[i:i+end])
			i += end
			rank, hidden = t.run(run, rank, hidden)
			continue
		}
		rest := content[i:]
		if bytes.HasPrefix(rest, []byte("<!")) {
			stop := []byte(">")
			if bytes.HasPrefix(rest, []byte("<!--")) {
				stop = []byte("-->")
			}
			i += after(rest, stop, 2)
			continue
		}
		name, length := tag(rest)
		// Links side by side are items of a menu, set apart by style.
		t.space = t.space || string(name) == "a" && bytes.HasSuffix(content[:i], []byte("</a>"))
		i += length
		if !inline(name) {
			t.brk = true
		}
		switch {
		case bytes.HasPrefix(rest, []byte("</")):
		case string(name) == "iframe":
			// Fallback text, then perhaps the document of the frame.
			stop := bytes.Index(content[i:], []byte("</iframe>"))
			if stop < 0 {
				stop = len(content) - i
			}
			if doc := bytes.Index(content[i:i+stop], []byte(frameOpen)); doc >= 0 {
				stop = doc
			}
			i += stop
		default:
			kind := rawText(string(name))
			if kind == notRaw {
				break
			}
			stop := bytes.Index(content[i:], []byte("</"+string(name)+">"))
			if stop < 0 {
				stop = len(content) - i
			}
			if kind == rawSeen && stop > 0 {
				rank, hidden = t.run(content[i:i+stop], rank, hidden)
			}
			i += stop
		}
	}
	return t.b.String()
}

type textBuilder struct {
	b     strings.Builder
	brk   bool // a line break is due before the next word
	space bool // a blank is due
}

// run adds a run of text unless it is hidden, and counts it unless it is blank.
func (t *textBuilder) run(s []byte, rank int32, hidden []int32) (int32, []int32) {
	if blankBytes(s) {
		t.space = t.space || len(s) > 0
		return rank, hidden
	}
	if len(hidden) > 0 && hidden[0] == rank {
		t.space = true
		return rank + 1, hidden[1:]
	}
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
	return rank + 1, hidden
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

// blankBytes is blank for bytes.
func blankBytes(s []byte) bool {
	for len(s) > 0 {
		r, n := utf8.DecodeRune(s)
		if !spaceRune(r) && !zeroWidth(r) {
			return false
		}
		s = s[n:]
	}
	return true
}

// after is the length of b up to and including the first stop, not before from.
func after(b, stop []byte, from int) int {
	if i := bytes.Index(b[from:], stop); i >= 0 {
		return from + i + len(stop)
	}
	return len(b)
}

// tag returns the name of the tag that b begins with and its length. Serialize
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

// inline reports whether a tag leaves the line as it is. The list is by name,
// not by style, because the text of stored bytes may not depend on what is no
// longer known.
func inline(name []byte) bool {
	switch string(name) {
	case "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i",
		"img", "ins", "kbd", "label", "mark", "nobr", "q", "rb", "rp", "rt", "rtc", "ruby", "s", "samp", "script", "slot", "small",
		"span", "strike", "strong", "style", "sub", "sup", "time", "tt", "u", "var", "wbr", "noscript":
		return true
	}
	return false
}

// unescape undoes appendEscaped.
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
