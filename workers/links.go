package workers

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"plat"
	"plat/links"
)

// maxLinks is to how many URLs the links of a page may lead that are followed, the first.
const maxLinks = 5000

// Follow puts the links of a page that are to be visited into the archive and into the
// frontier, those that are new: first where nothing is lost. A worker that dies in
// between leaves links that the frontier does not know, and the job is not settled:
// whoever does it again finds them.
func (c *Crew) Follow(ctx context.Context, job plat.Job, page *links.Page) (int, error) {
	if job.Scope == "" {
		return 0, nil
	}
	from := links.From{Job: job, URL: job.URL}
	if job.Depth == 0 {
		from.URL = c.final(job, page.Snapshot)
	}
	return c.enlist(ctx, c.o.Guide.Choose(from, page.Links(c.o.Drop, maxLinks)))
}

// final is the URL where redirects have led.
func (c *Crew) final(job plat.Job, snap *plat.Snapshot) string {
	final, err := plat.Canonical(snap.FinalURL, c.o.Drop)
	if err != nil {
		return job.URL
	}
	return final
}

// Admit says whether a page may be kept that was reached by redirects: only if
// robots.txt lets its last URL be visited too. Chrome has been there by then: it
// follows redirects itself.
func (c *Crew) Admit(ctx context.Context, job plat.Job, snap *plat.Snapshot) error {
	final := c.final(job, snap)
	if final == job.URL {
		return nil
	}
	_, err := c.obey(ctx, plat.Job{URL: final})
	if errors.Is(err, errRobotsAway) && plat.HostOf(final) != plat.HostOf(job.URL) {
		// The job's own host has done nothing to be left alone.
		return &plat.VisitError{Outcome: plat.OutcomeUnreachable, Retry: true, Err: fmt.Errorf("it leads to %s, and of that: %v", final, err)}
	}
	return err
}

// errFrontier is a failure of the frontier amid a visit.
var errFrontier = errors.New("frontier")

func ofFrontier(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", errFrontier, err)
}

// enlist has those of the jobs done whose URLs are not known.
func (c *Crew) enlist(ctx context.Context, jobs []plat.Job) (int, error) {
	if len(jobs) == 0 {
		return 0, nil
	}
	urls := make([]string, len(jobs))
	for i := range jobs {
		urls[i] = jobs[i].URL
	}
	unknown, err := c.queue.Unknown(ctx, urls)
	if err != nil || len(unknown) == 0 {
		return 0, ofFrontier(err)
	}
	now, err := c.queue.Now(ctx)
	if err != nil {
		return 0, ofFrontier(err)
	}
	fresh := jobs[:0:0]
	for _, j := range jobs {
		if _, is := slices.BinarySearch(unknown, j.URL); is {
			j.Due = now
			fresh = append(fresh, j)
		}
	}
	if err := c.store.Enlist(ctx, fresh); err != nil {
		return 0, fmt.Errorf("enlist the links: %w", err)
	}
	n, err := c.queue.Add(ctx, fresh)
	return n, ofFrontier(err)
}
