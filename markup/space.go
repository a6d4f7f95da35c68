package markup

import (
	"unicode"
	"unicode/utf8"
)

// Blank reports whether s has no visible characters.
func Blank(s string) bool {
	for _, r := range s {
		if !spaceRune(r) && !zeroWidth(r) {
			return false
		}
	}
	return true
}

// blankBytes is Blank for bytes.
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

// CountChars counts the visible characters of s: without white space and
// zero-width characters.
func CountChars(s string) int32 {
	n := int32(0)
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c > ' ' {
				n++
			}
			i++
			continue
		}
		r, w := utf8.DecodeRuneInString(s[i:])
		if !spaceRune(r) && !zeroWidth(r) {
			n++
		}
		i += w
	}
	return n
}

func spaceRune(r rune) bool { return r <= ' ' || r > 0x7f && unicode.IsSpace(r) }

// zeroWidth reports whether a character has no width of its own: joiners and
// the like, which pages put between words.
func zeroWidth(r rune) bool {
	switch r {
	case 0xad, 0x200b, 0x200c, 0x200d, 0x2060, 0xfeff:
		return true
	}
	return false
}
