package markup

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// Scanning eight bytes at a time gives the same result as scanning one by one.
func TestManyBytesAtATimeAreReadLikeOne(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"a", "b", "~", "!", " ", " ", "\n", "\x00", "\x1f", "\x7f", "&", "<", ">", `"`, "'", "=", "?", "\xc2", "\xa0", "\x80", "\u00a0", "\u00ad", "\u200b", "\u3000", "é", "汉", "\xff"}
	for range 200_000 {
		var b strings.Builder
		for range r.IntN(24) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		s := b.String()

		chars := int32(0)
		for _, c := range s {
			if !spaceRune(c) && !zeroWidth(c) {
				chars++
			}
		}
		if got := CountChars(s); got != chars {
			t.Fatalf("%q has %d characters, not %d", s, chars, got)
		}
		if got := Blank(s); got != (chars == 0) {
			t.Fatalf("%q has %d characters; is it blank? %v", s, chars, got)
		}
		at := len(s)
		for i := range len(s) {
			if strings.IndexByte("&<>\"\xc2", s[i]) >= 0 {
				at = i
				break
			}
		}
		if got := escapeAt(s, 0); got != at {
			t.Fatalf("%q is to be escaped at %d, not %d", s, at, got)
		}

		// Line by line and word by word give the same text.
		var lines, words textBuilder
		words.placed = func([]byte, int) {}
		lines.words([]byte(s))
		words.words([]byte(s))
		if string(lines.b) != string(words.b) || lines.space != words.space {
			t.Fatalf("%q by lines: %q, by words: %q", s, lines.b, words.b)
		}
	}
}

// Eight characters at a time, a line is as long as one by one.
func TestLinesAreAsLongAsOneByOne(t *testing.T) {
	slow := func(s []byte) int {
		words := 0
		for i, c := range s {
			switch {
			case c >= utf8.RuneSelf, c <= ' ' && (i == 0 || s[i-1] == ' '):
				return words
			case c <= ' ' && c != ' ':
				return i
			case c == ' ':
				words = i
			}
		}
		if n := len(s); n > 0 && s[n-1] != ' ' {
			return n
		}
		return words
	}
	r := rand.New(rand.NewPCG(1, 2))
	const chars = "abcdefghijklmnopqrstuvwxyz0123456789,.-!~\x7f     "
	for range 100_000 {
		s := make([]byte, r.IntN(40))
		for i := range s {
			s[i] = chars[r.IntN(len(chars))]
		}
		for _, c := range []byte{' ', '\n', '\t', 0, 0x1f, 0xc3, 0xff, 0x80} {
			if len(s) > 0 && r.IntN(12) == 0 {
				s[r.IntN(len(s))] = c
			}
		}
		if got, want := lineAt(s), slow(s); got != want {
			t.Fatalf("%q: %d, want %d", s, got, want)
		}
	}
}

// TestSpaceAndWordsAreDividedAtEachCharacter compares with a scan character by character.
func TestSpaceAndWordsAreDividedAtEachCharacter(t *testing.T) {
	space := func(r rune) bool { return r <= ' ' || r != 0x7f && unicode.IsSpace(r) }
	pieces := []string{"", "a", "~", "\x7f", " ", "\n", "\x00", "é", "\u00a0", "\u0085", "\u3000", "\u200b", "汉"}
	for _, a := range pieces {
		for _, b := range pieces {
			for _, c := range pieces {
				s := a + b + c
				spaces, word := len(s), len(s)
				for i, r := range s {
					if !space(r) {
						spaces = min(spaces, i)
					} else {
						word = min(word, i)
					}
				}
				if got := spaceAt([]byte(s)); got != spaces {
					t.Errorf("%q begins with %d bytes of space, not %d", s, spaces, got)
				}
				if got := wordAt([]byte(s)); got != word {
					t.Errorf("%q begins with a word of %d bytes, not %d", s, word, got)
				}
			}
		}
	}
}

// TestTagsEndAtTheirBracket: of a tag that is cut, all is the tag.
func TestTagsEndAtTheirBracket(t *testing.T) {
	for _, tc := range []struct {
		text, name string
		length     int
	}{
		{"<a>b", "a", 3}, {"</a>b", "a", 4}, {"<a href=\"x\">b", "a", 12}, {"<br", "br", 3}, {"<br ", "br", 4}, {"<br a", "br", 5}, {"</", "", 2}, {"<", "", 1}, {"<>", "", 2}, {"</>", "", 3}, {"<p >q>", "p", 4},
	} {
		if name, length := tag([]byte(tc.text)); string(name) != tc.name || length != tc.length {
			t.Errorf("%q begins with a tag %q of %d bytes, want %q of %d", tc.text, name, length, tc.name, tc.length)
		}
	}
}
