package markup

import (
	"unicode"
	"unicode/utf8"
)

// Blank reports whether a reader would see nothing of s.
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

// CountChars counts what a reader would call the characters of s: white space and what has no
// width are none.
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

// zeroWidth holds for what pages use as glue between words: seen only together
// with other characters.
func zeroWidth(r rune) bool {
	switch r {
	case 0xad, 0x200b, 0x200c, 0x200d, 0x2060, 0xfeff:
		return true
	}
	return false
}
