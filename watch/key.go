package watch

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// urlKey returns an address in a normal form for comparison: without the scheme, the file name
// of an index page and a trailing slash.
func urlKey(s string) string {
	s = strings.TrimPrefix(strings.TrimPrefix(s, "https://"), "http://")
	if at, ok := strings.CutSuffix(s, "/index.html"); ok {
		return at
	}
	return strings.TrimSuffix(s, "/")
}

// titleKey returns a title in a normal form for comparison: its words and numbers, in lower
// case.
func titleKey(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	gap := false
	if ascii(s) { // most texts: several times as fast
		for i := range len(s) {
			c := s[i]
			switch {
			case 'A' <= c && c <= 'Z':
				c += 'a' - 'A'
			case 'a' <= c && c <= 'z' || '0' <= c && c <= '9':
			default:
				gap = true
				continue
			}
			if gap && b.Len() > 0 {
				b.WriteByte(' ')
			}
			gap = false
			b.WriteByte(c)
		}
		return b.String()
	}
	for _, r := range strings.ToLower(norm.NFKC.String(s)) {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
			gap = true
			continue
		}
		if gap && b.Len() > 0 {
			b.WriteByte(' ')
		}
		gap = false
		b.WriteRune(r)
	}
	return b.String()
}

// ascii reports whether a text has only ASCII characters.
func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// cut shortens a text to at most n bytes, at the end of a character.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
