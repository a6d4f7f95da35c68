package workers

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"plat"
	"plat/queue"
	"plat/storage"
	"plat/traps"
)

// barrenFactor lowers the priority of links whose pattern of URLs brings little.
const barrenFactor = 0.1

// guard returns those of a page's links that are to be followed, perhaps under another
// address, and those that have parameters in another order than their sorted form:
// that is to be known as their address. Links that are left out are found again on the
// next visit of the page.
func (c *Crew) guard(ctx context.Context, jobs []plat.Job) (kept []plat.Job, sorted map[string]string, err error) {
	if c.o.Traps == TrapsOff {
		kept, err = c.limit(ctx, jobs)
		return kept, nil, err
	}
	links := make(map[string]bool, len(jobs))
	for i := range jobs {
		links[jobs[i].URL] = true
	}
	listed := map[string]bool{}
	for _, j := range jobs {
		if err := c.o.Rules.Refuse(j.URL); err != nil {
			c.refused(j.URL, err)
			continue
		}
		if c.o.Traps == TrapsOn {
			s := c.site(ctx, plat.HostOf(j.URL))
			if plain := s.Plain(j.URL); plain != j.URL && !s.Check() {
				c.o.Metrics.refused.WithLabelValues("address").Inc()
				s.Replaced(j.URL, plain)
				j.URL = plain
			}
			if s.Barren(j.URL) {
				j.Priority *= barrenFactor * float32(s.Share(j.URL))
			}
		}
		if listed[j.URL] {
			continue
		}
		listed[j.URL] = true
		if form := traps.Sorted(j.URL); form != j.URL {
			if sorted[form] != "" || links[form] {
				c.o.Metrics.refused.WithLabelValues("order").Inc()
				continue
			}
			st, err := c.worker.stateOf(ctx, form)
			if err != nil {
				return nil, nil, err
			}
			if known(&st) && st.Main != j.URL {
				c.o.Metrics.refused.WithLabelValues("order").Inc()
				c.seen.Add(j.URL)
				continue
			}
			if sorted == nil {
				sorted = map[string]string{}
			}
			sorted[form] = j.URL
		}
		kept = append(kept, j)
	}
	kept, err = c.limit(ctx, kept)
	return kept, sorted, err
}

// known reports whether a URL has, or had, a job or a visit.
func known(st *plat.URLState) bool { return !st.Due.IsZero() || !st.Settled.IsZero() || st.Visits > 0 }

func (c *Crew) refused(url string, err error) {
	rule := "other"
	if r, ok := errors.AsType[*traps.RefusedError](err); ok {
		rule = r.Rule
	}
	c.o.Metrics.refused.WithLabelValues(rule).Inc()
	c.o.Log.Debug("a link is not followed", "url", url, "because", err)
}

// limit leaves out links to hosts that have as many URLs as they may.
func (c *Crew) limit(ctx context.Context, jobs []plat.Job) (kept []plat.Job, err error) {
	if c.o.MaxURLs <= 0 {
		return jobs, nil
	}
	room := map[string]int{}
	for _, j := range jobs {
		host := plat.HostOf(j.URL)
		if _, ok := room[host]; !ok {
			if room[host], err = c.room(ctx, c.site(ctx, host)); err != nil {
				return nil, err
			}
		}
		if room[host] > 0 {
			st, err := c.worker.stateOf(ctx, j.URL)
			if err != nil {
				return nil, err
			}
			if known(&st) {
				continue
			}
			room[host]--
			kept = append(kept, j)
			continue
		}
		c.o.Metrics.refused.WithLabelValues("max-urls").Inc()
	}
	return kept, nil
}

// links notes which URLs a page has links to, for those of its own host.
func (c *Crew) links(ctx context.Context, page string, jobs []plat.Job) {
	if c.o.Traps != TrapsOn || len(jobs) == 0 {
		return
	}
	host := plat.HostOf(page)
	var urls []string
	for i := range jobs {
		if plat.HostOf(jobs[i].URL) == host {
			urls = append(urls, jobs[i].URL)
		}
	}
	c.site(ctx, host).Linked(page, urls)
}

