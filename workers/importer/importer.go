package importer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"plat/browser/egress"
	"plat/plat"
	"plat/plat/weburl"
	"plat/storage"
	"plat/workers"
	"plat/workers/batch"
)

// A Visitor visits pages as they were recorded; see package visitor.
type Visitor interface {
	VisitRecorded(ctx context.Context, j plat.Job, at time.Time, from egress.Recording) (workers.Report, error)
	Enter(ctx context.Context) error
	Leave()
}

// RunOptions configure an import.
type RunOptions struct {
	Store storage.Store

	// Visitor opens a visitor when the first page must be rendered. Its guard has [egress.Options.Recorded].
	Visitor func() (Visitor, error)

	// Drop lists the query parameters that are removed from URLs; see plat.Canonical.
	Drop []string

	// Parallel is the number of URLs imported at once; of a URL, captures follow each other.
	Parallel int

	// Limit is the greatest number of captures to import, beside those that are there; 0: all.
	Limit int

	// Done receives each capture when it is done. Its error ends the import.
	Done func(*Result) error
}

// A Result is the result of a capture; its JSON is part of the interface.
type Result struct {
	At time.Time `json:"at"` // of the capture
	batch.Page

	// There reports that the archive has the visit already, from an earlier import. Late reports that the
	// archive has a later visit of the URL, so that the capture cannot be added.
	There bool `json:"there,omitempty"`
	Late  bool `json:"late,omitempty"`
}

// Run imports the captures of a library. An error is of the store, of Done, of the visitor or of ctx; failed captures are
// results. It may be repeated after an error: what is stored is not imported again.
func Run(ctx context.Context, l *Library, o RunOptions) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r := &run{l: l, RunOptions: o, cancel: cancel, groups: groupsOf(l.captures, o.Drop)}
	r.visitor = sync.OnceValues(o.Visitor)
	var all sync.WaitGroup
	for range max(1, o.Parallel) {
		all.Go(func() {
			for r.next(ctx) {
			}
		})
	}
	all.Wait()
	return context.Cause(ctx)
}

// A group has the captures of a URL, in the order of time.
type group struct {
	url      string // canonical; empty: it cannot be visited
	bad      error
	captures []Capture
}

// groupsOf groups captures by canonical URL, in the order of the first capture.
func groupsOf(all []Capture, drop []string) []group {
	var groups []group
	at := map[string]int{}
	for _, c := range all {
		url, err := plat.Canonical(c.URL, drop)
		if err != nil {
			groups = append(groups, group{bad: err, captures: []Capture{c}})
			continue
		}
		i, known := at[url]
		if !known {
			i = len(groups)
			at[url] = i
			groups = append(groups, group{url: url})
		}
		groups[i].captures = append(groups[i].captures, c)
	}
	return groups
}

// run is an import.
type run struct {
	l *Library
	RunOptions
	cancel  context.CancelCauseFunc
	visitor func() (Visitor, error)

	mu     sync.Mutex
	groups []group // guarded by mu: not begun
	begun  int     // guarded by mu: captures
}

// next imports a URL, and reports whether there may be a further one.
func (r *run) next(ctx context.Context) bool {
	r.mu.Lock()
	if len(r.groups) == 0 || ctx.Err() != nil {
		r.mu.Unlock()
		return false
	}
	g := r.groups[0]
	r.groups = r.groups[1:]
	r.mu.Unlock()
	if err := r.group(ctx, &g); err != nil {
		r.cancel(err)
	}
	return true
}

// group imports the captures of a URL.
func (r *run) group(ctx context.Context, g *group) error {
	if g.bad != nil {
		c := &g.captures[0]
		return r.Done(&Result{At: c.At, Page: batch.Page{URL: plat.WithoutLogin(c.URL), Outcome: plat.OutcomeBadURL, Error: g.bad.Error()}})
	}
	n := &native{l: r.l, store: r.Store}
	was, err := r.visits(ctx, g.url)
	if err != nil {
		return err
	}
	for i := range g.captures {
		c := &g.captures[i]
		if err := context.Cause(ctx); err != nil {
			return err
		}
		res := &Result{At: c.At, Page: batch.Page{URL: g.url}}
		if at := c.At.UnixMilli(); was.last >= at {
			if c.version != nil && !c.version.unchanged {
				n.was = at
			}
			res.There = was.times[at]
			res.Late = !res.There
			if err := r.Done(res); err != nil {
				return err
			}
			continue
		}
		if !r.begin() {
			return nil
		}
		if err := r.one(ctx, n, g.url, c, res); err != nil {
			return err
		}
		was.last = c.At.UnixMilli()
		was.times[was.last] = true
		if err := r.Done(res); err != nil {
			return err
		}
	}
	return nil
}

// begin counts a capture, and returns false at the limit: then no further URL is begun, and those under way end.
func (r *run) begin() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.begun++; r.Limit == 0 || r.begun <= r.Limit {
		return true
	}
	r.groups = nil
	return false
}

// visits are those of a URL that the archive has before the import.
type visits struct {
	last  int64          // Unix time, milliseconds
	times map[int64]bool // of all
}

func (r *run) visits(ctx context.Context, url string) (visits, error) {
	v := visits{last: -1 << 62, times: map[int64]bool{}}
	state, err := r.Store.State(ctx, url)
	if errors.Is(err, plat.ErrNotFound) || err == nil && state.Visits == 0 {
		return v, nil
	}
	if err != nil {
		return v, err
	}
	v.last = state.Last.UnixMilli()
	for x, err := range r.Store.Visits(ctx, url, 0) {
		if err != nil {
			return v, err
		}
		v.times[x.Time.UnixMilli()] = true
	}
	return v, nil
}

// one imports a capture. A failure that is not the store's is a result.
func (r *run) one(ctx context.Context, n *native, url string, c *Capture, res *Result) error {
	began := time.Now()
	defer func() { res.MS = time.Since(began).Milliseconds() }()
	if c.version == nil {
		return r.render(ctx, url, c, res)
	}
	state, err := r.Store.State(ctx, url)
	if errors.Is(err, plat.ErrNotFound) {
		state, err = plat.URLState{URL: url}, nil
	}
	if err != nil {
		return err
	}
	switch err := n.put(ctx, c, &state, res); {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, errOther), errors.Is(err, plat.ErrCorrupt), errors.Is(err, plat.ErrNotFound), errors.Is(err, plat.ErrConflict):
		res.Outcome, res.Error = plat.OutcomeError, err.Error()
		return nil
	default:
		return fmt.Errorf("store: %w", err)
	}
}

// tries is how often a page is rendered that has made the browser fail.
const tries = 2

// render imports a capture by visiting it.
func (r *run) render(ctx context.Context, url string, c *Capture, res *Result) error {
	v, err := r.visitor()
	if err != nil {
		return err
	}
	if err = v.Enter(ctx); err != nil {
		return err
	}
	defer v.Leave()
	spelling := plat.Spelled(weburl.Resolve(c.URL), url, r.Drop)
	for try := 1; ; try++ {
		report, err := v.VisitRecorded(ctx, plat.Job{URL: url, Plan: plat.Plan{Spelling: spelling}}, c.At, r.l.as(c, cmp.Or(spelling, url)))
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		res.Page = batch.PageOf(&report, try, err)
		if report.Outcome == plat.OutcomeError {
			if _, lost := r.Store.State(ctx, "plat:"); lost != nil && !errors.Is(lost, plat.ErrNotFound) {
				return fmt.Errorf("store: %w", lost)
			}
		}
		if err == nil || !report.Retry || try == tries {
			return nil
		}
	}
}
