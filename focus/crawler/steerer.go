package crawler

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"plat/plat"
	"plat/queue/links"
	"plat/storage"
)

// LogSteers is what a process logs, with the crawl, when it begins to request the pages of a crawl.
const LogSteers = "focused crawl: this process requests its pages"

// Steerer steers all focused crawls that run.
type Steerer struct {
	Store    Store
	Compiler *Compiler

	// Visit schedules visits, and returns the URLs that are refused.
	Visit func(ctx context.Context, jobs []plat.Job) (refused []string, err error)

	// Ahead is the number of pages of a crawl under way at once, AheadPerHost the number on one
	// host: enough to keep the workers busy, but few, because each result may change the choice of
	// the next page. 0: 32 and 4.
	Ahead, AheadPerHost int

	Clock func() time.Time // nil: this machine's
	Log   *slog.Logger     // nil: no log

	courses   map[string]*course
	watched   map[string]watched
	heeded    map[string]heeded
	restoring *restoring // nil: no crawl
}

// restoring is a crawl that is restored, which takes seconds for thousands of pages: one at a
// time, while the remaining crawls continue.
type restoring struct {
	crawl  *plat.Crawl
	done   chan struct{} // closed when course and err are set
	course *course
	err    error
}

// heeded is the state of the labels of a crawl that does not run: the revision whose labels its
// report includes, or the time of the next attempt.
type heeded struct {
	revision int
	until    time.Time
}

// watched is a crawl that a different process steers, or that could not be steered.
type watched struct {
	n     int // pages requested, at the last check; -1: no other process steers it
	until time.Time
}

// Times of a steerer.
const (
	pace         = 100 * time.Millisecond // between checks for results
	idle         = time.Second            // between checks when no crawl runs
	reportEvery  = 2 * time.Second
	lookEvery    = 2 * time.Second  // between checks whether users have changed crawls
	overdue      = time.Minute      // age of a request at which it is checked
	passive      = 20 * time.Second // between checks of a crawl that a different process steers
	afterTrouble = 5 * time.Second
	patience     = 15 * time.Second // age of a request at which it counts as slow
)

// slowest is the greatest number of slow pages, in multiples of Ahead.
const slowest = 20

// askPriority is the priority of the pages that a crawl requests: below seeds, above the links of
// a plain crawl, because a focused crawl requests only its best links.
const askPriority = .5

func (s *Steerer) now() time.Time {
	if s.Clock != nil {
		return s.Clock().UTC().Truncate(time.Millisecond)
	}
	return time.Now().UTC().Truncate(time.Millisecond)
}

// scope returns which links of a crawl may be followed; nil: any.
func (s *Steerer) scope(c *plat.Crawl) (func(u string) bool, error) {
	scope, err := links.ParseScope(c.Scope)
	if err != nil {
		return nil, fmt.Errorf("the scope: %w", err)
	}
	if c.Scope == "" || len(c.Seeds) == 0 {
		return nil, nil
	}
	return func(u string) bool {
		for _, seed := range c.Seeds {
			if scope.Follows(seed, 0, u) {
				return true
			}
		}
		return false
	}, nil
}

// Run steers until ctx ends. It logs errors and tries again.
func (s *Steerer) Run(ctx context.Context) {
	if s.Ahead == 0 {
		s.Ahead = 32
	}
	if s.AheadPerHost == 0 {
		s.AheadPerHost = 4
	}
	if s.Log == nil {
		s.Log = slog.New(slog.DiscardHandler)
	}
	s.courses, s.watched, s.heeded = map[string]*course{}, map[string]watched{}, map[string]heeded{}
	var looked time.Time
	defer func() {
		if r := s.restoring; r != nil {
			<-r.done
		}
	}()
	for {
		wait := idle
		if s.restored(ctx) {
			looked = time.Time{} // it may have changed meanwhile, and further crawls may wait for their turn
		}
		if time.Since(looked) >= lookEvery {
			if err := s.look(ctx); err != nil && ctx.Err() == nil {
				s.Log.Warn("focused crawls cannot be read", "error", err)
				wait = afterTrouble
			}
			looked = time.Now()
		}
		for id, c := range s.courses {
			busy, err := c.step(ctx)
			switch {
			case ctx.Err() != nil:
				return
			case errors.Is(err, plat.ErrNotFound):
				delete(s.courses, id) // it was removed
				s.watched[id] = watched{-1, s.now().Add(afterTrouble)}
			case errors.Is(err, plat.ErrConflict):
				// A different process steers it, or a user has changed it.
				delete(s.courses, id)
				s.watched[id] = watched{c.n, s.now().Add(passive)}
			case err != nil:
				s.Log.Warn("focused crawl", "crawl", id, "error", err)
				delete(s.courses, id) // it is restored from the archive
				s.watched[id] = watched{-1, s.now().Add(afterTrouble)}
			case c.crawl.State != plat.CrawlRuns:
				s.Log.Info("focused crawl done", "crawl", id, "why", c.crawl.Reason)
				delete(s.courses, id)
			case busy:
				wait = 0
			default:
				wait = min(wait, pace)
			}
		}
		var restored chan struct{}
		if s.restoring != nil {
			restored = s.restoring.done
		}
		select {
		case <-ctx.Done():
			return
		case <-restored:
		case <-time.After(max(wait, 10*time.Millisecond)):
		}
	}
}

