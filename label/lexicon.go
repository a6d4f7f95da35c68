package label

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

// lexicon holds Chinese words of two and more characters with what each costs:
// log₂ of how seldom it occurs. The words are gse's, packed: gse itself would
// keep some 200 MB of small objects alive, more than a whole worker may use;
// this is a few MB without pointers.
type lexicon struct {
	text  string    // the words in byte order, one after the other
	at    []uint32  // word i is text[at[i]:at[i+1]]
	cost  []float32 // of word i
	first []uint32  // words that start with firstHan+k are first[k] up to first[k+1]

	single float32 // cost of a character standing alone, known or not
}

// The block of code points that words of the dictionary start with.
const firstHan, lastHan = 0x3400, 0x9fff

// entry is a word and how many documents of a million it is in.
type entry struct {
	word  string
	count float64
}

// idfOnce is the idf of a word that is in one document: ln of their number.
const idfOnce = 13.900677652

// minCount drops words that were seen in one document only: a sixth, most of
// them names.
const minCount = 2

// simplified is the dictionary of simplified characters. It is read from the
// idf list (250,000 words of the dictionary, and 20,000 more), since that takes
// a tenth of a second; gse's own loading of its dictionary takes half a second
// of CPU time and a hundred MB in passing. On Chinese papers 0.985 of the ends
// of words are the same with both.
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

// traditional is what only traditional characters spell, from gse's dictionary.
func traditional() []entry {
	const (
		// A word occurs this often in the dictionary's corpus for each document
		// of the idf list that it is in: the median of the words of both.
		perDocument = 2
		// Below this many occurrences are more than half of the entries, names
		// and phrases, while loading takes memory by the entry.
		minOccurs = 4
	)
	seg := gse.Segmenter{MinTokenFreq: minOccurs, NotLoadHMM: true, SkipLog: true}
	if err := seg.LoadDictEmbed("zh_t"); err != nil {
		// It is part of the program: no input leads here.
		panic(fmt.Sprintf("label: built-in dictionary: %v", err))
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

// lexicons are loaded when a page first needs them: simplified characters by
// themselves, as most pages have, and both.
type lexicons struct {
	simplified, both func() *lexicon
}

func newLexicons() lexicons {
	return lexicons{
		simplified: sync.OnceValue(func() *lexicon { return packLexicon(simplified()) }),
		both: sync.OnceValue(func() *lexicon {
			l := packLexicon(append(simplified(), traditional()...))
			debug.FreeOSMemory() // what gse has left
			return l
		}),
	}
}

// For is the lexicon for a page with the given texts.
func (l lexicons) For(texts []string) *lexicon {
	small := l.simplified()
	if small.strange(texts) {
		return l.both()
	}
	return small
}

// strange reports whether no word begins with many of the texts' characters.
// In traditional Chinese one of six is such a character, in simplified next to
// none.
func (l *lexicon) strange(texts []string) bool {
	const enough = 20_000 // characters tell
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

// packLexicon makes a lexicon of words. One that is there twice counts as its
// more frequent self.
func packLexicon(list []entry) *lexicon {
	slices.SortFunc(list, func(a, b entry) int {
		return cmp.Or(strings.Compare(a.word, b.word), cmp.Compare(b.count, a.count))
	})
	list = slices.CompactFunc(list, func(a, b entry) bool { return a.word == b.word })
	total, bytes := 0.0, 0
	for _, e := range list {
		bytes += len(e.word)
		total += e.count
	}
	l := &lexicon{
		at:    make([]uint32, 0, len(list)+1),
		cost:  make([]float32, 0, len(list)),
		first: make([]uint32, lastHan-firstHan+2),
		// Half as frequent as the rarest word: a known word of two characters
		// always beats two single ones.
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
