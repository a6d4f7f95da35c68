package excerpt

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// hostile reports whether a character can hide, reorder or forge the text around it: a control (C0,
// DEL, C1), a mark, embedding, override, isolate or deprecated format of bidirectional text, a
// separator of lines, a byte order mark, an interlinear annotation, or a tag.
func hostile(r rune) bool {
	switch {
	case r < 0x061c:
		return r < ' ' || r >= 0x7f && r <= 0x9f
	case r < 0xfeff:
		return r == 0x061c || r == 0x200e || r == 0x200f || r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x206f
	}
	return r == 0xfeff || r >= 0xfff9 && r <= 0xfffb || r >= 0xe0000 && r <= 0xe007f
}

// Masks of eight bytes at once.
const (
	ones  = 0x0101010101010101
	highs = 0x80 * ones
)

// plain reports whether eight bytes are ASCII without controls: all from ' ' to '~'.
func plain(w uint64) bool {
	del := w ^ 0x7f*ones // zero in each byte that is DEL
	return (w|(w-' '*ones)|(del-ones))&highs == 0
}

// harmless marks the first bytes of three-byte characters of which all are harmless: not E2 and EF,
// and not E0 and ED, after which some bytes are not UTF-8.
var harmless = [256]bool{0xe1: true, 0xe3: true, 0xe4: true, 0xe5: true, 0xe6: true, 0xe7: true, 0xe8: true, 0xe9: true, 0xea: true, 0xeb: true, 0xec: true, 0xee: true}

// continues reports whether a byte is not the first one of a character.
func continues(c byte) bool { return c&0xc0 == 0x80 }

// nextHostile returns the position and the length, in bytes, of the first hostile character of a text
// at or after a position, except tabs and line ends; -1 if there is not one. A byte that is not UTF-8
// counts as hostile, as [utf8.RuneError] of one byte.
func nextHostile(s []byte, from int) (at, size int, r rune) {
	for i := from; i < len(s); {
		if len(s)-i >= 8 && plain(binary.LittleEndian.Uint64(s[i:])) {
			i += 8
			continue
		}
		c := s[i]
		switch {
		case (c < ' ' || c == 0x7f) && c != '\t' && c != '\n':
			return i, 1, rune(c)
		case c < utf8.RuneSelf:
			i++
			continue
		case harmless[c] && i+2 < len(s) && continues(s[i+1]) && continues(s[i+2]): // as most of Chinese
			i += 3
			continue
		}
		r, size := utf8.DecodeRune(s[i:])
		if size == 1 || hostile(r) {
			return i, size, r
		}
		i += size
	}
	return -1, 0, 0
}

// replace replaces hostile characters of a text, except tabs and line ends, and makes it UTF-8. by
// appends the replacement of a character to the text before it. A text without hostile characters is
// returned unchanged.
func replace(s []byte, by func(before []byte, r rune) []byte) []byte {
	at, size, r := nextHostile(s, 0)
	if at < 0 {
		return s
	}
	b, from := make([]byte, 0, len(s)+64), 0
	for at >= 0 {
		b = append(b, s[from:at]...)
		if r == utf8.RuneError {
			b = append(b, "\uFFFD"...)
		} else {
			b = by(b, r)
		}
		from = at + size
		at, size, r = nextHostile(s, from)
	}
	return append(b, s[from:]...)
}

func drop(before []byte, _ rune) []byte { return before }

