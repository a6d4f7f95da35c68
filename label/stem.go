package label

import (
	"sync"

	"github.com/kljensen/snowball/english"
	"github.com/kljensen/snowball/french"
	"github.com/kljensen/snowball/hungarian"
	"github.com/kljensen/snowball/norwegian"
	"github.com/kljensen/snowball/russian"
	"github.com/kljensen/snowball/spanish"
	"github.com/kljensen/snowball/swedish"
)

// stemmerOf is the Snowball stemmer of a language, nil where there is none:
// then a word's lower-case form is counted as it is. Chinese has nothing to
// stem; for the others the library has no algorithm.
func stemmerOf(l language) func(word string, stemStopWords bool) string {
	if l == none {
		return nil
	}
	switch stopLists[l].code {
	case "en":
		return english.Stem
	case "fr":
		return french.Stem
	case "es":
		return spanish.Stem
	case "ru":
		return russian.Stem
	case "sv":
		return swedish.Stem
	case "no":
		return norwegian.Stem
	case "hu":
		return hungarian.Stem
	}
	return nil
}

// stems remembers the stems of words. A stemmer takes microseconds, and the
// words of one site's pages are much the same.
type stems struct {
	mu    sync.RWMutex
	known map[language]map[string]string // guarded by mu
	size  int                            // entries; guarded by mu
}

// maxStems bounds what is remembered, to about 4 MB. Then it starts afresh: what
// is frequent is back soon.
const maxStems = 1 << 15

// of is the stem of word, which is in lower case.
func (s *stems) of(l language, word []byte) string {
	stemmer := stemmerOf(l)
	if stemmer == nil {
		return string(word)
	}
	s.mu.RLock()
	stem, ok := s.known[l][string(word)]
	s.mu.RUnlock()
	if ok {
		return stem
	}
	key := string(word)
	stem = stemmer(key, false)
	if stem == key {
		stem = key // one string, not two
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.size >= maxStems {
		clear(s.known)
		s.size = 0
	}
	if s.known[l] == nil {
		s.known[l] = map[string]string{}
	}
	s.known[l][key] = stem
	s.size++
	return stem
}
