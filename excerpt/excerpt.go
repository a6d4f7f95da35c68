// Package excerpt shortens texts of pages for people: to a heading, or to what is
// near a change.
package excerpt

import (
	"strings"

	"plat/history"
)

// Line is the first line of a text, as a heading of at most so many characters, an
// ellipsis included.
func Line(text string, most int) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if r := []rune(line); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return line
}

// How much of an unchanged text is shown beside a change, and of one that came
// or went whole, in characters.
const (
	aroundChange = 120
	ofWhole      = 1200
)

// Words leaves out of a text what is far from any change. It returns a copy.
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

// XML leaves out what XML has no way to write (XML 1.0 section 2.2).
func XML(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t', r == '\n', r == '\r', r >= 0x20 && r <= 0xD7FF, r >= 0xE000 && r <= 0xFFFD, r >= 0x10000:
			return r
		}
		return -1
	}, s)
}
