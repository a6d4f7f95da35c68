package storage

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"plat/plat"
)

// BlockQuery selects blocks. Zero fields do not restrict.
type BlockQuery struct {
	Host   string       // exact match
	URL    string       // prefix
	Labels []plat.Label // any of them; none: all
	Topic  string       // all its [Words] must be in the block's topic
	Since  time.Time    // inclusive lower bound of Taken of the first version with this content
	Until  time.Time    // exclusive upper bound of the same time
	Head   bool         // only blocks of the URLs' last versions
	Limit  int          // maximum number of results; 0: no limit

	// SkipFirst omits the contents of the oldest kept version of each URL: their only news is that
	// the page was archived.
	SkipFirst bool

	// Changes selects the changes between versions instead of contents: see [BlockChange]. Labels and
	// Topic are those of the block, for a removed one as it was; Since and Until are bounds of the
	// time of the version that has the change. Not with Head.
	Changes bool
}

// Found is a block that matches a query, with the first version that had this content
// in its lineage.
type Found struct {
	URL   string
	N     int
	Taken time.Time
	Block plat.Block // as in [Span]

	// SelfChange is the reason, from package noise, why the block is a self-change and not
	// news. It is empty for news, and for blocks of last versions.
	SelfChange string

	// Change is set by queries for Changes. N and Taken are then those of the version with the change.
	Change *BlockChange
}

// BlockChange is the change of a leaf block against the version before: a content begins in its
// lineage, for the first time or again, or a lineage ends.
type BlockChange struct {
	Kind plat.Kind   // see [Began]; [plat.Removed]: the block of Found is the one that was removed
	N    int         // the version before; 0 if Kind is [First]
	Took time.Time   // when that was taken
	Old  *plat.Block // the block in that version, as in [Span]; nil if its lineage was not there
}

// Kinds of changes beside those of package plat.
const (
	First      plat.Kind = "first"   // a block of the oldest kept version of its URL
	Unrecorded plat.Kind = "changed" // a block of a version that was stored without the kinds of its changes
)

// Match reports whether f matches q in label, topic and time. It ignores Host, URL,
// Head and Limit.
func (q *BlockQuery) Match(f *Found) bool {
	switch {
	case len(q.Labels) > 0 && !slices.Contains(q.Labels, f.Block.Label),
		!q.Since.IsZero() && f.Taken.Before(q.Since),
		!q.Until.IsZero() && !f.Taken.Before(q.Until):
		return false
	case q.Topic == "":
		return true
	}
	have := Words(f.Block.Topic)
	for _, w := range Words(q.Topic) {
		if !slices.Contains(have, w) {
			return false
		}
	}
	return true
}

// Words splits s into lower-case words for comparison: runs of letters, marks and
// digits. Ideographs, kana and syllables of Thai, Lao and Khmer, which are written
// without blanks, are single words, so that a part of a name is found without a
// dictionary.
func Words(s string) []string {
	var words []string
	s = strings.ToLower(s)
	cut(s, inWord, func(from, to int) { words = append(words, s[from:to]) })
	return words
}

// cut calls word with the bounds of each word of s; letter reports the characters of
// words.
func cut(s string, letter func(rune) bool, word func(from, to int)) {
	start := -1
	end := func(i int) {
		if start >= 0 {
			word(start, i)
			start = -1
		}
	}
	for i, r := range s {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer):
			end(i)
			word(i, i+utf8.RuneLen(r))
		case letter(r):
			if start < 0 {
				start = i
			}
		default:
			end(i)
		}
	}
	end(len(s))
}

// Site parses user input: a host, or a URL prefix.
func Site(text string) (host, prefix string) {
	if strings.Contains(text, "://") {
		return "", text
	}
	return strings.ToLower(text), ""
}

// Host returns the host of a URL, with its port if given: two ports are two sites. A
// text without "://" has the empty host.
func Host(url string) string {
	_, rest, ok := strings.Cut(url, "://")
	if !ok {
		return ""
	}
	if i := strings.IndexAny(rest, "/?#\\"); i >= 0 {
		rest = rest[:i]
	}
	return rest[strings.LastIndexByte(rest, '@')+1:]
}
