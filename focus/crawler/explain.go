package crawler

import (
	"context"
	"errors"
	"slices"

	"plat/focus"
	"plat/plat"
)

// Explanation explains why a page was requested, and its result.
type Explanation struct {
	focus.Why
	N       int          `json:"n,omitempty"`        // of a requested page: its place in the order of requests
	Asked   float64      `json:"expected,omitempty"` // relevance expected then
	From    string       `json:"from,omitempty"`
	Title   string       `json:"title,omitempty"`
	Outcome plat.Outcome `json:"outcome,omitempty"`
	Label   string       `json:"label,omitempty"` // a user's label: yes or no
	Seed    bool         `json:"seed,omitempty"`  // the crawl began with it
	Same    bool         `json:"same,omitempty"`  // it is an alias of a visited page, and not counted

	// RedirectedFrom is an address that leads to the page, if the crawl requested only that
	// address.
	RedirectedFrom string `json:"redirected_from,omitempty"`
}

// errFound ends the replay of a crawl.
var errFound = errors.New("found")

// Explain replays a crawl up to the moment at which it requested a URL, and explains the request
// with its knowledge then: visits that began later and later labels are left out. A URL without a
// request is explained with the present knowledge. The assessment of the page is that of
// [Verdicts].
func Explain(ctx context.Context, store Store, compiler *Compiler, crawl *plat.Crawl, u string) (*Explanation, error) {
	report, err := ReadReport(ctx, store, crawl.ID)
	if err != nil {
		return nil, err
	}
	s := &Steerer{Store: store, Compiler: compiler}
	verdicts := VerdictsOf(crawl, report)
	out := &Explanation{Seed: slices.Contains(crawl.Seeds, u), Label: verdicts.Label(u)}
	p, err := store.AskedFor(ctx, crawl.ID, u)
	switch {
	case err == nil:
		err = out.asked(ctx, s, crawl, p)
	case errors.Is(err, plat.ErrNotFound):
		p, err = out.notAsked(ctx, s, crawl, u)
	}
	if err != nil {
		return nil, err
	}
	if p == nil {
		return out, nil
	}
	out.Title, out.Outcome = p.Title, p.Outcome
	if out.State = "asked"; !p.Visited.IsZero() {
		v := verdicts.Of(p)
		out.State, out.Relevance, out.Belongs, out.Same = "visited", v.Relevance, v.Belongs, v.Same
	}
	return out, nil
}

// asked explains a page with the crawl's knowledge when it requested the page.
func (x *Explanation) asked(ctx context.Context, s *Steerer, crawl *plat.Crawl, p *plat.CrawlPage) error {
	x.N, x.Asked, x.From = p.N, p.Score, p.From
	then := *crawl
	then.Labels = slices.DeleteFunc(slices.Clone(crawl.Labels), func(l plat.CrawlLabel) bool { return l.Time.After(p.Asked) })
	_, err := s.restore(ctx, &then, p, func(c *course, asked *plat.CrawlPage, page *focus.Page) error {
		if asked.N < p.N {
			return nil
		}
		x.Why = c.focus.Why(p.URL)
		if page != nil {
			x.Words = c.focus.WordsOf(page)
		}
		return errFound
	})
	if errors.Is(err, errFound) {
		return nil
	}
	return err
}

// notAsked explains a URL that the crawl did not request. If a request for a different address led
// there, it returns that page.
func (x *Explanation) notAsked(ctx context.Context, s *Steerer, crawl *plat.Crawl, u string) (led *plat.CrawlPage, err error) {
	var read *focus.Page
	c, err := s.restore(ctx, crawl, nil, func(_ *course, p *plat.CrawlPage, page *focus.Page) error {
		if led == nil && page != nil && page.URL == u {
			led, read = p, page
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if x.Why = c.focus.Why(u); led != nil {
		x.RedirectedFrom, x.Words = led.URL, c.focus.WordsOf(read)
	}
	return led, nil
}
