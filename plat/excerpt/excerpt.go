// Package excerpt prepares page texts for display in other contexts: shortened to a heading, and
// without characters that are harmful there. Page texts are untrusted input.
package excerpt

import "strings"

// Line returns the first line of a text as a heading of at most `most` characters, including an
// ellipsis.
func Line(text string, most int) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if r := []rune(line); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return line
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
