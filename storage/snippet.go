package storage

import (
	"slices"
	"unicode/utf8"
)

// Part is a piece of a snippet.
type Part struct {
	Text  string
	Match bool // it is what was searched for
}

// A match is where a phrase of a search occurs: Terms from..to of a text.
type match struct{ phrase, from, to int }

// Snippet returns the part of text that shows best what a search for words found
// in it, about around characters long: where most of the phrases are near each
// other, else where the text begins. What is left out is an ellipsis. With around
// 0 it is the whole text, so that all words can be marked.
func Snippet(text, words string, around int) []Part {
	ts := terms(text)
	found := matches(ts, Ask(words).All)
	if len(ts) == 0 || around <= 0 {
		return parts(text, ts, found, 0, len(text))
	}
	// at[i] is how many characters stand before term i, at[len(ts)] all of them.
	at := make([]int, len(ts)+1)
	n, b := 0, 0
	for i, t := range ts {
		n += utf8.RuneCountInString(text[b:t.from])
		at[i], b = n, t.from
	}
	at[len(ts)] = n + utf8.RuneCountInString(text[b:])
	first, last := best(found, at, around)
	// What room is left goes to both sides, and what one has no use for to the other.
	room := around - (at[last] - at[first])
	left := first
	for left > 0 && at[first]-at[left-1] <= room/2 {
		left--
	}
	for last < len(ts) && at[last+1]-at[left] <= around {
		last++
	}
	for left > 0 && at[last]-at[left-1] <= around {
		left--
	}
	from, to := 0, len(text)
	if left > 0 {
		from = ts[left].from
	}
	if last < len(ts) {
		to = ts[max(last, left+1)-1].to
	}
	return parts(text, ts, found, from, to)
}

// matches finds phrases among terms, in order of their places.
func matches(ts []term, phrases [][]string) []match {
	var found []match
	for i := range ts {
		for p, phrase := range phrases {
			if i+len(phrase) > len(ts) {
				continue
			}
			k := 0
			for k < len(phrase) && ts[i+k].word == phrase[k] {
				k++
			}
			if k == len(phrase) {
				found = append(found, match{p, i, i + k})
			}
		}
	}
	return found
}

// best returns the terms from..to of which the matches within so many characters
// are of most phrases, then most in number; the first of several.
func best(found []match, at []int, around int) (from, to int) {
	most, number := 0, 0
	for i := range found {
		var phrases []int
		end, n := found[i].from, 0
		for _, m := range found[i:] {
			if at[m.to]-at[found[i].from] > around && n > 0 {
				break
			}
			if n++; !slices.Contains(phrases, m.phrase) {
				phrases = append(phrases, m.phrase)
			}
			end = max(end, m.to)
		}
		if len(phrases) > most || len(phrases) == most && n > number {
			most, number, from, to = len(phrases), n, found[i].from, end
		}
	}
	return from, to
}

// parts cuts text[from:to] where matches begin and end.
func parts(text string, ts []term, found []match, from, to int) []Part {
	var all []Part
	add := func(s string, is bool) {
		if s == "" {
			return
		}
		if n := len(all); n > 0 && all[n-1].Match == is {
			all[n-1].Text += s
			return
		}
		all = append(all, Part{s, is})
	}
	if from > 0 {
		add("…", false)
	}
	at := from
	for _, m := range found {
		start, end := max(at, ts[m.from].from), min(to, ts[m.to-1].to)
		if start >= end {
			continue
		}
		add(text[at:start], false)
		add(text[start:end], true)
		at = end
	}
	add(text[at:to], false)
	if to < len(text) {
		add("…", false)
	}
	return all
}
