package workers

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"plat/focus"
	"plat/plat"
	"plat/queue/links"
	"plat/storage"
)

// crawls are the focused crawls that ask for pages; see package crawler.
type crawls interface {
	// Waits reports whether a crawl has asked for a URL and was told of no page there yet.
	Waits(ctx context.Context, crawl, url string) (bool, error)

	// Assess says whether a page belongs to the topic of a crawl, and whether the
	// crawl wants it to be archived. plat.ErrNotFound if there is no such crawl.
	Assess(ctx context.Context, crawl string, p *focus.Page) (r focus.Result, keep bool, err error)

	// Answer stores what a visit has found, see storage.CrawlPages.
	Answer(ctx context.Context, p *plat.CrawlPage) error
}

// cloaking finds pages that show crawlers other text than readers; see package cloaking.
type cloaking interface {
	// Check returns the page as readers see it, and what it is then to a crawl, if that is another one.
	Check(ctx context.Context, crawl, url string, judge func(*focus.Page) (focus.Result, error), pause func() error) (*focus.Page, focus.Result, error)
}

// maxCrawlTitle is the most characters of a title that a crawl is told.
const maxCrawlTitle = 300

// forWhom leaves of a job's focused crawls those that wait for the page, if it has versions:
// the others were answered, and visits that their schedule brings need not be read for them. Whether
// a page without a version is kept must be found out again, if a crash has come after the answer.
func (w *Worker) forWhom(ctx context.Context, a *attempt) error {
	if a.Focus == "" || w.opt.Crawls == nil || a.state.Head == 0 {
		return nil
	}
	var wait []string
	for id := range a.Focuses() {
		waits, err := w.opt.Crawls.Waits(ctx, id, a.URL)
		if err != nil {
			return fmt.Errorf("ask the focused crawls: %w", err)
		}
		if waits {
			wait = append(wait, id)
		}
	}
	a.Focus = strings.Join(wait, "\n")
	return nil
}

// answer tells the focused crawls that ask for a page what it is. off is the outcome of a page that none
// of them wants to be archived, and that nobody else has asked for; empty for others.
func (w *Worker) answer(ctx context.Context, a *attempt, f *found, main string) (off plat.Outcome, err error) {
	if a.Focus == "" || w.opt.Crawls == nil {
		return "", nil
	}
	if main != "" {
		return "", w.answerFailed(ctx, a, plat.OutcomeAlias)
	}
	if f.last.version == nil && a.Scope == "" && a.Depth > 0 {
		off = plat.OutcomeOffTopic
	}
	outcome, version := outcomeOf(f)
	read := w.reading(a, f)
	reading := encoded(read)
	var answers []*plat.CrawlPage
	for id := range a.Focuses() {
		p, keep, err := w.assess(ctx, a, id, read)
		if errors.Is(err, plat.ErrNotFound) {
			continue // it was removed
		}
		if err != nil {
			return "", err
		}
		switch {
		case keep:
			off = ""
		case off != "" && p.Outcome != "":
			off = p.Outcome
		}
		answers = append(answers, p)
	}
	if off != "" {
		outcome, version = plat.OutcomeOffTopic, 0
	}
	title := firstChars(strings.Join(strings.Fields(strings.ToValidUTF8(f.snap.Title, "")), " "), maxCrawlTitle)
	for _, p := range answers {
		if p.Title = title; p.Outcome == "" {
			p.Outcome, p.Version, p.Reading = outcome, version, reading
		}
		if err := w.opt.Crawls.Answer(ctx, p); err != nil && !errors.Is(err, plat.ErrNotFound) {
			return "", err
		}
	}
	return off, nil
}

