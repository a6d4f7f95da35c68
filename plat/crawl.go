package plat

import "time"

// Crawl is a focused crawl: it visits the pages that belong to a topic, those first of which
// most is expected; see package focus. Jobs name it in [Plan.Focus].
type Crawl struct {
	ID    string // of [NewID]
	Name  string // given by a person; empty: the topic's
	Topic string // YAML of package topic: its first topic, with those below it
	Seeds []string
	Order string // see package focus; empty: its default

	Pages   int      // most pages that are visited; 0: no limit
	PerHost int      // most pages of one host; 0: no limit
	Least   float64  // relevance from which a page belongs to the topic, 0 to 1; 0: the default of package focus
	Keep    bool     // store versions also of pages that do not belong to it
	Near    string   // where near words are known from, by comma: see package crawler; empty: only the topic's own words count
	Scope   string   // which links may be followed, see links.ParseScope; empty: any
	Revisit Schedule // of pages that belong to it; the zero Schedule: never again

	Labels []CrawlLabel // what people say of pages, by URL
	State  CrawlState
	Reason string // why it is in that state, for people
	Made   time.Time

	// Resumed is for how many pages it had asked when somebody had it go on the last time: from there on
	// it counts what was in vain.
	Resumed int
	// Revision counts the changes, to find concurrent ones; see storage.Crawls.
	Revision int
}

// CrawlLabel is a person's word on whether a page belongs to a crawl's topic.
type CrawlLabel struct {
	URL     string // canonical
	Belongs bool
	Time    time.Time
}

// CrawlState says whether pages are asked for.
type CrawlState string

// States of crawls.
const (
	CrawlRuns   CrawlState = "running"
	CrawlPaused CrawlState = "paused" // by a person, or until a person mends what it looks for: Reason says which
	CrawlIsDone CrawlState = "done"
)

// CrawlPage is a page that a focused crawl has asked for.
type CrawlPage struct {
	Crawl string
	N     int // its place in the order in which the crawl asked for pages, from 1
	URL   string
	Score float64 // what was expected of it, 0 to 1
	From  string  // the page whose link led there; empty for seeds
	Asked time.Time

	// The rest is known once it was visited.
	Visited   time.Time // zero: not yet
	Outcome   Outcome
	Relevance float64 // by the topic as it was then, 0 to 1
	Version   int     // of the URL in the archive; 0: none is kept
	Title     string
	Reading   []byte // of package focus, opaque here; empty if there was no page
}