// Printable makes a text safe for a terminal line or a header field. It removes
// control characters and bidirectional overrides, which could hide or forge
// output.
func Printable(s string) string {
	ok := utf8.ValidString(s)
	for _, r := range s {
		ok = ok && !hostile(r)
	}
	if ok {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t':
			return ' '
		case hostile(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// Shown drops from a text of several lines, such as a feed with texts of archived pages, the
// characters that [Printable] removes. It may return the same slice.
func Shown(text []byte) []byte { return replace(text, drop) }

// HTML drops from one of plat's own pages, with texts of archived pages in it, the characters that
// [Printable] removes: in HTML, bidirectional overrides also reorder the text after them. Values of
// form fields keep them as character references, because a form must send back the value that it
// received, and browsers isolate the text of a field. The references of C0 and C1 would be different
// characters, so these are dropped everywhere. Attributes have double quotes, and texts and
// attributes are escaped, as html/template does. HTML may return the same slice.
func HTML(page []byte) []byte {
	at := place{tag: -1}
	return replace(page, func(before []byte, r rune) []byte {
		if at.move(before); r > 0x9f && at.inField(before) {
			return fmt.Appendf(before, "&#x%x;", r)
		}
		return before
	})
}

// place is a position in a page that only moves forward: there may be many hostile characters.
type place struct {
	read     int // bytes read before it
	tag      int // position of the tag around it; -1: it is in a text
	quote    int // position of the last quotation mark in the tag; -1: absent
	textarea bool
}

// move moves the position to the end of the page so far.
func (p *place) move(page []byte) {
	for ; p.read < len(page); p.read++ {
		switch page[p.read] {
		case '<':
			p.tag, p.quote = p.read, -1
		case '>':
			p.textarea = p.tag >= 0 && bytes.HasPrefix(page[p.tag:], []byte("<textarea"))
			p.tag = -1
		case '"':
			p.quote = p.read
		}
	}
}

// inField reports whether the position is in the value of a field.
func (p *place) inField(page []byte) bool {
	if p.tag < 0 {
		return p.textarea
	}
	return p.quote >= 0 && bytes.HasSuffix(page[:p.quote], []byte(" value="))
}

// URL percent-encodes the characters of a URL that [Printable] removes, and bytes that are not UTF-8,
// as browsers do.
func URL(raw string) string {
	if Printable(raw) == raw {
		return raw
	}
	var b strings.Builder
	for len(raw) > 0 {
		r, size := utf8.DecodeRuneInString(raw)
		if hostile(r) || r == utf8.RuneError && size == 1 {
			for _, c := range []byte(raw[:size]) {
				fmt.Fprintf(&b, "%%%02X", c)
			}
		} else {
			b.WriteString(raw[:size])
		}
		raw = raw[size:]
	}
	return b.String()
}

// MarshalJSON returns v as JSON, escaped as by [JSON].
func MarshalJSON(v any) ([]byte, error) {
	b, err := json.Marshal(v)
	return JSON(b), err
}

// JSONLine returns v as one line of JSON for programs and terminals, escaped as by [JSON] and without
// a line end. Unlike in [MarshalJSON], the characters <, > and & are not escaped.
func JSONLine(v any) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "", err
	}
	return string(JSON(bytes.TrimSuffix(b.Bytes(), []byte("\n")))), nil
}

const digits = "0123456789abcdef"

// JSON escapes in a JSON text the characters that [Printable] removes: they can only be in strings,
// where an escape has the same value. It may return the same slice.
func JSON(text []byte) []byte {
	return replace(text, func(before []byte, r rune) []byte {
		var units [2]uint16
		for _, unit := range utf16.AppendRune(units[:0], r) {
			before = append(before, '\\', 'u', digits[unit>>12], digits[unit>>8&15], digits[unit>>4&15], digits[unit&15])
		}
		return before
	})
}

// ShownJSON drops from the strings of a JSON text, as package encoding/json writes it, the characters
// that [Printable] removes, escaped or not, except tabs and line ends: for clients that display them
// unchanged. It may return the same slice.
func ShownJSON(text []byte) []byte {
	text = Shown(text)
	at := bytes.IndexByte(text, '\\')
	if at < 0 {
		return text
	}
	b := append(make([]byte, 0, len(text)), text[:at]...)
	for rest := text[at:]; len(rest) > 0; {
		size := 1
		if rest[0] == '\\' && len(rest) > 1 {
			size = 2
			if rest[1] == 'u' {
				size = min(6, len(rest))
			}
		}
		if !escapesHostile(rest[:size]) {
			b = append(b, rest[:size]...)
		}
		rest = rest[size:]
	}
	return b
}

// escapesHostile reports whether a part of a JSON text is an escape of a hostile character, except
// tabs and line ends.
func escapesHostile(part []byte) bool {
	switch {
	case len(part) == 2:
		return part[1] == 'b' || part[1] == 'f' || part[1] == 'r'
	case len(part) < 6:
		return false
	}
	n, err := strconv.ParseUint(string(part[2:]), 16, 16)
	return err == nil && hostile(rune(n)) && n != '\t' && n != '\n'
}
