package storage

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"plat"
	"plat/markup"
)

// maxSearched is how many bytes of a block's text a search looks at. No reader's
// block is longer; what is, are tables and logs, and one of them should not take
// more of an index than a thousand pages.
const maxSearched = 1 << 20

// SearchText is the text that a search finds a leaf by, beside its topic: what a
// reader sees of its content, or has a click away, of which the first MiB counts.
func SearchText(b *plat.Block, content []byte) string {
	text := markup.Text(content, b.Hidden)
	if len(b.Folded) > 0 {
		folded, _ := markup.Unshown(content, b.Hidden, b.Folded)
		text += "\n" + folded
	}
	if len(text) > maxSearched {
		text = text[:maxSearched]
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// Terms cuts s into words as [Words] does, and folds them as a search compares
// them: without case and diacritics, in the compatibility forms of Unicode. There
// are no stems: who looks for the day on which a sentence appeared means its words.
func Terms(s string) []string {
	var all []string
	for _, t := range terms(s) {
		all = append(all, t.word)
	}
	return all
}

// A term is a folded word and where it stands in its text, in bytes.
type term struct {
	word     string
	from, to int
}

func terms(s string) []term {
	var all []term
	cut(s, func(r rune) bool { return r == softHyphen || inWord(r) }, func(from, to int) {
		if w := fold(s[from:to]); w != "" {
			all = append(all, term{w, from, to})
		}
	})
	return all
}

// softHyphen shows where a word may be broken, and is none of its letters.
const softHyphen = '\u00AD'

// maxTerm is the length of a folded word, in bytes; of longer ones the beginning
// counts. They are keys and other machine's words.
const maxTerm = 64

func fold(w string) string {
	if !ascii(w) {
		// Decomposed, to be rid of diacritics; composed again, so that syllables of
		// Korean are one letter as before.
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
