package storage

import (
	"time"

	"plat"
)

// Span is how long one content stood in its lineage without a break: the block
// version that a search answers with, an entry of a block's history, and the age
// of what stands on a page.
type Span struct {
	URL     string
	Lineage int32
	Hash    plat.Hash // of the content

	First int       // version in which it appeared, or appeared again
	Since time.Time // Taken of First
	Last  int       // last version that has it
	Gone  int       // first version without it; 0 while the head has it
	Until time.Time // Taken of Gone; zero while the head has it

	// Block is the leaf as it stands in First, its Content and Text not loaded.
	Block plat.Block
}

// Spans folds the versions of one URL, oldest first, into spans. What it says of
// a version depends on that version and those before it alone, so an index of
// spans may be continued at any time, and by several at once.
type Spans struct {
	url  string
	n    int // of the version added last
	open map[ContentKey]*Span
}

// NewSpans returns the fold for a URL. Open are the spans that stood in version
// n, which was the last one added by an earlier fold; none, and n 0, to begin.
func NewSpans(url string, n int, open []*Span) *Spans {
	s := &Spans{url: url, n: n, open: make(map[ContentKey]*Span, len(open))}
	for _, sp := range open {
		s.open[ContentKey{sp.Lineage, sp.Hash}] = sp
	}
	return s
}

// URL is the URL whose versions are folded.
func (s *Spans) URL() string { return s.url }

// N is the number of the version added last, 0 for none.
func (s *Spans) N() int { return s.n }

// Open are the spans that stand in the version added last, in no order.
func (s *Spans) Open() []*Span {
	all := make([]*Span, 0, len(s.open))
	for _, sp := range s.open {
		all = append(all, sp)
	}
	return all
}

// Add takes in the next version, with its block tree, and returns the spans that
// begin with it, in page order, and those that it ends, in no order. A span is
// kept and changed by later calls: Last grows with every version that has it.
func (s *Spans) Add(v *plat.Version) (opened, closed []*Span) {
	stands := make(map[ContentKey]bool, len(s.open))
	for i := range v.Blocks {
		b := &v.Blocks[i]
		k := KeyOf(b)
		if !b.Leaf() || stands[k] {
			continue
		}
		stands[k] = true
		if sp := s.open[k]; sp != nil {
			sp.Last = v.N
			continue
		}
		sp := &Span{URL: s.url, Lineage: b.Lineage, Hash: b.Hash, First: v.N, Since: v.Taken, Last: v.N, Block: *b}
		s.open[k] = sp
		opened = append(opened, sp)
	}
	for k, sp := range s.open {
		if !stands[k] {
			sp.Gone, sp.Until = v.N, v.Taken
			closed = append(closed, sp)
			delete(s.open, k)
		}
	}
	s.n = v.N
	return opened, closed
}
