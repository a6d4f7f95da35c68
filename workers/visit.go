package workers

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"time"

	"plat"
	"plat/label"
	"plat/links"
	"plat/metadata"
	"plat/schedule"
	"plat/segment"
	"plat/storage"
)

// A renderer turns a URL into a snapshot. If evidence is not nil, it is called
// while the page is still open, and what it asks for is taken.
type renderer interface {
	Render(ctx context.Context, url string, evidence func(*plat.Snapshot) plat.Attachments) (*plat.Snapshot, error)
}

// archive is what a visit needs of a store.
type archive interface {
	State(ctx context.Context, url string) (plat.URLState, error)
	Version(ctx context.Context, url string, n int) (*plat.Version, error)
	Contents(ctx context.Context, hashes []plat.Hash) ([][]byte, error)
	Layout(ctx context.Context, h plat.Hash) (plat.Layout, error)
	Commit(ctx context.Context, c *storage.Commit) (storage.Written, error)
	Record(ctx context.Context, v plat.Visit, pageBytes int64) error
}

// A follower takes note of where a page leads, and returns how many URLs are new.
type follower interface {
	// Admit says whether a page may be kept that was reached by redirects.
	Admit(ctx context.Context, job plat.Job, snap *plat.Snapshot) error
	Follow(ctx context.Context, job plat.Job, page *links.Page) (int, error)
}

// Options says how pages are read. The zero value is the default.
type Options struct {
	Profile  segment.Profile // "" is segment.Visual
	Level    int             // of URLs never seen before; 0 is segment.DefaultLevel
	Pictures bool            // keep a picture of every new version
	Meta     *metadata.Rules // nil: no metadata

	// Resources says what is kept of what a new version's page used to look as it
	// does.
	Resources plat.ResourceSet

	// Fixed leaves the level of every URL as it is: history teaches nothing.
	Fixed bool

	// ObeyMeta is the name under which pages may forbid to be kept (noindex,
	// noarchive) or their links to be followed, in meta elements and
	// X-Robots-Tag; empty: what they say is not looked at.
	ObeyMeta string

	// Skip, if not nil, lets visits end without a rendering where nothing can have
	// changed.
	Skip *Skipping

	// Policy says when a URL is visited again; nil: schedule.Decide.
	Policy func(*schedule.Visit) schedule.Next
}

// Worker visits pages. It is safe for concurrent use.
type Worker struct {
	render      renderer
	store       archive
	label       *label.Describer
	opt         Options
	now         func() time.Time
	clockOffset atomic.Int64 // what this machine's clock lacks, in nanoseconds; see Crew.compare
}

// fleetTime is a time of this machine's clock as the fleet's clock has it.
func (w *Worker) fleetTime(t time.Time) time.Time { return t.Add(time.Duration(w.clockOffset.Load())) }

// New returns a worker that renders with r and keeps what it finds in a.
func New(r renderer, a archive, d *label.Describer, o Options) *Worker {
	if o.Policy == nil {
		o.Policy = schedule.Decide
	}
	return &Worker{render: r, store: a, label: d, opt: o, now: func() time.Time { return time.Now().UTC() }}
}

// Report says what a visit found and what it cost.
type Report struct {
	URL         string
	Outcome     plat.Outcome
	Version     int                // that the URL has now; 0 if none
	Stored      bool               // the version is new
	Blocks      int                // leaves of the page
	Changes     map[plat.Kind]int  // against the version before
	Status      int                // HTTP
	PageBytes   int64              // of the page as HTML
	StoredBytes int64              // written for it
	NewBlocks   int                // contents that were not stored before
	Coverage    float64            // visible text inside blocks, 0 to 1
	Settled     plat.Settled       // why the page was taken when it was
	Coarse      int64              // see [plat.Capture]
	Duration    time.Duration      // of the whole visit
	Stages      map[string]float64 // seconds: render, read (with comparison), store
	Retry       bool               // the visit failed, and may well succeed later
	RetryAfter  time.Duration      // not before, says the server (429 and 503)
	PutOff      bool               // it failed for the host, which asks to be left alone or cannot be asked
	Repeated    bool               // another visit had settled the job already
	Next        time.Time          // when the URL is visited again, as the archive has it; zero for never, or if the job is not settled
	PolicyError error              // what went wrong when the policy of the schedule was asked; the visit counts all the same
	Links       int                // that lead to URLs not known before
	Skipped     bool               // it was not rendered: nothing that it is made of has changed
}

// Visit does a job and records how it went. Whatever the page does, the error is
// a *plat.VisitError, a context's, or the store's; the report holds in any case.
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
	return w.attempt(ctx, newAttempt(job, state, start))
}

