package workers

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"time"

	"plat/browser/fetch"
	"plat/diff/noise"
	"plat/plat"
	"plat/queue/schedule"
	"plat/segment"
	"plat/segment/label"
	"plat/segment/metadata"
	"plat/storage"
	"plat/workers/softerror"
)

// A renderer turns a URL into a snapshot. If evidence is not nil, it is called while
// the page is still open, and the attachments that it returns are captured.
type renderer interface {
	Render(ctx context.Context, url string, evidence func(*plat.Snapshot) plat.Attachments) (*plat.Snapshot, error)
}

// archive is the part of a store that a visit uses.
type archive interface {
	lister
	State(ctx context.Context, url string) (plat.URLState, error)
	Contents(ctx context.Context, hashes []plat.Hash) ([][]byte, error)
	Layout(ctx context.Context, h plat.Hash) (plat.Layout, error)
	Manifest(ctx context.Context, h plat.Hash) (plat.Manifest, error)
	Commit(ctx context.Context, c *storage.Commit) (storage.Written, error)
	Record(ctx context.Context, v plat.Visit, pageBytes int64) error
	Notes(ctx context.Context, prefix string) (map[string]string, error)
}

// A follower decides what becomes of a page that a crawl has found, and of its links.
type follower interface {
	// Admit checks whether a page reached by redirects may be stored.
	Admit(ctx context.Context, job plat.Job, snap *plat.Snapshot) error

	// Main returns the URL under which the page is archived already, empty if it is
	// not, or if the URL was not found by a link.
	Main(ctx context.Context, a *attempt, f *found) (string, error)

	// learned takes over what a first visit shows of its site.
	learned(ctx context.Context, a *attempt, f *found, main string)

	// follow processes the page's links, and returns how many URLs are new.
	follow(ctx context.Context, a *attempt, f *found) (int, error)
}

// Options configures how pages are read. The zero value is the default.
type Options struct {
	Profile  segment.Profile // "" is segment.Visual
	Level    int             // of new URLs; 0 is segment.DefaultLevel
	Pictures bool            // store a picture of every new version
	Meta     *metadata.Rules // nil: no metadata

	// Resources selects which files of a new version's page are stored, and compared with those of
	// the last version.
	Resources plat.ResourceSet

	// Fixed disables learning levels from history.
	Fixed bool

	SecondLook noise.When // when a page is looked at twice
	KeepNoise  bool       // store versions also of what two looks prove that the page changes by itself

	// ConfirmAfter is how long after an answer that is hardly the page it is visited again,
	// before that answer may be a version; see package softerror. 0: it is one at once.
	ConfirmAfter time.Duration

	// ObeyMeta is the name under which pages may forbid storing (noindex, noarchive)
	// or following links, in meta elements and X-Robots-Tag; empty: ignored.
	ObeyMeta string

	// Forbidden is added to the error of pages that are answered with status 403: what to try.
	Forbidden string

	// Unauthorized, if not nil, says what is added to the error of a URL that is answered with
	// status 401 or 407.
	Unauthorized func(url string) string

	// Robots, if not nil, is asked before each visit of [Worker.Visit] whether robots.txt lets
	// the page be visited, and after redirects once more. Crews ask themselves.
	Robots obeyer

	// Skip, if not nil, allows visits without rendering if nothing has changed.
	Skip *Skipping

	// Planner decides when a URL is visited again.
	Planner schedule.Planner

	// Crawls, if not nil, are told of the pages that focused crawls ask for.
	Crawls crawls

	// Cloaking, if not nil, is asked whether readers are shown what a focused crawl has found.
	Cloaking cloaking
}

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

// Report is the result and cost of a visit.
type Report struct {
	URL         string
	Outcome     plat.Outcome
	Version     int                // the URL's current version; 0 if none
	Stored      bool               // the version is new
	Blocks      int                // leaves of the page
	Changes     map[plat.Kind]int  // against the previous version
	SelfChanges map[plat.Kind]int  // changes that the page makes by itself; they are not among the others
	Looks       int                // more looks at the page, to see what it does by itself
	Status      int                // HTTP
	PageBytes   int64              // of the page as HTML
	StoredBytes int64              // written for it: blocks, layout, version
	Pictures    int64              // bytes written for its picture
	Resources   int64              // bytes written for its resources
	NewBlocks   int                // contents that were not stored before
	Coverage    float64            // visible text inside blocks, 0 to 1
	Settled     plat.Settled       // why the page was captured at that moment
	Coarse      int64              // see [plat.Capture]
	Failed      []plat.FailedLoad  // files that the page did not get; see [plat.Snapshot]
	Duration    time.Duration      // of the whole visit
	Stages      map[string]float64 // seconds: render, read (with comparison), store
	Retry       bool               // the visit failed, and may succeed later
	RetryAfter  time.Duration      // the server's Retry-After (429 and 503)
	PutOff      bool               // the host caused the failure: it throttles, or its robots.txt is unreachable
	Repeated    bool               // another visit had already settled the job
	Next        time.Time          // next due time in the archive; zero for never, or if the job is not settled
	Found       string             // "news" or "nothing", as policies count it; empty for first visits and failed ones
	Fresh       float64            // chance, as believed before the visit, that it would find nothing; negative: unknown
	PolicyError error              // failure of the schedule's policy; the visit counts nevertheless
	Links       int                // to unknown URLs
	Skipped     bool               // not rendered: none of its files has changed
	Main        string             // the URL under which the page is archived, if that is another one
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
	a.robots = w.opt.Robots
	return w.attempt(ctx, a)
}

