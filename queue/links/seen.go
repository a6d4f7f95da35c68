package links

import (
	"hash/maphash"
	"sync"

	"plat/queue/recent"
)

// Seen remembers URLs that the archive knows, so that links which pages of a site
// repeat are not looked up for each page. It is bounded, and safe for concurrent use. The
// zero value is ready to use.
//
// URLs are compared by 128 bits of keyed hashes: not one in a million million new URLs is mistaken
// for a known one.
type Seen struct {
	mu    sync.Mutex
	known recent.Map[[2]uint64, struct{}] // guarded by mu
}

// maxSeen is the number of URLs in a generation, some 40 bytes each.
const maxSeen = 100_000

var seenSeeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

func seenKey(url string) [2]uint64 {
	return [2]uint64{maphash.String(seenSeeds[0], url), maphash.String(seenSeeds[1], url)}
}

// Has reports whether a URL was added, so that the archive has it.
func (s *Seen) Has(url string) bool {
	k := seenKey(url)
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.known.Has(k) {
		return false
	}
	s.put(k) // still in use
	return true
}

// Add remembers a URL that is in the archive.
func (s *Seen) Add(url string) {
	k := seenKey(url)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.put(k)
}

// put adds a key; the caller holds mu.
func (s *Seen) put(k [2]uint64) {
	s.known.Max = maxSeen
	s.known.Put(k, struct{}{})
}
