// Package boilerplate tells which blocks of a page are its site's: menus, headers and footers
// stand on most pages of a site, while the content changes from page to page. Only an
// archive, or a crawl, has seen the other pages.
package boilerplate

import (
	"hash/fnv"
	"math"
	"slices"
	"sync"

	"plat/plat"
)

// pages is how many pages of a site are remembered, the last ones. More tell no more: what
// stands on most of twelve pages stands on most of all.
const pages = 12

// A Site remembers the blocks of the last pages of a site that were seen. The zero Site has
// seen none. It takes about a kilobyte for each page of a hundred blocks, and may be used by
// several goroutines.
type Site struct {
	mu   sync.Mutex
	seen []page // oldest first
}

type page struct {
	url    string
	blocks []uint64 // ascending, no two equal
}

// Learn remembers the blocks of a page, whose topics are known. It takes the place of what
// was known of that URL.
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

// Except returns the pages of the site but that of a URL. A nil Site has none.
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

// Len is how many pages are remembered.
func (s *Site) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.seen)
}

// Pages are the blocks of some pages of one site.
type Pages [][]uint64

// With counts the pages that have a block; known is false for blocks without text, of which
// that says nothing.
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

// keyOf is the same for leaves that show the same, as far as what versions say of their blocks
// without their contents tells: an item of a menu is marked on the page that it leads to, and
// then its content is another. 0 for other blocks.
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
