package diff

import (
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// Op is the operation of a Span.
type Op uint8

// The operations.
const (
	Equal  Op = iota // in both texts
	Delete           // in the old text only
	Insert           // in the new text only
)

// String returns "equal", "delete" or "insert".
func (o Op) String() string { return [...]string{"equal", "delete", "insert"}[o] }

// Span is a stretch of words, each with its preceding white space.
type Span struct {
	Op   Op
	Text string
}

// Words returns the word diff of two texts for display. Words are those of Unicode Standard Annex
// #29, with each punctuation mark separate; Chinese is split by character, emoji are never split.
//
// The amount of white space before a word does not matter, but its presence does. Equal and Insert
// spans concatenated are the new text byte for byte; Equal and Delete spans the old one except for
// white space. Neighbouring spans differ in Op; Delete precedes Insert. One or two equal words
// between longer changes count as changed, see islands. All spans are Equal if and only if the texts
// have the same words.
//
// For texts of more than 4 MB together, only the equal lines at the beginning and at the end are
// Equal.
func Words(old, new string) []Span {
	if len(old)+len(new) > longest {
		return betweenLines(old, new)
	}
	a, b := tokens(old), tokens(new)
	var out []Span
	i, j := 0, 0
	span := func(op Op, text string, ts []token) {
		if len(ts) > 0 {
			out = append(out, Span{op, text[ts[0].from:ts[len(ts)-1].to]})
		}
	}
	for _, r := range islands(ByLines(keys(old, a), keys(new, b), ends(old, a), ends(new, b)), len(a), len(b)) {
		span(Delete, old, a[i:r.A])
		span(Insert, new, b[j:r.B])
		span(Equal, new, b[r.B:r.B+r.N])
		i, j = r.A+r.N, r.B+r.N
	}
	span(Delete, old, a[i:])
	span(Insert, new, b[j:])
	return out
}

// longest is the maximum length of two texts, in bytes, that are compared by words: each word takes
// some fifty bytes.
const longest = 4 << 20

// betweenLines returns the equal lines at the beginning and at the end of two texts, and all lines
// between as changed.
func betweenLines(old, new string) (out []Span) {
	if old == new {
		return []Span{{Equal, new}}
	}
	from, to := 0, 0
	for i := 0; i < min(len(old), len(new)) && old[i] == new[i]; i++ {
		if old[i] == '\n' {
			from = i + 1
		}
	}
	for i := 1; i <= min(len(old), len(new))-from && old[len(old)-i] == new[len(new)-i]; i++ {
		if old[len(old)-i] == '\n' {
			to = i
		}
	}
	for _, s := range []Span{{Equal, new[:from]}, {Delete, old[from : len(old)-to]}, {Insert, new[from : len(new)-to]}, {Equal, new[len(new)-to:]}} {
		if s.Text != "" {
			out = append(out, s)
		}
	}
	return out
}

// islandWords is the longest run of equal words discarded between two changes: an
// "and the" that two sentences share by chance only makes the diff harder to read.
// Longer runs are usually unchanged phrases.
const islandWords = 2

// islands removes short runs between changes of both texts that are each at least
// twice as long. m and n are the total numbers of words.
func islands(runs []Run, m, n int) []Run {
	kept := runs[:0]
	x, y := 0, 0 // end of the last run kept
	for i, r := range runs {
		nextA, nextB := m, n
		if i+1 < len(runs) {
			nextA, nextB = runs[i+1].A, runs[i+1].B
		}
		before := min(r.A-x, r.B-y)
		after := min(nextA-r.A-r.N, nextB-r.B-r.N)
		if r.N <= islandWords && before >= 2*r.N && after >= 2*r.N {
			continue
		}
		kept = append(kept, r)
		x, y = r.A+r.N, r.B+r.N
	}
	return kept
}

// ends returns the ends of the lines of a text, as word indexes.
func ends(text string, ts []token) (all []int) {
	for i, t := range ts {
		if i > 0 && strings.IndexByte(text[t.from:t.word], '\n') >= 0 {
			all = append(all, i)
		}
	}
	return append(all, len(ts))
}

// token is a word with its preceding white space: text[from:to]. The last of a text
// includes trailing white space too.
type token struct{ from, word, end, to int }

// key holds the properties of a token that must be equal for two tokens to be equal.
type key struct {
	word  string
	apart bool // preceded by white space, or first in the text
}

func keys(text string, ts []token) []key {
	ks := make([]key, len(ts))
	for i, t := range ts {
		ks[i] = key{text[t.word:t.end], i == 0 || t.from < t.word}
	}
	return ks
}

// tokens splits text into words. Text without any word has no tokens.
func tokens(text string) []token {
	ts := make([]token, 0, len(text)/5)
	for t := range eachToken(text) {
		ts = append(ts, t)
	}
	if len(ts) > 0 {
		ts[len(ts)-1].to = len(text)
	}
	return ts
}

// eachToken ranges over the words of a text, without the white space at its end.
func eachToken(text string) iter.Seq[token] {
	return func(yield func(token) bool) {
		for from, at := 0, 0; at < len(text); {
			if n := space(text[at:]); n > 0 {
				at += n
				continue
			}
			end := at + wordLen(text[at:])
			if !yield(token{from, at, end, end}) {
				return
			}
			from, at = end, end
		}
	}
}

// Each ranges over the words of a text as [Split] returns them, without holding them all in memory.
func Each(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for t := range eachToken(text) {
			if !yield(text[t.word:t.end]) {
				return
			}
		}
	}
}

// Split returns the words of a text, in the sense of [Words]: text[w[0]:w[1]], without
// white space.
func Split(text string) [][2]int {
	ts := tokens(text)
	all := make([][2]int, len(ts))
	for i, t := range ts {
		all[i] = [2]int{t.word, t.end}
	}
	return all
}

// wordLen returns the length of the first word of text, which does not begin with
// white space. ASCII is handled here, which is several times faster; words adjacent
// to other characters are left to uniseg.
func wordLen(text string) int {
	i := 0
	for i < len(text) && (narrow(text[i]) || text[i] == '_') {
		i++
	}
	switch {
	case i == len(text):
		return i
	case text[i] >= utf8.RuneSelf, i > 0 && joins(text[i]):
		w, _, _ := uniseg.FirstWordInString(text, -1)
		// uniseg separates white space other than blanks, except after a joiner; a token must not
		// contain any.
		for k := range w {
			if k > 0 && space(w[k:]) > 0 {
				return k
			}
		}
		return len(w)
	case i > 0:
		return i
	case i+1 < len(text) && text[i+1] >= utf8.RuneSelf:
		w, _, _ := uniseg.FirstWordInString(text, -1) // a key cap, an accent
		return len(w)
	}
	return 1
}

// joins reports whether c can occur inside a word: "don't", "1,000", "example.com".
func joins(c byte) bool { return c == '\'' || c == '.' || c == ',' || c == ':' || c == ';' }
