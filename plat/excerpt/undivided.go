package excerpt

import "strings"

// dividers are the marks where a word may be divided at the end of a line: soft hyphens, and spaces without width.
const dividers = "\u00ad\u200b\u2060\ufeff"

// Undivided returns a text without the marks where its words may be divided, which people do not see.
func Undivided(s string) string {
	if !strings.ContainsAny(s, dividers) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(dividers, r) {
			return -1
		}
		return r
	}, s)
}