// assess is what a crawl is to be told of a page, and whether it wants the page to be archived. The outcome is
// empty, but for a page of which readers are shown something else: that is what the crawl
// learns from, without its links, and no version is kept for it.
func (w *Worker) assess(ctx context.Context, a *attempt, crawl string, read *focus.Page) (p *plat.CrawlPage, keep bool, err error) {
	judge := func(p *focus.Page) (focus.Result, error) {
		r, _, err := w.opt.Crawls.Assess(ctx, crawl, p)
		return r, err
	}
	r, keep, err := w.opt.Crawls.Assess(ctx, crawl, read)
	if err != nil {
		return nil, false, err
	}
	p = &plat.CrawlPage{Crawl: crawl, URL: a.URL, Visited: w.fleetTime(a.start), Relevance: r.Relevance}
	if !r.Belongs || w.opt.Cloaking == nil {
		return p, keep, nil
	}
	shown, r, err := w.opt.Cloaking.Check(ctx, crawl, a.URL, judge, func() error {
		if !sleep(ctx, nil, a.delay) {
			return context.Cause(ctx)
		}
		return nil
	})
	if err != nil || shown == nil {
		return p, keep, err
	}
	p.Outcome, p.Relevance, p.Reading = plat.OutcomeCloaked, r.Relevance, encoded(shown)
	return p, false, nil // what readers see the browser does not know, so there is nothing to keep
}

// outcomeOf is what storing a page will be, unless another worker stores a version meanwhile.
func outcomeOf(f *found) (o plat.Outcome, version int) {
	v := f.last.version
	switch {
	case v == nil && f.now.leaves == 0:
		return plat.OutcomeBlank, 1
	case v == nil:
		return plat.OutcomeNew, 1
	case !f.now.differs || f.now.itself:
		return plat.OutcomeUnchanged, v.N
	}
	return plat.OutcomeChanged, v.N + 1
}

// reading reads a page for focused crawls. Its URLs are as those of other links.
func (w *Worker) reading(a *attempt, f *found) *focus.Page {
	var drop []string
	if c, ok := a.follow.(*Crew); ok {
		drop = c.o.Drop
	}
	page := &links.Page{Snapshot: f.snap, Blocks: f.now.page.Blocks, Spans: f.now.spans}
	read := focus.Read(page, page.Links(drop, maxLinks), w.label)
	read.URL = finalURL(a.URL, f.snap, drop)
	return read
}

// maxLinkURLs is how many bytes the URLs of a page's links may have in all: what can be read back
// has at most twice that.
const maxLinkURLs = 4 << 20

// encoded encodes what was read of a page. Of one with endless URLs the first links count, so
// that it fits.
func encoded(p *focus.Page) []byte {
	size := 0
	for i := range p.Links {
		if size += len(p.Links[i].URL); size > maxLinkURLs {
			p.Links = p.Links[:i]
			break
		}
	}
	for {
		b := p.Encode()
		if len(b) <= storage.MaxCrawlReading || len(p.Links) == 0 {
			return b
		}
		p.Links = p.Links[:len(p.Links)/2]
	}
}

// answerFailed tells the focused crawls that ask for a URL that it has no page of its own.
func (w *Worker) answerFailed(ctx context.Context, a *attempt, o plat.Outcome) error {
	if a.Focus == "" || w.opt.Crawls == nil {
		return nil
	}
	for id := range a.Focuses() {
		p := &plat.CrawlPage{Crawl: id, URL: a.URL, Visited: w.fleetTime(a.start), Outcome: o}
		if err := w.opt.Crawls.Answer(ctx, p); err != nil && !errors.Is(err, plat.ErrNotFound) {
			return err
		}
	}
	return nil
}

// offTopic records a visit of a page of which no version is kept. It is not visited again.
func (w *Worker) offTopic(ctx context.Context, a *attempt, f *found, o plat.Outcome, r *Report) error {
	r.Outcome = o
	v := plat.Visit{URL: a.URL, Time: w.fleetTime(a.start), Rest: a.delay, Status: f.snap.Status, Bytes: f.snap.Bytes, Duration: w.now().Sub(a.start),
		Outcome: r.Outcome, Settles: a.Due}
	if a.memory.Doubt != "" {
		v.Memory = plat.NoMemory
	}
	return w.record(ctx, v, f.now.bytes, r)
}

// firstChars returns at most the first n characters of a text.
func firstChars(text string, n int) string {
	for i := range text {
		if n--; n < 0 {
			return text[:i]
		}
	}
	return text
}