// attempt makes one attempt at a job; Visit is a job with a single one.
func (w *Worker) attempt(ctx context.Context, a *attempt) (Report, error) {
	r := Report{URL: a.URL, Stages: map[string]float64{}}
	err := guarded(func() error { return w.visit(ctx, a, &r) })
	r.Duration = w.now().Sub(a.start)
	if err == nil {
		return r, nil
	}
	var failed *plat.VisitError
	switch {
	case ctx.Err() != nil:
		r.Outcome, r.Retry = plat.OutcomeInterrupted, true
		return r, err // shutting down: not the page's failure, nothing to record
	case !errors.As(err, &failed):
		r.Outcome, r.Retry = plat.OutcomeError, true
		return r, err
	}
	if lost := w.fail(ctx, a, &r, failed); lost != nil {
		return r, lost
	}
	return r, err
}

// fail records a visit that ended without a page, and decides whether that settles
// the job. The error is the store's.
func (w *Worker) fail(ctx context.Context, a *attempt, r *Report, err *plat.VisitError) error {
	r.Outcome, r.Retry = err.Outcome, err.Retry
	r.PutOff = r.Status == 429 || r.Status == 503 || errors.Is(err, fetch.ErrRobotsUnreachable)
	v := plat.Visit{URL: a.URL, Time: w.fleetTime(a.start), Rest: a.delay, Outcome: r.Outcome, Status: r.Status, Duration: r.Duration, Error: err.Err.Error(), Unkept: a.Kind == plat.FetchJob}
	if a.settles(r) {
		w.plan(a, &v, "", nil, nil, r)
		if lost := w.answerFailed(ctx, a, r.Outcome); lost != nil {
			r.Outcome, r.Retry = plat.OutcomeError, true
			return fmt.Errorf("answer the focused crawls (%v): %w", err, lost)
		}
	}
	lost := w.store.Record(ctx, v, 0)
	if r.settledBy(lost) {
		return nil
	}
	r.Next = v.Next
	if lost != nil {
		// No longer the page's failure: it must be visited again.
		r.Outcome, r.Retry, r.PutOff, r.Next = plat.OutcomeError, true, false, time.Time{}
		return fmt.Errorf("record the visit (%v): %w", err, lost)
	}
	return nil
}

// settledBy records that another visit has settled the job, if err says so, and takes
// over its next due time.
func (r *Report) settledBy(err error) bool {
	var settled *plat.SettledError
	if !errors.As(err, &settled) {
		return false
	}
	r.Repeated, r.Next = true, settled.Due
	return true
}

// guarded turns a panic into an error: a bug that one page triggers must not end the
// visits of all others.
func guarded(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("a bug in plat, please report it with the URL: %v\n%s", p, debug.Stack())
		}
	}()
	return f()
}

