package storage

import (
	"time"

	"plat/plat"
)

// Span is one content's uninterrupted presence in its lineage: a search result, an
// entry of a block's history, and the age of a block on a page.
type Span struct {
	URL     string
	Lineage int32
	Hash    plat.Hash // of the content

	First int       // version in which it appeared or returned
	Since time.Time // Taken of First
	Last  int       // last version with it
	Gone  int       // first version without it; 0 while the head has it
	Until time.Time // Taken of Gone; zero while the head has it

	// Block is the leaf of version First, without Content, Text and Base: the Base is the Hash of
	// the span before it in its lineage.
	Block plat.Block
}

// WithoutBase returns a block without its Base, as the results of searches have it.
func WithoutBase(b *plat.Block) plat.Block {
	is := *b
	is.Base = plat.Hash{}
	return is
}

// Spans folds the versions of one URL, oldest first, into spans. The result for a
// version depends only on it and earlier versions, so an index of spans can be
// continued at any time, and by several processes at once.
type Spans struct {
	url  string
	open map[ContentKey]*Span
}

// NewSpans continues the fold of a URL after the version in which the spans open were
// present; nil begins a new one.
func NewSpans(url string, open []*Span) *Spans {
	s := &Spans{url: url, open: make(map[ContentKey]*Span, len(open))}
	for _, sp := range open {
		s.open[ContentKey{sp.Lineage, sp.Hash}] = sp
	}
	return s
}

// Open returns the spans present in the last version added, unordered.
func (s *Spans) Open() []*Span {
	all := make([]*Span, 0, len(s.open))
	for _, sp := range s.open {
		all = append(all, sp)
	}
	return all
}

// Add folds the next version, with its block tree, and returns the spans that begin
// with it, in page order, and those that end, unordered. Spans are retained and
// modified by later calls: Last grows with every version that has the content.
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
		sp := &Span{URL: s.url, Lineage: b.Lineage, Hash: b.Hash, First: v.N, Since: v.Taken, Last: v.N, Block: WithoutBase(b)}
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
	return opened, closed
}
