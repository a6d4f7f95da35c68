package storage

import (
	"time"

	"plat/plat"
)

// Search selects spans. Zero fields do not restrict.
type Search struct {
	// Words is the query for text and topic, as parsed by [Ask]. Without any letter
	// or digit it does not restrict.
	Words string

	Host   string       // exact match
	URL    string       // prefix
	Labels []plat.Label // any of them; none: all

	// The span was present at some time in [Since, Until).
	Since, Until time.Time

	Gone     bool // only removed spans
	Standing bool // only spans present in the last version

	Offset int // number of hits to skip
	Limit  int // maximum number of hits; 0 is no limit
}

// MaxRanked is the minimum number of matches that a search ranks. If there are more, which
// happens for common words, a store may rank only the latest and ignore better matches among
// the older ones.
const MaxRanked = 5_000

// MaxRead is the minimum number of spans with all words of a search that are read. A store
// whose index has no positions may look for phrases in the latest of them only.
const MaxRead = 4 * MaxRanked

// Results are the spans that match a search.
type Results struct {
	Hits []Hit

	// Total is the number of matches, ignoring Offset and Limit. More means that there may be
	// further matches that were neither ranked nor counted; Total is then at least MaxRanked,
	// unless MaxRead spans were read.
	Total int
	More  bool

	// Behind is the number of URLs with versions that are not indexed yet. While Index runs, or
	// after it was interrupted, it is an estimate, but positive if there are such URLs.
	Behind int

	// Unreadable is the number of further URLs that the last Index failed to read. Their index
	// entries may be stale. plat verify shows the cause.
	Unreadable int
}

// Hit is a span that matches a search.
type Hit struct {
	Span

	// Score rises with the quality of the match, 0 if the search has no words. It is
	// comparable only within one result list.
	Score float64
}

// Weights of the text and the topic in BM25F. The text contains the topic's words
// already; a topic weight of three ranks a block about a subject above one that
// mentions it, but not above one that has the words twice as densely.
const (
	TextWeight  = 1
	TopicWeight = 3
)
