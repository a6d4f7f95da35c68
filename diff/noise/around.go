package noise

import (
	"hash/fnv"
	"slices"
	"strings"
)

// around identifies the position of words in a text by hashes of their surroundings. For a word: the
// nearest words of letters on both sides, and the number of other tokens between. For a stretch: the
// two words on either side, or the start or the end of the text; right counts the earlier places that
// look like its end. If several positions have the same surroundings, of is their number, and nth the
// index of this one.
type around struct {
	before, after uint32
	left, right   byte
	nth, of       byte
}

// few returns a count capped at 255.
func few(n int) byte { return byte(min(n, 255)) }

// aroundWord returns the surroundings of a single word; ok is false if in is not one word.
func (w *words) aroundWord(in Span) (a around, ok bool) {
	i := w.at(in.From)
	if w.at(in.To) != i+1 {
		return a, false
	}
	if w.around == nil {
		w.around = surroundings(w.all)
	}
	return w.around[i], true
}

func surroundings(ws []token) []around {
	all := make([]around, len(ws))
	var near uint32
	apart := 0
	for i := range ws {
		all[i].before, all[i].left = near, few(apart)
		if apart++; ws[i].shape() == 'a' {
			near, apart = hashOf(ws[i].text), 0
		}
	}
	near, apart = 0, 0
	for i := len(ws) - 1; i >= 0; i-- {
		all[i].after, all[i].right = near, few(apart)
		if apart++; ws[i].shape() == 'a' {
			near, apart = hashOf(ws[i].text), 0
		}
	}
	count := map[around]int{}
	nth := make([]int, len(ws))
	for i, a := range all {
		nth[i] = count[a]
		count[a]++
	}
	for i, a := range all {
		all[i].nth, all[i].of = few(nth[i]), few(count[a])
	}
	return all
}

// aroundStretch returns the surroundings of a part of a text.
func (w *words) aroundStretch(in Span) around {
	pairs, from, to := w.pairsOf(), w.at(in.From), w.at(in.To)
	a := around{before: pairs[from], after: pairs[to+2]}
	nth, of, ends := 0, 0, 0
	for i := 0; i <= len(w.all); i++ {
		if pairs[i] == a.before {
			of++
			if i < from {
				nth++
			}
		}
		if from <= i && i < to && pairs[i+2] == a.after {
			ends++
		}
	}
	a.nth, a.of, a.right = few(nth), few(of), few(ends)
	return a
}

// stretch returns the part of a text that has these surroundings.
func (w *words) stretch(a around) (in Span, ok bool) {
	pairs, n := w.pairsOf(), len(w.all)
	from, of := -1, 0
	for i := 0; i <= n; i++ {
		if pairs[i] == a.before {
			if of == int(a.nth) {
				from = i
			}
			of++
		}
	}
	if from < 0 || few(of) != a.of {
		return in, false
	}
	ends := int(a.right)
	for to := from; to <= n; to++ {
		if pairs[to+2] != a.after {
			continue
		}
		if ends--; ends >= 0 {
			continue
		}
		if in.To = len(w.text); to < n {
			in.To = w.all[to].From
		}
		if from > 0 {
			in.From = w.all[from-1].To
		}
		return in, true
	}
	return in, false
}

// pairsOf returns the hashes of adjacent word pairs: element i is the hash of the two words before
// word i. Positions beyond the start and the end count as a marker.
func (w *words) pairsOf() []uint32 {
	if w.pairs == nil {
		word := func(i int) string {
			if i < 0 || i >= len(w.all) {
				return "\x00"
			}
			return w.all[i].text
		}
		w.pairs = make([]uint32, len(w.all)+3)
		for i := range w.pairs {
			w.pairs[i] = hashOf(word(i-2) + " " + word(i-1))
		}
	}
	return w.pairs
}

func hashOf(s string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(s))
	return h.Sum32()
}

// itemOf returns the hash of a text, ignoring its white space.
func itemOf(text string) uint32 { return hashOf(strings.Join(strings.Fields(text), " ")) }

// itemAt returns the hash of a part of a block's text. Numbers that vary there do not count:
// "3 guests came" and "7 guests came" have one hash, "nobody came" has another. itemAt records the numbers.
func (m *Mask) itemAt(lineage int32, w *words, in Span) uint32 {
	var text strings.Builder
	at := in.From
	for _, t := range w.in(in) {
		if t.shape() != '0' || len(w.in(in)) == 1 {
			continue
		}
		around, ok := w.aroundWord(t.Span)
		if p := m.find(where{kind: ofWord, lineage: lineage, words: around}); ok && p != nil && p.shape == '0' {
			p.is(hashOf(t.text))
			text.WriteString(w.text[at:t.From] + "#")
			at = t.To
		}
	}
	return itemOf(text.String() + w.text[at:in.To])
}

// reordered reports whether two texts have the same words in a different order.
func reordered(a, b *words) bool {
	if len(a.all) != len(b.all) || len(a.all) < 2 {
		return false
	}
	was, is := texts(a.all), texts(b.all)
	if slices.Equal(was, is) {
		return false
	}
	slices.Sort(was)
	slices.Sort(is)
	return slices.Equal(was, is)
}
