// Package excerpt prepares page texts for other contexts: shortened, to a
// heading or to the surroundings of a change, and without characters harmful
// there. Page texts are untrusted input.
package excerpt

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"plat/history"
)

// Line returns the first line of a text as a heading of at most most
// characters, including an ellipsis.
func Line(text string, most int) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if r := []rune(line); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return line
}

// Context shown around a change, and length shown of an entirely new or removed
// text, in characters.
const (
	aroundChange = 120
	ofWhole      = 1200
)

// Words omits text far from any change. It returns a copy.
func Words(words []history.Word) []history.Word {
	out := make([]history.Word, len(words))
	for i, w := range words {
		r := []rune(w.Text)
		switch {
		case len(words) == 1 && len(r) > ofWhole:
			w.Text = string(r[:ofWhole]) + " …"
		case w.Op == "equal" && len(r) > 2*aroundChange+20:
			head, tail := string(r[:aroundChange]), string(r[len(r)-aroundChange:])
			if i == 0 {
				head = ""
			}
			if i == len(words)-1 {
				tail = ""
			}
			w.Text = head + " … " + tail
		}
		out[i] = w
	}
	return out
}

// XML drops characters that XML cannot represent (XML 1.0 section 2.2).
func XML(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t', r == '\n', r == '\r', r >= 0x20 && r <= 0xD7FF, r >= 0xE000 && r <= 0xFFFD, r >= 0x10000:
			return r
		}
		return -1
	}, s)
}

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

// Shown drops from a text of several lines, such as a page of ours with texts of others, what [Printable]
// removes: in HTML bidirectional overrides reorder what stands after them too.
func Shown(text string) string {
	drop := func(r rune) bool { return hostile(r) && r != '\n' && r != '\t' }
	if strings.IndexFunc(text, drop) < 0 {
		return text
	}
	return strings.Map(func(r rune) rune {
		if drop(r) {
			return -1
		}
		return r
	}, text)
}

// JSONLine is v as one line of JSON for programs and terminals, escaped as by [JSON] and
// without its end.
func JSONLine(v any) (string, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "", err
	}
	return JSON(strings.TrimSuffix(b.String(), "\n")), nil
}

// JSON escapes in a JSON text the characters that [Printable] removes: they can only be
// in strings, where an escape is the same. All are in the BMP.
func JSON(text string) string {
	if strings.IndexFunc(text, hostile) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if hostile(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// hostile reports whether a character is a control (C0, DEL, C1), a mark, embedding,
// override or isolate of bidirectional text, or a separator of lines.
func hostile(r rune) bool {
	return unicode.IsControl(r) || r == 0x061c || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0x200e || r == 0x200f || r == 0x2028 || r == 0x2029
}
