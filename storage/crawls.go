package storage

import (
	"context"
	"iter"

	"plat/plat"
)

// Crawls keeps focused crawls, the pages that they ask for, and a report on each.
//
// Nothing here refers to versions, so garbage collection does not touch it. What is given is
// checked first, see [CheckCrawl], [CheckAsked], [CheckAnswer] and [CheckCrawlReport]: what
// exceeds the limits is refused, and nothing is stored.
type Crawls interface {
	// PutCrawl stores a crawl in place of the one that was read: c.Revision is that one's, 0 for
	// a new crawl. If another revision is stored, or none although c.Revision is not 0, PutCrawl
	// returns plat.ErrConflict and stores nothing. Otherwise the Revision grows by one, and
	// c.Revision is set to it.
	//
	// A call that was cut off may have stored the crawl; repeated it is then plat.ErrConflict.
	PutCrawl(ctx context.Context, c *plat.Crawl) error

	// Crawl returns one by ID, or plat.ErrNotFound.
	Crawl(ctx context.Context, id string) (*plat.Crawl, error)

	// Crawls yields all crawls, by ID.
	Crawls(ctx context.Context) iter.Seq2[*plat.Crawl, error]

	// RemoveCrawl removes a crawl, its pages and its report. plat.ErrNotFound if there is none.
	// A call that was cut off may be repeated: from its first write on neither the crawl nor
	// anything of it is found.
	RemoveCrawl(ctx context.Context, id string) error

	// PutReport stores the report on a crawl, a JSON text that nothing here reads, in place of
	// the one of before. plat.ErrNotFound if there is no such crawl.
	PutReport(ctx context.Context, crawl string, report []byte) error

	// Report returns the report on a crawl, nil if there is none.
	Report(ctx context.Context, crawl string) ([]byte, error)

	CrawlPages
}

// CrawlPages keeps the pages for which focused crawls ask, in the order in which they do, and
// what their visits have found.
type CrawlPages interface {
	// Ask stores pages, all of one crawl, for which it asks: N, URL, Score, From and Asked of
	// each. A page whose N and URL are stored together already is left as it is. If the N or the
	// URL of one is stored with another, a second process asks for the crawl: Ask returns
	// plat.ErrConflict and stores nothing, but for a store without transactions, which may have
	// stored some if both ask at the same moment. plat.ErrNotFound if there is no such crawl.
	//
	// Processes that go by the same pages choose the same ones, so Ask returns the URLs of the
	// pages that this call has stored, by N, also beside an error: no page is returned to two.
	//
	// A call that was cut off has stored a part of the pages, the lowest N first, and may be
	// repeated.
	Ask(ctx context.Context, pages []plat.CrawlPage) (stored []string, err error)

	// Answer stores what a visit has found of the page p.URL of the crawl p.Crawl, at once:
	// Visited, Outcome, Relevance, Version, Title and Reading. An answer that is stored already
	// is left as it is, unless its Outcome failed and that of p did not: see [Supersedes].
	// plat.ErrNotFound if the crawl has not asked for the page.
	Answer(ctx context.Context, p *plat.CrawlPage) error

	// Asked yields the pages of a crawl whose N is greater than after, by N: without Readings
	// unless readings is set. It yields nothing of a crawl that does not exist.
	Asked(ctx context.Context, crawl string, after int, readings bool) iter.Seq2[*plat.CrawlPage, error]

	// Answers returns those of the URLs that the crawl has asked for and that were answered,
	// each once, with Readings, by N.
	Answers(ctx context.Context, crawl string, urls []string) ([]*plat.CrawlPage, error)

	// AskedFor returns a page by URL, with its Reading, or plat.ErrNotFound.
	AskedFor(ctx context.Context, crawl, url string) (*plat.CrawlPage, error)
}

// Supersedes reports whether an answer is stored in place of the one of before: see
// [CrawlPages.Answer].
func Supersedes(was, p *plat.CrawlPage) bool {
	return was.Visited.IsZero() || was.Outcome.Failed() && !p.Outcome.Failed()
}
