package article

import (
	"strings"
	"unicode"

	"plat/plat/excerpt"
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

// agreement returns the highest Dice coefficient of a text's words with those of a title: 2 × common
// ÷ (words of both), 0 to 1 (Dice 1945).
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

// tokens returns the words of a text in lower case; in scripts written without
// blanks, each letter is a token.
func tokens(s string) (all []string) {
	s = strings.ToLower(excerpt.Undivided(s))
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

// letters is the number of letters that count as a word in a script without
// blanks.
const letters = 2

// blankless reports whether a letter belongs to a script without blanks between
// words. Korean has blanks.
func blankless(r rune) bool {
	return r >= 0x0e00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// wordCount returns the number of words: runs without a blank, plus the letters of scripts without
// blanks, converted to words.
func wordCount(s string) int {
	wide := 0
	for _, r := range s {
		if blankless(r) {
			wide++
		}
	}
	return len(strings.Fields(s)) + wide/letters
}

// same compares two names, ignoring case and punctuation; empty names are never
// the same.
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
