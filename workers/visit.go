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
	return w.attempt(ctx, a)
}

// visit takes a page from its URL into the archive. Each stage is one call, which gets the results of earlier
// stages and returns its own. An error of a stage ends the visit: a *plat.VisitError if the page is the reason;
// then a.lessons is stored too, if the failure settles the job.
//
// Links, and answers to focused crawls, are stored before the version: stored after it, a crash in between would
// lose them. The version is stored last, because it settles the job: until then the visit can simply be repeated.
func (w *Worker) visit(ctx context.Context, a *attempt, r *Report) (err error) {
	// Which focused crawls wait for it? May it be visited?
	if a.Focus, err = w.waitingCrawls(ctx, a); err != nil {
		return err
	}
	if a.delay, err = w.permit(ctx, a); err != nil {
		return err
	}

	// Has it changed since the last visit? Often the site's answer to that settles the visit.
	check, err := w.validate(ctx, a, r)
	if err != nil {
		return err
	}
	if w.unchanged(a, check) {
		return w.storeUnrendered(ctx, a, check, r)
	}

	// Render it, and ask again: may the page be stored, and its links be followed?
	last, err := w.lastVersion(ctx, a.URL)
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

	// Divide it into labelled blocks, and compare these with the blocks of the last version.
	page, err := w.divide(ctx, &seen, last, r)
	if err != nil {
		return err
	}

	// Is it the page at all, or a login, a captcha, half of a page? Otherwise its differences must not teach anything.
	if a.lessons.suspicion, err = w.suspect(a, seen.snap, page, last); err != nil {
		return err
	}

	// Which differences are news, and which are self-changes? Up to three further renderings show that.
	news, err := w.findNews(ctx, a, seen.snap, page, last)
	if err != nil {
		return err
	}
	a.lessons.addMask(news)
	r.addNews(news)
	if a.lessons.suspicion, err = w.suspectReplaced(a, seen.snap, page, last, news); err != nil {
		return err
	}

	// Is it archived under a different URL already? Which of its links are followed? Do focused crawls want it?
	p := &result{seen.snap, page, last, news, check}
	r.addPage(page)
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

	// Store it, with the time of the next visit; an alias or an off-topic page ends the visits of its URL.
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

// isVersion reports whether the page is a new version: it differs, and the renderings of the visit have not proven
// every difference a self-change.
func (p *result) isVersion() bool { return p.page.differs && !p.news.suppressed }
