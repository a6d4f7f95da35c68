package workers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"plat"
	"plat/diff"
	"plat/history"
	"plat/label"
	"plat/links"
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
	Meta     *MetaRules      // nil: no metadata

	// Resources says what is kept of what a new version's page used to look as it
	// does.
	Resources plat.ResourceSet

	// Fixed leaves the level of every URL as it is: history teaches nothing.
	Fixed bool

	// ObeyMeta is the name under which pages may forbid to be kept (noindex,
	// noarchive) or their links to be followed, in meta elements and
	// X-Robots-Tag; empty: what they say is not looked at.
	ObeyMeta string

	// Links, if not nil, is told of every page before it is stored.
	Links follower

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
	last, err := w.last(ctx, a.URL)
	if err != nil {
		return fmt.Errorf("load last version: %w", err)
	}
	began := w.now()
	var now *edition
	wanted := plat.Attachments{Picture: w.opt.Pictures, Resources: w.opt.Resources}
	read := func(snap *plat.Snapshot) plat.Attachments {
		if refuse(snap) != nil {
			return plat.Attachments{}
		}
		began := w.now()
		now, err = w.read(ctx, snap, last)
		r.Stages["read"] = w.now().Sub(began).Seconds()
		if err != nil || !now.differs {
			return plat.Attachments{}
		}
		return wanted
	}
	var evidence func(*plat.Snapshot) plat.Attachments
	if wanted != (plat.Attachments{}) {
		evidence = read
	}
	var snap *plat.Snapshot
	failed := span(ctx, "render", func(ctx context.Context) (err error) { snap, err = w.render.Render(ctx, a.URL, evidence); return err })
	r.Stages["render"] = w.now().Sub(began).Seconds()
	if snap != nil {
		r.Status, r.Settled, r.Coarse, r.RetryAfter = snap.Status, snap.Settled, snap.Coarse, retryAfter(snap, w.fleetTime(a.start))
	}
	if failed != nil {
		return failed
	}
	if err := refuse(snap); err != nil {
		return err
	}
	follow := w.opt.Links != nil
	if follow {
		if err := w.opt.Links.Admit(ctx, a.Job, snap); err != nil {
			return err
		}
	}
	if w.opt.ObeyMeta != "" {
		asks := forbids(snap, w.opt.ObeyMeta)
		if asks.NoIndex || asks.NoArchive {
			return &plat.VisitError{Outcome: plat.OutcomeDisallowed, Err: errors.New("the page asks not to be kept (robots meta)")}
		}
		follow = follow && !asks.NoFollow
	}
	if now == nil && err == nil {
		read(snap)
	}
	if err != nil {
		return err
	}
	r.Blocks, r.PageBytes, r.Coverage = now.leaves, now.bytes, now.page.Coverage
	if follow {
		if r.Links, err = w.opt.Links.Follow(ctx, a.Job, &links.Page{Snapshot: snap, Blocks: now.page.Blocks, Spans: now.spans}); err != nil {
			return fmt.Errorf("follow the links: %w", err)
		}
	}
	v := plat.Visit{URL: a.URL, Time: w.fleetTime(a.start), Status: snap.Status, Bytes: snap.Bytes, Duration: w.now().Sub(a.start)}
	began = w.now()
	defer func() { r.Stages["store"] = w.now().Sub(began).Seconds() }()

	// Another worker may store a version of the URL while we look at it: then
	// ours is compared with that one, which usually is the same.
	for tries := 3; ; tries-- {
		if !now.differs {
			r.Outcome, r.Version = plat.OutcomeUnchanged, last.version.N
			v.Outcome, v.Version = r.Outcome, r.Version
			w.plan(a, &v, w.learnt(ctx, a, snap, now, r.Version, last, asked), now, last, r)
			return w.record(ctx, v, now.bytes, r)
		}
		c := w.commit(a.Job, snap, now, last, v)
		w.plan(a, &c.Visit, w.learnt(ctx, a, snap, now, c.Version.N, last, asked), now, last, r)
		var written storage.Written
		err := span(ctx, "store", func(ctx context.Context) (err error) { written, err = w.store.Commit(ctx, c); return err })
		if err == nil {
			r.Outcome, r.Version, r.Stored = c.Visit.Outcome, c.Version.N, true
			r.Changes, r.StoredBytes, r.NewBlocks, r.Next = c.Version.Changes, written.Bytes, written.Blocks, c.Visit.Next
			return nil
		}
		if r.settledBy(err) {
			r.Outcome, r.Version = plat.OutcomeUnchanged, c.Version.N-1
			return nil
		}
		if !errors.Is(err, plat.ErrConflict) || tries == 0 {
			return fmt.Errorf("store: %w", err)
		}
		if last, err = w.last(ctx, a.URL); err != nil {
			return fmt.Errorf("load last version: %w", err)
		}
		if now, err = w.read(ctx, snap, last); err != nil {
			return err
		}
	}
}

