package markup

import (
	"encoding/binary"
	"math/bits"
	"unicode"
	"unicode/utf8"
)

// Blank reports whether s has no visible characters.
func Blank(s string) bool {
	i := 0
	for i < len(s) && s[i] <= ' ' {
		i++
	}
	if i < len(s) && s[i] < utf8.RuneSelf {
		return false
	}
	for _, r := range s[i:] {
		if !spaceRune(r) && !zeroWidth(r) {
			return false
		}
	}
	return true
}

// blankBytes implements Blank for bytes.
func blankBytes(s []byte) bool {
	if len(s) > 0 && s[0] > ' ' && s[0] < utf8.RuneSelf {
		return false
	}
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
	n, i := int32(0), 0
	// Eight ASCII characters at a time: those above the blank carry into the highest bit.
	for ; i+8 <= len(s); i += 8 {
		x := word(s[i : i+8])
		if x&highs != 0 {
			break
		}
		n += int32(bits.OnesCount64((x + (0x80-'!')*ones) & highs))
	}
	for i < len(s) {
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

// spaceAt returns the length of the white space at the start of s.
func spaceAt(s []byte) int {
	i := 0
	for i < len(s) && s[i] <= ' ' {
		i++
	}
	if i == len(s) || s[i] < utf8.RuneSelf {
		return i
	}
	return i + runAt(s[i:], true)
}

// wordAt returns the length of the word at the start of s.
func wordAt(s []byte) int { return runAt(s, false) }

func runAt(s []byte, space bool) int {
	for i := 0; i < len(s); {
		r, n := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRune(s[i:])
		}
		if spaceRune(r) != space {
			return i
		}
		i += n
	}
	return len(s)
}

// lineAt returns the length of the ASCII words, with single blanks between them, at the start of s.
// It is 0 if a word continues with other characters.
func lineAt(s []byte) int {
	words := 0 // the length of the whole words
	i, after := 0, uint64(0x80)
	for ; i+8 <= len(s); i += 8 {
		x := binary.LittleEndian.Uint64(s[i:])
		blanks := ^(x + (0x80-'!')*ones) & highs
		if (x|^(x+(0x80-' ')*ones))&highs != 0 || blanks&(blanks<<8|after) != 0 {
			break // other characters, or several blanks
		}
		if blanks != 0 {
			words = i + 7 - bits.LeadingZeros64(blanks)/8
		}
		after = blanks >> 56
	}
	for ; i < len(s); i++ {
		c := s[i]
		switch {
		case c >= utf8.RuneSelf:
			return words
		case c > ' ':
			continue
		case i == 0 || s[i-1] == ' ':
			return words
		}
		if words = i; c != ' ' {
			return words
		}
	}
	if n := len(s); n > 0 && s[n-1] != ' ' {
		return n
	}
	return words
}

// A number of eight bytes, each of them 1 or with only its highest bit.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// word returns eight bytes as a number.
func word(b string) uint64 {
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
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
