package diff

import (
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// Op is what a Span is.
type Op uint8

// The operations.
const (
	Equal  Op = iota // in both texts
	Delete           // in the old text only
	Insert           // in the new text only
)

// String is "equal", "delete" or "insert".
func (o Op) String() string { return [...]string{"equal", "delete", "insert"}[o] }

// Span is a stretch of words, with the white space before each.
type Span struct {
	Op   Op
	Text string
}

// Words returns the difference of two texts, word by word, to be shown to
// people. Words are those of Unicode Standard Annex #29, each mark of
// punctuation being one of its own; Chinese goes character by character, emoji
// are never torn apart.
//
// How much white space stands before a word does not matter, but whether any
// does. Equal and Insert spans put together are the new text byte for byte;
// Equal and Delete spans the old one but for its white space. Neighbouring spans
// differ in Op; Delete comes before Insert. One or two words that stayed between
// longer changes go with these, see islands. All spans are Equal if and only if
// the texts have the same words.
func Words(old, new string) []Span {
	a, b := tokens(old), tokens(new)
	var out []Span
	i, j := 0, 0
	span := func(op Op, text string, ts []token) {
		if len(ts) > 0 {
			out = append(out, Span{op, text[ts[0].from:ts[len(ts)-1].to]})
		}
	}
	for _, r := range islands(LCS(keys(old, a), keys(new, b)), len(a), len(b)) {
		span(Delete, old, a[i:r.A])
		span(Insert, new, b[j:r.B])
		span(Equal, new, b[r.B:r.B+r.N])
		i, j = r.A+r.N, r.B+r.N
	}
	span(Delete, old, a[i:])
	span(Insert, new, b[j:])
	return out
}

// islandWords is the longest run of equal words that is given up between two
// changes: an "and the" that two sentences have in common by chance only tears
// them apart for the reader. One word more, and it mostly is a phrase that stayed.
const islandWords = 2

// islands leaves out short runs between changes of both texts that are each at
// least twice as long. m and n are the numbers of words in all.
func islands(runs []Run, m, n int) []Run {
	kept := runs[:0]
	x, y := 0, 0 // where the last run kept ends
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

// token is a word with the white space before it: text[from:to]. The last of a
// text has that after it, too.
type token struct{ from, word, end, to int }

// key is what makes two tokens equal.
type key struct {
	word  string
	apart bool // white space stands before it, or nothing at all
}

func keys(text string, ts []token) []key {
	ks := make([]key, len(ts))
	for i, t := range ts {
		ks[i] = key{text[t.word:t.end], i == 0 || t.from < t.word}
	}
	return ks
}

// tokens cuts text into words. Text without any word is no token.
func tokens(text string) []token {
	ts := make([]token, 0, len(text)/5)
	for from, at := 0, 0; at < len(text); {
		if n := space(text[at:]); n > 0 {
			at += n
			if at == len(text) && len(ts) > 0 {
				ts[len(ts)-1].to = at
			}
			continue
		}
		end := at + wordLen(text[at:])
		ts = append(ts, token{from, at, end, end})
		from, at = end, end
	}
	return ts
}

// wordLen is the length of the word that text, which begins with no white space,
// begins with. ASCII is decided here, which is several times faster; what stands
// next to anything else is left to uniseg.
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
		// uniseg keeps white space other than blanks apart but for a joiner
		// before it; a token holds none.
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

// joins reports whether c can stand inside a word: "don't", "1,000", "example.com".
func joins(c byte) bool { return c == '\'' || c == '.' || c == ',' || c == ':' || c == ';' }
