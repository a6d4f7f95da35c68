package workers

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"

	"plat/browser/fetch/sitemap"
	"plat/plat"
	"plat/plat/weburl"
	"plat/queue/links"
	"plat/queue/schedule"
	"plat/storage"
)

const (
	maxSitemaps   = 50      // files per fetch job
	maxSitemapURL = 200_000 // new URLs per fetch job
)

// robotsPath lists a host's sitemaps (RFC 9309 section 2.3; sitemaps.org, "Specifying
// the Sitemap location in your robots.txt file").
const robotsPath = "/robots.txt"

// findSitemaps enlists a separate job that reads the sitemaps of a seed's host.
func (c *Crew) findSitemaps(ctx context.Context, seed plat.Job) error {
	u, err := url.Parse(seed.URL)
	if err != nil {
		return nil
	}
	return c.findList(ctx, seed, u.Scheme+"://"+u.Host+robotsPath)
}

// maxFeeds is the number of a page's feeds that are read: the first usually has its news.
const maxFeeds = 2

// findFeeds enlists separate jobs that read the feeds that a seed names, of its host.
func (c *Crew) findFeeds(ctx context.Context, seed plat.Job, all []links.Link) error {
	host, found := plat.HostOf(seed.URL), 0
	for i := range all {
		l := &all[i]
		if l.Kind != links.Feed || plat.HostOf(l.URL) != host {
			continue
		}
		if err := c.findList(ctx, seed, l.URL); err != nil {
			return err
		}
		if found++; found == maxFeeds {
			break
		}
	}
	return nil
}

// findList enlists a separate job that reads a list of URLs for a seed's scope. The archive
// records when it was last read. It is idempotent: concurrent callers enlist the same job.
func (c *Crew) findList(ctx context.Context, seed plat.Job, at string) error {
	scope, err := links.ParseScope(seed.Scope)
	if err != nil || scope.Reach == links.ReachPage {
		return nil
	}
	state, err := c.worker.stateOf(ctx, at)
	if err != nil {
		return err
	}
	now, err := c.queue.Now(ctx)
	if err != nil {
		return ofFrontier(err)
	}
	known := !state.Due.IsZero() || !state.Settled.IsZero()
	switch {
	case state.Visits > 0 || known && state.Kind != plat.FetchJob:
		return nil // it is archived as a page
	case known && state.HasScope(seed.Scope) && (!state.Due.IsZero() || now.Sub(state.Settled) < schedule.ListsEvery):
		return nil
	}
	jobs := []plat.Job{{URL: at, Due: now, Priority: seed.Priority,
		Plan: plat.Plan{Kind: plat.FetchJob, Depth: seed.Depth, Scope: seed.Scope, Schedule: seed.Plan.Inherited()}}}
	e, err := c.store.Enlist(ctx, jobs, storage.Again)
	if err != nil {
		return fmt.Errorf("enlist a list of URLs: %w", err)
	}
	return c.offer(ctx, e.Jobs)
}

// fetchFile does a fetch job: it reads the file, or the sitemaps listed in a robots.txt, and
// enqueues the URLs in the plan's scopes. Sitemaps are hints: errors in them are logged, and
// the job is done. The returned error comes from the archive, the frontier or the context.
func (c *Crew) fetchFile(ctx context.Context, a *attempt) (r Report, err error) {
	r = Report{URL: a.URL, Outcome: plat.OutcomeFetched}
	defer func() { r.Duration = c.worker.now().Sub(a.start) }()
	if r.Links, err = c.readList(ctx, a); err != nil {
		if r.Outcome, r.Retry = plat.OutcomeError, true; ctx.Err() != nil {
			r.Outcome = plat.OutcomeInterrupted
		}
		return r, err
	}
	v := plat.Visit{URL: a.URL, Time: c.worker.fleetTime(a.start), Outcome: r.Outcome, Duration: c.worker.now().Sub(a.start), Rest: a.delay, Unkept: true}
	c.worker.plan(a, &v, "", nil, &r)
	return r, c.worker.record(ctx, v, 0, &r)
}

// readList reads the files of a fetch job one by one, with the host's delay
// between them. It returns how many URLs were new.
func (c *Crew) readList(ctx context.Context, a *attempt) (taken int, err error) {
	u, err := url.Parse(a.URL)
	if err != nil {
		return 0, nil
	}
	todo := []string{a.URL}
	if u.Path == robotsPath {
		todo = c.fetch.Sitemaps(ctx, u.Scheme+"://"+u.Host)
	}
	seen, now := map[string]bool{}, c.fleetNow()
	var found []links.Link
	flush := func() error {
		jobs := c.o.Guide.Choose(links.From{Job: a.Job, URL: a.URL}, found)
		n, err := c.enlist(ctx, a.URL, jobs)
		taken += n
		found = found[:0]
		if err != nil {
			return err
		}
		return c.hint(ctx, jobs, a.state.Settled)
	}
	for len(todo) > 0 && len(seen) < maxSitemaps && taken < maxSitemapURL {
		at := todo[0]
		todo = todo[1:]
		// A sitemap may list only URLs of its own host, and is requested only there:
		// other hosts may be leased by other workers.
		if seen[at] || plat.HostOf(at) != plat.HostOf(a.URL) {
			continue
		}
		if len(seen) > 0 && !sleep(ctx, nil, a.delay) {
			return taken, context.Cause(ctx)
		}
		seen[at] = true
		var ours error
		err := c.fetch.Sitemap(ctx, at, func(kind sitemap.Kind, e sitemap.Entry) error {
			if kind == sitemap.Index {
				if len(todo) < maxSitemaps {
					todo = append(todo, weburl.ForRequest(weburl.Resolve(e.Loc)))
				}
				return nil
			}
			link, spelling, err := plat.Address(e.Loc, c.o.Drop)
			if err != nil {
				return nil
			}
			if found = append(found, links.Link{URL: link, As: spelling, Kind: links.Listed, Block: -1, Signal: signalOf(kind, e, now)}); len(found) < 1000 {
				return nil
			}
			ours = flush()
			return ours
		})
		switch {
		case ctx.Err() != nil:
			return taken, context.Cause(ctx)
		case ours != nil:
			return taken, ours
		case err != nil:
			c.o.Log.Info("sitemap", "url", at, "error", err)
		}
	}
	if err := flush(); err != nil {
		return taken, err
	}
	if taken > 0 {
		c.o.Log.Info("sitemaps", "host", u.Host, "files", len(seen), "new", taken)
	}
	return taken, nil
}

// signalOf converts an entry of a list to a plan's signal. A change in the future is ignored,
// except on the same day: a clock is ahead, or the list gives the day alone.
func signalOf(kind sitemap.Kind, e sitemap.Entry, now time.Time) plat.Signal {
	s := plat.Signal{Modified: e.LastMod.UTC().Truncate(time.Second), Priority: max(0, min(1, e.Priority))}
	switch f := strings.ToLower(strings.TrimSpace(e.ChangeFreq)); f {
	case "always", "hourly", "daily", "weekly", "monthly", "yearly", "never":
		s.ChangeFreq = f
	}
	switch m := s.Modified; {
	case m.Year() < 1990, m.After(now.Add(schedule.ListsEvery)):
		s.Modified = time.Time{}
	case m.After(now):
		s.Modified = now.UTC().Truncate(time.Second)
	}
	if s == (plat.Signal{}) {
		return s
	}
	if s.Source = plat.SignalSitemap; kind == sitemap.RSS || kind == sitemap.Atom {
		s.Source = plat.SignalFeed
	}
	return s
}
