package workers

import (
	"hash/maphash"
	"sync"
)

// seen remembers URLs that the archive knows, so that links which pages of a site
// repeat are not looked up for each page. It is bounded: two generations of at most
// maxSeen URLs, of which the older is forgotten when the younger is full. The zero
// value is ready to use.
//
// A URL is known by 128 bits of keyed hashes: of a million million URLs that are new,
// not one is taken for known.
type seen struct {
	mu       sync.Mutex
	now, old map[[2]uint64]struct{} // guarded by mu
}

// maxSeen is the number of URLs in a generation, some 40 bytes each.
const maxSeen = 100_000

var seenSeeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

func seenKey(url string) [2]uint64 {
	return [2]uint64{maphash.String(seenSeeds[0], url), maphash.String(seenSeeds[1], url)}
}

// has reports whether a URL is known to be in the archive.
func (s *seen) has(url string) bool {
	k := seenKey(url)
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.now[k]; ok {
		return true
	}
	if _, ok := s.old[k]; !ok {
		return false
	}
	s.put(k) // still in use
	return true
}

// add remembers a URL that is in the archive.
func (s *seen) add(url string) {
	k := seenKey(url)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.put(k)
}

// put adds a key; the caller holds mu.
func (s *seen) put(k [2]uint64) {
	if s.now == nil || len(s.now) >= maxSeen {
		s.now, s.old = make(map[[2]uint64]struct{}), s.now
	}
	s.now[k] = struct{}{}
}
