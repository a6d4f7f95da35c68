package similarity

import (
	"math"
	"strings"
)

// Options configure a [Learner]. The zero value of a field means its default.
type Options struct {
	Window   int    // words before and after that a word occurs with; 8, at most 64
	Dims     int    // of the vectors; 256, at most 1,024
	MinCount int    // words that occurred less often have no vector; 5
	MaxWords int    // words counted at a time; 200,000, at least 16
	MaxPairs int    // pairs counted at a time; 3,000,000, at least 16
	Seed     uint64 // of the projection: vectors of different seeds are not comparable
}

// MaxWord is the longest word that is learnt, in bytes. Longer ones do not count as words.
const MaxWord = 64

// maxWindow and maxDims bound the cost of a mistaken option.
const maxWindow, maxDims = 64, 1024

func (o Options) withDefaults() Options {
	or := func(v *int, usual, least, most int) {
		if *v == 0 {
			*v = usual
		}
		*v = min(max(*v, least), most)
	}
	or(&o.Window, 8, 1, maxWindow)
	or(&o.Dims, 256, 16, maxDims)
	or(&o.MinCount, 5, 1, math.MaxInt32)
	or(&o.MaxWords, 200_000, 16, math.MaxInt32)
	or(&o.MaxPairs, 3_000_000, 16, math.MaxInt32)
	return o
}

// Learner counts which words occur together, in memory bounded by [Options]. It is not safe for
// concurrent use.
type Learner struct {
	options Options
	ids     map[string]uint32
	words   []counted // by id; 0 is unused
	free    []uint32  // ids of words that were forgotten
	pairs   pairs
	window  []uint32 // ids of the latest words of a text, 0: forgotten since
}

// counted is a word and the number of its occurrences. Events are its occurrences with other
// words, including pairs that were dropped later, so that the probability of a word does not
// depend on the limit of pairs.
type counted struct {
	word   string
	count  uint32
	events uint64
}

// NewLearner returns a Learner without any data.
func NewLearner(o Options) *Learner {
	o = o.withDefaults()
	return &Learner{options: o, ids: map[string]uint32{}, words: make([]counted, 1), pairs: newPairs(o.MaxPairs)}
}

// Learn counts the words of a text: the stems of a block, in their order, without stop
// words. In a text of no more words than a window has, 2·Window, all occur together.
func (l *Learner) Learn(text []string) {
	reach := l.options.Window
	if len(text) <= 2*reach {
		reach = len(text)
	}
	l.window = l.window[:0]
	for _, word := range text {
		if word == "" || len(word) > MaxWord {
			continue
		}
		id := l.id(word)
		l.words[id].count = saturated(l.words[id].count, 1)
		for _, before := range l.window {
			// A repeated word says nothing about other words.
			if before == 0 || before == id {
				continue
			}
			l.pairs.add(pairOf(before, id), 1)
			l.words[before].events++
			l.words[id].events++
		}
		if len(l.window) == reach {
			l.window = append(l.window[:0], l.window[1:]...)
		}
		l.window = append(l.window, id)
	}
}

// id returns the id of a word. It makes room for a new one if necessary.
func (l *Learner) id(word string) uint32 {
	if id, ok := l.ids[word]; ok {
		return id
	}
	if len(l.ids) >= l.options.MaxWords {
		l.forget(len(l.ids)/4 + 1)
	}
	var id uint32
	if n := len(l.free); n > 0 {
		id, l.free = l.free[n-1], l.free[:n-1]
	} else {
		id = uint32(len(l.words))
		l.words = append(l.words, counted{})
	}
	word = strings.Clone(word) // the caller's may be part of a page
	l.words[id] = counted{word: word}
	l.ids[word] = id
	return id
}

// forget makes room for n words in place of the rarest, as lossy counting does: a word that comes
// again starts at 1, so the words that are kept were frequent between two such times.
func (l *Learner) forget(n int) {
	rare := rarest(n, func(yield func(uint32)) {
		for _, w := range l.words[1:] {
			if w.word != "" {
				yield(w.count)
			}
		}
	})
	for id := range l.words {
		w := &l.words[id]
		if w.word == "" || !rare.take(w.count) {
			continue
		}
		delete(l.ids, w.word)
		*w = counted{}
		l.free = append(l.free, uint32(id))
	}
	for i, id := range l.window {
		if l.words[id].word == "" {
			l.window[i] = 0
		}
	}
	l.pairs.rebuild(len(l.pairs.keys), func(key uint64, _ uint32) bool {
		return l.words[key>>32].word != "" && l.words[uint32(key)].word != ""
	})
}
