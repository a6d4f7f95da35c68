package storage

import (
	"time"

	"plat"
)

// Search asks for spans. Zero fields do not restrict.
type Search struct {
	// Words are what the text or the topic holds, as [Ask] reads them; without
	// any letter or digit they ask for nothing.
	Words string

	Host  string // exact
	URL   string // prefix
	Label plat.Label

	// The span stood at some time from Since on and before Until.
	Since, Until time.Time

	Gone     bool // only spans that ended
	Standing bool // only spans that the last version has

	Offset int // so many hits are left out
	Limit  int // at most so many hits; 0 is no limit
}

// MaxRanked is how many spans a search compares at least. Where more answer, a
// store may rank the latest of them and leave out the others, however well these
// fit: so many have little but a common word in common.
const MaxRanked = 5_000

// MaxRead is how many spans that have all words of a search are read at least. A
// store whose index knows words and no phrases may look for phrases in the latest of
// them and leave out the others.
const MaxRead = 4 * MaxRanked

// Results are the spans that answer a search.
type Results struct {
	Hits []Hit

	// Total is how many spans answer, without Offset and Limit. With More there may
	// be others, that were not ranked and are not counted; not below MaxRanked, or
	// where fewer than MaxRead were read.
	Total int
	More  bool

	// Behind is how many URLs have versions that the index has not taken in yet.
	// While Index is at work, or where it was interrupted, it is an estimate, and
	// not 0 while there are any.
	Behind int

	// Unreadable is how many others Index could not read when it last tried; what it
	// has of them may be old. plat verify says what is wrong.
	Unreadable int
}

// Hit is a span that answers a search.
type Hit struct {
	Span

	// Score is higher the better the words fit, 0 where the search has none. It
	// compares hits of one answer, and nothing else.
	Score float64
}

// Weights of a word in the text and in the topic, for the score: that of a field
// in BM25F. A topic's words stand in the text already; three times as much again
// lifts a block about something above one that mentions it, and not above one
// that has the words twice as densely.
const (
	TextWeight  = 1
	TopicWeight = 3
)
