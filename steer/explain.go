package steer

import (
	"context"
	"errors"
	"time"

	"plat"
	"plat/focus"
)

// Explanation says why a page was asked for, and what was found.
type Explanation struct {
	focus.Why
	N       int          `json:"n,omitempty"`        // of a page that was asked for: the how manieth
	Asked   float64      `json:"expected,omitempty"` // what was expected then
	From    string       `json:"from,omitempty"`
	Title   string       `json:"title,omitempty"`
	Outcome plat.Outcome `json:"outcome,omitempty"`
}

// errFound ends a crawl that is gone through again.
var errFound = errors.New("found")

// Explain goes through a crawl again, up to the moment at which it asked for a URL, and explains
// that with what was known then; or with all that is known, if it did not ask for it.
func Explain(ctx context.Context, store Store, compiler *Compiler, crawl *plat.Crawl, u string) (*Explanation, error) {
	s := &Steerer{Store: store, Compiler: compiler}
	out := &Explanation{}
	c, err := s.restore(ctx, crawl, func(c *course, p *plat.CrawlPage, page *focus.Page) error {
		if p.URL != u {
			return nil
		}
		out.Why = c.focus.Why(u)
		out.N, out.Asked, out.From, out.Title, out.Outcome = p.N, p.Score, p.From, p.Title, p.Outcome
		out.State = "asked"
		if !p.Visited.IsZero() {
			out.State = "visited"
		}
		if page != nil {
			c.focus.Ask(u)
			c.take(p, page, len(crawl.Labels) == 0)
			after := c.focus.Why(u)
			out.Relevance, out.Belongs, out.Words = after.Relevance, after.Belongs, c.focus.WordsOf(page)
		}
		return errFound
	})
	switch {
	case errors.Is(err, errFound):
		return out, nil
	case err != nil:
		return nil, err
	}
	out.Why = c.focus.Why(u)
	return out, nil
}

// Label notes in a crawl what somebody says of a page: "yes", "no", or "none" to take it back.
func Label(c *plat.Crawl, u, said string, now time.Time) {
	kept := c.Labels[:0:0]
	for _, l := range c.Labels {
		if l.URL != u {
			kept = append(kept, l)
		}
	}
	if said != "none" {
		kept = append(kept, plat.CrawlLabel{URL: u, Belongs: said == "yes", Time: now.UTC()})
	}
	c.Labels = kept
}

// Belongs reports whether a page of a crawl belongs to its topic: as people say, or as it
// was found when it was visited.
func Belongs(c *plat.Crawl, p *plat.CrawlPage) bool {
	for i := range c.Labels {
		if c.Labels[i].URL == p.URL {
			return c.Labels[i].Belongs
		}
	}
	least := c.Least
	if least == 0 {
		least = focus.DefaultLeast
	}
	return !p.Visited.IsZero() && !p.Outcome.Failed() && p.Outcome != plat.OutcomeAlias && p.Relevance >= least
}
