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

// stemmerOf returns the Snowball stemmer of a language. It is nil for Chinese,
// which has no inflection, and where the library has no algorithm; words are
// then counted in lower case.
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

// stems caches the stems of words: stemming takes microseconds, and the pages
// of one site share most words.
type stems struct {
	mu    sync.RWMutex
	known map[language]map[string]string // guarded by mu
	size  int                            // entries; guarded by mu
}

// maxStems limits the cache to about 4 MB. When full it is cleared; frequent
// words soon return.
const maxStems = 1 << 15

// of returns the stem of word, which is in lower case.
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
