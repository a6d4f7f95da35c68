package main

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// A result is the comparison of one page.
type result struct {
	Package string `json:"package"`
	Page    string `json:"page"`
	Error   string `json:"error,omitempty"`

	Seen    int `json:"seen"`    // visible words
	Shown   int `json:"shown"`   // words in plat's blocks
	Missing int `json:"missing"` // visible, but not in blocks
	Excess  int `json:"excess"`  // in blocks, but not visible

	// Examples of both, the most frequent first, and why the reference
	// considers an excess word invisible.
	MissingWords []string `json:"missing_words,omitempty"`
	ExcessWords  []string `json:"excess_words,omitempty"`

	TruthSeconds, PlatSeconds float64
}

// recall is the share of the visible words in plat's blocks; 1 without visible
// words.
func (r *result) recall() float64 {
	if r.Seen == 0 {
		return 1
	}
	return 1 - float64(r.Missing)/float64(r.Seen)
}

// excess is the share of the words in plat's blocks that are not visible.
func (r *result) excess() float64 {
	if r.Shown == 0 {
		return 0
	}
	return float64(r.Excess) / float64(r.Shown)
}

// tokens returns the maximal runs of letters, digits and their marks, in lower
// case, without invisible hyphenation marks. Only these are compared, because
// programs differ in punctuation and white space. Unicode is not normalised,
// since both sides read the same text nodes.
func tokens(s string) []string {
	s = strings.ToLower(s)
	s = strings.Map(func(r rune) rune {
		switch r {
		case '\u00ad', '\u200b', '\u200c', '\u200d', '\u2060', '\ufeff':
			return -1
		}
		return r
	}, s)
	return strings.FieldsFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r)
	})
}

// compare fills r from both sides.
func (r *result) compare(t *truth, shown string) {
	seen, have := tokens(t.Words), tokens(shown)
	missing, excess := map[string]int{}, map[string]int{}
	for _, w := range seen {
		missing[w]++
	}
	for _, w := range have {
		if missing[w] > 0 {
			missing[w]--
		} else {
			excess[w]++
		}
	}
	// A word split over two elements, "foo" and <b>bar</b>, may be one word for
	// plat and two for the reference, or vice versa. Neither is an error.
	glue(seen, missing, excess)
	glue(have, excess, missing)
	glue(seen, missing, excess) // again, for words released by the second call
	for w, n := range missing {
		both := min(n, excess[w])
		missing[w] -= both
		excess[w] -= both
	}
	// Generated and form control text is not counted as an error.
	for _, w := range tokens(t.Extra) {
		if excess[w] > 0 {
			excess[w]--
		}
	}
	glue(tokens(t.Extra), nil, excess)
	if t.Counters {
		for w := range excess {
			if strings.Trim(w, "0123456789") == "" || len(w) == 1 || strings.Trim(w, "ivxlcdm") == "" {
				delete(excess, w)
			}
		}
	}
	reasons := map[string]string{}
	for _, u := range t.Unseen {
		for _, w := range tokens(u[0]) {
			if reasons[w] == "" {
				reasons[w] = u[1]
			}
		}
	}
	r.Seen, r.Shown = len(seen), len(have)
	r.Missing, r.MissingWords = sum(missing, nil)
	r.Excess, r.ExcessWords = sum(excess, reasons)
}

// glue removes from whole each word formed by consecutive words of seq, and
// those words from parts. Words missing from parts were matched with equal
// ones, which then become left over in whole; that is accepted as long as it
// reduces the total left over. Without parts, all words formed by seq are
// removed.
func glue(seq []string, parts, whole map[string]int) {
	longest := 0
	for w, n := range whole {
		if n > 0 {
			longest = max(longest, len(w))
		}
	}
	for i := 0; i < len(seq); i++ {
		joined := seq[i]
		for j := i + 1; j < len(seq) && len(joined)+len(seq[j]) <= longest; j++ {
			joined += seq[j]
			if whole[joined] > 0 && take(parts, whole, seq[i:j+1]) {
				whole[joined]--
				i = j
				break
			}
		}
	}
}

// take removes the words from parts, if that reduces the total left over.
func take(parts, whole map[string]int, words []string) bool {
	if parts == nil {
		return true
	}
	left := map[string]int{}
	found := 0
	for _, w := range words {
		if left[w]++; left[w] <= parts[w] {
			found++
		}
	}
	if len(words)-found > found {
		return false
	}
	for _, w := range words {
		if parts[w] > 0 {
			parts[w]--
		} else {
			whole[w]++
		}
	}
	return true
}

// examples is the number of example words per kind.
const examples = 8

// sum counts the words left over and returns examples.
func sum(left map[string]int, reasons map[string]string) (int, []string) {
	total := 0
	var words []string
	for w, n := range left {
		if total += n; n > 0 {
			words = append(words, w)
		}
	}
	slices.SortFunc(words, func(a, b string) int {
		return cmp.Or(cmp.Compare(left[b], left[a]), cmp.Compare(a, b))
	})
	words = words[:min(len(words), examples)]
	for i, w := range words {
		if n := left[w]; n > 1 {
			words[i] += "×" + strconv.Itoa(n)
		}
		if why := reasons[w]; why != "" {
			words[i] += " (" + why + ")"
		}
	}
	return total, words
}
