package workers

import (
	"context"
	"errors"
	"fmt"

	"plat"
	"plat/fetch"
	"plat/links"
	"plat/storage"
)

// maxLinks is the limit of links followed per page; the first ones count.
const maxLinks = 5000

// Follow enqueues a page's new links, first in the archive, which is durable, then in
// the frontier. If the worker crashes in between, the links are missing in the
// frontier, but the job is not settled, and its retry finds them again.
func (c *Crew) Follow(ctx context.Context, job plat.Job, page *links.Page) (int, error) {
	if job.Scope == "" {
		return 0, nil
	}
	from := links.From{Job: job, URL: job.URL}
	if job.Depth == 0 {
		from.URL = c.final(job, page.Snapshot)
	}
	return c.enlist(ctx, job.URL, c.o.Guide.Choose(from, page.Links(c.o.Drop, maxLinks)))
}

// final returns the final URL after redirects.
func (c *Crew) final(job plat.Job, snap *plat.Snapshot) string {
	final, err := plat.Canonical(snap.FinalURL, c.o.Drop)
	if err != nil {
		return job.URL
	}
	return final
}

// Admit checks whether a page reached by redirects may be stored: only if robots.txt
// allows its final URL too. Chrome has loaded it already, because it follows
// redirects itself.
func (c *Crew) Admit(ctx context.Context, job plat.Job, snap *plat.Snapshot) error {
	final := c.final(job, snap)
	if final == job.URL {
		return nil
	}
	_, err := c.fetch.Obey(ctx, final)
	if errors.Is(err, fetch.ErrRobotsUnreachable) && plat.HostOf(final) != plat.HostOf(job.URL) {
		// The job's own host must not be delayed for this.
		return &plat.VisitError{Outcome: plat.OutcomeUnreachable, Retry: true, Err: fmt.Errorf("redirected to %s: %v", final, err)}
	}
	return err
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
