package workers

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"plat/focus"
	"plat/plat"
	"plat/storage"
)

// crawls are the focused crawls that ask for pages; see package crawler.
type crawls interface {
	// Waits reports whether a crawl has asked for a URL and has received no page for it yet.
	Waits(ctx context.Context, crawl, url string) (bool, error)

	// Answered returns the answer that a crawl has received for a URL; nil: none but failures.
	Answered(ctx context.Context, crawl, url string) (*plat.CrawlPage, error)

	// Assess reports whether a page belongs to the topic of a crawl, and whether the
	// crawl wants it to be archived. plat.ErrNotFound if there is no such crawl.
	Assess(ctx context.Context, crawl string, p *focus.Page) (r focus.Result, keep bool, err error)

	// Answer stores the result of a visit, see storage.CrawlPages.
	Answer(ctx context.Context, p *plat.CrawlPage) error
}

// cloaking finds pages that show crawlers other text than readers; see package cloaking.
type cloaking interface {
	// Check returns the page as readers see it, with its assessment, if that page differs; otherwise nil.
	Check(ctx context.Context, crawl, url string, judge func(*focus.Page) (focus.Result, error), pause func() error) (*focus.Page, focus.Result, error)
}

// maxCrawlTitle is the longest title that a crawl receives, in characters.
const maxCrawlTitle = 300

// waitingCrawls returns the focused crawls of a job that wait for its page, if it has versions: the
// remaining ones have their answer, and need no reading of the visits by its schedule. Of a page without a
// version all are returned: whether it is archived must be found out again, if a crash has come after the
// answer.
func (w *Worker) waitingCrawls(ctx context.Context, a *attempt) (focus string, err error) {
	if a.Focus == "" || w.opt.Focus.Crawls == nil || a.state.Head == 0 {
		return a.Focus, nil
	}
	var wait []string
	for id := range a.Focuses() {
		waits, err := w.opt.Focus.Crawls.Waits(ctx, id, a.URL)
		if err != nil {
			return a.Focus, fmt.Errorf("ask the focused crawls: %w", err)
		}
		if waits {
			wait = append(wait, id)
		}
	}
	return strings.Join(wait, "\n"), nil
}

// reportToCrawls stores the page for the focused crawls that wait for it. off is the outcome of a page that they all
// reject, and that no crawl by scope and no user has asked for; empty if the page is archived.
func (w *Worker) reportToCrawls(ctx context.Context, a *attempt, p *result, main string) (off plat.Outcome, err error) {
	if off, err = w.answer(ctx, a, p, main); err != nil {
		return "", fmt.Errorf("answer the focused crawls: %w", err)
	}
	return off, nil
}

func (w *Worker) answer(ctx context.Context, a *attempt, p *result, main string) (off plat.Outcome, err error) {
	if a.Focus == "" || w.opt.Focus.Crawls == nil {
		return "", nil
	}
	if main != "" {
		return "", w.reportFailure(ctx, a, plat.OutcomeAlias)
	}
	if p.last.version == nil && a.Scope == "" && a.Depth > 0 {
		off = plat.OutcomeOffTopic
	}
	outcome, version := p.outcome()
	read := w.reading(a, p)
	reading := encoded(read)
	var answers []*plat.CrawlPage
	for id := range a.Focuses() {
		x, keep, err := w.assess(ctx, a, id, read)
		if errors.Is(err, plat.ErrNotFound) {
			continue // it was removed
		}
		if err != nil {
			return "", err
		}
		switch {
		case keep:
			off = ""
		case off != "" && x.Outcome != "":
			off = x.Outcome
		}
		answers = append(answers, x)
	}
	if off != "" {
		outcome, version = plat.OutcomeOffTopic, 0
	}
	title := firstChars(strings.Join(strings.Fields(strings.ToValidUTF8(p.snap.Title, "")), " "), maxCrawlTitle)
	for _, x := range answers {
		if x.Title = title; x.Outcome == "" {
			x.Outcome, x.Version, x.Reading = outcome, version, reading
		}
		if err := w.opt.Focus.Crawls.Answer(ctx, x); err != nil && !errors.Is(err, plat.ErrNotFound) {
			return "", err
		}
	}
	return off, nil
}

