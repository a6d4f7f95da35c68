package crawl

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"time"

	"plat/plat"
	"plat/storage"
)

// Options configures a crawl.
type Options struct {
	Limit int // maximum number of visited pages; 0: any number
}

// Store is an archive with the jobs of one crawl instead of its own. It is safe for concurrent use.
//
// The archive does not learn of the jobs: the times at which it visits a page by a schedule, and the
// memory of its policy, stay. Signals of links, which only hint at changes of known pages, go to the
// archive, and are no jobs of the crawl.
type Store struct {
	storage.Store               // the archive
	list          storage.Store // of the crawl's URLs
	limit         int

	mu       sync.Mutex
	counts   counts          // guarded by mu
	putOff   map[string]bool // URLs whose visit is not worth it; guarded by mu
	admitted map[string]bool // pages that count toward the limit, true: done; nil without a limit; guarded by mu
	open     int             // admitted pages that are not done; guarded by mu
}

// counts are numbers of pages whose visits have ended.
type counts struct{ done, failed int }

// Open returns the store of a crawl. list is an archive for its jobs alone: a new one for a new crawl,
// or that of an interrupted crawl, which continues. The caller closes both.
func Open(ctx context.Context, archive, list storage.Store, o Options) (*Store, error) {
	s := &Store{Store: archive, list: list, limit: o.Limit, putOff: map[string]bool{}}
	if o.Limit > 0 {
		s.admitted = map[string]bool{}
	}
	for st, err := range list.States(ctx, "", "") {
		if err != nil {
			return nil, fmt.Errorf("read the list of the crawl: %w", err)
		}
		s.count(&st)
	}
	return s, nil
}

// count adds a URL of an earlier run.
func (s *Store) count(st *plat.URLState) {
	if st.Kind != plat.RenderJob {
		return
	}
	switch endOf(st) {
	case visited:
		if s.counts.done++; isFailure(st) {
			s.counts.failed++
		}
	case putOff:
		s.putOff[st.URL] = true
		return
	case waiting:
		if st.Visits == 0 && st.Attempts+st.Throttled == 0 {
			return
		}
	}
	if s.admitted != nil {
		if s.admitted[st.URL] = st.Due.IsZero(); !st.Due.IsZero() {
			s.open++
		}
	}
}

// Probe returns an error if writes to the archive or the list would fail.
func (s *Store) Probe(ctx context.Context) error {
	if err := s.Store.Probe(ctx); err != nil {
		return err
	}
	return s.list.Probe(ctx)
}

// State returns the state of a URL in the archive, with its job in the crawl. A URL that the crawl does not
// list counts as not visited, so that links to it are new.
func (s *Store) State(ctx context.Context, url string) (plat.URLState, error) {
	st, err := s.Store.State(ctx, url)
	if err != nil && !errors.Is(err, plat.ErrNotFound) {
		return st, err
	}
	job, missing := s.list.State(ctx, url)
	switch {
	case missing != nil && !errors.Is(missing, plat.ErrNotFound):
		return job, missing
	case missing != nil && err != nil:
		return st, err
	case missing != nil:
		st.Visits = 0
	case err != nil:
		st = plat.URLState{URL: url, Host: job.Host}
	}
	st.Due, st.Settled, st.Priority, st.Plan = job.Due, job.Settled, job.Priority, job.Plan
	st.NotBefore, st.Attempts, st.Throttled, st.Dead = job.NotBefore, job.Attempts, job.Throttled, job.Dead
	if st.Main == "" && st.Head == 0 {
		st.Main = job.Main
	}
	return st, nil
}

// Record stores a visit in the archive, and its end in the list.
func (s *Store) Record(ctx context.Context, v plat.Visit, pageBytes int64) error {
	kept, err := s.kept(ctx, v)
	if err == nil {
		err = s.Store.Record(ctx, kept, pageBytes)
	}
	if err != nil {
		return err
	}
	return s.end(ctx, v)
}

// Commit stores a version in the archive, and the end of its visit in the list.
func (s *Store) Commit(ctx context.Context, c *storage.Commit) (storage.Written, error) {
	kept := *c
	var err error
	if kept.Visit, err = s.kept(ctx, c.Visit); err != nil {
		return storage.Written{}, err
	}
	w, err := s.Store.Commit(ctx, &kept)
	if err != nil {
		return w, err
	}
	return w, s.end(ctx, c.Visit)
}

// kept returns a visit without its job, for the archive. The memory of the policy remains that of the
// archive: the crawl has no policy.
func (s *Store) kept(ctx context.Context, v plat.Visit) (plat.Visit, error) {
	v.Settles, v.Next = time.Time{}, time.Time{}
	if v.Memory == "" {
		return v, nil
	}
	st, err := s.Store.State(ctx, v.URL)
	if err != nil && !errors.Is(err, plat.ErrNotFound) {
		return v, err
	}
	was, err := plat.DecodeMemory(st.Memory)
	if err != nil {
		return v, nil // only a cache
	}
	m, err := plat.DecodeMemory(v.Memory)
	if err != nil {
		return v, nil
	}
	if m.Policy = was.Policy; m != (plat.Memory{}) {
		v.Memory = m.Encode()
	} else {
		v.Memory = plat.NoMemory
	}
	return v, nil
}