// found notes which URLs a page's links have added.
func (c *Crew) found(ctx context.Context, page string, added []plat.Job, sorted map[string]string) error {
	byHost := map[string][]string{}
	for i := range added {
		host := plat.HostOf(added[i].URL)
		byHost[host] = append(byHost[host], added[i].URL)
	}
	if c.o.Traps == TrapsOn || c.o.MaxURLs > 0 {
		for host, urls := range byHost {
			s := c.site(ctx, host)
			s.added(len(urls))
			s.Found(page, urls)
		}
	}
	for form, url := range sorted {
		if err := c.store.SetMain(ctx, url, c.fleetNow(), form); err != nil && !errors.Is(err, plat.ErrNotFound) {
			return fmt.Errorf("enlist the links: %w", err)
		}
	}
	return nil
}

// byLink reports whether a job is the first visit of a URL that a link of a crawl has
// led to, rather than somebody's wish.
func byLink(a *attempt) bool {
	return a.Kind == plat.RenderJob && a.Scope != "" && a.Depth > 0 && a.first() && !a.Due.IsZero()
}

// spared reports whether a visit can be spared, and how the lease ends then: because
// the page has another address that is known, or because URLs of its pattern bring
// nothing.
func (c *Crew) spared(ctx context.Context, a *attempt, l *queue.Lease) (verdict, error) {
	if c.o.Traps != TrapsOn || !byLink(a) {
		return nil, nil
	}
	s := c.site(ctx, plat.HostOf(a.URL))
	others := []string{s.Plain(a.URL)}
	if len(s.Claims(a.URL)) == 0 { // a page for print or phones may lack links of the one that it says it is
		others = append(others, s.Known(a.URL))
	}
	for _, other := range others {
		if other == "" || other == a.URL || s.Check() {
			continue
		}
		if is, err := c.isAddress(ctx, a.URL, other); err != nil {
			return nil, err
		} else if is {
			c.o.Metrics.spared.WithLabelValues("address").Inc()
			return c.done(l, 0), nil
		}
	}
	if s.Redirects(a.URL) {
		if to := c.redirect(ctx, a.Job); to != "" {
			if is, err := c.isAddress(ctx, a.URL, to); err != nil {
				return nil, err
			} else if is {
				c.o.Metrics.spared.WithLabelValues("redirect").Inc()
				return c.done(l, c.o.Delay), nil
			}
		}
	}
	if !s.Ask(a.URL) {
		c.o.Metrics.spared.WithLabelValues("barren").Inc()
		return c.later(l, barrenFor+rand.N(barrenFor/4)), nil
	}
	return nil, nil
}

// isAddress makes a URL another address of a page, if that is known.
func (c *Crew) isAddress(ctx context.Context, url, other string) (bool, error) {
	st, err := storage.MainOf(ctx, c.worker.stateOf, other)
	if err != nil || !known(&st) || st.URL == url || st.Outcome.Failed() {
		return false, err
	}
	return true, c.store.SetMain(ctx, st.URL, c.fleetNow(), url)
}

// redirect asks where a URL redirects to, without a browser; empty: nowhere, or it
// cannot be asked.
func (c *Crew) redirect(ctx context.Context, job plat.Job) string {
	if _, err := c.obey(ctx, job); err != nil {
		return ""
	}
	status, _, header, err := c.get(ctx, job.URL, 0)
	if err != nil || status < 300 || status >= 400 || header.Get("Location") == "" {
		return ""
	}
	to, err := resolve(job.URL, header.Get("Location"))
	if err != nil {
		return ""
	}
	to, err = plat.Canonical(to, c.o.Drop)
	if err != nil || to == job.URL {
		return ""
	}
	return to
}