// record stores a visit that found no new version.
func (w *Worker) record(ctx context.Context, v plat.Visit, pageBytes int64, r *Report) error {
	err := span(ctx, "store", func(ctx context.Context) error { return w.store.Record(ctx, v, pageBytes) })
	if r.settledBy(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("record the visit: %w", err)
	}
	r.Next = v.Next
	return nil
}

// refuse turns answers that are no page into failures: an error page must never
// become a version of what was there before.
func refuse(s *plat.Snapshot) error {
	switch {
	case s.Status == 404 || s.Status == 410:
		return &plat.VisitError{Outcome: plat.OutcomeGone, Err: fmt.Errorf("the server says %d", s.Status)}
	case s.Status == 429 || s.Status >= 500:
		return &plat.VisitError{Outcome: plat.OutcomeHTTPError, Retry: true, Err: fmt.Errorf("the server says %d", s.Status)}
	case s.Status >= 400:
		return &plat.VisitError{Outcome: plat.OutcomeHTTPError, Err: fmt.Errorf("the server says %d", s.Status)}
	}
	return nil
}

// retryAfter reads the header of that name: seconds, or a date (RFC 9110 section
// 10.2.3).
func retryAfter(s *plat.Snapshot, now time.Time) time.Duration {
	if s.Status != 429 && s.Status != 503 {
		return 0
	}
	for _, h := range s.Header {
		if !strings.EqualFold(h[0], "Retry-After") {
			continue
		}
		if n, err := strconv.Atoi(strings.TrimSpace(h[1])); err == nil {
			return time.Duration(max(0, min(n, 1<<20))) * time.Second
		}
		if t, err := http.ParseTime(h[1]); err == nil {
			return max(0, min(t.Sub(now), 1<<20*time.Second))
		}
	}
	return 0
}

// edition is a page as it was found, compared with the last version.
type edition struct {
	page    plat.Page
	spans   []plat.Span    // the nodes of its blocks
	how     segment.Params // it was cut
	sum     plat.Hash      // of the layout
	leaves  int
	bytes   int64
	differs bool              // from the last version
	changes plat.Changes      // against it; none for the first version
	count   map[plat.Kind]int // of changes; nil for the first version
	lineage int32             // highest number given out
}

// read cuts a snapshot, names its blocks and compares it with what the archive
// has. A page whose level history has changed is first compared as it was cut
// last time: what the change of level does is no change of the page.
func (w *Worker) read(ctx context.Context, snap *plat.Snapshot, last *head) (*edition, error) {
	// A known URL is cut as its last version was, so that versions compare.
	how := segment.Params{Profile: w.opt.Profile, Level: w.opt.Level}
	if last.version != nil {
		how = segment.Params{Profile: segment.Profile(last.version.Profile), Level: last.version.Level, Adjust: last.version.Adjust}
	}
	now, err := w.cut(snap, how)
	if err != nil {
		return nil, err
	}
	if last.version == nil {
		now.differs, now.lineage = true, diff.First(now.page.Blocks)
		return now, nil
	}
	if err := w.compare(ctx, now, last); err != nil {
		return nil, err
	}
	if !now.differs || w.opt.Fixed {
		return now, nil
	}
	learnt, err := w.learn(ctx, last)
	if err != nil || sameAdjust(learnt, how.Adjust) {
		return now, err
	}
	how.Adjust = learnt
	again, err := w.cut(snap, how)
	if err != nil {
		return nil, err
	}
	if err := w.compare(ctx, again, last); err != nil {
		return nil, err
	}
	again.differs, again.count = true, now.count
	return again, nil
}

