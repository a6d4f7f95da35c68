package similarity

import (
	"cmp"
	"math"
	"slices"
)

// smoothing is the exponent of the frequencies of context words; doc.go says why.
const smoothing = .75

// itself is the weight of a word as a context of itself, as a share of the length of its
// row; doc.go has the measurements.
const itself = .5

// perWord is the number of entries other than 0 of the random vector of a word: the first half are
// 1, the rest −1.
const perWord = 8

// Vectors makes the vectors of all words counted at least MinCount times. The Learner may continue
// to learn.
func (l *Learner) Vectors() *Vectors {
	r := l.rows()
	dims := l.options.Dims
	random := make([]spread, len(r.ids))
	for i, id := range r.ids {
		random[i] = spreadOf(l.words[id].word, l.options.Seed, dims)
	}
	b := newBuilder(dims, len(r.ids))
	row := make([]float32, dims)
	for i, id := range r.ids {
		clear(row)
		square := 0.0
		for _, c := range r.row(i) {
			weight := r.weight(i, c)
			square += weight * weight
			random[c.context].addTo(row, float32(weight))
		}
		random[i].addTo(row, float32(itself*math.Sqrt(square)))
		b.add(l.words[id].word, row)
	}
	return b.v
}

// spread is the random vector of a word: the places of the entries that are not 0.
type spread [perWord]uint16

func spreadOf(word string, seed uint64, dims int) (s spread) {
	h := hashOf(word, seed)
	for i := 0; i < perWord; {
		h += 0x9e3779b97f4a7c15
		at := uint16(mix(h) % uint64(dims))
		if !slices.Contains(s[:i], at) {
			s[i] = at
			i++
		}
	}
	return s
}

func (s *spread) addTo(row []float32, weight float32) {
	for _, at := range s[:perWord/2] {
		row[at] += weight
	}
	for _, at := range s[perWord/2:] {
		row[at] -= weight
	}
}

// rows are the counts of the words that have vectors. A word's number is its place in the
// order of names, and a row is in the order of its context words: so that sums of rounded
// numbers do not depend on the order in which texts came.
type rows struct {
	ids    []uint32
	first  []int // of each row in cells, and the end
	cells  []cell
	events []float64
	smooth []float64 // events, smoothed
	total  float64   // of smooth
}

type cell struct{ context, count uint32 }

func (r *rows) row(i int) []cell { return r.cells[r.first[i]:r.first[i+1]] }

// weight returns the information of a cell of row i.
func (r *rows) weight(i int, c cell) float64 {
	n := float64(c.count)
	return max(0, math.Log(n*r.total/(r.events[i]*r.smooth[c.context]))) * n / (n + 1)
}

func (l *Learner) rows() *rows {
	r := &rows{}
	for id, w := range l.words {
		if w.word != "" && int64(w.count) >= int64(l.options.MinCount) {
			r.ids = append(r.ids, uint32(id))
		}
	}
	slices.SortFunc(r.ids, func(a, b uint32) int { return cmp.Compare(l.words[a].word, l.words[b].word) })
	numbers := make([]int32, len(l.words)) // from 1; 0 has no vector
	for i, id := range r.ids {
		numbers[id] = int32(i + 1)
		events := float64(l.words[id].events)
		r.events = append(r.events, events)
		r.smooth = append(r.smooth, math.Pow(events, smoothing))
		r.total += r.smooth[i]
	}
	each := func(yield func(a, b int32, count uint32)) {
		for i, key := range l.pairs.keys {
			if a, b := numbers[key>>32], numbers[uint32(key)]; a > 0 && b > 0 {
				yield(a-1, b-1, l.pairs.counts[i])
			}
		}
	}
	r.first = make([]int, len(r.ids)+1)
	each(func(a, b int32, _ uint32) {
		r.first[a+1]++
		r.first[b+1]++
	})
	for i := range r.ids {
		r.first[i+1] += r.first[i]
	}
	r.cells = make([]cell, r.first[len(r.ids)])
	next := slices.Clone(r.first)
	each(func(a, b int32, count uint32) {
		r.cells[next[a]] = cell{uint32(b), count}
		r.cells[next[b]] = cell{uint32(a), count}
		next[a]++
		next[b]++
	})
	for i := range r.ids {
		slices.SortFunc(r.row(i), func(a, b cell) int { return cmp.Compare(a.context, b.context) })
	}
	return r
}
