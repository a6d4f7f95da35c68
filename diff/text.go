package diff

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// word returns the first word of text, "" if there is no word, and the rest. Words are separated by
// white space, as in [strings.Fields].
func word(text string) (w, rest string) {
	from := 0
	for from < len(text) {
		n := space(text[from:])
		if n == 0 {
			break
		}
		from += n
	}
	to := from
	for to < len(text) && space(text[to:]) == 0 {
		if c := text[to]; c < utf8.RuneSelf {
			to++
			continue
		}
		_, n := utf8.DecodeRuneInString(text[to:])
		to += n
	}
	return text[from:to], text[to:]
}

// space returns the length of the white space character that s begins with, else 0.
func space(s string) int {
	if c := s[0]; c < utf8.RuneSelf {
		if c == ' ' || c >= '\t' && c <= '\r' {
			return 1
		}
		return 0
	}
	r, n := utf8.DecodeRuneInString(s)
	if unicode.IsSpace(r) {
		return n
	}
	return 0
}

// joinWords returns text with single blanks between words and no blanks around them.
func joinWords(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	for w, rest := word(text); w != ""; w, rest = word(rest) {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(w)
	}
	return b.String()
}

// markupWords returns the beginning of some HTML as words, for blocks without text.
func markupWords(html []byte) string {
	const most = 1 << 16
	return string(html[:min(len(html), most)])
}
