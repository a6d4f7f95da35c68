package steer

import (
	"context"
	"errors"

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
			c.take(p, page)
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
