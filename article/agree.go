package article

import (
	"strings"
	"unicode"
)

// declaredTitle is a title that the page declares, with its words counted.
type declaredTitle struct {
	text  string
	words map[string]int
	n     int // words in all
}

func declare(s string) declaredTitle {
	d := declaredTitle{text: s, words: map[string]int{}}
	for _, w := range tokens(s) {
		d.words[w]++
		d.n++
	}
	return d
}

// agreement is the best share of common words that a text has with one of the
// titles: 2 × common ÷ (words of both), 0 to 1 (Dice 1945).
func agreement(s string, titles []declaredTitle) float64 {
	best := 0.0
	if len(titles) == 0 {
		return best
	}
	counts := map[string]int{}
	words := tokens(s)
	for _, w := range words {
		counts[w]++
	}
	for _, t := range titles {
		common := 0
		for w, n := range counts {
			common += min(n, t.words[w])
		}
		if n := len(words) + t.n; n > 0 {
			best = max(best, 2*float64(common)/float64(n))
		}
	}
	return best
}

// tokens are the words of a text in lower case; a letter of a script written
// without blanks is one.
func tokens(s string) (all []string) {
	s = strings.ToLower(s)
	from := -1
	end := func(at int) {
		if from >= 0 {
			all = append(all, s[from:at])
			from = -1
		}
	}
	for i, r := range s {
		switch {
		case blankless(r):
			end(i)
			all = append(all, string(r))
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			end(i)
		case from < 0:
			from = i
		}
	}
	end(len(s))
	return all
}

// letters is how many of a script without blanks make a word.
const letters = 2

// blankless reports whether a letter is of a script that sets no blanks between
// words. Korean does.
func blankless(r rune) bool {
	return r >= 0x0e00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// wordCount is the number of words: of runs without a blank, and of what letters
// without blanks make.
func wordCount(s string) int {
	wide := 0
	for _, r := range s {
		if blankless(r) {
			wide++
		}
	}
	return len(strings.Fields(s)) + wide/letters
}

// same compares two names without regard to case and marks; nothing is the same
// as no name.
func same(a, b string) bool {
	a, b = bare(a), bare(b)
	return a != "" && a == b
}

func bare(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}
