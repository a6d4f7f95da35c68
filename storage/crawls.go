package storage

import (
	"context"
	"iter"

	"plat/plat"
)

// Crawls stores focused crawls, the pages that they request, and a report on each.
//
// Nothing here refers to versions, so garbage collection does not touch it. Arguments are
// checked first, see [CheckCrawl], [CheckAsked], [CheckAnswer] and [CheckCrawlReport]: if they
// exceed a limit, nothing is stored.
type Crawls interface {
	// PutCrawl replaces a crawl. c.Revision is the revision that was read, or 0 for a new
	// crawl. If the stored revision differs, or c.Revision is not 0 and no crawl is stored,
	// PutCrawl returns plat.ErrConflict and stores nothing. Otherwise the Revision grows, and
	// c.Revision is set to it: by a number drawn by lot where a failover may revert a change
	// that was read already.
	//
	// An interrupted call may have stored the crawl. Repeating it then returns
	// plat.ErrConflict.
	PutCrawl(ctx context.Context, c *plat.Crawl) error

	// Crawl returns a crawl by ID, or plat.ErrNotFound.
	Crawl(ctx context.Context, id string) (*plat.Crawl, error)

	// Crawls yields all crawls, by ID.
	Crawls(ctx context.Context) iter.Seq2[*plat.Crawl, error]

	// RemoveCrawl removes a crawl, its pages and its report, or returns plat.ErrNotFound. An
	// interrupted call can be repeated: from its first write on, the crawl and its parts are
	// not found.
	RemoveCrawl(ctx context.Context, id string) error

	// PutReport stores the report on a crawl, a JSON text that the store does not interpret,
	// and replaces the previous report. It returns plat.ErrNotFound if the crawl does not
	// exist.
	PutReport(ctx context.Context, crawl string, report []byte) error

	// Report returns the report on a crawl, or nil.
	Report(ctx context.Context, crawl string) ([]byte, error)

	CrawlPages
}

// CrawlPages stores the pages that focused crawls request, in order of the requests, and the
// answers of their visits.
type CrawlPages interface {
	// Ask stores the requests of one crawl for pages: N, URL, Score, From and Asked of each. A
	// page that is stored with the same N and URL is not changed. If the N of a page is stored
	// with a different URL, or its URL with a different N, a second process runs the crawl: Ask
	// returns plat.ErrConflict and stores nothing. A store without transactions may store some
	// pages if both processes call Ask at the same moment. Ask returns plat.ErrNotFound if the
	// crawl does not exist.
	//
	// Processes that know the same pages choose the same requests. Ask therefore returns the
	// URLs of the pages that this call has stored, by N, even with an error: each page is
	// returned to one process.
	//
	// An interrupted call has stored a part of the pages, the lowest N first, and can be
	// repeated.
	Ask(ctx context.Context, pages []plat.CrawlPage) (stored []string, err error)

	// Answer atomically stores the findings of a visit for the page p.URL of the crawl p.Crawl:
	// Visited, Outcome, Relevance, Version, Title and Reading. It replaces a stored answer only
	// if its Outcome failed and that of p did not: see [Supersedes]. It returns
	// plat.ErrNotFound if the crawl has not requested the page.
	Answer(ctx context.Context, p *plat.CrawlPage) error

	// Asked yields the pages of a crawl whose N is greater than after, by N, and without
	// Readings unless readings is set. If the crawl does not exist, it yields nothing.
	Asked(ctx context.Context, crawl string, after int, readings bool) iter.Seq2[*plat.CrawlPage, error]

	// Answers returns the pages among the URLs that the crawl has requested and that have an
	// answer, without duplicates, with Readings, by N.
	Answers(ctx context.Context, crawl string, urls []string) ([]*plat.CrawlPage, error)

	// AskedFor returns a page by URL, with its Reading, or plat.ErrNotFound.
	AskedFor(ctx context.Context, crawl, url string) (*plat.CrawlPage, error)
}

// Supersedes reports whether an answer replaces the stored one: see [CrawlPages.Answer].
func Supersedes(was, p *plat.CrawlPage) bool {
	return was.Visited.IsZero() || was.Outcome.Failed() && !p.Outcome.Failed()
}
