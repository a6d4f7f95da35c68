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

// ErrGoOn is the error of a crawl that cannot be resumed with the given limits; its text says how
// to correct them.
var ErrGoOn = errors.New("the focused crawl cannot be resumed")

// Resumption holds the new limits of a crawl that is resumed. Nil leaves a limit unchanged.
type Resumption struct {
	Pages   *int // most pages in all; 0: no limit
	PerHost *int // most pages of one host; 0: no limit
}

// Resume resumes a crawl that was stopped or is done. The count of its patience restarts: it may
// request as many URLs without a page that belongs as at its beginning. The error is [ErrGoOn], or
// the archive's.
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
		return nil, fmt.Errorf("%w: pages %d: it has visited %d; write more, because the limit includes them, or 0 for no limit", ErrGoOn, *n, visited)
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

// had returns the number of pages that a crawl has requested, and the number visited at its last
// report.
func had(ctx context.Context, store storage.Crawls, id string) (asked, visited int, err error) {
	r, err := ReadReport(ctx, store, id)
	if err != nil {
		return 0, 0, err
	}
	if r != nil {
		// The targets of redirects count once, so there may be more requests, and the report may
		// be old.
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

// Stop ends the requests of a crawl. One that is done stays done.
func Stop(ctx context.Context, store storage.Crawls, id string) (*plat.Crawl, error) {
	return Change(ctx, store, id, func(c *plat.Crawl) error {
		if c.State != plat.CrawlIsDone {
			c.State, c.Reason = plat.CrawlPaused, ""
		}
		return nil
	})
}

// Change changes a crawl, and tries again if a different writer has changed it meanwhile.
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
