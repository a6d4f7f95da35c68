package workers

import (
	"errors"
	"time"

	"plat/plat"
)

// Report is the result and cost of a visit.
type Report struct {
	URL         string
	Outcome     plat.Outcome
	Version     int                // the URL's current version; 0 if absent
	Stored      bool               // the version is new
	Seems       plat.Outcome       // see [plat.Version.Seems]
	Blocks      int                // leaves of the page
	Changes     map[plat.Kind]int  // against the previous version
	SelfChanges map[plat.Kind]int  // not among Changes
	Looks       int                // further renderings, to find self-changes
	Status      int                // HTTP
	PageBytes   int64              // of the page as HTML
	StoredBytes int64              // written for it: blocks, layout, version
	Pictures    int64              // bytes written for its picture
	Resources   int64              // bytes written for its resources
	Added       []string           // what the current version got, which is not new: picture, resources
	NewBlocks   int                // contents that were not stored before
	Coverage    float64            // visible text inside blocks, 0 to 1
	Settled     plat.Settled       // why the page was captured at that moment
	Coarse      int64              // see [plat.Capture]
	Failed      []plat.FailedLoad  // files that the page did not get; see [plat.Snapshot]
	Duration    time.Duration      // of the whole visit
	Stages      map[string]float64 // seconds: check, render, read (with comparison), store; further renderings are in none
	Retry       bool               // the visit failed, and may succeed later
	RetryAfter  time.Duration      // the server's Retry-After (429 and 503)
	PutOff      bool               // the host caused the failure: it throttles, or its robots.txt is unreachable
	Repeated    bool               // an earlier visit had already settled the job
	Next        time.Time          // next due time in the archive; zero for never, or if the job is not settled
	Found       string             // "news" or "nothing", as policies count it; empty for first visits and failed ones
	Fresh       float64            // chance, as believed before the visit, that it would find nothing; negative: unknown
	PolicyError error              // failure of the schedule's policy; the visit counts nevertheless
	Links       int                // to unknown URLs
	Skipped     bool               // not rendered: its files have not changed
	Main        string             // the URL under which the page is archived, if it differs
}

// settledBy records that an earlier visit has settled the job, if err says so, and takes
// over its next due time.
func (r *Report) settledBy(err error) bool {
	var settled *plat.SettledError
	if !errors.As(err, &settled) {
		return false
	}
	r.Repeated, r.Next = true, settled.Due
	return true
}

// addRendering adds a rendering. It returns the time before which the host wants no further request, by Retry-After
// and by the freshness of the page.
func (r *Report) addRendering(seen *rendering, now time.Time) (notBefore time.Time) {
	r.Stages["render"] = seen.took.Seconds()
	s := seen.snap
	if s == nil {
		return time.Time{}
	}
	r.Status, r.Settled, r.Coarse, r.Failed, r.RetryAfter = s.Status, s.Settled, s.Coarse, s.Failed, s.RetryAfter(now)
	return now.Add(max(r.RetryAfter, s.FreshFor(now)))
}

// addNews adds self-changes, and the renderings that have shown them.
func (r *Report) addNews(n *news) {
	r.Looks, r.SelfChanges = r.Looks+n.rendered, nil
	if len(n.own) > 0 {
		r.SelfChanges = plat.SuppressedKinds(n.own)
	}
}

// addPage adds the blocks of a page.
func (r *Report) addPage(page *dividedPage) {
	r.Blocks, r.PageBytes, r.Coverage = page.leaves, page.bytes, page.Coverage
}
