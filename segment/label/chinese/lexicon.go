// Package chinese divides Chinese texts, which have no blanks, into words.
package chinese

import (
	"cmp"
	"fmt"
	"math"
	"runtime/debug"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/go-ego/gse"
)

// Lexicon holds Chinese words of two or more characters with their cost: log₂
// of the inverse frequency. The words are gse's, packed into a few MB without
// pointers. gse itself keeps some 200 MB of small objects alive, more than the
// budget of a whole worker.
type Lexicon struct {
	text  string    // the words in byte order, one after the other
	at    []uint32  // word i is text[at[i]:at[i+1]]
	cost  []float32 // of word i
	first []uint32  // words that start with firstHan+k are first[k] up to first[k+1]

	single float32 // cost of a single character, known or unknown
}

// The range of code points that words of the dictionary start with.
const firstHan, lastHan = 0x3400, 0x9fff

// entry is a word and its document frequency per million.
type entry struct {
	word  string
	count float64
}

// idfOnce is the idf of a word in a single document: ln of the number of
// documents.
const idfOnce = 13.900677652

// minCount drops words seen in one document only: a sixth of all, most of them
// names.
const minCount = 2

// simplified returns the dictionary of simplified characters. It comes from the idf list (250,000
// words of the dictionary, and 20,000 more), which loads in a tenth of a second; gse's own dictionary
// takes half a second of CPU time and a temporary hundred MB. On Chinese news pages 0.985 of the word
// boundaries agree.
func simplified() []entry {
	all := make([]entry, 0, 1<<18)
	for line := range strings.Lines(gse.ZhIdf) {
		word, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		idf, err := strconv.ParseFloat(value, 64)
		if n := math.Exp(idfOnce - idf); err == nil && n >= minCount-0.5 && isWord(word) {
			all = append(all, entry{word, n})
		}
	}
	return all
}

// traditional returns the words with traditional characters, from gse's
// dictionary.
func traditional() []entry {
	const (
		// perDocument converts document frequency to occurrences in the
		// dictionary's corpus: the median ratio for words in both.
		perDocument = 2
		// Below minOccurs are more than half of the entries, mostly names and
		// phrases, and memory grows with the number of entries.
		minOccurs = 4
	)
	seg := gse.Segmenter{MinTokenFreq: minOccurs, NotLoadHMM: true, SkipLog: true}
	if err := seg.LoadDictEmbed("zh_t"); err != nil {
		// The dictionary is embedded, so this is unreachable for any input.
		panic(fmt.Sprintf("chinese: built-in dictionary: %v", err))
	}
	var all []entry
	for i := range seg.Dict.Tokens {
		t := &seg.Dict.Tokens[i]
		if word := t.Text(); isWord(word) {
			all = append(all, entry{word, t.Freq() / perDocument})
		}
	}
	return all
}

// Lexicons are loaded lazily when a page first needs them: one for simplified
// characters, which suffices for most pages, and one for both.
type Lexicons struct {
	Simplified, Both func() *Lexicon
}

// NewLexicons returns lexicons that are loaded on demand.
func NewLexicons() Lexicons {
	return Lexicons{
		Simplified: sync.OnceValue(func() *Lexicon { return packLexicon(simplified()) }),
		Both: sync.OnceValue(func() *Lexicon {
			l := packLexicon(append(simplified(), traditional()...))
			debug.FreeOSMemory() // garbage left by gse
			return l
		}),
	}
}

// For returns the Lexicon for a page with the given texts.
func (l Lexicons) For(texts []string) *Lexicon {
	small := l.Simplified()
	if small.strange(texts) {
		return l.Both()
	}
	return small
}

// strange reports whether many of the texts' characters start no word of the lexicon. In traditional
// Chinese this holds for one of six characters, in simplified Chinese almost never.
func (l *Lexicon) strange(texts []string) bool {
	const enough = 20_000 // characters suffice
	seen, strange := 0, 0
	for _, text := range texts {
		for _, r := range text {
			if notHan(r) {
				continue
			}
			if seen++; l.first[r-firstHan] == l.first[r-firstHan+1] {
				strange++
			}
		}
		if seen > enough {
			break
		}
	}
	return strange*20 > seen
}

func isWord(s string) bool {
	return utf8.RuneCountInString(s) > 1 && strings.IndexFunc(s, notHan) < 0
}

func notHan(r rune) bool { return r < firstHan || r > lastHan }

