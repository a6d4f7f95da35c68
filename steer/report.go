package steer

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"plat"
	"plat/focus"
	"plat/storage"
)

// Report is what is shown of a crawl.
type Report struct {
	Time    time.Time     `json:"time"`
	Terms   []string      `json:"terms"` // of the topic, weightiest first; at most 50
	Counts  focus.Counts  `json:"counts"`
	Curve   []Point       `json:"curve"`             // at most 400 points, the last one is now
	Sites   []Site        `json:"sites"`             // with most pages; at most 50
	Waiting []focus.Asked `json:"waiting"`           // the best 50 links
	Missing []string      `json:"missing,omitempty"` // examples that are not in the archive
	Left    []string      `json:"left,omitempty"`    // hosts that show readers other text than crawlers: nothing more is asked of them; at most 50

	// Assessor is for workers, see [Assessors].
	Assessor []byte `json:"assessor,omitempty"`
}

// Point is how many of the first pages belong to the topic.
type Point struct {
	Pages  int `json:"pages"`
	Belong int `json:"belong"`
}

// Site is how many pages of a host were visited.
type Site struct {
	Host   string `json:"host"`
	Pages  int    `json:"pages"`
	Belong int    `json:"belong"`
}

// Limits of a report.
const (
	maxPoints  = 400
	maxSites   = 50
	maxWaiting = 50
	maxShown   = 50 // terms
)

// ReadReport returns the report of a crawl, nil if there is none yet.
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

// curve keeps at most maxPoints points: where there are too many, every second one goes.
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
	r := &Report{Time: now, Counts: c.focus.Counts(), Waiting: c.focus.Best(maxWaiting), Missing: c.missing, Left: c.left, Assessor: c.assessor}
	// Of words learnt from pages only hashes are known.
	r.Terms = slices.DeleteFunc(c.topic.Terms(), func(t string) bool { return t == "" })
	r.Terms = r.Terms[:min(len(r.Terms), maxShown)]
	r.Curve = slices.Clone(c.curve.points)
	if p := (Point{r.Counts.Pages, r.Counts.Belong}); len(r.Curve) == 0 || r.Curve[len(r.Curve)-1] != p {
		r.Curve = append(r.Curve, p)
	}
	for _, s := range c.sites {
		r.Sites = append(r.Sites, *s)
	}
	slices.SortFunc(r.Sites, func(a, b Site) int {
		return cmp.Or(cmp.Compare(b.Belong, a.Belong), cmp.Compare(b.Pages, a.Pages), cmp.Compare(a.Host, b.Host))
	})
	r.Sites = r.Sites[:min(len(r.Sites), maxSites)]
	return r
}

// encode returns the report as JSON. Links that wait are what strangers can make long: where
// they are, fewer are in it.
func (r *Report) encode() ([]byte, error) {
	for {
		b, err := json.Marshal(r)
		if err != nil || len(b) <= storage.MaxCrawlReport || len(r.Waiting) == 0 {
			return b, err
		}
		r.Waiting = r.Waiting[:len(r.Waiting)/2]
	}
}
