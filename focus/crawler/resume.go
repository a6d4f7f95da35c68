package crawler

import (
	"context"
	"errors"
	"fmt"

	"plat/plat"
	"plat/storage"
)

// MaxPages is the most that a number of pages can be.
const MaxPages = 1_000_000_000

// ErrGoOn is the error of a crawl that cannot go on as somebody wants it; its text says what to
// write instead.
var ErrGoOn = errors.New("the focused crawl cannot go on")

// Resumption is what somebody wants of a crawl that is to go on. What is nil stays as it was.
type Resumption struct {
	Pages   *int // most pages in all; 0: no limit
	PerHost *int // most pages of one host; 0: no limit
}

// Resume has a crawl go on that was stopped, or that is done. Its patience begins anew: it may ask for as
// many URLs without a page that belongs as at its beginning. The error is [ErrGoOn], or the
// archive's.
func Resume(ctx context.Context, store storage.Crawls, id string, o Resumption) (*plat.Crawl, error) {
	for name, n := range map[string]*int{"pages": o.Pages, "per host": o.PerHost} {
		if n != nil && (*n < 0 || *n > MaxPages) {
			return nil, fmt.Errorf("%w: %s %d: write at most %d; 0 is no limit", ErrGoOn, name, *n, MaxPages)
		}
	}
	asked, visited, err := had(ctx, store, id)
	if err != nil {
		return nil, err
	}
	if n := o.Pages; n != nil && *n > 0 && *n < visited {
		return nil, fmt.Errorf("%w: pages %d: it has visited %d; write more, as the limit is of all its pages, or 0 for no limit", ErrGoOn, *n, visited)
	}
	return Change(ctx, store, id, func(c *plat.Crawl) error {
		c.State, c.Reason, c.Resumed = plat.CrawlRuns, "", asked
		if o.Pages != nil {
			c.Pages = *o.Pages
		}
		if o.PerHost != nil {
			c.PerHost = *o.PerHost
		}
		return nil
	})
}

// had returns for how many pages a crawl has asked, and how many it had visited at its last report.
func had(ctx context.Context, store storage.Crawls, id string) (asked, visited int, err error) {
	r, err := ReadReport(ctx, store, id)
	if err != nil {
		return 0, 0, err
	}
	if r != nil {
		// What redirects led to is counted once, so there may be more, and what the report has not
		// seen yet.
		asked, visited = r.Counts.Asked, r.Counts.Pages
	}
	for p, err := range store.Asked(ctx, id, asked, false) {
		if err != nil {
			return 0, 0, err
		}
		asked = p.N
	}
	return asked, visited, nil
}

// Stop has a crawl ask for no more pages. One that is done stays done.
func Stop(ctx context.Context, store storage.Crawls, id string) (*plat.Crawl, error) {
	return Change(ctx, store, id, func(c *plat.Crawl) error {
		if c.State != plat.CrawlIsDone {
			c.State, c.Reason = plat.CrawlPaused, ""
		}
		return nil
	})
}

// Change changes a crawl, once more if somebody else has changed it meanwhile.
func Change(ctx context.Context, store storage.Crawls, id string, edit func(c *plat.Crawl) error) (*plat.Crawl, error) {
	for tries := 5; ; tries-- {
		c, err := store.Crawl(ctx, id)
		if err != nil {
			return nil, err
		}
		if err := edit(c); err != nil {
			return nil, err
		}
		err = store.PutCrawl(ctx, c)
		if err == nil || !errors.Is(err, plat.ErrConflict) || tries == 0 {
			return c, err
		}
	}
}
