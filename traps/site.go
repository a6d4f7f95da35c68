package traps

import (
	"hash/maphash"
	"math/rand/v2"
	"sync"
)

// A Site is what is known of the addresses of one host. It is bounded, and safe for
// concurrent use.
type Site struct {
	mu sync.Mutex

	patterns map[string]*pattern  // see barren.go
	params   map[string]*evidence // that parameters change nothing; see plain.go
	pieces   map[piece]*evidence

	texts  recent[struct{}]       // phrases that pages had
	found  recent[[levels]string] // the patterns of the page where a URL was found
	prints recent[uint64]         // fingerprints of pages by URL, and by URL without a parameter
	visits int                    // of pages
	asked  int                    // visits when a URL of a barren pattern was last visited
	luck   func() float64         // 0 to 1
}

// NewSite returns a site of which nothing is known.
func NewSite() *Site {
	return &Site{patterns: map[string]*pattern{}, params: map[string]*evidence{}, pieces: map[piece]*evidence{}, luck: rand.Float64}
}

// recent is a map of bounded size: two generations of at most maxRecent entries, of
// which the older is forgotten when the younger is full.
type recent[V any] struct{ now, old map[uint64]V }

// maxRecent is the number of entries in a generation, at least 20 bytes each.
const maxRecent = 30_000

func (r *recent[V]) get(key uint64) (V, bool) {
	v, ok := r.now[key]
	if !ok {
		v, ok = r.old[key]
	}
	return v, ok
}

func (r *recent[V]) put(key uint64, v V) {
	if r.now == nil || len(r.now) >= maxRecent {
		r.now, r.old = make(map[uint64]V), r.now
	}
	r.now[key] = v
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
