package steer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"plat"
	"plat/focus"
	"plat/storage"
)

// course is a crawl that this process steers.
type course struct {
	s       *Steerer
	crawl   *plat.Crawl
	topic   *Compiled
	missing []string // examples
	focus   *focus.Crawl

	n       int                  // pages asked for
	flying  map[string]time.Time // URLs that were asked for and are not answered, with when
	perHost map[string]int       // of flying
	sites   map[string]*Site
	curve   curve
	labels  map[string]bool

	assessor   []byte
	assessedAt int // pages when assessor was made
	reported   time.Time
	changed    bool // since the report
}

// open restores a crawl from its pages.
func (s *Steerer) open(ctx context.Context, crawl *plat.Crawl) (*course, error) {
	c, err := s.restore(ctx, crawl, nil)
	if err == nil {
		c.publish()
	}
	return c, err
}

// restore restores a crawl from its pages, in the order in which they were asked for. before, if
// not nil, is called before each is taken, and ends it with an error.
func (s *Steerer) restore(ctx context.Context, crawl *plat.Crawl, before func(c *course, p *plat.CrawlPage, page *focus.Page) error) (*course, error) {
	c := &course{s: s, crawl: crawl, flying: map[string]time.Time{}, perHost: map[string]int{}, sites: map[string]*Site{}, labels: map[string]bool{}}
	for _, l := range crawl.Labels {
		c.labels[l.URL] = l.Belongs
	}
	var err error
	if c.topic, c.missing, err = s.Compiler.Compile(ctx, crawl.Topic); err != nil {
		return nil, &topicError{err}
	}
	judged, err := Labelled(ctx, s.Store, crawl)
	if err != nil {
		return nil, err
	}
	judged = append(judged, c.topic.Examples...)
	if len(judged) > 0 {
		// What people said is weighed among all pages, so these are read twice.
		var all focus.Collection
		if err := c.each(ctx, func(_ *plat.CrawlPage, page *focus.Page) error {
			if page != nil {
				all.Add(page)
			}
			return nil
		}); err != nil {
			return nil, err
		}
		c.topic.Topic = c.topic.Judge(judged, &all)
	}
	c.focus, err = focus.New(c.topic.Topic, focus.Options{Order: crawl.Order, Pages: crawl.Pages, PerHost: crawl.PerHost, Least: crawl.Least, Follows: s.scope(crawl)})
	if err != nil {
		return nil, &topicError{err}
	}
	c.focus.Seed(crawl.Seeds...)
	return c, c.each(ctx, func(p *plat.CrawlPage, page *focus.Page) error {
		if before != nil {
			if err := before(c, p, page); err != nil {
				return err
			}
		}
		c.n = p.N
		c.focus.Ask(p.URL)
		if p.Visited.IsZero() {
			c.fly(p.URL, p.Asked)
			return nil
		}
		c.take(p, page, len(judged) == 0)
		return nil
	})
}

// topicError is an error that only a person can mend.
type topicError struct{ error }

func (e *topicError) Unwrap() error { return e.error }

// each yields the crawl's pages by N; page is nil where there is none.
func (c *course) each(ctx context.Context, yield func(*plat.CrawlPage, *focus.Page) error) error {
	for p, err := range c.s.Store.Asked(ctx, c.crawl.ID, 0, true) {
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err // a store may have read on
		}
		page, err := readingOf(p)
		if err != nil {
			return err
		}
		if err := yield(p, page); err != nil {
			return err
		}
	}
	return nil
}

func readingOf(p *plat.CrawlPage) (*focus.Page, error) {
	if len(p.Reading) == 0 {
		return nil, nil
	}
	page, err := focus.DecodePage(p.Reading)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.URL, err)
	}
	return page, nil
}

func (c *course) fly(u string, asked time.Time) {
	c.flying[u] = asked
	c.perHost[plat.HostOf(u)]++
}

func (c *course) land(u string) {
	if _, ok := c.flying[u]; ok {
		delete(c.flying, u)
		c.perHost[plat.HostOf(u)]--
	}
}

