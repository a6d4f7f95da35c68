package storage

import (
	"slices"
	"unicode/utf8"
)

// Part is a piece of a snippet.
type Part struct {
	Text  string
	Match bool // it matches the query
}

// match is an occurrence of a phrase: the terms from..to of a text.
type match struct{ phrase, from, to int }

// Snippet returns the excerpt of about around characters that shows the matches of
// words best: the window with the most phrases, or the beginning of the text.
// Ellipses mark omissions. With around 0 it returns the whole text with all matches
// marked.
func Snippet(text, words string, around int) []Part {
	ts := terms(text)
	found := matches(ts, Ask(words).All)
	if len(ts) == 0 || around <= 0 {
		return parts(text, ts, found, 0, len(text))
	}
	// at[i] is the number of characters before term i; at[len(ts)] is their total.
	at := make([]int, len(ts)+1)
	n, b := 0, 0
	for i, t := range ts {
		n += utf8.RuneCountInString(text[b:t.from])
		at[i], b = n, t.from
	}
	at[len(ts)] = n + utf8.RuneCountInString(text[b:])
	first, last := best(found, at, around)
	// Split the remaining room between both sides; room that one side cannot use goes to the
	// second.
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

// matches finds phrases among terms, in text order.
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

// best returns the terms from..to of the window of at most around characters whose matches have
// the most distinct phrases, then the most matches, then the earliest place.
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

// parts splits text[from:to] at the bounds of matches.
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
