package main

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// A result is how one page came out.
type result struct {
	Package string `json:"package"`
	Page    string `json:"page"`
	Error   string `json:"error,omitempty"`

	Seen    int `json:"seen"`    // words a reader sees
	Shown   int `json:"shown"`   // words plat shows
	Missing int `json:"missing"` // seen, but not shown
	Excess  int `json:"excess"`  // shown, but not seen

	// Examples of both, the most frequent first, with why the truth thinks an
	// excess word is not seen.
	MissingWords []string `json:"missing_words,omitempty"`
	ExcessWords  []string `json:"excess_words,omitempty"`

	TruthSeconds, PlatSeconds float64
}

// recall is the part of the seen words that plat shows; 1 where none is seen.
func (r *result) recall() float64 {
	if r.Seen == 0 {
		return 1
	}
	return 1 - float64(r.Missing)/float64(r.Seen)
}

// excess is the part of the shown words that nobody sees.
func (r *result) excess() float64 {
	if r.Shown == 0 {
		return 0
	}
	return float64(r.Excess) / float64(r.Shown)
}

// tokens are the maximal runs of letters, digits and their marks, in lower case, without
// the invisible marks of where a word may be broken. Only they are compared: punctuation
// and white space come out in as many ways as there are programs. Normal forms of Unicode
// are left alone, as both sides read the same text nodes.
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

// compare fills r from what both see.
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
	// A word of two elements, "foo" and <b>bar</b>, is one for plat and two for the
	// truth, or the other way round. Neither is an error.
	glue(seen, missing, excess)
	glue(have, excess, missing)
	glue(seen, missing, excess) // what the second has set free
	for w, n := range missing {
		both := min(n, excess[w])
		missing[w] -= both
		excess[w] -= both
	}
	// What is generated or stands in controls is nobody's error.
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

// glue takes from whole each word that consecutive words of seq make together, and those
// words from parts. A word that is not left over in parts was matched with another like
// it, which then is left over in whole; that is worth it as long as fewer are left in all.
// Without parts, whatever seq makes is taken.
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

// take moves the words out of parts, if that leaves fewer words over.
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

// examples is how many words are shown of each kind.
const examples = 8

// sum counts what is left and gives examples.
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
