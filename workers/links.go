package workers

import (
	"context"
	"errors"
	"fmt"
	"time"

	"plat/plat"
	"plat/queue/links"
	"plat/storage"
)

// maxLinks is the limit of links followed per page; the first ones count.
const maxLinks = 5000

// resolveAlias returns the URL under which the page is archived already; empty if it is not. It records the target of
// a redirect as that URL, and adds the page to the patterns of its site.
func (w *Worker) resolveAlias(ctx context.Context, a *attempt, p *result) (main string, err error) {
	if a.crawl == nil {
		return "", nil
	}
	if main, err = a.crawl.Main(ctx, a, p); err != nil {
		return "", fmt.Errorf("look for other addresses: %w", err)
	}
	a.crawl.Learned(ctx, a, p, main)
	return main, nil
}

// followLinks adds the page's links to its crawl, if it may, and returns how many URLs are new.
func (w *Worker) followLinks(ctx context.Context, a *attempt, p *result, may bool) (int, error) {
	if !may {
		return 0, nil
	}
	n, err := a.crawl.Follow(ctx, a, p)
	if err != nil {
		return n, fmt.Errorf("follow the links: %w", err)
	}
	return n, nil
}

// Follow enqueues a page's new links, first in the archive, which is durable, then in
// the frontier. If the worker crashes in between, the links are missing in the
// frontier, but the job is not settled, and its retry finds them again. Links that are
// news of the page are signals for known pages that they lead to.
func (c *Crew) Follow(ctx context.Context, a *attempt, p *result) (int, error) {
	changed := p.changed()
	if a.Scope == "" && len(changed) == 0 {
		return 0, nil
	}
	all := p.links().Links(c.o.Drop, maxLinks)
	if err := c.hintLinks(ctx, a, all, changed); err != nil || a.Scope == "" {
		return 0, err
	}
	from := links.From{Job: a.Job, URL: a.URL}
	if a.Depth == 0 {
		from.URL = finalURL(a.URL, p.snap, c.o.Drop)
		if c.o.Sitemaps {
			if err := c.findFeeds(ctx, a.Job, all); err != nil {
				return 0, err
			}
		}
	}
	return c.enlist(ctx, a.URL, c.o.Guide.Choose(from, all))
}

// links returns the page for package links.
func (p *result) links() *links.Page {
	return &links.Page{Snapshot: p.snap, Blocks: p.page.Blocks, Spans: p.page.spans}
}

// changed returns the leaves that have come since the last version, or have different text; nil if
// the page is not news.
func (p *result) changed() map[int32]bool {
	if p.last.version == nil || !p.isVersion() {
		return nil
	}
	var all map[int32]bool
	for _, c := range p.news.changes.Blocks {
		if c.Kind == plat.Added || c.Kind == plat.Content {
			if all == nil {
				all = map[int32]bool{}
			}
			all[c.New] = true
		}
	}
	return all
}

// Obey asks robots.txt for a URL.
func (c *Crew) Obey(ctx context.Context, url string) (time.Duration, error) {
	return c.fetch.Obey(ctx, url)
}

// Drop lists the query parameters that are removed from URLs.
func (c *Crew) Drop() []string { return c.o.Drop }

// errFrontier is a failure of the frontier during a visit.
var errFrontier = errors.New("frontier")

func ofFrontier(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", errFrontier, err)
}

// enlist adds those of a page's links whose URLs have no job to the archive, and offers
// them to the frontier. It returns how many there were.
func (c *Crew) enlist(ctx context.Context, page string, jobs []plat.Job) (int, error) {
	c.sites.Linked(ctx, page, jobs)
	fresh := jobs[:0:0]
	for _, j := range jobs {
		j.Priority = max(0, min(1, j.Priority)) // a guide may be anything
		if c.seen.Has(j.URL) {
			c.o.Metrics.seen.WithLabelValues("cache").Inc()
			continue
		}
		fresh = append(fresh, j)
	}
	fresh, sorted, err := c.sites.Keep(ctx, fresh)
	if err != nil || len(fresh) == 0 {
		return 0, err
	}
	now, err := c.queue.Now(ctx)
	if err != nil {
		return 0, ofFrontier(err)
	}
	for i := range fresh {
		fresh[i].Due = now
	}
	e, err := c.store.Enlist(ctx, fresh, storage.IfNew)
	if err != nil {
		return 0, fmt.Errorf("enlist the links: %w", err)
	}
	for i := range fresh {
		c.seen.Add(fresh[i].URL)
	}
	if err := c.sites.Added(ctx, page, e.Jobs, sorted); err != nil {
		return e.New, err
	}
	c.o.Metrics.seen.WithLabelValues("archive").Add(float64(len(fresh) - e.New))
	c.o.Metrics.seen.WithLabelValues("new").Add(float64(e.New))
	return e.New, c.offer(ctx, e.Jobs)
}

// visitAgain enlists jobs, also of known URLs, and offers them to the frontier.
func (c *Crew) visitAgain(ctx context.Context, jobs []plat.Job) error {
	e, err := c.store.Enlist(ctx, jobs, storage.Again)
	if err != nil {
		return err
	}
	return c.offer(ctx, e.Jobs)
}

// offer tells the frontier of jobs that were enlisted.
func (c *Crew) offer(ctx context.Context, jobs []plat.Job) error {
	if len(jobs) == 0 {
		return nil
	}
	if err := c.queue.Offer(ctx, jobs); err != nil {
		return ofFrontier(err)
	}
	c.ring()
	c.loader.Nudge()
	return nil
}

// Ask schedules visits that focused crawls ask for, also of known pages. It returns the URLs
// that are refused, by rules of URLs or as a trap.
func (c *Crew) Ask(ctx context.Context, jobs []plat.Job) (refused []string, err error) {
	kept, _, err := c.sites.Keep(ctx, jobs)
	if err != nil {
		return nil, err
	}
	left := map[string]bool{}
	for i := range kept {
		left[kept[i].URL] = true
	}
	var wanted []plat.Job
	for _, j := range jobs {
		if left[j.URL] {
			wanted = append(wanted, j)
		} else {
			refused = append(refused, j.URL)
		}
	}
	if len(wanted) == 0 {
		return refused, nil
	}
	now, err := c.queue.Now(ctx)
	if err != nil {
		return nil, ofFrontier(err)
	}
	for i := range wanted {
		wanted[i].Due = now
	}
	return refused, c.visitAgain(ctx, wanted)
}

// Now is the time of the fleet.
func (c *Crew) Now(ctx context.Context) (time.Time, error) { return c.queue.Now(ctx) }