// look finds the crawls that run, and users' changes.
func (s *Steerer) look(ctx context.Context) error {
	running := map[string]bool{}
	for crawl, err := range s.Store.Crawls(ctx) {
		if err != nil {
			return err
		}
		if crawl.State != plat.CrawlRuns {
			s.heed(ctx, crawl)
			continue
		}
		running[crawl.ID] = true
		if c := s.courses[crawl.ID]; c != nil {
			if c.crawl.Revision == crawl.Revision {
				continue
			}
			delete(s.courses, crawl.ID) // it is restored with the labels
		} else if s.leave(ctx, crawl) {
			continue
		}
		if s.restoring == nil {
			s.start(ctx, crawl)
		}
	}
	for id := range s.courses {
		if !running[id] {
			delete(s.courses, id)
		}
	}
	for id := range s.watched {
		if !running[id] {
			delete(s.watched, id)
		}
	}
	return nil
}

// start restores a crawl in the background.
func (s *Steerer) start(ctx context.Context, crawl *plat.Crawl) {
	r := &restoring{crawl: crawl, done: make(chan struct{})}
	s.restoring = r
	go func() {
		defer close(r.done)
		if r.course, r.err = s.open(ctx, crawl); r.err == nil && crawl.State != plat.CrawlRuns {
			r.err = r.course.putReport(ctx)
		}
	}()
}

// restored takes the restored crawl, if there is one. A crawl that cannot be restored must not
// block the rest: it is tried again, or paused with the reason if only a user can correct it.
func (s *Steerer) restored(ctx context.Context) bool {
	r := s.restoring
	if r == nil {
		return false
	}
	select {
	case <-r.done:
	default:
		return false
	}
	s.restoring = nil
	id, running := r.crawl.ID, r.crawl.State == plat.CrawlRuns
	_, bad := errors.AsType[*TopicError](r.err)
	switch {
	case ctx.Err() != nil:
	case running && r.err == nil:
		s.courses[id] = r.course
	case running && bad:
		s.pause(ctx, r.crawl, r.err)
	case running:
		s.Log.Warn("focused crawl cannot be restored", "crawl", id, "error", r.err)
		s.watched[id] = watched{-1, s.now().Add(afterTrouble)}
	case r.err == nil, bad, errors.Is(r.err, plat.ErrNotFound):
		s.heeded[id] = heeded{revision: r.crawl.Revision}
	default:
		s.Log.Warn("the labels of a focused crawl have no effect yet", "crawl", id, "error", r.err)
		s.heeded[id] = heeded{until: s.now().Add(afterTrouble)}
	}
	return true
}

// pause stops a crawl with the reason.
func (s *Steerer) pause(ctx context.Context, crawl *plat.Crawl, why error) {
	reason := []rune(strings.ToValidUTF8(why.Error(), ""))
	crawl.State, crawl.Reason = plat.CrawlPaused, string(reason[:min(len(reason), storage.MaxErrorText)])
	s.Log.Warn("focused crawl paused", "crawl", crawl.ID, "why", crawl.Reason)
	// If a user has changed it, the next call of look finds that.
	if err := s.Store.PutCrawl(ctx, crawl); err != nil && !errors.Is(err, plat.ErrConflict) {
		s.Log.Warn("focused crawl cannot be paused", "crawl", crawl.ID, "error", err)
		s.watched[crawl.ID] = watched{-1, s.now().Add(afterTrouble)}
	}
}

// heed reassesses the pages of a crawl that does not run, if labels are newer than its report, so
// that users see their effect.
func (s *Steerer) heed(ctx context.Context, crawl *plat.Crawl) {
	h := s.heeded[crawl.ID]
	if s.restoring != nil || h.revision == crawl.Revision || s.now().Before(h.until) {
		return
	}
	r, err := ReadReport(ctx, s.Store, crawl.ID)
	switch {
	case err != nil:
		s.Log.Warn("the report on a focused crawl cannot be read", "crawl", crawl.ID, "error", err)
		s.heeded[crawl.ID] = heeded{until: s.now().Add(afterTrouble)}
	case r == nil || r.Heeds == heeds(crawl.Labels):
		s.heeded[crawl.ID] = heeded{revision: crawl.Revision}
	default:
		s.start(ctx, crawl)
	}
}

// leave reports whether a crawl is left to a different process, as long as that requests pages.
func (s *Steerer) leave(ctx context.Context, crawl *plat.Crawl) bool {
	w, ok := s.watched[crawl.ID]
	if !ok {
		return false
	}
	if s.now().Before(w.until) {
		return true
	}
	n := w.n
	if n >= 0 {
		for p, err := range s.Store.Asked(ctx, crawl.ID, n, false) {
			if err != nil {
				break
			}
			n = p.N
		}
	}
	if n > w.n {
		s.watched[crawl.ID] = watched{n, s.now().Add(passive)}
		return true
	}
	delete(s.watched, crawl.ID)
	return false
}
