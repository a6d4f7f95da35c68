package markup

import (
	"unicode"
	"unicode/utf8"
)

// Blank reports whether s has no visible characters.
func Blank(s string) bool {
	for len(s) > 0 && s[0] <= ' ' {
		s = s[1:]
	}
	if len(s) > 0 && s[0] < utf8.RuneSelf {
		return false
	}
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

// spaceAt is the length of the white space that s begins with.
func spaceAt(s []byte) int {
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			if c > ' ' {
				return i
			}
			i++
			continue
		}
		r, n := utf8.DecodeRune(s[i:])
		if !spaceRune(r) {
			return i
		}
		i += n
	}
	return len(s)
}

// wordAt is the length of the word that s begins with.
func wordAt(s []byte) int {
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			if c <= ' ' {
				return i
			}
			i++
			continue
		}
		r, n := utf8.DecodeRune(s[i:])
		if spaceRune(r) {
			return i
		}
		i += n
	}
	return len(s)
}

// lineAt is the length of the ASCII words, with single blanks between them, that s begins
// with. It is 0 where a word goes on with other characters.
func lineAt(s []byte) int {
	words := 0 // the length of the whole words
	for i := 0; ; i++ {
		switch {
		case i < len(s) && s[i] > ' ' && s[i] < utf8.RuneSelf:
			continue
		case i < len(s) && s[i] >= utf8.RuneSelf:
			return words
		case i == 0 || s[i-1] == ' ':
			return words
		}
		if words = i; i == len(s) || s[i] != ' ' {
			return words
		}
	}
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
