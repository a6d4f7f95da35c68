package plat

import "time"

// Crawl is a focused crawl: it visits pages that belong to a topic, the most promising first; see
// package focus. Jobs name it in [Plan.Focus].
type Crawl struct {
	ID    string // of [NewID]
	Name  string // set by the user; empty: the topic's
	Topic string // YAML of package topic: its first topic and the subtopics
	Seeds []string
	Order string // see package focus; empty: the default

	Pages   int      // maximum number of visited pages; 0: no limit
	PerHost int      // maximum number of pages per host; 0: no limit
	Least   float64  // minimum relevance of a page that belongs to the topic, 0 to 1; 0: the default of package focus
	Keep    bool     // store versions of pages outside of the topic, too
	Near    string   // sources of related words, of older crawls: no effect since related words did not help, see docs/focus.md
	Scope   string   // which links may be followed, see links.ParseScope; empty: any
	Revisit Schedule // of pages that belong to the topic; the zero Schedule: once

	Labels []CrawlLabel // the user's labels of pages, by URL
	State  CrawlState
	Reason string // why the crawl is in that state, for the user
	Made   time.Time

	// Resumed is the number of pages that the crawl had requested when a user last resumed it:
	// unsuccessful pages are counted from there.
	Resumed int
	// Revision grows with each change, to detect concurrent ones; see storage.Crawls.
	Revision int
}

// CrawlLabel is a user's decision whether a page belongs to a crawl's topic.
type CrawlLabel struct {
	URL     string // canonical
	Belongs bool
	Time    time.Time
}

// CrawlState is the state of a crawl: whether it requests pages.
type CrawlState string

// States of crawls.
const (
	CrawlRuns   CrawlState = "running"
	CrawlPaused CrawlState = "paused" // by a user, or until a user changes the topic: see Reason
	CrawlIsDone CrawlState = "done"
)

// CrawlPage is a page that a focused crawl has requested.
type CrawlPage struct {
	Crawl string
	N     int // rank in the order of the crawl's requests, from 1
	URL   string
	Score float64 // expected relevance, 0 to 1
	From  string  // page with the link to this one; empty for seeds
	Asked time.Time

	// The remaining fields are set by the visit.
	Visited   time.Time // zero: not yet
	Outcome   Outcome
	Relevance float64 // to the topic at the time of the visit, 0 to 1
	Version   int     // of the URL in the archive; 0: not stored
	Title     string
	Reading   []byte // of package focus, opaque here; empty without a page
}
