package label

import (
	"fmt"
	"math"
	"runtime/debug"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/go-ego/gse"
)

// lexicon holds the Chinese words of two and more characters, simplified and
// traditional, with what each costs: log₂ of how seldom it occurs. It is the
// dictionary of gse, packed: gse itself would keep some 200 MB of small objects
// alive, more than a whole worker may use; this is a few MB without pointers.
type lexicon struct {
	text  string    // the words in byte order, one after the other
	at    []uint32  // word i is text[at[i]:at[i+1]]
	cost  []float32 // of word i
	first []uint32  // words that start with firstHan+k are first[k] up to first[k+1]

	single float32 // cost of a character standing alone, known or not
}

// The block of code points that words of the dictionary start with.
const firstHan, lastHan = 0x3400, 0x9fff

// minOccurs is the frequency in the dictionary's corpus (60 million words)
// below which a word is not loaded. More than half of the entries are rarer:
// names and phrases, while loading takes memory by the entry (230 MB at the
// peak with all of them, measured; see BenchmarkLexiconLoad).
const minOccurs = 4

// newLexicon loads the dictionary: the better part of a second, and a hundred
// MB in passing, given back at once.
func newLexicon() *lexicon {
	freq := map[string]float64{}
	// One after the other, so that only one is in memory.
	for _, part := range []string{"zh_s", "zh_t"} {
		addWords(freq, part)
		// The collector would let the garbage of the first load stand until
		// the second has doubled it.
		debug.FreeOSMemory()
	}
	l := packLexicon(freq)
	freq = nil
	debug.FreeOSMemory()
	return l
}

// addWords adds the words of one of gse's dictionaries with their frequencies.
func addWords(freq map[string]float64, part string) {
	seg := gse.Segmenter{MinTokenFreq: minOccurs, NotLoadHMM: true, SkipLog: true}
	if err := seg.LoadDictEmbed(part); err != nil {
		// It is part of the program: no input leads here.
		panic(fmt.Sprintf("label: built-in dictionary %s: %v", part, err))
	}
	for i := range seg.Dict.Tokens {
		t := &seg.Dict.Tokens[i]
		if word := t.Text(); utf8.RuneCountInString(word) > 1 && strings.IndexFunc(word, notHan) < 0 {
			// A word that both scripts share counts once.
			freq[word] = max(freq[word], t.Freq())
		}
	}
}

func notHan(r rune) bool { return r < firstHan || r > lastHan }

func packLexicon(freq map[string]float64) *lexicon {
	list := make([]string, 0, len(freq))
	total, bytes := 0.0, 0
	for word := range freq {
		list = append(list, word)
		bytes += len(word)
	}
	slices.Sort(list)
	// In order: a sum of floats depends on it, and topics on the sum.
	for _, word := range list {
		total += freq[word]
	}
	l := &lexicon{
		at:    make([]uint32, 0, len(list)+1),
		cost:  make([]float32, 0, len(list)),
		first: make([]uint32, lastHan-firstHan+2),
		// Half as frequent as the rarest word: a known word of two characters
		// always beats two single ones.
		single: float32(math.Log2(max(total, 1)) - 1),
	}
	var text strings.Builder
	text.Grow(bytes)
	next := 0 // into first: the next entry to set
	for i, word := range list {
		r, _ := utf8.DecodeRuneInString(word)
		for ; next <= int(r)-firstHan; next++ {
			l.first[next] = uint32(i)
		}
		l.at = append(l.at, uint32(text.Len()))
		l.cost = append(l.cost, float32(math.Log2(total/freq[word])))
		text.WriteString(word)
	}
	for ; next < len(l.first); next++ {
		l.first[next] = uint32(len(list))
	}
	l.at = append(l.at, uint32(text.Len()))
	l.text = text.String()
	return l
}

func (l *lexicon) word(i int) string { return l.text[l.at[i]:l.at[i+1]] }

// prefixes calls yield with the length in bytes and the cost of each word that
// text starts with, shortest first.
func (l *lexicon) prefixes(text string, yield func(n int, cost float32)) {
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

// cutter finds the cheapest cut of a text into words of a lexicon. It keeps its
// scratch space between texts.
type cutter struct {
	cost []float32 // to reach byte i
	from []int32   // where the last word on the way began
	ends []int32
}

// maxCut is how many bytes are cut at a time; nobody writes a sentence of a
// thousand characters without punctuation.
const maxCut = 3072

// cut calls yield for the words of a run of Han until it says no.
func (c *cutter) cut(l *lexicon, run string, yield func(word string) bool) bool {
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

// path is the ends of the words on the cheapest way through text: the most
// probable sequence of words if each stands for itself.
func (c *cutter) path(l *lexicon, text string) []int32 {
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
