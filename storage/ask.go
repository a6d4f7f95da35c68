package storage

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ParsedQuery is what the words of a search ask for. A phrase is one word or more that
// stand next to each other in a text, or in a topic.
type ParsedQuery struct {
	All  [][]string // phrases of which all occur
	None [][]string // phrases of which none does
}

// maxAsked is how many words of a search count, those of phrases included.
const maxAsked = 64

// Ask reads the words of a search: what is between quotation marks is a phrase,
// and what is written together is one too ("e-mail", "don't", a name in
// ideographs). After a minus it must not occur. Nothing is an error: of a mark
// that is not closed the phrase ends with the text. The first 64 words count.
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

// quotes are quotation marks with those that close them.
var quotes = map[rune]string{'"': `"`, '“': "”", '„': "“", '«': "»", '「': "」", '『': "』"}

// nextItem cuts off what is quoted, or what is written together.
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

// between reports whether r stands between two items: blanks, and the punctuation
// of scripts that write none.
func between(r rune) bool {
	return unicode.IsSpace(r) || strings.ContainsRune("，、。；：！？（）《》", r)
}
