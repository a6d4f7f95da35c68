package steer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"plat"
	"plat/links"
	"plat/storage"
)

// Steerer steers all focused crawls that run.
type Steerer struct {
	Store    Store
	Compiler *Compiler

	// Visit has pages visited, and returns the URLs that are refused.
	Visit func(ctx context.Context, jobs []plat.Job) (refused []string, err error)

	// Ahead is how many pages of a crawl are asked for at once, AheadPerHost how many of one
	// host: enough to keep the workers busy, and few, as the next page may teach that another one is
	// better. 0: 32 and 4.
	Ahead, AheadPerHost int

	Clock func() time.Time // nil: this machine's
	Log   *slog.Logger     // nil: none

	courses map[string]*course
	watched map[string]watched
	heeded  map[string]heeded
}

// heeded is what is known of a crawl that does not run: up to which of its revisions its report heeds what people
// say, or when that is tried again.
type heeded struct {
	revision int
	until    time.Time
}

// watched is a crawl that another process steers, or that could not be steered.
type watched struct {
	n     int // pages asked for, when it was looked at last; -1: nobody else steers it
	until time.Time
}

// Times of a steerer.
const (
	pace         = 100 * time.Millisecond // between looks at what was answered
	idle         = time.Second            // between looks when nothing runs
	reportEvery  = 2 * time.Second
	lookEvery    = 2 * time.Second  // between looks whether people have changed crawls
	overdue      = time.Minute      // from when a page that was asked for is looked after
	passive      = 20 * time.Second // from one look at what another process steers to the next
	afterTrouble = 5 * time.Second
	patience     = 15 * time.Second // from when a page that was asked for counts as slow
)

// slowest is how many times Ahead pages may be slow at once.
const slowest = 20

// askPriority is that of the pages that a crawl asks for: a plain crawl's links have less, seeds
// have more, and of its own pages a crawl asks for the best only.
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

// Run steers until ctx ends. Errors are logged, and what failed is tried again.
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
	for {
		wait := idle
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
				// Another process steers it, or somebody has changed it.
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
		select {
		case <-ctx.Done():
			return
		case <-time.After(max(wait, 10*time.Millisecond)):
		}
	}
}

// look finds the crawls that run, and what people have changed.
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
			delete(s.courses, crawl.ID) // it is restored with what people said
		} else if s.leave(ctx, crawl) {
			continue
		}
		if err := s.begin(ctx, crawl); err != nil && ctx.Err() == nil {
			// It must not keep the others from running.
			s.Log.Warn("focused crawl cannot be restored", "crawl", crawl.ID, "error", err)
			s.watched[crawl.ID] = watched{-1, s.now().Add(afterTrouble)}
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

// heed judges the pages of a crawl that does not run anew, if people have said since its report what
// belongs: whoever looks at it sees that.
func (s *Steerer) heed(ctx context.Context, crawl *plat.Crawl) {
	h := s.heeded[crawl.ID]
	if h.revision == crawl.Revision || s.now().Before(h.until) {
		return
	}
	err := s.judge(ctx, crawl)
	_, topic := errors.AsType[*TopicError](err)
	switch {
	case ctx.Err() != nil:
		return
	case err == nil, topic, errors.Is(err, plat.ErrNotFound):
		h = heeded{revision: crawl.Revision}
	default:
		h.until = s.now().Add(afterTrouble)
	}
	if err != nil {
		s.Log.Warn("what people say of pages of a focused crawl is not heeded yet", "crawl", crawl.ID, "error", err)
	}
	s.heeded[crawl.ID] = h
}

// judge renews the report of a crawl that does not run, if it does not heed what people say.
func (s *Steerer) judge(ctx context.Context, crawl *plat.Crawl) error {
	r, err := ReadReport(ctx, s.Store, crawl.ID)
	if err != nil || r == nil || r.Heeds == heeds(crawl.Labels) {
		return err
	}
	c, err := s.open(ctx, crawl)
	if err != nil {
		return err
	}
	return c.putReport(ctx)
}

// begin restores a crawl, or pauses it with the reason if only a person can mend it.
func (s *Steerer) begin(ctx context.Context, crawl *plat.Crawl) error {
	c, err := s.open(ctx, crawl)
	if _, ok := errors.AsType[*TopicError](err); ok {
		reason := []rune(strings.ToValidUTF8(err.Error(), ""))
		crawl.State, crawl.Reason = plat.CrawlPaused, string(reason[:min(len(reason), storage.MaxErrorText)])
		s.Log.Warn("focused crawl paused", "crawl", crawl.ID, "why", crawl.Reason)
		err = s.Store.PutCrawl(ctx, crawl)
	} else if err == nil {
		s.courses[crawl.ID] = c
	}
	if errors.Is(err, plat.ErrConflict) {
		return nil // somebody has changed it: the next look sees that
	}
	return err
}

// leave reports whether a crawl is left to another process: while that asks for pages.
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