// assess returns the answer to a crawl, and whether the crawl wants the page to be archived. The outcome is
// empty, except for a page that readers see differently: the crawl learns from the readers' page, without
// links, and no version is stored for it.
//
// If a visit was interrupted after its answer, the answer holds: the crawl, which has learned since, might judge
// differently now, and would then count a page as archived that is not.
func (w *Worker) assess(ctx context.Context, a *attempt, crawl string, read *focus.Page) (p *plat.CrawlPage, keep bool, err error) {
	judge := func(p *focus.Page) (focus.Result, error) {
		r, _, err := w.opt.Focus.Crawls.Assess(ctx, crawl, p)
		return r, err
	}
	before, err := w.opt.Focus.Crawls.Answered(ctx, crawl, a.URL)
	if err != nil {
		return nil, false, err
	}
	if before != nil {
		if before.Outcome == plat.OutcomeOffTopic || before.Outcome == plat.OutcomeCloaked {
			return before, false, nil
		}
		return before, true, nil
	}
	r, keep, err := w.opt.Focus.Crawls.Assess(ctx, crawl, read)
	if err != nil {
		return nil, false, err
	}
	p = &plat.CrawlPage{Crawl: crawl, URL: a.URL, Visited: w.fleetTime(a.start), Relevance: r.Relevance}
	if !r.Belongs || w.opt.Focus.Cloaking == nil {
		return p, keep, nil
	}
	shown, r, err := w.opt.Focus.Cloaking.Check(ctx, crawl, a.URL, judge, func() error {
		if !sleep(ctx, nil, a.delay) {
			return context.Cause(ctx)
		}
		return nil
	})
	if err != nil || shown == nil {
		return p, keep, err
	}
	p.Outcome, p.Relevance, p.Reading = plat.OutcomeCloaked, r.Relevance, encoded(shown)
	return p, false, nil // the browser has not rendered the readers' page, so there is nothing to store
}

// outcome returns the outcome of storing a page, unless a second worker stores a version meanwhile.
func (p *result) outcome() (o plat.Outcome, version int) {
	v := p.last.version
	switch {
	case v == nil && p.page.leaves == 0:
		return plat.OutcomeBlank, 1
	case v == nil:
		return plat.OutcomeNew, 1
	case !p.isVersion():
		return plat.OutcomeUnchanged, v.N
	}
	return plat.OutcomeChanged, v.N + 1
}

// reading reads a page for focused crawls. Its URLs are canonical, as those of links.
func (w *Worker) reading(a *attempt, p *result) *focus.Page {
	page := p.links()
	read := focus.Read(page, page.Links(a.drop(), maxLinks), w.label)
	read.URL = finalURL(a.URL, p.snap, a.drop())
	return read
}

// maxLinkURLs is the largest size of the URLs of a page's links together, in bytes: an encoded page has at most
// twice that.
const maxLinkURLs = 4 << 20

// encoded encodes a page for focused crawls. If its URLs are too long, it has the first links only.
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

// reportFailure tells the focused crawls that ask for a URL that it has no page of its own.
func (w *Worker) reportFailure(ctx context.Context, a *attempt, o plat.Outcome) error {
	if a.Focus == "" || w.opt.Focus.Crawls == nil {
		return nil
	}
	for id := range a.Focuses() {
		p := &plat.CrawlPage{Crawl: id, URL: a.URL, Visited: w.fleetTime(a.start), Outcome: o}
		if err := w.opt.Focus.Crawls.Answer(ctx, p); err != nil && !errors.Is(err, plat.ErrNotFound) {
			return err
		}
	}
	return nil
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
