package crawler

import (
	"context"
	"errors"
	"slices"

	"plat/focus"
	"plat/plat"
)

// Explanation says why a page was asked for, and what was found.
type Explanation struct {
	focus.Why
	N       int          `json:"n,omitempty"`        // of a page that was asked for: its place in that order
	Asked   float64      `json:"expected,omitempty"` // what was expected then
	From    string       `json:"from,omitempty"`
	Title   string       `json:"title,omitempty"`
	Outcome plat.Outcome `json:"outcome,omitempty"`
	Label   string       `json:"label,omitempty"` // what people say of it: yes or no
	Seed    bool         `json:"seed,omitempty"`  // the crawl began with it
	Same    bool         `json:"same,omitempty"`  // it is another address of a page that was visited, and not counted

	// RedirectedFrom is an address that leads to the page, if the crawl asked for that alone.
	RedirectedFrom string `json:"redirected_from,omitempty"`
}

// errFound ends a crawl that is gone through again.
var errFound = errors.New("found")

// Explain goes through a crawl again, up to the moment at which it asked for a URL, and explains
// that with what was known then: pages whose visits began later, and what people have said later, are
// left out. A URL for which it did not ask is explained with all that is known. What a page is found to
// be is what [Verdicts] say.
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

// asked explains a page with what was known when the crawl asked for it.
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

// notAsked explains a URL for which the crawl did not ask. If another address for which it did led there, that
// page is returned.
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
