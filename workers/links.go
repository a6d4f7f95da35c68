package workers

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"plat"
	"plat/queue"
)

// maxLinks is how many links of a page are followed, the first.
const maxLinks = 5000

// Follow puts the links of a page that are in the job's scope into the archive
// and into the frontier, those that are new: first where nothing is lost. A
// worker that dies in between leaves links that the frontier does not know, and
// the job is not settled: whoever does it again finds them.
func (c *Crew) Follow(ctx context.Context, job plat.Job, snap *plat.Snapshot) (int, error) {
	if job.Scope == "" {
		return 0, nil
	}
	scope, err := queue.ParseScope(job.Scope)
	if err != nil {
		return 0, nil // it was checked when it came; an older version's, perhaps
	}
	// A seed may lead elsewhere (to www., to https); a page in between that does
	// must not take the scope with it.
	page := job.URL
	if job.Depth == 0 {
		page = c.final(job, snap)
	}
	var urls []string
	for _, link := range Links(snap, c.o.Drop, maxLinks) {
		if link != job.URL && scope.Follows(page, job.Depth, link) {
			urls = append(urls, link)
		}
	}
	return c.enlist(ctx, job, urls)
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

// enlist makes jobs of those URLs that are not known, after the job that has
// found them.
func (c *Crew) enlist(ctx context.Context, found plat.Job, urls []string) (int, error) {
	if len(urls) == 0 {
		return 0, nil
	}
	fresh, err := c.queue.Unknown(ctx, urls)
	if err != nil || len(fresh) == 0 {
		return 0, ofFrontier(err)
	}
	now, err := c.queue.Now(ctx)
	if err != nil {
		return 0, ofFrontier(err)
	}
	jobs := make([]plat.Job, len(fresh))
	for i, u := range fresh {
		jobs[i] = plat.Job{URL: u, Due: now, Priority: found.Priority * fading, Plan: plat.Plan{Depth: found.Depth + 1, Scope: found.Scope, Schedule: found.Schedule}}
	}
	if err := c.store.Enlist(ctx, jobs); err != nil {
		return 0, fmt.Errorf("enlist the links: %w", err)
	}
	n, err := c.queue.Add(ctx, jobs)
	return n, ofFrontier(err)
}

// fading is how much of a page's priority its links have: what is nearer to the
// seeds comes first.
const fading = 0.9

// Links returns the canonical URLs that a page's a and area elements lead to, each
// once, in their order, at most limit. Parameters in drop are removed.
func Links(s *plat.Snapshot, drop []string, limit int) []string {
	base, err := url.Parse(s.FinalURL)
	if err != nil {
		return nil
	}
	var links []string
	seen := map[string]bool{}
	based := false
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if n.Kind != plat.ElementNode || n.Name != "a" && n.Name != "area" && n.Name != "base" {
			continue
		}
		href, ok := n.Attr("href")
		if !ok {
			continue
		}
		to, err := base.Parse(strings.TrimSpace(href))
		if err != nil {
			continue
		}
		if n.Name == "base" {
			if !based { // only the first counts (HTML, section 4.2.3)
				base, based = to, true
			}
			continue
		}
		if to.Scheme != "http" && to.Scheme != "https" {
			continue
		}
		link, err := plat.Canonical(to.String(), drop)
		if err != nil || seen[link] {
			continue
		}
		seen[link] = true
		if links = append(links, link); len(links) == limit {
			break
		}
	}
	return links
}
