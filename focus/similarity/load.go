package similarity

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// LoadOptions configure [LoadVectors]. The zero value of a field means its default.
type LoadOptions struct {
	Stem     func(string) string // of a word in lower case; nil: unchanged
	MaxWords int                 // lines read; files begin with the most frequent words; 200,000
	MaxDims  int                 // 1,024, and at most that
}

// maxLine bounds a line, in bytes: 1,024 numbers of 16 digits take 18 kB.
const maxLine = 1 << 16

// LoadVectors reads vectors as word2vec and fastText write them in text, a first line with
// their count and dimensions and then a line per word, or as GloVe does, without the first
// line. Words that have one stem get the mean of their vectors, each taken at length 1. While
// it reads it takes 4 bytes a number: 240 MB for 200,000 words of 300.
func LoadVectors(in io.Reader, o LoadOptions) (*Vectors, error) {
	if o.Stem == nil {
		o.Stem = func(word string) string { return word }
	}
	if o.MaxWords <= 0 {
		o.MaxWords = 200_000
	}
	if o.MaxDims <= 0 || o.MaxDims > maxDims {
		o.MaxDims = maxDims
	}
	l := loader{options: o, at: map[string]int{}, announced: -1}
	lines := bufio.NewReaderSize(in, maxLine)
	for l.read < o.MaxWords {
		line, err := lines.ReadSlice('\n')
		end := errors.Is(err, io.EOF)
		if err != nil && !end {
			if errors.Is(err, bufio.ErrBufferFull) {
				err = fmt.Errorf("longer than %d bytes; is it a text file of vectors?", maxLine)
			}
			return nil, fmt.Errorf("word vectors, line %d: %w", l.line+1, err)
		}
		if err := l.take(string(line)); err != nil {
			return nil, fmt.Errorf("word vectors, line %d: %w", l.line, err)
		}
		if end {
			break
		}
	}
	if l.read == 0 {
		return nil, errors.New("word vectors: the file has none")
	}
	if l.read < min(l.announced, o.MaxWords) {
		return nil, fmt.Errorf("word vectors: %d of %d words; the file is cut off, get it again", l.read, l.announced)
	}
	return l.vectors(), nil
}

type loader struct {
	options   LoadOptions
	dims      int
	announced int // words, as the first line says; −1 where it does not
	line      int
	read      int // words
	at        map[string]int
	sums      []float32 // dims per stem
	row       []float32
}

// take reads a line.
func (l *loader) take(line string) error {
	l.line++
	line = strings.TrimRight(line, " \t\r\n")
	if line == "" {
		return nil
	}
	if l.dims == 0 {
		fields := strings.Fields(line)
		l.dims = len(fields) - 1
		header := false
		if len(fields) == 2 {
			count, err := strconv.Atoi(fields[0])
			dims, err2 := strconv.Atoi(fields[1])
			if err == nil && err2 == nil && count >= 0 {
				l.announced, l.dims, header = count, dims, true
			}
		}
		if l.dims < 1 || l.dims > l.options.MaxDims {
			return fmt.Errorf("%d dimensions; 1 to %d can be read", l.dims, l.options.MaxDims)
		}
		l.row = make([]float32, l.dims)
		if header {
			return nil
		}
	}
	// From the end, as there are words with spaces.
	square := 0.0
	for i := l.dims - 1; i >= 0; i-- {
		at := strings.LastIndexAny(line, " \t")
		if at < 0 {
			return fmt.Errorf("%d numbers, not %d", l.dims-1-i, l.dims)
		}
		x, err := strconv.ParseFloat(line[at+1:], 32)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("%q is not a number", line[at+1:min(len(line), at+40)])
		}
		l.row[i] = float32(x)
		square += x * x
		line = strings.TrimRight(line[:at], " \t")
	}
	l.read++
	l.add(strings.TrimLeft(line, " \t"), square)
	return nil
}

// add adds the row, whose length is the root of square, to those of the word's stem.
func (l *loader) add(word string, square float64) {
	stem := l.options.Stem(strings.ToLower(word))
	if stem == "" || len(stem) > MaxWord || square == 0 {
		return
	}
	at, ok := l.at[stem]
	if !ok {
		at = len(l.at)
		l.at[strings.Clone(stem)] = at
		l.sums = append(l.sums, make([]float32, l.dims)...)
	}
	scale := 1 / math.Sqrt(square)
	for i, x := range l.row {
		l.sums[at*l.dims+i] += float32(float64(x) * scale)
	}
}

func (l *loader) vectors() *Vectors {
	stems := make([]string, 0, len(l.at))
	for s := range l.at {
		stems = append(stems, s)
	}
	slices.Sort(stems)
	b := newBuilder(l.dims, len(stems))
	for _, s := range stems {
		at := l.at[s]
		b.add(s, l.sums[at*l.dims:(at+1)*l.dims])
	}
	return b.v
}
