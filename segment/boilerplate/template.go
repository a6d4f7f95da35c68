// Package boilerplate detects the blocks of a page that belong to its site: menus, headers and
// footers are on most pages of a site, while the content changes from page to page. Recognizing them needs other pages of the
// site, which only an archive or a crawl has.
package boilerplate

import (
	"hash/fnv"
	"math"
	"slices"
	"sync"

	"plat/plat"
)

// pages is the number of pages remembered per site, the latest ones. More do not improve the result:
// a block on most of twelve pages is on most of all.
const pages = 12

// A Site remembers the blocks of the latest pages of a site. The zero Site has no pages. It takes
// about a kilobyte per page of a hundred blocks, and is safe for concurrent use.
type Site struct {
	mu   sync.Mutex
	seen []page // oldest first
}

type page struct {
	url    string
	blocks []uint64 // ascending, no two equal
}

// Learn remembers the blocks of a page, whose topics are set. It replaces earlier blocks of the same
// URL.
func (s *Site) Learn(url string, blocks []plat.Block) {
	p := page{url: url}
	for i := range blocks {
		if k := keyOf(&blocks[i]); k != 0 {
			p.blocks = append(p.blocks, k)
		}
	}
	slices.Sort(p.blocks)
	p.blocks = slices.Clip(slices.Compact(p.blocks))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = slices.DeleteFunc(s.seen, func(p page) bool { return p.url == url })
	s.seen = append(s.seen, p)
	if len(s.seen) > pages {
		s.seen = slices.Delete(s.seen, 0, len(s.seen)-pages)
	}
}

// Except returns the pages of the site without that of a URL. It returns nil for a nil Site.
func (s *Site) Except(url string) Pages {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var p Pages
	for i := range s.seen {
		if s.seen[i].url != url {
			p = append(p, s.seen[i].blocks)
		}
	}
	return p
}

// Len returns the number of remembered pages.
func (s *Site) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.seen)
}

// Pages are the blocks of some pages of one site.
type Pages [][]uint64

// With returns the number of pages that have a block; known is false for blocks without text, which
// cannot be compared.
func (p Pages) With(b *plat.Block) (n int, known bool) {
	k := keyOf(b)
	if k == 0 {
		return 0, false
	}
	for _, blocks := range p {
		if _, ok := slices.BinarySearch(blocks, k); ok {
			n++
		}
	}
	return n, true
}

// keyOf returns a key that is equal for leaves that look equal by their topic, length, links and tag.
// Contents do not count: the item of a menu that leads to the current page is marked, and its content
// differs. 0 for blocks without a key.
func keyOf(b *plat.Block) uint64 {
	if !b.Leaf() || b.TextLen == 0 {
		return 0
	}
	h := fnv.New64a()
	h.Write([]byte(b.Topic))
	n, links := uint32(b.TextLen), uint32(math.Round(100*float64(b.LinkShare)))
	h.Write([]byte{0, byte(n), byte(n >> 8), byte(n >> 16), byte(links)})
	h.Write([]byte(b.Tag))
	return max(1, h.Sum64())
}