// attempt is Visit, of what is known to be an attempt of several.
func (w *Worker) attempt(ctx context.Context, a *attempt) (Report, error) {
	r := Report{URL: a.URL, Stages: map[string]float64{}}
	err := w.guarded(ctx, a, &r)
	r.Duration = w.now().Sub(a.start)
	if err == nil {
		return r, nil
	}
	var failed *plat.VisitError
	switch {
	case ctx.Err() != nil:
		r.Outcome, r.Retry = plat.OutcomeInterrupted, true
		return r, err // we are leaving: no fault of the page, nothing to record
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
	r.PutOff = r.Status == 429 || r.Status == 503 || errors.Is(err, errRobotsAway)
	v := plat.Visit{URL: a.URL, Time: w.fleetTime(a.start), Outcome: r.Outcome, Status: r.Status, Duration: r.Duration, Error: err.Err.Error(), Unkept: a.Kind == plat.FetchJob}
	if a.settles(r) {
		w.plan(a, &v, "", nil, nil, r)
	}
	lost := w.store.Record(ctx, v, 0)
	if r.settledBy(lost) {
		return nil
	}
	r.Next = v.Next
	if lost != nil {
		// Not the page's failure any more: it is to be visited again.
		r.Outcome, r.Retry, r.PutOff, r.Next = plat.OutcomeError, true, false, time.Time{}
		return fmt.Errorf("record the visit (%v): %w", err, lost)
	}
	return nil
}

// settledBy notes that another visit has settled the job, if that is what the store
// says: then it is that visit which has decided when the URL is due.
func (r *Report) settledBy(err error) bool {
	var settled *plat.SettledError
	if !errors.As(err, &settled) {
		return false
	}
	r.Repeated, r.Next = true, settled.Due
	return true
}

// guarded turns a panic into an error: one page that meets a bug must not end
// the visits of all others.
func (w *Worker) guarded(ctx context.Context, a *attempt, r *Report) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("a bug in plat, please report it with the URL: %v\n%s", p, debug.Stack())
		}
	}()
	return w.visit(ctx, a, r)
}

// visit is the data path. Everything between rendering and the commit only
// thinks, but for the links: they come before the commit because nobody would
// look at them again after it. The commit is the last step, because it is what
// makes the visit count: whatever stops before it may simply be done again.
func (w *Worker) visit(ctx context.Context, a *attempt, r *Report) error {
	asked, err := w.check(ctx, a)
	if err != nil {
		return err
	}
	if asked != nil {
		r.Stages["check"] = w.now().Sub(a.start).Seconds()
		if w.skips(asked) {
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
	r.Blocks, r.PageBytes, r.Coverage = f.now.leaves, f.now.bytes, f.now.page.Coverage
	if follow {
		if r.Links, err = a.follow.Follow(ctx, a.Job, &links.Page{Snapshot: f.snap, Blocks: f.now.page.Blocks, Spans: f.now.spans}); err != nil {
			return fmt.Errorf("follow the links: %w", err)
		}
	}
	return w.keep(ctx, a, f, r)
}

// found is what a visit has found so far.
type found struct {
	asked *recheck       // before the page was rendered; nil: nobody was asked
	last  *head          // what was there before
	snap  *plat.Snapshot // the page as it is now
	now   *edition       // the same, cut and compared
}

// look renders the page. Where more than the page is wanted of a new version, it is read
// and compared while it is still open.
func (w *Worker) look(ctx context.Context, a *attempt, f *found, r *Report) error {
	began := w.now()
	wanted := plat.Attachments{Picture: w.opt.Pictures, Resources: w.opt.Resources}
	var unread error
	evidence := func(snap *plat.Snapshot) plat.Attachments {
		if refuse(snap) != nil {
			return plat.Attachments{}
		}
		f.snap = snap
		if unread = w.read(ctx, f, r); unread != nil || !f.now.differs {
			return plat.Attachments{}
		}
		return wanted
	}
	if wanted == (plat.Attachments{}) {
		evidence = nil
	}
	failed := span(ctx, "render", func(ctx context.Context) (err error) { f.snap, err = w.render.Render(ctx, a.URL, evidence); return err })
	r.Stages["render"] = w.now().Sub(began).Seconds()
	if s := f.snap; s != nil {
		r.Status, r.Settled, r.Coarse, r.RetryAfter = s.Status, s.Settled, s.Coarse, retryAfter(s, w.fleetTime(a.start))
	}
	if failed != nil {
		return failed
	}
	if err := refuse(f.snap); err != nil {
		return err
	}
	return unread
}

// admit says whether a page may be kept, and whether its links may be followed.
func (w *Worker) admit(ctx context.Context, a *attempt, snap *plat.Snapshot) (follow bool, err error) {
	if follow = a.follow != nil; follow {
		if err := a.follow.Admit(ctx, a.Job, snap); err != nil {
			return false, err
		}
	}
	if w.opt.ObeyMeta != "" {
		asks := forbids(snap, w.opt.ObeyMeta)
		if asks.NoIndex || asks.NoArchive {
			return false, &plat.VisitError{Outcome: plat.OutcomeDisallowed, Err: errors.New("the page asks not to be kept (robots meta)")}
		}
		follow = follow && !asks.NoFollow
	}
	return follow, nil
}
