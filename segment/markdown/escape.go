package markdown

import (
	"bytes"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// entity matches text that looks like a character reference (CommonMark 0.31, section 2.5).
var entity = regexp.MustCompile(`&(#[0-9]{1,7};|#[xX][0-9a-fA-F]{1,6};|[A-Za-z][A-Za-z0-9]{0,40};)`)

// appendText appends a text literally. In a cell a bar would end it, in a heading a number sign.
func appendText(out, s []byte, cell, heading, beforeLink bool) []byte {
	word := 0 // where the word began
	for i := 0; i < len(s); i++ {
		c := s[i]
		escape := false
		switch c {
		case '\\', '`', '*', '[', ']', '<', '~':
			escape = true
		case '>':
			escape = i == 0 || s[i-1] == ' '
		case '|':
			escape = cell
		case '#':
			escape = heading
		case '!':
			escape = beforeLink && i == len(s)-1
		case '_':
			escape = !withinWord(s, i)
		case '&':
			at := entity.FindIndex(s[i:min(len(s), i+48)])
			escape = at != nil && at[0] == 0
		case ' ':
			word = i + 1
		case ':', '.': // GitHub makes links of URLs, in which nothing is escaped
			escape = linked(s, word, i) && needsEscape(s[i:])
		}
		if escape {
			out = append(out, '\\')
		}
		out = append(out, c)
	}
	return out
}

// withinWord reports whether the underscores around s[i] have letters or digits on both sides: those
// are not emphasis.
func withinWord(s []byte, i int) bool {
	from, to := i, i
	for from > 0 && s[from-1] == '_' {
		from--
	}
	for to < len(s) && s[to] == '_' {
		to++
	}
	before, _ := utf8.DecodeLastRune(s[:from])
	after, _ := utf8.DecodeRune(s[to:])
	return alphanumeric(before) && alphanumeric(after)
}

func alphanumeric(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// linked reports whether s[i] is the character after the scheme or the first label of a text like a
// URL, in the word that began before it.
func linked(s []byte, word, i int) bool {
	if s[i] == ':' {
		return bytes.HasPrefix(s[i:], []byte("://"))
	}
	return i >= word+3 && bytes.EqualFold(s[i-3:i], []byte("www"))
}

// needsEscape reports whether a word has a character that is escaped in a text.
func needsEscape(s []byte) bool {
	if n := bytes.IndexByte(s, ' '); n >= 0 {
		s = s[:n]
	}
	for i, c := range s {
		if strings.IndexByte("\\`*[]<~&|#!", c) >= 0 || c == '_' && !withinWord(s, i) {
			return true
		}
	}
	return false
}

// lineStart matches text that a line must not begin with, or consist of: a heading or its underline,
// an item, a quote, a rule, a row of a table. Further such beginnings are escaped everywhere.
var lineStart = regexp.MustCompile(`^(?:#{1,6}(?: |$)|[-+](?: |$)|>|[-=|: ]+$|\||[0-9]{1,9}([.)])(?: |$))`)

// appendLine appends a line of a paragraph so that it begins nothing else.
func appendLine(out, line []byte) []byte {
	at := lineStart.FindSubmatchIndex(line)
	switch {
	case at == nil:
		return append(out, line...)
	case at[2] >= 0:
		out = append(out, line[:at[2]]...)
		line = line[at[2]:]
	}
	return append(append(out, '\\'), line...)
}
