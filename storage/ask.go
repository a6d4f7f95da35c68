package storage

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ParsedQuery is a parsed search query. A phrase is one or more consecutive words of
// a text or topic.
type ParsedQuery struct {
	All  [][]string // phrases that must all occur
	None [][]string // phrases that must not occur
}

// maxAsked limits the words of a query, including those in phrases.
const maxAsked = 64

// Ask parses a search query. Quoted text is a phrase, and so is text without blanks
// ("e-mail", "don't", a name in ideographs). A leading minus excludes it. Every input
// is valid: an unclosed quotation ends with the text. Words after the first 64 are
// ignored.
func Ask(words string) ParsedQuery {
	var a ParsedQuery
	left := maxAsked
	for {
		words = strings.TrimLeftFunc(words, between)
		if words == "" {
			return a
		}
		into := &a.All
		if rest, not := strings.CutPrefix(words, "-"); not {
			words, into = rest, &a.None
		}
		var item string
		item, words = nextItem(words)
		phrase := Terms(item)
		phrase = phrase[:min(len(phrase), left)]
		left -= len(phrase)
		if len(phrase) > 0 && !slices.ContainsFunc(*into, func(p []string) bool { return slices.Equal(p, phrase) }) {
			*into = append(*into, phrase)
		}
	}
}

// quotes maps opening to closing quotation marks.
var quotes = map[rune]string{'"': `"`, '“': "”", '„': "“", '«': "»", '「': "」", '『': "』"}

// nextItem cuts off a quotation, or text up to the next separator.
func nextItem(s string) (item, rest string) {
	r, size := utf8.DecodeRuneInString(s)
	if end, ok := quotes[r]; ok {
		item, rest, _ = strings.Cut(s[size:], end)
		return item, rest
	}
	i := strings.IndexFunc(s, func(r rune) bool { return between(r) || quotes[r] != "" })
	if i < 0 {
		i = len(s)
	}
	return s[:i], s[i:]
}

// between reports whether r separates items: blanks, and punctuation that is not
// followed by a blank in its script.
func between(r rune) bool {
	return unicode.IsSpace(r) || strings.ContainsRune("，、。；：！？（）《》", r)
}