// take learns from a page that was visited. Its relevance is that of the visit, or, if people have
// said since what belongs, that of now.
func (c *course) take(p *plat.CrawlPage, page *focus.Page, asVisited bool) {
	c.land(p.URL)
	c.changed = true
	if page == nil {
		c.focus.Miss(p.URL)
		return
	}
	var r focus.Result
	yes, said := c.labels[p.URL]
	switch {
	case said:
		if yes {
			r = focus.Result{Relevance: 1, Belongs: true}
		}
		c.focus.AddAs(p.URL, page, r)
	case asVisited:
		r = focus.Result{Relevance: p.Relevance, Belongs: p.Relevance >= c.focus.Least()}
		c.focus.AddAs(p.URL, page, r)
	default:
		r = c.focus.Add(p.URL, page)
	}
	host := plat.HostOf(p.URL)
	site := c.sites[host]
	if site == nil {
		site = &Site{Host: host}
		c.sites[host] = site
	}
	site.Pages++
	if r.Belongs {
		site.Belong++
	}
	n := c.focus.Counts()
	c.curve.add(n.Pages, n.Belong)
}

// step takes what was answered, and asks for more. It reports whether there was anything to do.
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
	b, err := json.Marshal(c.report(c.s.now()))
	if err != nil {
		return err
	}
	if err := c.s.Store.PutReport(ctx, c.crawl.ID, b); err != nil {
		return err
	}
	c.reported, c.changed = c.s.now(), false
	return nil
}

// arrivals takes the answers to what was asked for, and gives up what nobody answers.
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
	for _, p := range answers {
		page, err := readingOf(p)
		if err != nil {
			return false, err
		}
		c.take(p, page, true)
	}
	for u, asked := range c.flying {
		if c.s.now().Sub(asked) > overdue {
			if err := c.chase(ctx, u); err != nil {
				return false, err
			}
		}
	}
	return len(answers) > 0, nil
}

// chase looks after a page that was asked for long ago: if its job is settled, nobody will answer,
// as where it turned out to be another address of a page.
func (c *course) chase(ctx context.Context, u string) error {
	state, err := c.s.Store.State(ctx, u)
	switch {
	case errors.Is(err, plat.ErrNotFound):
		return c.hail(ctx, []string{u}) // the process that asked died before it was enlisted
	case err != nil:
		return err
	case !state.Due.IsZero() && state.Settled.Before(state.Due) && state.HasFocus(c.crawl.ID):
		c.flying[u] = c.s.now() // it waits for its turn
		return nil
	}
	outcome := state.Outcome
	if outcome == "" {
		outcome = plat.OutcomeError
	}
	p := &plat.CrawlPage{Crawl: c.crawl.ID, URL: u, Visited: c.s.now(), Outcome: outcome}
	if err := c.s.Store.Answer(ctx, p); err != nil {
		return err
	}
	c.take(p, nil, true)
	return nil
}

// ask asks for the best pages, as many as are to be under way at once.
func (c *course) ask(ctx context.Context) (bool, error) {
	var pages []plat.CrawlPage
	now := c.s.now()
	slow := 0 // of hosts that cannot be reached, or want long pauses; others need not wait for them
	for _, asked := range c.flying {
		if now.Sub(asked) > patience {
			slow++
		}
	}
	for len(c.flying)+len(pages)-min(slow, slowest*c.s.Ahead) < c.s.Ahead {
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
	if err := c.s.Store.Ask(ctx, pages); err != nil {
		return false, err
	}
	c.n += len(pages)
	urls := make([]string, len(pages))
	for i := range pages {
		urls[i] = pages[i].URL
		c.flying[urls[i]] = now
	}
	return true, c.hail(ctx, urls)
}

// hail has pages visited.
func (c *course) hail(ctx context.Context, urls []string) error {
	jobs := make([]plat.Job, len(urls))
	for i, u := range urls {
		jobs[i] = plat.Job{URL: u, Priority: float32(askPriority), Plan: plat.Plan{Depth: 1, Focus: c.crawl.ID, Schedule: c.crawl.Revisit}}
		c.flying[u] = c.s.now()
	}
	refused, err := c.s.Visit(ctx, jobs)
	if err != nil {
		return err
	}
	for _, u := range refused {
		p := &plat.CrawlPage{Crawl: c.crawl.ID, URL: u, Visited: c.s.now(), Outcome: plat.OutcomeRefused}
		if err := c.s.Store.Answer(ctx, p); err != nil {
			return err
		}
		c.take(p, nil, true)
	}
	return nil
}

// end says that the crawl is done.
func (c *course) end(ctx context.Context) error {
	why := c.focus.Done()
	if why == "" {
		why = "no links are left"
	}
	if err := c.putReport(ctx); err != nil {
		return err
	}
	c.crawl.State, c.crawl.Reason = plat.CrawlIsDone, why
	return c.s.Store.PutCrawl(ctx, c.crawl)
}

// Store is what a steerer uses of an archive.
type Store interface {
	storage.Crawls
	State(ctx context.Context, url string) (plat.URLState, error)
}
