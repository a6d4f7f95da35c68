package crawler

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"plat/focus"
	"plat/plat"
	"plat/storage"
)

// Report is the state of a crawl for display and for workers.
type Report struct {
	Time    time.Time     `json:"time"`
	Terms   []string      `json:"terms"` // of the topic, weightiest first; at most 50
	Counts  focus.Counts  `json:"counts"`
	Curve   []Point       `json:"curve"`             // at most 400 points, the last one is now
	Sites   []Site        `json:"sites"`             // with most pages; at most 50
	Waiting []focus.Asked `json:"waiting"`           // the best 50 links
	Missing []string      `json:"missing,omitempty"` // examples that are not in the archive
	Left    []string      `json:"left,omitempty"`    // hosts that show crawlers a different text than readers: no further requests; at most 50
	Pending int           `json:"pending"`           // pages requested and not answered
	Oldest  []Pending     `json:"oldest,omitempty"`  // of these, those requested first; at most 20

	// Assessor is the encoded assessor for workers, see [Assessors].
	Assessor []byte `json:"assessor,omitempty"`

	// Judged holds the present assessments for [Verdicts], of pages that are not as their visits
	// found. Heeds identifies the labels on which they rest, see heeds.
	Judged []byte `json:"judged,omitempty"`
	Heeds  string `json:"heeds,omitempty"`
}

// Point is the number of pages that belong among the first pages.
type Point struct {
	Pages  int `json:"pages"`
	Belong int `json:"belong"`
}

// Site counts the visited pages of a host.
type Site struct {
	Host   string `json:"host"`
	Pages  int    `json:"pages"`
	Belong int    `json:"belong"`
}

// Pending is a page that was requested and is not answered.
type Pending struct {
	URL   string    `json:"url"`
	Asked time.Time `json:"asked,omitzero"`

	// The rest is set after the first attempt to visit it; see StatusOf.
	Tried   time.Time    `json:"tried,omitzero"`    // when, the last time
	Outcome plat.Outcome `json:"outcome,omitempty"` // of that
	Next    time.Time    `json:"next,omitzero"`     // when it is tried again; zero: not known
}

// Limits of a report.
const (
	maxPending = 20
	maxPoints  = 400
	maxSites   = 50
	maxWaiting = 50
	maxShown   = 50 // terms
)

// ReadReport returns the report of a crawl, nil if there is no report yet.
func ReadReport(ctx context.Context, s storage.Crawls, id string) (*Report, error) {
	b, err := s.Report(ctx, id)
	if err != nil || b == nil {
		return nil, err
	}
	r := &Report{}
	if err := json.Unmarshal(b, r); err != nil {
		return nil, fmt.Errorf("report of the focused crawl %s: %v: %w", id, err, plat.ErrCorrupt)
	}
	return r, nil
}

// curve keeps at most maxPoints points: when there are too many, it drops every second one.
type curve struct {
	points []Point
	step   int
}

func (c *curve) add(pages, belong int) {
	c.step = max(1, c.step)
	if pages%c.step == 0 {
		c.points = append(c.points, Point{pages, belong})
	}
	if len(c.points) >= maxPoints {
		c.step *= 2
		c.points = slices.DeleteFunc(c.points, func(p Point) bool { return p.Pages%c.step != 0 })
	}
}

// report makes the report of a crawl.
func (c *course) report(now time.Time) *Report {
	r := &Report{Time: now, Counts: c.focus.Counts(), Waiting: c.focus.Best(maxWaiting), Missing: c.missing, Left: c.left, Assessor: c.assessor, Judged: c.judged, Heeds: heeds(c.crawl.Labels)}
	r.Terms = c.topic.Terms()
	r.Terms = r.Terms[:min(len(r.Terms), maxShown)]
	r.Curve = slices.Clone(c.curve.points)
	if p := (Point{r.Counts.Pages, r.Counts.Belong}); len(r.Curve) == 0 || r.Curve[len(r.Curve)-1] != p {
		r.Curve = append(r.Curve, p)
	}
	r.Pending = len(c.flying)
	for u, f := range c.flying {
		r.Oldest = append(r.Oldest, Pending{URL: u, Asked: f.asked})
	}
	slices.SortFunc(r.Oldest, func(a, b Pending) int { return cmp.Or(a.Asked.Compare(b.Asked), cmp.Compare(a.URL, b.URL)) })
	r.Oldest = r.Oldest[:min(len(r.Oldest), maxPending)]
	for _, s := range c.sites {
		r.Sites = append(r.Sites, *s)
	}
	slices.SortFunc(r.Sites, func(a, b Site) int {
		return cmp.Or(cmp.Compare(b.Belong, a.Belong), cmp.Compare(b.Pages, a.Pages), cmp.Compare(a.Host, b.Host))
	})
	r.Sites = r.Sites[:min(len(r.Sites), maxSites)]
	return r
}

// encode returns the report as JSON. Untrusted input can make the links in it long: then it drops
// half of the waiting links, repeatedly, and then of the pending pages. The assessments of more
// than a million pages do not fit: then users see those of the visits.
func (r *Report) encode() ([]byte, error) {
	for {
		b, err := json.Marshal(r)
		switch {
		case err != nil || len(b) <= storage.MaxCrawlReport:
			return b, err
		case len(r.Waiting) > 0:
			r.Waiting = r.Waiting[:len(r.Waiting)/2]
		case len(r.Oldest) > 0:
			r.Oldest = r.Oldest[:len(r.Oldest)/2]
		case len(r.Judged) > 0:
			r.Judged = nil
		default:
			return b, nil
		}
	}
}
