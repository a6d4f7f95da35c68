package main

import (
	"strings"
	"unicode"

	"plat/plat"
)

// bag is a multiset of words.
type bag map[string]int

// wordsOf splits text into runs of letters and digits, like the expected words
// of the page set.
func wordsOf(text string) []string {
	return strings.FieldsFunc(text, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) })
}

func (b bag) add(words []string) {
	for _, w := range words {
		b[w]++
	}
}

func (b bag) remove(words []string) {
	for _, w := range words {
		if b[w]--; b[w] <= 0 {
			delete(b, w)
		}
	}
}

func (b bag) size() int {
	n := 0
	for _, c := range b {
		n += c
	}
	return n
}

// recall returns the share of the expected words in got, with multiplicity; 1 without
// expected words.
func recall(truth, got bag) float64 {
	n, both := 0, 0
	for w, c := range truth {
		n += c
		both += min(c, got[w])
	}
	if n == 0 {
		return 1
	}
	return float64(both) / float64(n)
}

// equal reports whether two captures have the same words equally often.
func equal(a, b bag) bool {
	if len(a) != len(b) {
		return false
	}
	for w, c := range a {
		if b[w] != c {
			return false
		}
	}
	return true
}

// recorded is the origin at which the expected words were recorded.
const recorded = "http://127.0.0.1:9411"

// at converts a recorded URL to plat's URL when the set is served at origin.
func at(origin, url string) (string, error) {
	return plat.Canonical(origin+strings.TrimPrefix(url, recorded), plat.TrackingParams)
}

// rebase replaces the words of the recorded origin by those of a new one: some
// pages show their own address.
func rebase(words, origin string) string {
	from, to := strings.Join(wordsOf(recorded), " "), strings.Join(wordsOf(origin), " ")
	return strings.ReplaceAll(words, from, to)
}
