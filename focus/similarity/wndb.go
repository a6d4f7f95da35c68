package similarity

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

// database is WordNet's files as read, see man 5 wndb.
type database struct {
	synsets []synset
	ids     map[place]int32
	lemmas  []lemma
}

// place is the position of a synset: in the file of a part of speech (n, v, a or r), in bytes.
type place struct {
	part   byte
	offset uint32
}

type synset struct {
	part     byte
	words    []string // lower case
	pointers []pointer
}

// pointer is a relation to a synset; source is the number, from 1, of the word that has it, 0 for
// all of the synset.
type pointer struct {
	symbol string
	to     place
	source int
}

// lemma is a word as a part of speech, with its synsets, the most frequent sense first.
type lemma struct {
	word   string
	senses []int32
}

// Limits of malformed files. Version 3.0 has 117,659 synsets, 155,287 lemmas and lines of 13 kB.
const (
	maxSynsets      = 1 << 20
	maxLemmas       = 1 << 20
	maxDatabaseLine = 1 << 18
)

// partsOfSpeech are the names of files and the letters in them.
var partsOfSpeech = []struct {
	name string
	part byte
}{{"noun", 'n'}, {"verb", 'v'}, {"adj", 'a'}, {"adv", 'r'}}

func readDatabase(files fs.FS) (*database, error) {
	d := &database{ids: map[place]int32{}}
	for _, of := range partsOfSpeech {
		if err := eachLine(files, "data."+of.name, func(f *fields) error { return d.synset(f, of.part) }); err != nil {
			return nil, err
		}
	}
	for _, of := range partsOfSpeech {
		if err := eachLine(files, "index."+of.name, func(f *fields) error { return d.lemma(f, of.part) }); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// eachLine calls take with each line but those of the licence, which begin with a space,
// without its gloss.
func eachLine(files fs.FS, name string, take func(*fields) error) error {
	f, err := files.Open(name)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%w; apt-get install wordnet-base", err)
		}
		return fmt.Errorf("WordNet: %w", err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxDatabaseLine)
	n := 0
	for lines.Scan() {
		n++
		line := lines.Bytes()
		if len(line) == 0 || line[0] == ' ' {
			continue
		}
		// A word may be or contain a bar; the one before a gloss has spaces around it.
		line, _, _ = bytes.Cut(line, []byte(" | "))
		if err := take(&fields{rest: strings.Fields(string(line))}); err != nil {
			return fmt.Errorf("WordNet: %s, line %d: %w; install wordnet-base again", name, n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("WordNet: %s, line %d: %w", name, n+1, err)
	}
	return nil
}

// fields are the unread fields of a line. After an invalid one, every further field is empty or 0.
type fields struct {
	rest []string
	err  error
}

func (f *fields) word() string {
	if len(f.rest) == 0 {
		if f.err == nil {
			f.err = errors.New("the line is too short")
		}
		return ""
	}
	w := f.rest[0]
	f.rest = f.rest[1:]
	return w
}

// number reads a number of at most 32 bits.
func (f *fields) number(base int) uint32 {
	w := f.word()
	n, err := strconv.ParseUint(w, base, 32)
	if err != nil && f.err == nil {
		f.err = fmt.Errorf("%q is not a number", w)
	}
	if f.err != nil {
		return 0
	}
	return uint32(n)
}

// count reads a number of things that follow: no more than there are fields.
func (f *fields) count(base int) int {
	n := f.number(base)
	if f.err == nil && uint64(n) > uint64(len(f.rest)) {
		f.err = fmt.Errorf("%d things, in %d fields", n, len(f.rest))
	}
	if f.err != nil {
		return 0
	}
	return int(n)
}

// part reads a part of speech. Satellites are in the file of adjectives.
func (f *fields) part() byte {
	switch w := f.word(); w {
	case "n", "v", "a", "r":
		return w[0]
	case "s":
		return 'a'
	default:
		if f.err == nil {
			f.err = fmt.Errorf("%q is not a part of speech", w)
		}
		return 0
	}
}

// synset reads a line of a data file.
func (d *database) synset(f *fields, part byte) error {
	at := place{part, f.number(10)}
	f.word() // file of the lexicographers
	if got := f.part(); f.err == nil && got != part {
		return fmt.Errorf("part of speech %c in the file of %c", got, part)
	}
	s := synset{part: part}
	for range f.count(16) {
		w, _, _ := strings.Cut(f.word(), "(") // position of an adjective: galore(ip)
		s.words = append(s.words, strings.ToLower(w))
		f.word() // number within that file
	}
	for range f.count(10) {
		p := pointer{symbol: f.word()}
		p.to.offset = f.number(10)
		p.to.part = f.part()
		p.source = int(f.number(16) >> 8)
		if p.source > len(s.words) && f.err == nil {
			f.err = fmt.Errorf("a pointer of word %d, of %d", p.source, len(s.words))
		}
		if _, ok := relations[p.symbol]; ok {
			s.pointers = append(s.pointers, p)
		}
	}
	if f.err != nil {
		return f.err
	}
	if _, ok := d.ids[at]; ok {
		return fmt.Errorf("synset %08d comes twice", at.offset)
	}
	if len(d.synsets) >= maxSynsets {
		return fmt.Errorf("more than %d synsets", maxSynsets)
	}
	d.ids[at] = int32(len(d.synsets))
	d.synsets = append(d.synsets, s)
	return nil
}

// lemma reads a line of an index file. Lemmas of several words are left out.
func (d *database) lemma(f *fields, part byte) error {
	l := lemma{word: strings.ToLower(f.word())}
	if got := f.part(); f.err == nil && got != part {
		return fmt.Errorf("part of speech %c in the file of %c", got, part)
	}
	synsets := f.count(10)
	for range f.count(10) {
		f.word() // symbols of the pointers that its synsets have
	}
	f.word() // number of senses, again
	f.word() // how many of them are ordered by frequency
	if f.err != nil {
		return f.err
	}
	if strings.Contains(l.word, "_") {
		return nil
	}
	for range synsets {
		at := place{part, f.number(10)}
		if f.err != nil {
			return f.err
		}
		id, ok := d.ids[at]
		if !ok {
			return fmt.Errorf("there is no synset %08d", at.offset)
		}
		l.senses = append(l.senses, id)
	}
	if len(d.lemmas) >= maxLemmas {
		return fmt.Errorf("more than %d lemmas", maxLemmas)
	}
	d.lemmas = append(d.lemmas, l)
	return nil
}