// end stores a visit in the list. The crawl does not wait for the next one: an answer that is to be
// confirmed is confirmed by a later crawl.
func (s *Store) end(ctx context.Context, v plat.Visit) error {
	v.Version, v.Next, v.Memory = 0, time.Time{}, ""
	if err := s.list.Record(ctx, v, 0); err != nil {
		return err
	}
	if !v.Settles.IsZero() && !v.Unkept {
		s.ended(v.URL, v.Outcome)
	}
	return nil
}

// ended counts a page whose visit has ended.
func (s *Store) ended(url string, o plat.Outcome) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.counts.done++; o.Failed() && o != plat.OutcomeDisallowed {
		s.counts.failed++
	}
	delete(s.putOff, url)
	s.close(url)
}

// close marks an admitted page as done. The caller holds mu.
func (s *Store) close(url string) {
	if done, is := s.admitted[url]; is && !done {
		s.admitted[url] = true
		s.open--
	}
}

// SetMain makes URLs aliases in the archive, and ends their jobs.
func (s *Store) SetMain(ctx context.Context, main string, now time.Time, urls ...string) error {
	if err := s.Store.SetMain(ctx, main, now, urls...); err != nil {
		return err
	}
	for _, url := range urls {
		was, err := s.list.State(ctx, url)
		if errors.Is(err, plat.ErrNotFound) {
			continue
		}
		if err == nil {
			err = s.list.SetMain(ctx, main, now, url)
		}
		if err != nil {
			return err
		}
		if is, err := s.list.State(ctx, url); err == nil && !was.Due.IsZero() && is.Due.IsZero() {
			s.ended(url, plat.OutcomeAlias)
		}
	}
	return nil
}

// Known returns the number of the crawl's URLs of a host.
func (s *Store) Known(ctx context.Context, host string, limit int) (int, error) {
	return s.list.Known(ctx, host, limit)
}

// Enlist adds jobs to the crawl. Links to an alias of a page lead to the page.
func (s *Store) Enlist(ctx context.Context, jobs []plat.Job, how storage.Intake) (storage.Enlisted, error) {
	switch how {
	case storage.Hint:
		_, err := s.Store.Enlist(ctx, jobs, how)
		return storage.Enlisted{}, err
	case storage.IfNew:
		var err error
		if jobs, err = s.withoutAliases(ctx, jobs); err != nil {
			return storage.Enlisted{}, err
		}
	}
	e, err := s.list.Enlist(ctx, jobs, how)
	if err != nil || s.limit == 0 {
		return e, err
	}
	kinds := make(map[string]plat.JobKind, len(jobs))
	for i := range jobs {
		kinds[jobs[i].URL] = jobs[i].Kind
	}
	kept := e.Jobs[:0]
	for _, j := range e.Jobs {
		if kinds[j.URL] != plat.RenderJob || s.admit(j.URL) {
			kept = append(kept, j)
		}
	}
	e.Jobs = kept
	return e, nil
}

// withoutAliases replaces the URLs of links that the archive knows as aliases by those of their pages.
// An alias of a page on a different host is left out.
func (s *Store) withoutAliases(ctx context.Context, jobs []plat.Job) ([]plat.Job, error) {
	kept := jobs[:0:0]
	for _, j := range jobs {
		st, err := storage.MainOf(ctx, s.Store.State, j.URL)
		switch {
		case errors.Is(err, plat.ErrNotFound), err == nil && (j.Depth == 0 || j.Kind != plat.RenderJob || st.Head == 0):
		case err != nil:
			return nil, err
		case plat.HostOf(st.URL) != plat.HostOf(j.URL):
			continue
		default:
			j.URL = st.URL
		}
		kept = append(kept, j)
	}
	return kept, nil
}

// Defer puts off jobs of the crawl, or ends them.
func (s *Store) Defer(ctx context.Context, all ...storage.Deferral) error {
	err := s.list.Defer(ctx, all...)
	if err != nil && !errors.Is(err, plat.ErrSettled) && !errors.Is(err, plat.ErrNotFound) {
		return err
	}
	for i := range all {
		switch d := &all[i]; {
		case d.At.IsZero() && err == nil: // otherwise a recorded visit has ended it
			st, err := s.list.State(ctx, d.URL)
			if err == nil && st.Kind == plat.RenderJob {
				s.ended(d.URL, st.Outcome)
			}
		case !d.At.IsZero() && d.Attempts+d.Throttled == 0:
			s.leaveOut(d.URL)
		}
	}
	return err
}

// leaveOut counts a page whose visit is not worth it: of its kind of URLs many brought nothing.
func (s *Store) leaveOut(url string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.putOff[url] = true
	if done, is := s.admitted[url]; is && !done {
		delete(s.admitted, url)
		s.open--
	}
}

// The following methods are those of the crawl's list.

func (s *Store) Wake(ctx context.Context, now time.Time, limit int) (woken map[string]float32, next time.Time, err error) {
	return s.list.Wake(ctx, now, limit)
}

func (s *Store) Ready(ctx context.Context, after storage.ReadyHost, limit int) ([]storage.ReadyHost, error) {
	return s.list.Ready(ctx, after, limit)
}

func (s *Store) Counts(ctx context.Context, now time.Time) (storage.JobCounts, error) {
	return s.list.Counts(ctx, now)
}

func (s *Store) HostCounts(ctx context.Context, limit int) ([]storage.HostCount, error) {
	return s.list.HostCounts(ctx, limit)
}

func (s *Store) Dead(ctx context.Context) iter.Seq2[storage.DeadURL, error] { return s.list.Dead(ctx) }
