package storage

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"plat/plat"
	"plat/segment/markup"
)

// maxSearched limits the searchable part of a block's text, in bytes. Longer blocks are tables
// and logs, and one of them must not take more of the index than a thousand pages.
const maxSearched = 1 << 20

// SearchText returns the searchable text of a leaf in addition to its topic: the first MiB of
// its visible and folded text.
func SearchText(b *plat.Block, content []byte) string {
	text := markup.SearchText(content, b.Hidden)
	if len(b.Folded) > 0 {
		folded, _ := markup.Unshown(content, b.Hidden, b.Folded)
		text += "\n" + folded
	}
	if len(text) > maxSearched {
		text = text[:maxSearched]
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// Terms splits s into words as [Words] does, and folds case, diacritics and Unicode
// compatibility forms. There is no stemming: searches for the first appearance of a
// sentence need its exact words.
func Terms(s string) []string {
	var all []string
	for _, t := range terms(s) {
		all = append(all, t.word)
	}
	return all
}

// EarlierTerms returns the words as Terms did until 2026-11-29, split at zero-width characters, and whether they differ. Indexes that
// are not rebuilt have them.
func EarlierTerms(s string) (words []string, differ bool) {
	apart := strings.Map(func(r rune) rune {
		if r != 0xad && zeroWidth(r) {
			differ = true
			return ' '
		}
		return r
	}, s)
	if !differ {
		return nil, false
	}
	return Terms(apart), true
}

// term is a folded word and its position in the text, in bytes.
type term struct {
	word     string
	from, to int
}

func terms(s string) []term {
	var all []term
	cut(s, func(r rune) bool { return zeroWidth(r) || inWord(r) }, func(from, to int) {
		if w := fold(s[from:to]); w != "" {
			all = append(all, term{w, from, to})
		}
	})
	return all
}

// zeroWidth reports whether a character is within a word without being part of it: a possible line break, a joiner, a mark of
// direction.
func zeroWidth(r rune) bool {
	switch r {
	case 0xad, 0x200b, 0x200c, 0x200d, 0x200e, 0x200f, 0x2060, 0x2061, 0x2062, 0x2063, 0x2064, 0xfeff, 0x61c, 0x180e, 0x34f:
		return true
	}
	return false
}

// maxTerm limits a folded word, in bytes. Longer words, such as keys and other
// machine-generated tokens, are truncated.
const maxTerm = 64

func fold(w string) string {
	if !ascii(w) {
		// Decompose to remove diacritics, then compose again, so that Korean
		// syllables remain single letters.
		w = norm.NFC.String(strings.ToLower(strings.Map(func(r rune) rune {
			if r >= 0x300 && r <= 0x36F || !inWord(r) {
				return -1
			}
			return r
		}, norm.NFKD.String(w))))
	} else {
		w = strings.ToLower(w)
	}
	if len(w) > maxTerm {
		end := maxTerm
		for !utf8.RuneStart(w[end]) {
			end--
		}
		w = w[:end]
	}
	return w
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// inWord reports whether r is part of words.
func inWord(r rune) bool { return unicode.In(r, unicode.L, unicode.M, unicode.N) }
