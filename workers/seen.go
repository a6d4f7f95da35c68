package workers

import (
	"hash/maphash"
	"sync"

	"plat/recent"
)

// seen remembers URLs that the archive knows, so that links which pages of a site
// repeat are not looked up for each page. It is bounded. The zero value is ready to use.
//
// A URL is known by 128 bits of keyed hashes: of a million million URLs that are new,
// not one is taken for known.
type seen struct {
	mu    sync.Mutex
	known recent.Map[[2]uint64, struct{}] // guarded by mu
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
	if !s.known.Has(k) {
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
	s.known.Max = maxSeen
	s.known.Put(k, struct{}{})
}
