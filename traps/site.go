package traps

import (
	"hash/maphash"
	"math/rand/v2"
	"slices"
	"sync"
)

// A Site is what is known of the addresses of one host. It is bounded, and safe for
// concurrent use.
type Site struct {
	mu sync.Mutex

	patterns map[string]*pattern  // see barren.go
	params   map[string]*evidence // that parameters change nothing; see plain.go
	pieces   map[piece]*evidence

	texts  recent[struct{}] // phrases that pages had
	found  recent[*origin]  // how URLs were found
	pages  recent[string]   // URLs of pages by that of their plain address
	links  recent[string]   // links by the URL that they were replaced with
	claims recent[[]string] // pages by the hash of the URL that they say is theirs
	prints recent[uint64]   // fingerprints of pages by URL, and by URL without a parameter
	visits int              // of all URLs
	asked  int              // of these, of barren patterns
	luck   func() float64   // 0 to 1
}

// NewSite returns a site of which nothing is known.
func NewSite() *Site {
	return &Site{patterns: map[string]*pattern{}, params: map[string]*evidence{}, pieces: map[piece]*evidence{}, luck: rand.Float64}
}

// recent is a map of bounded size: two generations of at most maxRecent entries, of
// which the older is forgotten when the younger is full.
type recent[V any] struct{ now, old map[uint64]V }

// maxRecent is the number of entries in a generation, at least 20 bytes each.
const maxRecent = 20_000

func (r *recent[V]) get(key uint64) (V, bool) {
	v, ok := r.now[key]
	if !ok {
		v, ok = r.old[key]
	}
	return v, ok
}

func (r *recent[V]) has(key uint64) bool { _, ok := r.get(key); return ok }

func (r *recent[V]) put(key uint64, v V) {
	if r.now == nil || len(r.now) >= maxRecent {
		r.now, r.old = make(map[uint64]V), r.now
	}
	r.now[key] = v
}

// Claim notes that a page says that it is another one (rel=canonical).
func (s *Site) Claim(page, canonical string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := keyOf(canonical)
	if all, _ := s.claims.get(key); len(all) < maxClaims && !slices.Contains(all, page) {
		s.claims.put(key, append(all, page))
	}
}

// Claims returns pages that say that they are this one.
func (s *Site) Claims(url string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	all, _ := s.claims.get(keyOf(url))
	return slices.Clone(all)
}

// maxClaims is how many pages are remembered that say they are the same one. Where all
// pages of a site name one, they are wrong.
const maxClaims = 4

// Size is how much is known, in entries of some 50 bytes.
func (s *Site) Size() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.patterns) + len(s.params) + len(s.pieces) + s.texts.size() + s.found.size() + 2*s.pages.size() + 2*s.links.size() + 2*s.claims.size() + s.prints.size()
}

func (r *recent[V]) size() int { return len(r.now) + len(r.old) }

func keyOf(parts ...string) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	for _, p := range parts {
		h.WriteString(p)
		h.WriteByte(0)
	}
	return h.Sum64()
}
