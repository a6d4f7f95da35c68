package crawler

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"plat/focus"
	"plat/plat"
	"plat/storage"
)

// course is a crawl that this process steers.
type course struct {
	s       *Steerer
	crawl   *plat.Crawl
	then    *plat.CrawlPage // the course is in the state in which it requested this page; nil: the present state
	topic   *Compiled
	missing []string // examples
	focus   *focus.Crawl

	n         int                // pages requested
	misses    int                // of these: there was no page
	flying    map[string]*flight // URLs requested and not answered
	perHost   map[string]int     // of flying
	landed    int                // pages answered
	landedAt  time.Time          // when the last one was visited
	asking    bool               // this process has requested pages
	asVisited bool               // pages are as relevant as their visits found: there are no labels or examples
	sites     map[string]*Site
	left      []string        // hosts that show crawlers a different text than readers
	vouched   map[string]bool // of such hosts: a user's label says that one of these pages belongs
	curve     curve
	labels    map[string]bool
	judged    judgements // of pages that are not as their visits found

	assessor   []byte
	assessedAt int // pages when assessor was made
	reported   time.Time
	changed    bool // since the report
}

// flight is a page that was requested and is not answered.
type flight struct {
	asked  time.Time
	since  time.Time // time of the request, or of the last check
	landed int       // pages of the crawl that were answered until then
	hails  int       // by this process
}

// open restores a crawl from its pages.
func (s *Steerer) open(ctx context.Context, crawl *plat.Crawl) (*course, error) {
	c, err := s.restore(ctx, crawl, nil, nil)
	if err == nil {
		c.publish()
	}
	return c, err
}

// restore restores a crawl from its pages, in the order of their requests; with then, in its state
// when it requested that page. before, if not nil, is called before each page, and its error ends
// restore.
func (s *Steerer) restore(ctx context.Context, crawl *plat.Crawl, then *plat.CrawlPage, before func(c *course, p *plat.CrawlPage, page *focus.Page) error) (*course, error) {
	c := &course{s: s, crawl: crawl, then: then, flying: map[string]*flight{}, perHost: map[string]int{}, sites: map[string]*Site{}, labels: map[string]bool{}, vouched: map[string]bool{}}
	for _, l := range crawl.Labels {
		c.labels[l.URL] = l.Belongs
	}
	follows, err := s.scope(crawl)
	if err != nil {
		return nil, &TopicError{err}
	}
	if c.topic, c.missing, err = s.Compiler.Compile(ctx, crawl); err != nil {
		return nil, err
	}
	judged, err := c.labelled(ctx)
	if err != nil {
		return nil, err
	}
	judged = append(judged, c.topic.Examples...)
	if c.asVisited = len(judged) == 0; !c.asVisited {
		// Labels are weighed against all pages, so these are read twice.
		var all focus.Collection
		if err := c.each(ctx, func(p *plat.CrawlPage, page *focus.Page) error {
			if page != nil && (then == nil || p.N < then.N) {
				all.Add(page)
			}
			return nil
		}); err != nil {
			return nil, err
		}
		c.topic.Topic = c.topic.Judge(judged, &all)
	}
	c.focus, err = focus.New(c.topic.Topic, focus.Options{Order: crawl.Order, Pages: crawl.Pages, PerHost: crawl.PerHost, Least: crawl.Least, Follows: follows})
	if err != nil {
		return nil, &TopicError{err}
	}
	c.focus.Seed(crawl.Seeds...)
	err = c.each(ctx, func(p *plat.CrawlPage, page *focus.Page) error {
		if p.N == crawl.Resumed+1 {
			c.focus.Forbear()
		}
		if before != nil {
			if err := before(c, p, page); err != nil {
				return err
			}
		}
		c.n = p.N
		c.focus.Ask(p.URL)
		if p.Visited.IsZero() {
			c.flying[p.URL] = &flight{asked: p.Asked, since: p.Asked, landed: c.landed}
			c.perHost[plat.HostOf(p.URL)]++
			return nil
		}
		c.take(p, page)
		return nil
	})
	if c.n <= crawl.Resumed {
		c.focus.Forbear() // a user has just resumed it
	}
	return c, err
}

