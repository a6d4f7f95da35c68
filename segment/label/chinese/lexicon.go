// Package chinese divides Chinese texts, which have no blanks, into words.
package chinese

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	_ "embed"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// Lexicon holds Chinese words of two or more characters with their cost: log₂
// of the inverse frequency. The words are kept in a few MB without
// pointers: 200 MB of small objects, as segmenters use them, are more than the budget of a whole worker.
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

//go:generate go run ./pack

// The words of gse, a segmenter for Go, packed: those of simplified characters come from its idf list (250,000
// words of its dictionary, and 20,000 more), those of traditional characters from its dictionary. On Chinese
// news pages 0.985 of the word boundaries agree with those of its whole dictionary. NOTICE has the licence.
var (
	//go:embed simplified.gz
	simplified []byte
	//go:embed traditional.gz
	traditional []byte
)

// idfOnce is the idf of a word in a single document: ln of the number of documents. perDocument converts
// occurrences in the dictionary's corpus to document frequency: the median ratio for words in both.
const (
	idfOnce     = 13.900677652
	perDocument = 2
)

// simplifiedWords returns the words with simplified characters.
func simplifiedWords() []entry {
	return unpack(simplified, func(idf float64) float64 { return math.Exp(idfOnce - idf) })
}

// traditionalWords returns the words with traditional characters.
func traditionalWords() []entry {
	return unpack(traditional, func(occurs float64) float64 { return occurs / perDocument })
}

// unpack reads packed words: lines in byte order, compressed by gzip. A line has the number of bytes that the word
// shares with the one before, plus a blank, then the rest of the word, a blank and a number, which count converts.
func unpack(packed []byte, count func(float64) float64) []entry {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		panic("chinese: the built-in words are damaged: " + err.Error())
	}
	var all []entry
	word := ""
	lines := bufio.NewScanner(z)
	for lines.Scan() {
		rest, value, _ := strings.Cut(lines.Text()[1:], " ")
		word = word[:lines.Bytes()[0]-' '] + rest
		number, err := strconv.ParseFloat(value, 64)
		if err != nil {
			panic("chinese: the built-in words are damaged: " + err.Error())
		}
		all = append(all, entry{word, count(number)})
	}
	if err := lines.Err(); err != nil {
		panic("chinese: the built-in words are damaged: " + err.Error())
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
		Simplified: sync.OnceValue(func() *Lexicon { return packLexicon(simplifiedWords()) }),
		Both:       sync.OnceValue(func() *Lexicon { return packLexicon(append(simplifiedWords(), traditionalWords()...)) }),
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
