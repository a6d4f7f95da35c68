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

// follow enqueues a page's new links, first in the archive, which is durable, then in
// the frontier. If the worker crashes in between, the links are missing in the
// frontier, but the job is not settled, and its retry finds them again. Links that are
// news of the page are signals for known pages that they lead to.
func (c *Crew) follow(ctx context.Context, a *attempt, f *found) (int, error) {
	changed := f.changed()
	if a.Scope == "" && len(changed) == 0 {
		return 0, nil
	}
	page := &links.Page{Snapshot: f.snap, Blocks: f.now.page.Blocks, Spans: f.now.spans}
	all := page.Links(c.o.Drop, maxLinks)
	if err := c.hintLinks(ctx, a, all, changed); err != nil || a.Scope == "" {
		return 0, err
	}
	from := links.From{Job: a.Job, URL: a.URL}
	if a.Depth == 0 {
		from.URL = c.final(a.Job, f.snap)
		if c.o.Sitemaps {
			if err := c.findFeeds(ctx, a.Job, all); err != nil {
				return 0, err
			}
		}
	}
	return c.enlist(ctx, a.URL, c.o.Guide.Choose(from, all))
}

// changed are the leaves that have come since the last version, or read differently; nil if
// nothing is news.
func (f *found) changed() map[int32]bool {
	if f.last.version == nil || !f.now.differs || f.now.itself {
		return nil
	}
	var all map[int32]bool
	for _, c := range f.now.changes.Blocks {
		if c.Kind == plat.Added || c.Kind == plat.Content {
			if all == nil {
				all = map[int32]bool{}
			}
			all[c.New] = true
		}
	}
	return all
}

// final returns the final URL after redirects.
func (c *Crew) final(job plat.Job, snap *plat.Snapshot) string {
	return finalURL(job.URL, snap, c.o.Drop)
}

// Admit checks whether a page reached by redirects may be stored.
func (c *Crew) Admit(ctx context.Context, job plat.Job, snap *plat.Snapshot) error {
	return askFinal(ctx, c.fetch, job.URL, c.final(job, snap))
}

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

// visitAgain has jobs visited, known URLs once more.
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

// Ask has pages visited that focused crawls ask for, known ones once more. It returns the URLs
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
