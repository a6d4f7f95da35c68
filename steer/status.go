package steer

import (
	"context"
	"time"

	"plat"
	"plat/focus"
	"plat/storage"
)

// Status is a crawl as it is shown.
type Status struct {
	ID     string          `json:"id"`
	Name   string          `json:"name"`
	State  plat.CrawlState `json:"state"`
	Reason string          `json:"reason,omitempty"`
	Order  string          `json:"order"`
	Pages  int             `json:"pages"` // most; 0: no limit
	Made   time.Time       `json:"made"`
	Seeds  []string        `json:"seeds"`
	Labels int             `json:"labels"`           // how many
	Report *Report         `json:"report,omitempty"` // without what is for workers
}

// StatusOf returns the status of a crawl.
func StatusOf(ctx context.Context, store storage.Crawls, c *plat.Crawl) (*Status, error) {
	r, err := ReadReport(ctx, store, c.ID)
	if err != nil {
		return nil, err
	}
	if r != nil {
		r.Assessor = nil
		r.Terms, r.Curve, r.Sites, r.Waiting = some(r.Terms), some(r.Curve), some(r.Sites), some(r.Waiting)
	}
	return &Status{c.ID, c.Name, c.State, c.Reason, c.Order, c.Pages, c.Made, some(c.Seeds), len(c.Labels), r}, nil
}

// some is a list that JSON shows as one if it is empty.
func some[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// Page is a page of a crawl as it is shown.
type Page struct {
	N         int          `json:"n"`
	URL       string       `json:"url"`
	Title     string       `json:"title,omitempty"`
	Relevance float64      `json:"relevance"`
	Belongs   bool         `json:"belongs"`
	Label     string       `json:"label,omitempty"` // what people say: yes or no
	Expected  float64      `json:"expected"`
	From      string       `json:"from,omitempty"`
	Outcome   plat.Outcome `json:"outcome,omitempty"`
	Version   int          `json:"version"`          // 0: none is stored
	Visited   time.Time    `json:"visited,omitzero"` // zero: not yet
}

// Verdicts say which pages of a crawl belong to its topic: as people say, or as it was found when
// they were visited.
type Verdicts struct {
	labels map[string]bool
	least  float64
}

// VerdictsOf returns those of a crawl as it is.
func VerdictsOf(c *plat.Crawl) *Verdicts {
	v := &Verdicts{labels: make(map[string]bool, len(c.Labels)), least: c.Least}
	for i := range c.Labels {
		v.labels[c.Labels[i].URL] = c.Labels[i].Belongs
	}
	if v.least == 0 {
		v.least = focus.DefaultLeast
	}
	return v
}

// Belongs reports whether a page belongs to the topic.
func (v *Verdicts) Belongs(p *plat.CrawlPage) bool {
	if yes, said := v.labels[p.URL]; said {
		return yes
	}
	return !p.Visited.IsZero() && !p.Outcome.Failed() && p.Outcome != plat.OutcomeAlias && p.Relevance >= v.least
}

// Page returns a page as it is shown.
func (v *Verdicts) Page(p *plat.CrawlPage) Page {
	label := ""
	if yes, said := v.labels[p.URL]; yes {
		label = "yes"
	} else if said {
		label = "no"
	}
	return Page{p.N, p.URL, p.Title, p.Relevance, v.Belongs(p), label, p.Score, p.From, p.Outcome, p.Version, p.Visited}
}

// Saying is what somebody says of a page.
type Saying struct {
	URL     string `json:"url"`
	Belongs string `json:"belongs"` // yes, no, or none to take it back
}

// Label notes in a crawl what somebody says of pages; of several sayings of one the last counts.
func Label(c *plat.Crawl, now time.Time, all ...Saying) {
	last := make(map[string]int, len(all))
	for i := range all {
		last[all[i].URL] = i
	}
	kept := c.Labels[:0:0]
	for _, l := range c.Labels {
		if _, said := last[l.URL]; !said {
			kept = append(kept, l)
		}
	}
	for i, s := range all {
		if s.Belongs != "none" && last[s.URL] == i {
			kept = append(kept, plat.CrawlLabel{URL: s.URL, Belongs: s.Belongs == "yes", Time: now.UTC()})
		}
	}
	c.Labels = kept
}
