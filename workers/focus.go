package workers

import (
	"context"
	"errors"
	"strings"

	"plat"
	"plat/focus"
	"plat/links"
)

// crawls are the focused crawls that ask for pages; see package steer.
type crawls interface {
	// Assess says whether a page belongs to the topic of a crawl, and whether the
	// crawl wants it to be archived. plat.ErrNotFound if there is no such crawl.
	Assess(ctx context.Context, crawl string, p *focus.Page) (r focus.Result, keep bool, err error)

	// Answer stores what a visit has found, see storage.CrawlPages.
	Answer(ctx context.Context, p *plat.CrawlPage) error
}

// maxCrawlTitle is the most characters of a title that a crawl is told.
const maxCrawlTitle = 300

// answer tells the focused crawls that ask for a page what it is. off says that none of them
// wants it to be archived, and nobody else has asked for it.
func (w *Worker) answer(ctx context.Context, a *attempt, f *found, main string) (off bool, err error) {
	if a.Focus == "" || w.opt.Crawls == nil {
		return false, nil
	}
	if main != "" {
		return false, w.answerFailed(ctx, a, plat.OutcomeAlias)
	}
	page := &links.Page{Snapshot: f.snap, Blocks: f.now.page.Blocks, Spans: f.now.spans}
	read := focus.Read(page, page.Links(nil, maxLinks), w.label)
	reading := read.Encode()
	off = f.last.version == nil && a.Scope == "" && a.Depth > 0
	for id := range a.Focuses() {
		res, keep, err := w.opt.Crawls.Assess(ctx, id, read)
		if errors.Is(err, plat.ErrNotFound) {
			continue // it was removed
		}
		if err != nil {
			return false, err
		}
		off = off && !keep
		p := &plat.CrawlPage{Crawl: id, URL: a.URL, Visited: w.fleetTime(a.start), Outcome: plat.OutcomeOffTopic, Relevance: res.Relevance,
			Title: firstChars(strings.Join(strings.Fields(strings.ToValidUTF8(f.snap.Title, "")), " "), maxCrawlTitle), Reading: reading}
		if keep || f.last.version != nil {
			p.Outcome, p.Version = plat.OutcomeNew, 1
			if v := f.last.version; v != nil {
				p.Outcome, p.Version = plat.OutcomeUnchanged, v.N
			}
		}
		if err := w.opt.Crawls.Answer(ctx, p); err != nil && !errors.Is(err, plat.ErrNotFound) {
			return false, err
		}
	}
	return off, nil
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
func (w *Worker) offTopic(ctx context.Context, a *attempt, f *found, r *Report) error {
	r.Outcome = plat.OutcomeOffTopic
	v := plat.Visit{URL: a.URL, Time: w.fleetTime(a.start), Rest: a.delay, Status: f.snap.Status, Bytes: f.snap.Bytes, Duration: w.now().Sub(a.start),
		Outcome: r.Outcome, Settles: a.Due}
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