// visit is the data path. The steps between rendering and commit are pure, except for
// links and answers to focused crawls: these are stored before the commit, because they would be lost if a crash
// came after it. The commit comes last, because it is what makes the visit count:
// whatever fails before it can simply be repeated.
func (w *Worker) visit(ctx context.Context, a *attempt, r *Report) error {
	if err := w.forWhom(ctx, a); err != nil {
		return err
	}
	if err := w.ask(ctx, a); err != nil {
		return err
	}
	asked, err := w.check(ctx, a)
	if err != nil {
		return err
	}
	if asked != nil {
		r.Stages["check"] = w.now().Sub(a.start).Seconds()
		if a.Focus == "" && w.skips(asked) { // what a focused crawl asks for must be read
			return w.skip(ctx, a, asked, r)
		}
		if asked.findings != nil && !sleep(ctx, nil, a.delay) {
			return context.Cause(ctx)
		}
	}
	f := &found{asked: asked}
	if f.last, err = w.last(ctx, a.URL); err != nil {
		return err
	}
	if err := w.look(ctx, a, f, r); err != nil {
		return err
	}
	follow, err := w.admit(ctx, a, f.snap)
	if err != nil {
		return err
	}
	if err := w.read(ctx, f, r); err != nil {
		return err
	}
	// A login must not be looked at again, nor a captcha: what differs between half a page and
	// the whole would be learned.
	if err := w.doubt(a, f); err != nil {
		return err
	}
	if err := w.weigh(ctx, a, f, r); err != nil {
		return err
	}
	if err := w.doubtAll(a, f); err != nil {
		return err
	}
	if err := w.pictured(ctx, a, f); err != nil {
		return err
	}
	r.Blocks, r.PageBytes, r.Coverage = f.now.leaves, f.now.bytes, f.now.page.Coverage
	w.templates.learn(ctx, a.URL, f.now.page.Blocks)
	main := ""
	if a.follow != nil {
		main, err = a.follow.Main(ctx, a, f)
		if err != nil {
			return fmt.Errorf("look for other addresses: %w", err)
		}
		a.follow.learned(ctx, a, f, main)
	}
	if follow {
		if r.Links, err = a.follow.follow(ctx, a, f); err != nil {
			return fmt.Errorf("follow the links: %w", err)
		}
	}
	off, err := w.answer(ctx, a, f, main)
	switch {
	case err != nil:
		return fmt.Errorf("answer the focused crawls: %w", err)
	case main != "":
		return w.alias(ctx, a, f, main, r)
	case off != "":
		return w.offTopic(ctx, a, f, off, r)
	}
	return w.keep(ctx, a, f, r)
}

// found is a visit's result so far.
type found struct {
	asked *recheck        // what the site says of whether the page has changed; nil if it was not asked
	last  *head           // the last version
	snap  *plat.Snapshot  // the page as it is now
	now   *edition        // segmented and compared
	looks []plat.Manifest // files that more looks at the page have shown

	// shared is what it seems to be because other URLs of the host answer the same.
	shared softerror.Sign
}

// look renders the page. If attachments are wanted for a new version, the page is read and
// compared while it is still open, so that they are taken only of versions that are stored.
func (w *Worker) look(ctx context.Context, a *attempt, f *found, r *Report) error {
	began := w.now()
	wanted := plat.Attachments{Picture: w.opt.Pictures, Resources: w.opt.Resources}
	var readErr error
	evidence := func(snap *plat.Snapshot) plat.Attachments {
		if refuse(snap) != nil {
			return plat.Attachments{}
		}
		f.snap = snap
		switch readErr = w.read(ctx, f, r); {
		case readErr != nil:
			return plat.Attachments{}
		case !f.now.differs: // but files may
			return plat.Attachments{Resources: w.opt.Resources}
		}
		return wanted
	}
	if wanted == (plat.Attachments{}) {
		evidence = nil
	}
	failed := span(ctx, "render", func(ctx context.Context) (err error) { f.snap, err = w.render.Render(ctx, a.URL, evidence); return err })
	r.Stages["render"] = w.now().Sub(began).Seconds()
	if s := f.snap; s != nil {
		now := w.fleetTime(a.start)
		r.Status, r.Settled, r.Coarse, r.Failed, r.RetryAfter = s.Status, s.Settled, s.Coarse, s.Failed, s.RetryAfter(now)
		a.notBefore = now.Add(max(r.RetryAfter, s.FreshFor(now)))
	}
	if failed != nil {
		return failed
	}
	if err := w.refuse(f.snap); err != nil {
		return err
	}
	if readErr != nil {
		return readErr
	}
	return w.compareFiles(ctx, f)
}

// admit checks whether a page may be stored, and whether its links may be followed.
func (w *Worker) admit(ctx context.Context, a *attempt, snap *plat.Snapshot) (follow bool, err error) {
	if follow = a.follow != nil; follow {
		if err := a.follow.Admit(ctx, a.Job, snap); err != nil {
			return false, err
		}
	} else if a.robots != nil {
		if err := askFinal(ctx, a.robots, a.URL, finalURL(a.URL, snap, nil)); err != nil {
			return false, err
		}
	}
	if w.opt.ObeyMeta != "" {
		asks := forbids(snap, w.opt.ObeyMeta)
		if asks.NoIndex || asks.NoArchive {
			return false, &plat.VisitError{Outcome: plat.OutcomeDisallowed, Err: errors.New("the page forbids archiving (robots meta)")}
		}
		follow = follow && !asks.NoFollow
	}
	return follow, nil
}
