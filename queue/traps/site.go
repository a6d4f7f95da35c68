package traps

import (
	"hash/maphash"
	"math/rand/v2"
	"slices"
	"sync"

	"plat/queue/recent"
)

// A Site is the data learnt about the addresses of one host. It is bounded, and safe for
// concurrent use.
type Site struct {
	mu sync.Mutex

	patterns map[string]*pattern  // see barren.go
	params   map[string]*evidence // that parameters change nothing; see plain.go
	pieces   map[piece]*evidence

	texts  recent.Map[uint64, struct{}] // phrases that pages had
	found  recent.Map[uint64, *origin]  // how URLs were found
	pages  recent.Map[uint64, string]   // URLs of pages by that of their plain address
	links  recent.Map[uint64, string]   // links by the URL that they were replaced with
	claims recent.Map[uint64, []string] // pages by the hash of the URL that they say is theirs
	prints recent.Map[uint64, uint64]   // fingerprints of pages by URL, and by URL without a parameter
	visits int                          // of all URLs
	asked  int                          // of these, of barren patterns
	luck   func() float64               // 0 to 1
}

// NewSite returns a site without data.
func NewSite() *Site {
	return &Site{
		patterns: map[string]*pattern{}, params: map[string]*evidence{}, pieces: map[piece]*evidence{},
		texts: memory[struct{}](), found: memory[*origin](), pages: memory[string](),
		links: memory[string](), claims: memory[[]string](), prints: memory[uint64](),
		luck: rand.Float64,
	}
}

// maxRecent is the number of entries in a generation, at least 20 bytes each.
const maxRecent = 20_000

func memory[V any]() recent.Map[uint64, V] { return recent.Map[uint64, V]{Max: maxRecent} }

// Claim records that page declares canonical as its URL (rel=canonical).
func (s *Site) Claim(page, canonical string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := keyOf(canonical)
	if all, _ := s.claims.Get(key); len(all) < maxClaims && !slices.Contains(all, page) {
		s.claims.Put(key, append(all, page))
	}
}

// Claims returns pages that declare url as their canonical URL.
func (s *Site) Claims(url string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	all, _ := s.claims.Get(keyOf(url))
	return slices.Clone(all)
}

// maxClaims is the number of pages that may declare the same canonical URL. If all pages of a site
// declare the same URL, they are wrong.
const maxClaims = 4

// Size returns the amount of data, in entries of some 50 bytes.
func (s *Site) Size() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.patterns) + len(s.params) + len(s.pieces) + s.texts.Len() + s.found.Len() + 2*s.pages.Len() + 2*s.links.Len() + 2*s.claims.Len() + s.prints.Len()
}

func keyOf(parts ...string) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	for _, p := range parts {
		h.WriteString(p)
		h.WriteByte(0)
	}
	return h.Sum64()
}