// learned takes over what a first visit shows of a site. f is nil if there was no page;
// main is the URL under which the page is archived already, empty: none.
func (c *Crew) learned(ctx context.Context, a *attempt, f *found, main string) {
	if c.o.Traps != TrapsOn || a.Scope == "" {
		return
	}
	s := c.site(ctx, plat.HostOf(a.URL))
	if !a.first() {
		s.Again()
		return
	}
	var page *traps.Page
	switch {
	case main != "":
		s.Same(a.URL, main)
		if final := c.final(a.Job, f.snap); final != a.URL {
			s.Same(a.URL, final)
		}
	case f != nil:
		page = traps.NewPage(a.URL, f.now.page.Blocks)
		s.Own(a.URL, fingerprint(f.snap, f.now.page.Blocks))
	}
	was := s.Barren(a.URL)
	s.Visited(a.URL, page)
	if f != nil && c.final(a.Job, f.snap) != a.URL {
		s.Redirected(a.URL)
	}
	if is := s.Barren(a.URL); is && !was {
		c.o.Log.Info("URLs like this one bring nothing new; others of them wait", "url", a.URL)
	}
	s.mu.Lock()
	s.unsaved++
	s.mu.Unlock()
	c.save(ctx, s, saveEvery)
}

// missed takes over what a failed visit shows: a pattern of URLs that lead nowhere
// brings nothing either, and the other addresses of a page that is gone may still lead
// there.
func (c *Crew) missed(ctx context.Context, a *attempt, failed *plat.VisitError) {
	switch failed.Outcome {
	case plat.OutcomeGone, plat.OutcomeHTTPError, plat.OutcomeUnsupported, plat.OutcomeDownload, plat.OutcomeRedirects:
	default:
		return // the page may be there
	}
	if byLink(a) {
		c.learned(ctx, a, nil, "")
		if err := c.linked(ctx, a); err != nil && ctx.Err() == nil {
			c.o.Log.Warn("a link whose plain address leads nowhere could not be enlisted", "url", a.URL, "error", err)
		}
	}
	if a.state.Head > 0 && failed.Outcome == plat.OutcomeGone {
		if err := c.revive(ctx, a); err != nil && ctx.Err() == nil {
			c.o.Log.Warn("the other addresses of a page that is gone could not be enlisted", "url", a.URL, "error", err)
		}
	}
}

// linked has the address visited that a link named, if it was followed under another
// one in its place, which leads nowhere.
func (c *Crew) linked(ctx context.Context, a *attempt) error {
	if c.o.Traps != TrapsOn {
		return nil
	}
	s := c.site(ctx, plat.HostOf(a.URL))
	link := s.Link(a.URL)
	if link == "" {
		return nil
	}
	s.Differ(link, a.URL)
	return c.own(ctx, a, link)
}

// revive has the other addresses of a page visited.
func (c *Crew) revive(ctx context.Context, a *attempt) error {
	if c.o.Traps != TrapsOn {
		return nil
	}
	others, err := storage.Others(ctx, c.store, a.URL, maxRevived)
	if err != nil || len(others) == 0 {
		return err
	}
	return c.own(ctx, a, others...)
}

// maxRevived is the most addresses of a page that are visited when it is gone.
const maxRevived = 10

// own makes URLs pages of their own, and has them visited.
func (c *Crew) own(ctx context.Context, a *attempt, urls ...string) error {
	now := c.fleetNow()
	jobs := make([]plat.Job, len(urls))
	for i, url := range urls {
		plan := a.Plan
		plan.Depth = max(1, plan.Depth)
		jobs[i] = plat.Job{URL: url, Due: now, Priority: a.Priority, Plan: plan}
	}
	if err := c.store.SetMain(ctx, "", now, urls...); err != nil {
		return err
	}
	e, err := c.store.Enlist(ctx, jobs, storage.Again)
	if err != nil {
		return err
	}
	return c.offer(ctx, e.Jobs)
}
