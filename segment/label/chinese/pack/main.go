// Pack writes the words that package chinese has in the binary, from the dictionaries of gse.
package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"log"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-ego/gse"
)

const (
	// idfOnce is the idf of a word in a single document. minCount drops words of one document only: a
	// sixth of all, most of them names.
	idfOnce  = 13.900677652
	minCount = 2

	// Below minOccurs are more than half of the words with traditional characters, mostly names and phrases,
	// and memory grows with the number of words.
	minOccurs = 4

	// The range of code points that words consist of.
	firstHan, lastHan = 0x3400, 0x9fff
)

func main() {
	log.SetFlags(0)
	for name, words := range map[string]func() ([]word, error){"simplified.gz": simplified, "traditional.gz": traditional} {
		all, err := words()
		if err != nil {
			log.Fatal("pack: ", err)
		}
		packed, err := pack(all)
		if err == nil {
			err = os.WriteFile(name, packed, 0o644)
		}
		if err != nil {
			log.Fatal("pack: ", err)
		}
		fmt.Printf("%s: %d words, %d bytes\n", name, len(all), len(packed))
	}
}

// A word has a number: its idf, or how often it occurs.
type word struct{ text, value string }

func simplified() (all []word, err error) {
	for line := range strings.Lines(gse.ZhIdf) {
		text, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		idf, err := strconv.ParseFloat(value, 64)
		if err == nil && math.Exp(idfOnce-idf) >= minCount-0.5 && isWord(text) {
			all = append(all, word{text, value})
		}
	}
	return all, nil
}

func traditional() (all []word, err error) {
	seg := gse.Segmenter{MinTokenFreq: minOccurs, NotLoadHMM: true, SkipLog: true}
	if err := seg.LoadDictEmbed("zh_t"); err != nil {
		return nil, err
	}
	for i := range seg.Dict.Tokens {
		t := &seg.Dict.Tokens[i]
		if text := t.Text(); isWord(text) {
			all = append(all, word{text, strconv.FormatFloat(t.Freq(), 'g', -1, 64)})
		}
	}
	return all, nil
}

func isWord(s string) bool {
	return utf8.RuneCountInString(s) > 1 && strings.IndexFunc(s, func(r rune) bool { return r < firstHan || r > lastHan }) < 0
}

// pack compresses words; package chinese has the format.
func pack(all []word) ([]byte, error) {
	slices.SortStableFunc(all, func(a, b word) int { return strings.Compare(a.text, b.text) })
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	last := ""
	for _, w := range all {
		shared := 0
		for shared < min(len(w.text), len(last), '~'-' ') && w.text[shared] == last[shared] {
			shared++
		}
		fmt.Fprintf(z, "%c%s %s\n", ' '+shared, w.text[shared:], w.value)
		last = w.text
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