// each yields the crawl's pages by N; page is nil if there is no page. With then, it ends at that
// page, and pages whose visits began after that request count as under way.
func (c *course) each(ctx context.Context, yield func(*plat.CrawlPage, *focus.Page) error) error {
	for p, err := range c.s.Store.Asked(ctx, c.crawl.ID, 0, true) {
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err // a store may have read on
		}
		if then := c.then; then != nil && p.N > then.N {
			return nil
		} else if then != nil && p.N < then.N && p.Visited.After(then.Asked) {
			p.Visited, p.Reading = time.Time{}, nil
		}
		if err := yield(p, c.readingOf(p)); err != nil {
			return err
		}
	}
	return nil
}

// readingOf decodes the reading of a visit; nil if there was no page. If a reading is damaged,
// it has only the URL and the relevance of the page: the crawl continues without its links.
func (c *course) readingOf(p *plat.CrawlPage) *focus.Page {
	if len(p.Reading) == 0 {
		return nil
	}
	page, err := focus.DecodePage(p.Reading)
	if err != nil {
		if c.s.Log != nil {
			c.s.Log.Warn("the stored reading of a page is damaged; its links are lost", "crawl", c.crawl.ID, "url", p.URL, "error", err)
		}
		return &focus.Page{URL: p.URL}
	}
	return page
}