// cut divides a snapshot and names its blocks.
func (w *Worker) cut(snap *plat.Snapshot, how segment.Params) (*edition, error) {
	cut, err := segment.Segment(snap, how)
	if err != nil {
		return nil, err
	}
	if err := w.label.Describe(snap, &cut.Page, cut.Spans, cut.Visible()); err != nil {
		return nil, err
	}
	how.Level, how.Profile = cut.Level, cmp.Or(how.Profile, segment.Visual)
	e := &edition{page: cut.Page, spans: cut.Spans, how: how, sum: cut.Layout.Sum(), bytes: int64(len(cut.Layout.HTML))}
	for i := range e.page.Blocks {
		if b := &e.page.Blocks[i]; b.Leaf() {
			e.leaves++
			e.bytes += int64(len(b.Content) + len(b.Lead))
		}
	}
	return e, nil
}

// head is the last version of a URL, as much of it as has been loaded.
type head struct {
	version *plat.Version // nil: the URL has none
	layout  *plat.Layout  // nil until needed
}

func (w *Worker) last(ctx context.Context, url string) (*head, error) {
	v, err := w.store.Version(ctx, url, 0)
	if errors.Is(err, plat.ErrNotFound) {
		return &head{}, nil
	}
	if err != nil {
		return nil, err
	}
	return &head{version: v}, nil
}

// compare says what changed since last. Of the last version's contents only
// those are loaded that are not in the new one, which usually is none.
func (w *Worker) compare(ctx context.Context, now *edition, last *head) error {
	old := last.version
	if err := history.Load(ctx, w.store, old.Blocks, diff.Needed(old.Blocks, now.page.Blocks)); err != nil {
		return fmt.Errorf("load last version: %w", err)
	}
	layout := &now.page.Layout
	if old.Layout != now.sum {
		if last.layout == nil {
			l, err := w.store.Layout(ctx, old.Layout)
			if err != nil {
				return fmt.Errorf("load last layout: %w", err)
			}
			last.layout = &l
		}
		layout = last.layout
	}
	res := diff.Compare(
		diff.Side{Layout: layout, Blocks: old.Blocks, Lineages: old.Lineages, Coverage: old.Coverage},
		diff.Side{Layout: &now.page.Layout, Blocks: now.page.Blocks, Coverage: now.page.Coverage})
	now.differs, now.changes, now.count, now.lineage = res.Differs, res.Changes, res.Count(), res.Lineages
	return nil
}

// keptHeaders are the response headers that say something of the page.
var keptHeaders = map[string]bool{"content-language": true, "content-type": true, "etag": true, "last-modified": true, "link": true, "x-robots-tag": true}

// commit puts together what the store is to keep.
func (w *Worker) commit(job plat.Job, snap *plat.Snapshot, now *edition, last *head, visit plat.Visit) *storage.Commit {
	v := &plat.Version{
		URL: job.URL, N: 1, Taken: w.fleetTime(snap.Taken), Layout: now.sum, Blocks: now.page.Blocks,
		Level: now.how.Level, Adjust: now.how.Adjust, Profile: string(now.how.Profile), Coverage: now.page.Coverage, Lineages: now.lineage,
		Capture: plat.Capture{
			FinalURL: snap.FinalURL, Status: snap.Status, ContentType: snap.ContentType, Title: snap.Title, Language: snap.Language,
			Browser: snap.Browser, Width: int(snap.Viewport.W), Height: int(snap.Viewport.H),
			PageBytes: now.bytes, WireBytes: snap.Bytes, Duration: snap.Timing.Total, Settled: snap.Settled, Steps: snap.Steps, Coarse: snap.Coarse,
		},
		Meta: w.opt.Meta.Apply(job.URL, snap),
	}
	for _, h := range snap.Header {
		if keptHeaders[strings.ToLower(h[0])] {
			v.Capture.Header = append(v.Capture.Header, h)
		}
	}
	c := &storage.Commit{Version: v, Layout: now.page.Layout, Picture: snap.Picture, Resources: snap.Resources, Visit: visit}
	c.Visit.Outcome = plat.OutcomeNew
	if old := last.version; old != nil {
		v.N, v.Changes = old.N+1, now.count
		c.Visit.Outcome, c.LayoutBase = plat.OutcomeChanged, old.Layout
	}
	if now.leaves == 0 {
		c.Visit.Outcome = plat.OutcomeBlank // worth a word: often it is a wall, not a page
	}
	c.Visit.Version = v.N
	if snap.Picture != nil {
		v.Picture = plat.HashOf(snap.Picture.Data)
	}
	v.Resources = plat.ManifestOf(snap.Resources).Sum()
	return c
}
