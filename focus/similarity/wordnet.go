package similarity

import (
	"cmp"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"
)

// WordNetDir is the folder of Debian's package wordnet-base.
const WordNetDir = "/usr/share/wordnet"

// WordNet holds which words have senses in common, or closely related senses, from WordNet's
// files. It is safe for concurrent use; a nil *WordNet has no words.
//
// Each stem has a list of synsets: those of its senses, and those to which a relation leads
// from there. Two stems are near if a synset is in both lists.
type WordNet struct {
	at    map[string]int32
	first []int32 // of each stem's list in lists, and the end
	lists []entry // each in the order of synsets
}

// entry is a synset in the list of a stem.
type entry struct {
	synset      uint32
	kind        kind
	weight      uint8 // of the sense that leads there, in hundredths
	information uint8 // of the synset, 255: no synset is below it
}

// kind is the relation of a stem to a synset.
type kind uint8

const (
	own     kind = iota // a sense of a word of that stem
	derived             // a word of a different part of speech: decide, decision
	similar             // an adjective of similar meaning, a verb of the same group
	above               // the next more general one
	above2              // the one after that
	kinds
)

// relations are the kinds of WordNet's pointers that are followed. Antonyms are not, nor
// parts and members, which are near in topic and not in meaning.
var relations = map[string]kind{"+": derived, `\`: derived, "&": similar, "$": similar, "@": above, "@i": above}

// meeting is the nearness of two stems that meet in one synset: base, and gain times the synset's
// information, if that is at least least. Below a general synset all sorts of things are siblings,
// as dog and novelist below organism.
type meeting struct{ base, gain, least float64 }

var meetings = func() (m [kinds][kinds]meeting) {
	set := func(a, b kind, of meeting) { m[a][b], m[b][a] = of, of }
	set(own, own, meeting{base: 1})
	set(own, derived, meeting{base: .9})
	set(derived, derived, meeting{base: .8})
	set(own, similar, meeting{base: .8})
	set(similar, similar, meeting{base: .6})
	set(own, above, meeting{.5, .4, .2})   // car, vehicle
	set(own, above2, meeting{.5, .25, .3}) // two steps
	set(above, above, meeting{.5, .25, .4})
	return m
}()

// senseWeight returns the weight of the sense of a rank, from 0: a rare sense is rarely meant.
func senseWeight(rank int) float64 { return max(.6, 1-.05*float64(rank)) }

// A stem's list is short, so that comparing two takes a fraction of a microsecond. "break" has 75
// senses, most of which are hardly used.
const (
	maxSenses = 10
	maxList   = 48
)

// LoadWordNet reads the files data.noun, index.noun and so on for verb, adj and adv, of
// version 3.0 or one with the same format. stem is applied to every lemma, in lower case;
// those of several words are left out, as words come one by one.
func LoadWordNet(files fs.FS, stem func(string) string) (*WordNet, error) {
	d, err := readDatabase(files)
	if err != nil {
		return nil, err
	}
	up, err := d.targets()
	if err != nil {
		return nil, err
	}
	information := d.information(up)
	senses := map[string][]sense{}
	for _, l := range d.lemmas {
		s := stem(l.word)
		if s == "" {
			continue
		}
		of := senses[s]
		for rank, id := range l.senses[:min(len(l.senses), maxSenses)] {
			of = append(of, sense{id, l.word, senseWeight(rank)})
		}
		senses[s] = of
	}
	stems := make([]string, 0, len(senses))
	for s := range senses {
		stems = append(stems, s)
	}
	slices.Sort(stems)
	w := &WordNet{at: make(map[string]int32, len(stems)), first: make([]int32, 1, len(stems)+1)}
	for i, s := range stems {
		w.at[strings.Clone(s)] = int32(i)
		w.lists = append(w.lists, d.list(senses[s], up, information)...)
		w.first = append(w.first, int32(len(w.lists)))
	}
	w.lists = slices.Clone(w.lists) // without the room to grow
	return w, nil
}

// Has reports whether a word has the stem.
func (w *WordNet) Has(stem string) bool {
	if w == nil {
		return false
	}
	_, ok := w.at[stem]
	return ok
}

// Near returns the nearness of two stems: 1 for equal ones, up to 1 for synonyms, less if only
// rarer senses are synonyms, up to 0.9 for words that are derived from each other, or one of which
// is a kind of the other; from 0.5 for those that are two kinds of something. It is 0 for
// unrelated and unknown words.
func (w *WordNet) Near(a, b string) float64 {
	if a == b {
		return 1
	}
	if w == nil {
		return 0
	}
	i, ok := w.at[a]
	if !ok {
		return 0
	}
	j, ok := w.at[b]
	if !ok {
		return 0
	}
	x, y := w.lists[w.first[i]:w.first[i+1]], w.lists[w.first[j]:w.first[j+1]]
	near := 0.0
	for len(x) > 0 && len(y) > 0 {
		switch {
		case x[0].synset < y[0].synset:
			x = x[1:]
		case x[0].synset > y[0].synset:
			y = y[1:]
		default:
			for _, e := range y {
				if e.synset != x[0].synset {
					break
				}
				near = max(near, worth(x[0], e))
			}
			x = x[1:]
		}
	}
	return near
}

func worth(a, b entry) float64 {
	m := &meetings[a.kind][b.kind]
	information := float64(a.information) / math.MaxUint8
	if information < m.least {
		return 0
	}
	return (m.base + m.gain*information) * float64(int(a.weight)*int(b.weight)) / 1e4
}

// sense is a synset that a word has, of one of the lemmas of a stem.
type sense struct {
	id     int32
	lemma  string
	weight float64
}

// targets returns the synsets above each.
func (d *database) targets() ([][]int32, error) {
	up := make([][]int32, len(d.synsets))
	for i, s := range d.synsets {
		for _, p := range s.pointers {
			to, ok := d.ids[p.to]
			if !ok {
				return nil, fmt.Errorf("WordNet: a synset of %q points to %c %08d, which is missing; install wordnet-base again", s.words, p.to.part, p.to.offset)
			}
			if relations[p.symbol] == above {
				up[i] = append(up[i], to)
			}
		}
	}
	return up, nil
}

// maxAbove bounds the synsets above one; WordNet's are at most some 40.
const maxAbove = 256

// information returns 1 for a synset without synsets below it and 0 for one that is above all of
// its part of speech, in 255ths: 1 − log(below+1) / log(all) [Seco, Veale, Hayes 2004].
func (d *database) information(up [][]int32) []uint8 {
	below := make([]int, len(up))
	all := map[byte]int{}
	var path []int32
	for i := range up {
		all[d.synsets[i].part]++
		// Each synset above counts once, regardless of the number of ways there; a circle ends.
		path = append(path[:0], int32(i))
		for at := 0; at < len(path) && len(path) < maxAbove; at++ {
			for _, to := range up[path[at]] {
				if !slices.Contains(path, to) {
					path = append(path, to)
				}
			}
		}
		for _, to := range path[1:] {
			below[to]++
		}
	}
	information := make([]uint8, len(up))
	for i, n := range below {
		most := math.Log(float64(max(all[d.synsets[i].part], 2)))
		information[i] = uint8(math.Round(math.MaxUint8 * max(0, 1-math.Log(float64(n+1))/most)))
	}
	return information
}

// list returns the list of a stem with the given senses.
func (d *database) list(senses []sense, up [][]int32, information []uint8) []entry {
	slices.SortStableFunc(senses, func(a, b sense) int { return cmp.Compare(b.weight, a.weight) })
	var list []entry
	add := func(id int32, k kind, weight float64) {
		list = append(list, entry{uint32(id), k, uint8(math.Round(100 * weight)), information[id]})
	}
	for _, s := range senses[:min(len(senses), maxSenses)] {
		add(s.id, own, s.weight)
		of := d.synsets[s.id]
		for _, p := range of.pointers {
			// A derivation may be that of one word of the synset only.
			if k := relations[p.symbol]; k != above && (p.source == 0 || of.words[p.source-1] == s.lemma) {
				add(d.ids[p.to], k, s.weight)
			}
		}
		for _, a := range up[s.id] {
			add(a, above, s.weight)
			for _, b := range up[a] {
				add(b, above2, s.weight)
			}
		}
	}
	// Of entries that say the same the one of greatest weight stays, and of too many the
	// closest.
	slices.SortFunc(list, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.synset, b.synset), cmp.Compare(a.kind, b.kind), cmp.Compare(b.weight, a.weight))
	})
	list = slices.CompactFunc(list, func(a, b entry) bool { return a.synset == b.synset && a.kind == b.kind })
	if len(list) > maxList {
		slices.SortStableFunc(list, func(a, b entry) int {
			return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(b.weight, a.weight))
		})
		list = list[:maxList]
		slices.SortFunc(list, func(a, b entry) int {
			return cmp.Or(cmp.Compare(a.synset, b.synset), cmp.Compare(a.kind, b.kind))
		})
	}
	return list
}

// Stems yields all stems that have a sense, in no order.
func (w *WordNet) Stems() iter.Seq[string] {
	if w == nil {
		return func(func(string) bool) {}
	}
	return maps.Keys(w.at)
}
