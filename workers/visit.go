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
	rules       ruleBook
	answers     softerror.Answers
	templates   *templates
	now         func() time.Time
	clockOffset atomic.Int64 // fleet clock minus this machine's, in nanoseconds; see Crew.compare
}

// fleetTime converts a local time to the fleet's clock.
func (w *Worker) fleetTime(t time.Time) time.Time { return t.Add(time.Duration(w.clockOffset.Load())) }

// New returns a worker that renders with r and stores in a.
func New(r renderer, a archive, d *label.Describer, o Options) *Worker {
	return &Worker{render: r, store: a, label: d, opt: o, templates: newTemplates(a), now: func() time.Time { return time.Now().UTC() }}
}

// Visit does a job and records the result. Whatever the page does, the error is a
// *plat.VisitError, a context's, or the store's; the report is valid in any case.
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
	return w.attempt(ctx, a)
}

// visit is the way of a page from its URL into the archive. Each stage is a function in the file of its
// name: its arguments are the results of earlier stages, and it returns its own. A stage ends the visit by
// an error: a *plat.VisitError if the page is the reason. a.lessons is kept in either case.
//
// Links, and answers to focused crawls, are stored before the version: they would be lost if a crash came
// after it. The version is stored last, because it settles the job: a visit that ends before can simply
// be repeated.
func (w *Worker) visit(ctx context.Context, a *attempt, r *Report) (err error) {
	// May it be visited?
	if a.Focus, err = w.waitingCrawls(ctx, a); err != nil {
		return err
	}
	if a.delay, err = w.permit(ctx, a); err != nil {
		return err
	}

	// Has it changed since the last visit? Often the site's answer to that settles the visit.
	check, err := w.validate(ctx, a)
	if err != nil {
		return err
	}
	if r.validated(check, w.now().Sub(a.start)); w.unchanged(a, check) {
		return w.storeUnrendered(ctx, a, check, r)
	}

	// Render it, and ask again: may the page be stored, and its links be followed?
	last, err := w.lastVersion(ctx, a.URL)
	if err != nil {
		return err
	}
	seen, err := w.renderPage(ctx, a, check, last)
	if a.lessons.notBefore = r.rendered(&seen, w.fleetTime(a.start)); err != nil {
		return err
	}
	follow, err := w.permitPage(ctx, a, seen.snap)
	if err != nil {
		return err
	}

	// Divide it into labelled blocks, and compare these with the blocks of the last version.
	page, err := w.divide(ctx, &seen, last)
	if r.divided(page); err != nil {
		return err
	}

	// Is it the page at all, or a login, a captcha, half of a page? Only then may its differences teach.
	if a.lessons.suspicion, err = w.suspect(a, seen.snap, page, last); err != nil {
		return err
	}

	// Which differences are news, and which are self-changes?
	news, err := w.findNews(ctx, a, seen.snap, page, last)
	if err != nil {
		return err
	}
	a.lessons.weighed(news)
	r.weighed(news)
	if a.lessons.suspicion, err = w.suspectRest(a, seen.snap, page, last, news); err != nil {
		return err
	}

	// Is it archived under a different URL already? Which of its links are followed? Do focused crawls want it?
	p := &result{seen.snap, page, last, news, check}
	r.found(page)
	w.templates.learn(ctx, a.URL, page.Blocks)
	main, err := w.mainURL(ctx, a, p)
	if err != nil {
		return err
	}
	if r.Links, err = w.followLinks(ctx, a, p, follow); err != nil {
		return err
	}
	off, err := w.answerCrawls(ctx, a, p, main)
	if err != nil {
		return err
	}

	// When is it visited again? Store that, with the page.
	switch {
	case main != "":
		return w.storeAlias(ctx, a, p, main, r)
	case off != "":
		return w.storeOffTopic(ctx, a, p, off, r)
	}
	return w.storeVersion(ctx, a, p, r)
}

// A result is a page as the stages before the archive have found it.
type result struct {
	snap  *plat.Snapshot
	page  *edition
	last  *head
	news  *news
	check *validation // may be nil
}

// isNews reports whether the page is a new version: it differs, and not only by self-changes.
func (p *result) isNews() bool { return p.page.differs && !p.news.suppressed }
