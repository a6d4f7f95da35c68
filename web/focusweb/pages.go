package focusweb

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"plat/focus/crawler"
	"plat/plat"
	"plat/web/cache"
	"plat/web/layout"
)

// mostBest is the maximum number of pages of a kind on the page of a crawl.
const mostBest = 200

// Maximum ages of the cached pages of a crawl.
const (
	freshTime = 10 * time.Second // while it runs
	staleTime = time.Minute
)

// best are pages of a crawl, the most relevant first.
type best struct {
	Belong, Others           []crawler.Page // at most mostBest
	BelongCount, OthersCount int            // all of them
}

func (b *best) bytes() int64 {
	n := int64(200)
	for _, list := range [][]crawler.Page{b.Belong, b.Others} {
		for i := range list {
			n += 200 + int64(len(list[i].URL)+len(list[i].Title)+len(list[i].From))
		}
	}
	return n
}

// best reads all pages of a crawl, once in a while.
func (s *Server) best(ctx context.Context, c *plat.Crawl, verdicts *crawler.Verdicts) (*best, error) {
	age := staleTime
	if c.State == plat.CrawlRuns {
		age = freshTime
	}
	key := fmt.Sprintf("focus best %s %d %d %s", c.ID, c.Revision, time.Now().Truncate(age).Unix(), verdicts.Heeds)
	return cache.Remember(ctx, s.Cache, key, (*best).bytes, func(ctx context.Context) (*best, error) { return s.readBest(ctx, c, verdicts) })
}

func (s *Server) readBest(ctx context.Context, c *plat.Crawl, verdicts *crawler.Verdicts) (*best, error) {
	b := &best{}
	for p, err := range s.store.Asked(ctx, c.ID, 0, false) {
		if err != nil {
			return nil, err
		}
		switch v := verdicts.Of(p); {
		case !v.Counts:
		case v.Belongs:
			b.BelongCount++
			b.Belong = keep(b.Belong, verdicts, p)
		default:
			b.OthersCount++
			b.Others = keep(b.Others, verdicts, p)
		}
	}
	b.Belong, b.Others = top(b.Belong), top(b.Others)
	return b, nil
}

// keep adds a page; now and then those that are not the best are left out.
func keep(all []crawler.Page, verdicts *crawler.Verdicts, p *plat.CrawlPage) []crawler.Page {
	if len(all) >= 4*mostBest {
		all = top(all)
	}
	x := verdicts.Page(p)
	x.Title = layout.Line(x.Title, maxTitle)
	return append(all, x)
}

func top(all []crawler.Page) []crawler.Page {
	slices.SortFunc(all, func(a, b crawler.Page) int {
		return cmp.Or(cmp.Compare(b.Relevance, a.Relevance), cmp.Compare(a.N, b.N))
	})
	return all[:min(len(all), mostBest)]
}