// labelled returns the visited pages that users have labelled.
func (c *course) labelled(ctx context.Context) ([]focus.Judged, error) {
	var out []focus.Judged
	for _, l := range c.crawl.Labels {
		p, err := c.s.Store.AskedFor(ctx, c.crawl.ID, l.URL)
		if errors.Is(err, plat.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if l.Belongs && p.Outcome == plat.OutcomeCloaked {
			// It is unknown which of the two texts the user has seen, so nothing is learnt from
			// the stored one.
			c.vouched[plat.HostOf(p.URL)] = true
			continue
		}
		if len(p.Reading) == 0 {
			continue
		}
		page, err := focus.DecodePage(p.Reading)
		if err != nil {
			continue // damaged: nothing can be learnt from it
		}
		out = append(out, focus.Judged{Page: page, Belongs: l.Belongs})
	}
	return out, nil
}

func (c *course) land(u string) {
	if _, ok := c.flying[u]; ok {
		delete(c.flying, u)
		c.perHost[plat.HostOf(u)]--
	}
}

// take learns from a page that was visited. Its relevance is that of the visit or, if there are
// labels, the present one.
func (c *course) take(p *plat.CrawlPage, page *focus.Page) {
	c.land(p.URL)
	c.landed++
	c.landedAt = plat.Later(c.landedAt, p.Visited)
	c.changed = true
	if page == nil {
		c.misses++
		c.focus.Miss(p.URL)
		return
	}
	r := focus.Result{Relevance: p.Relevance, Belongs: p.Relevance >= c.focus.Least() && p.Outcome != plat.OutcomeCloaked}
	yes, said := c.labels[p.URL]
	switch {
	case said && yes:
		r = focus.Result{Relevance: 1, Belongs: true}
	case said:
		r = focus.Result{}
	}
	before := c.focus.Counts().Pages
	if said || c.asVisited || len(page.Words) == 0 || p.Outcome == plat.OutcomeCloaked {
		c.focus.AddAs(p.URL, page, r)
	} else {
		r = c.focus.Add(p.URL, page)
	}
	n := c.focus.Counts()
	same := n.Pages == before
	if same || !c.asVisited {
		c.judged.note(p.N, r, same)
	}
	host := plat.HostOf(p.URL)
	if p.Outcome == plat.OutcomeCloaked && !c.vouched[host] {
		c.leave(host)
	}
	if same {
		return // counted under a different address
	}
	site := c.sites[host]
	if site == nil {
		site = &Site{Host: host}
		c.sites[host] = site
	}
	if site.Pages++; r.Belongs {
		site.Belong++
	}
	c.curve.add(n.Pages, n.Belong)
}

// leave requests no more pages of a host that shows crawlers a different text than readers.
func (c *course) leave(host string) {
	c.focus.Leave(host)
	if len(c.left) < maxSites && !slices.Contains(c.left, host) {
		c.left = append(c.left, host)
	}
}

// step takes results, and requests more pages. It reports whether there was work.
func (c *course) step(ctx context.Context) (busy bool, err error) {
	busy, err = c.arrivals(ctx)
	if err != nil {
		return busy, err
	}
	if c.assessor == nil || c.focus.Counts().Pages > c.assessedAt+c.assessedAt/10+5 {
		c.publish()
	}
	if c.changed && c.s.now().Sub(c.reported) > reportEvery || c.reported.IsZero() {
		if err := c.putReport(ctx); err != nil {
			return busy, err
		}
	}
	asked, err := c.ask(ctx)
	if err != nil {
		return busy, err
	}
	if !asked && len(c.flying) == 0 {
		return busy, c.end(ctx)
	}
	return busy || asked, nil
}

func (c *course) publish() {
	c.assessor = c.focus.Assessor().Encode()
	c.assessedAt = c.focus.Counts().Pages
	c.changed = true
	c.reported = time.Time{}
}

func (c *course) putReport(ctx context.Context) error {
	b, err := c.report(c.s.now()).encode()
	if err != nil {
		return err
	}
	if err := c.s.Store.PutReport(ctx, c.crawl.ID, b); err != nil {
		return err
	}
	c.reported, c.changed = c.s.now(), false
	return nil
}

// arrivals takes the results of requested pages, and ends requests that get no result.
func (c *course) arrivals(ctx context.Context) (bool, error) {
	if len(c.flying) == 0 {
		return false, nil
	}
	urls := make([]string, 0, len(c.flying))
	for u := range c.flying {
		urls = append(urls, u)
	}
	slices.Sort(urls)
	answers, err := c.s.Store.Answers(ctx, c.crawl.ID, urls)
	if err != nil {
		return false, err
	}
	c.takeAnswers(answers)
	for u, f := range c.flying {
		if c.s.now().Sub(f.since) > overdue {
			if err := c.chase(ctx, u, f); err != nil {
				return false, err
			}
		}
	}
	return len(answers) > 0, nil
}

func (c *course) takeAnswers(answers []*plat.CrawlPage) {
	for _, p := range answers {
		c.take(p, c.readingOf(p))
	}
}

// chase checks a page that was requested long ago. It requests the page again if it has no job of
// the crawl, as when a process died between request and enlisting, or if a visit that did not know
// the crawl yet settled its job. If there is no result after that, it records a failure.
func (c *course) chase(ctx context.Context, u string, f *flight) error {
	state, err := c.s.Store.State(ctx, u)
	unknown := errors.Is(err, plat.ErrNotFound)
	mine := state.HasFocus(c.crawl.ID)
	switch {
	case err != nil && !unknown:
		return err
	case mine && !state.Due.IsZero() && state.Settled.Before(state.Due):
		f.since = c.s.now() // it waits for its turn
		return nil
	case f.hails < 2 && (unknown || !mine || state.Dead.IsZero() && state.Main == ""):
		// A visit stores its result before it settles the job: it may have done both since the results were read.
		answers, err := c.s.Store.Answers(ctx, c.crawl.ID, []string{u})
		if err != nil || len(answers) > 0 {
			c.takeAnswers(answers)
			return err
		}
		f.hails = max(1, f.hails) // of a process before this one
		return c.hail(ctx, []string{u})
	}
	outcome := state.Outcome
	if outcome == "" {
		outcome = plat.OutcomeError
	}
	return c.giveUp(ctx, u, outcome)
}

// giveUp records a failure for a page that is not visited, unless a result has arrived meanwhile.
func (c *course) giveUp(ctx context.Context, u string, o plat.Outcome) error {
	p := &plat.CrawlPage{Crawl: c.crawl.ID, URL: u, Visited: c.s.now(), Outcome: o}
	if err := c.s.Store.Answer(ctx, p); err != nil {
		return err
	}
	answers, err := c.s.Store.Answers(ctx, c.crawl.ID, []string{u})
	c.takeAnswers(answers)
	return err
}

// ask requests the best pages, up to the number that may be under way.
func (c *course) ask(ctx context.Context) (bool, error) {
	var pages []plat.CrawlPage
	now := c.s.now()
	slow := c.slow(now)
	for len(c.flying)+len(pages)-min(slow, slowest*c.s.Ahead) < c.s.Ahead && !c.full(len(pages)) {
		a, ok := c.focus.Next(func(host string) bool { return c.perHost[host] < c.s.AheadPerHost })
		if !ok {
			break
		}
		c.perHost[plat.HostOf(a.URL)]++
		pages = append(pages, plat.CrawlPage{Crawl: c.crawl.ID, N: c.n + len(pages) + 1, URL: a.URL, Score: min(1, max(0, a.Score)), From: a.From, Asked: now})
	}
	if len(pages) == 0 {
		return false, nil
	}
	stored, err := c.s.Store.Ask(ctx, pages)
	if err == nil && len(stored) < len(pages) {
		err = fmt.Errorf("a different process has requested %[2]d of the pages from %[1]d on: %[3]w", pages[0].N, len(pages)-len(stored), plat.ErrConflict)
	}
	for _, u := range stored {
		c.flying[u] = &flight{asked: now, landed: c.landed}
	}
	if err != nil {
		// A different process steers, and visits the pages that it has requested.
		if len(stored) > 0 {
			err = errors.Join(err, c.hail(ctx, stored))
		}
		return false, err
	}
	if !c.asking {
		c.asking = true
		c.s.Log.Info(LogSteers, "crawl", c.crawl.ID, "asked", c.n)
	}
	c.n += len(pages)
	c.changed = true
	return true, c.hail(ctx, stored)
}

// slow counts the pages under way for which the crawl does not wait, because their hosts cannot be
// reached or need long pauses: many later requests have results, or no request has. If all pages
// take long because workers are busy, none counts as slow: asking for more would only mean to
// choose them before there is anything to learn from.
func (c *course) slow(now time.Time) (n int) {
	stuck := now.Sub(c.landedAt) > patience
	for _, f := range c.flying {
		if now.Sub(f.since) > patience && (stuck || c.landed-f.landed >= 2*c.s.Ahead) {
			n++
		}
	}
	return n
}

// full reports whether the crawl has its pages, with more of them on the way. Package focus counts
// them too, but a page and a second address that leads to it count as one there.
func (c *course) full(more int) bool {
	return c.crawl.Pages > 0 && c.n+more-c.misses >= c.crawl.Pages
}

// hail schedules visits of pages.
func (c *course) hail(ctx context.Context, urls []string) error {
	jobs := make([]plat.Job, len(urls))
	for i, u := range urls {
		jobs[i] = plat.Job{URL: u, Priority: float32(askPriority), Plan: plat.Plan{Depth: 1, Focus: c.crawl.ID, Schedule: c.crawl.Revisit}}
		c.flying[u].since = c.s.now()
		c.flying[u].hails++
	}
	refused, err := c.s.Visit(ctx, jobs)
	if err != nil {
		return err
	}
	for _, u := range refused {
		if err := c.giveUp(ctx, u, plat.OutcomeRefused); err != nil {
			return err
		}
	}
	return nil
}

// end sets the crawl to done.
func (c *course) end(ctx context.Context) error {
	why := c.focus.Done()
	switch {
	case c.full(0):
		why = fmt.Sprintf("all %d pages were requested", c.crawl.Pages)
	case why == "":
		why = "no links are left"
	}
	if err := c.putReport(ctx); err != nil {
		return err
	}
	c.crawl.State, c.crawl.Reason = plat.CrawlIsDone, why
	return c.s.Store.PutCrawl(ctx, c.crawl)
}

// Store is the part of an archive that a steerer uses.
type Store interface {
	storage.Crawls
	State(ctx context.Context, url string) (plat.URLState, error)
}
