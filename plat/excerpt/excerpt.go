// Package excerpt prepares page texts for other contexts: shortened, to a
// heading or to the surroundings of a change, and without characters harmful
// there. Page texts are untrusted input.
package excerpt

import (
	"strings"

	"plat/storage/history"
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
