package workers

import (
	"context"
	"sync/atomic"
	"time"

	"plat/plat"
	"plat/segment/label"
	"plat/workers/softerror"
)

// Worker visits pages. It is safe for concurrent use.
type Worker struct {
	render      renderer
	store       archive
	label       *label.Describer
	opt         Options
	rules       *ruleBook
	answers     *softerror.Answers
	templates   *templates
	now         func() time.Time
	clockOffset atomic.Int64 // fleet clock minus this machine's, in nanoseconds; see Crew.compare
}

// fleetTime converts a local time to the fleet's clock.
func (w *Worker) fleetTime(t time.Time) time.Time { return t.Add(time.Duration(w.clockOffset.Load())) }

// New returns a worker that renders with r and stores in a.
func New(r renderer, a archive, d *label.Describer, o Options) *Worker {
	return &Worker{
		render: r, store: a, label: d, opt: o, rules: &ruleBook{}, answers: &softerror.Answers{}, templates: newTemplates(a),
		now: func() time.Time { return time.Now().UTC() },
	}
}

// At returns a worker like w that renders with r, stores in a, and has the time of now, which is that of a recording. It shares
// the memory of pages with w, and must not visit for a crew.
func (w *Worker) At(now func() time.Time, r renderer, a archive) *Worker {
	return &Worker{render: r, store: a, label: w.label, opt: w.opt, rules: w.rules, answers: w.answers, templates: w.templates, now: now}
}

// Visit does a job and records the result. Whatever the page does, the error is a
// *plat.VisitError, or that of a context, the store, a validation, a focused crawl or a recovered panic; the report
// is valid in any case.
func (w *Worker) Visit(ctx context.Context, job plat.Job) (Report, error) {
	start := w.now()
	state, err := w.stateOf(ctx, job.URL)
	if err != nil {
		r := Report{URL: job.URL, Outcome: plat.OutcomeError, Retry: true}
		if ctx.Err() != nil {
			r.Outcome = plat.OutcomeInterrupted
		}
		return r, err
	}
	a := newAttempt(job, state, start)
	a.robots = w.opt.Permission.Robots
	return w.try(ctx, a)
}

// visit takes a page from its URL into the archive. Each stage is one call, which gets the results of earlier
// stages and returns its own; a.lessons and r fill on the way.
//
// An error of a stage ends the visit. A *plat.VisitError (the site, the page or the browser failed) is recorded as a
// failed visit; if the job is not tried again, with a.lessons and the time of the next visit. After any other error
// nothing is recorded, and the visit is repeated.
//
// Links, and answers to focused crawls, are stored first. The visit is stored last, because that settles the job: after a
// crash in between all of it is repeated, and nothing is lost.
func (w *Worker) visit(ctx context.Context, a *attempt, r *Report) (err error) {
	// Which focused crawls still need an answer about it? May it be visited?
	if a.Focus, err = w.waitingCrawls(ctx, a); err != nil {
		return err
	}
	if a.delay, err = w.permit(ctx, a); err != nil {
		return err
	}

	// Has it changed since the last visit? The site's answer often shows that it has not: then it is not rendered.
	check, err := w.revalidate(ctx, a, r)
	if err != nil {
		return err
	}
	if w.maySkip(a, check) {
		return w.storeSkipped(ctx, a, check, r)
	}

	// Render it; an error status ends the visit. May it be stored, and its links be followed?
	last, err := w.loadLast(ctx, &a.state)
	if err != nil {
		return err
	}
	seen, err := w.renderPage(ctx, a, check, last)
	a.lessons.notBefore = r.addRendering(&seen, w.fleetTime(a.start))
	if err != nil {
		return err
	}
	follow, err := w.permitPage(ctx, a, seen.snap)
	if err != nil {
		return err
	}

	// Divide it into labelled blocks, and compare these and its files with the last version, if that is not done yet.
	page, err := w.divide(ctx, &seen, last, r)
	if err != nil {
		return err
	}

	// A login, a captcha or half of a page must not teach anything: it ends the visit here, until it has stayed long.
	if a.lessons.suspicion, err = w.suspect(a, seen.snap, page, last); err != nil {
		return err
	}

	// Which differences are news, which are self-changes? Rules, earlier visits and up to three more renderings show it.
	news, err := w.findNews(ctx, a, seen.snap, page, last)
	if err != nil {
		return err
	}
	r.addNews(news)
	if a.lessons.suspicion, err = w.suspectReplaced(a, seen.snap, page, last, news); err != nil {
		return err
	}
	a.lessons.addMask(news)

	// It is the page. Is it archived under a different URL already? Follow its links. Do focused crawls want it?
	p := &result{seen.snap, page, last, news, check}
	r.addPage(page)
	w.templates.learn(ctx, a.URL, page.Blocks)
	main, err := w.resolveAlias(ctx, a, p)
	if err != nil {
		return err
	}
	if r.Links, err = w.followLinks(ctx, a, p, follow); err != nil {
		return err
	}
	unwanted, err := w.reportToCrawls(ctx, a, p, main)
	if err != nil {
		return err
	}

	// Store the visit, with the time of the next one. An alias or an unwanted page ends the visits of its URL.
	switch {
	case main != "":
		return w.storeAlias(ctx, a, p, main, r)
	case unwanted != "":
		return w.storeUnwanted(ctx, a, p, unwanted, r)
	}
	return w.storeVisit(ctx, a, p, r)
}

// A result is a page as the stages before the archive have found it.
type result struct {
	snap  *plat.Snapshot
	page  *dividedPage
	last  *lastVersion
	news  *news
	check *revalidation // may be nil
}

// isVersion reports whether the page is a new version: it differs, and the renderings of the visit have not proven
// every difference a self-change.
func (p *result) isVersion() bool { return p.page.differs && !p.news.suppressed }