// packLexicon builds a Lexicon from words. A duplicate gets its higher
// frequency.
func packLexicon(list []entry) *Lexicon {
	slices.SortFunc(list, func(a, b entry) int {
		return cmp.Or(strings.Compare(a.word, b.word), cmp.Compare(b.count, a.count))
	})
	list = slices.CompactFunc(list, func(a, b entry) bool { return a.word == b.word })
	total, bytes := 0.0, 0
	for _, e := range list {
		bytes += len(e.word)
		total += e.count
	}
	l := &Lexicon{
		at:    make([]uint32, 0, len(list)+1),
		cost:  make([]float32, 0, len(list)),
		first: make([]uint32, lastHan-firstHan+2),
		// Half as frequent as the rarest word, so that a known word of two
		// characters always beats two single ones.
		single: float32(math.Log2(max(total, 1))),
	}
	var text strings.Builder
	text.Grow(bytes)
	next := 0 // into first: the next entry to set
	for i, e := range list {
		r, _ := utf8.DecodeRuneInString(e.word)
		for ; next <= int(r)-firstHan; next++ {
			l.first[next] = uint32(i)
		}
		l.at = append(l.at, uint32(text.Len()))
		l.cost = append(l.cost, float32(math.Log2(total/e.count)))
		text.WriteString(e.word)
	}
	for ; next < len(l.first); next++ {
		l.first[next] = uint32(len(list))
	}
	l.at = append(l.at, uint32(text.Len()))
	l.text = text.String()
	return l
}

func (l *Lexicon) word(i int) string { return l.text[l.at[i]:l.at[i+1]] }

// prefixes calls yield with the length in bytes and the cost of each word that
// text starts with, shortest first.
func (l *Lexicon) prefixes(text string, yield func(n int, cost float32)) {
	r, n := utf8.DecodeRuneInString(text)
	if notHan(r) {
		return
	}
	lo, hi := int(l.first[r-firstHan]), int(l.first[r-firstHan+1])
	// Words between lo and hi share text[:n]; narrow by one character at a time.
	for lo < hi && n < len(text) {
		_, size := utf8.DecodeRuneInString(text[n:])
		n += size
		prefix := text[:n]
		lo += sort.Search(hi-lo, func(i int) bool { return l.word(lo+i) >= prefix })
		hi = lo + sort.Search(hi-lo, func(i int) bool { return !strings.HasPrefix(l.word(lo+i), prefix) })
		if lo < hi && len(l.word(lo)) == n {
			yield(n, l.cost[lo])
		}
	}
}

// Cutter finds the cheapest segmentation of a text into words of a lexicon. It
// reuses its scratch space.
type Cutter struct {
	cost []float32 // minimum cost to reach byte i
	from []int32   // where the last word on the way began
	ends []int32
}

// maxCut is the number of bytes segmented at a time. No sentence runs to a
// thousand characters without punctuation.
const maxCut = 3072

// Cut calls yield for the words of a run of Han until it returns false.
func (c *Cutter) Cut(l *Lexicon, run string, yield func(word string) bool) bool {
	for run != "" {
		n := min(len(run), maxCut)
		for n < len(run) && !utf8.RuneStart(run[n]) {
			n--
		}
		part := run[:n]
		run = run[n:]
		start := int32(0)
		for _, end := range c.path(l, part) {
			if !yield(part[start:end]) {
				return false
			}
			start = end
		}
	}
	return true
}

// path returns the word ends of the cheapest segmentation: the most probable
// sequence of words under a unigram model.
func (c *Cutter) path(l *Lexicon, text string) []int32 {
	c.cost = append(c.cost[:0], 0)
	c.from = append(c.from[:0], 0)
	for range len(text) {
		c.cost = append(c.cost, math.MaxFloat32)
		c.from = append(c.from, 0)
	}
	for i := 0; i < len(text); {
		reach := func(n int, cost float32) {
			if sum := c.cost[i] + cost; sum < c.cost[i+n] {
				c.cost[i+n], c.from[i+n] = sum, int32(i)
			}
		}
		_, n := utf8.DecodeRuneInString(text[i:])
		reach(n, l.single)
		l.prefixes(text[i:], reach)
		i += n
	}
	c.ends = c.ends[:0]
	for at := int32(len(text)); at > 0; at = c.from[at] {
		c.ends = append(c.ends, at)
	}
	slices.Reverse(c.ends)
	return c.ends
}
