package follow

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"regexp"
	"sync"
	"time"

	"plat/plat"
	"plat/plat/saferegexp"
	"plat/storage"
	"plat/watch"
	"plat/watch/view"
)

// Store is the part of an archive that a Follower uses.
type Store interface {
	storage.Subscriptions
	State(ctx context.Context, url string) (plat.URLState, error)
	Trees(ctx context.Context, url string, from, to int) iter.Seq2[*plat.Version, error]
	Layout(ctx context.Context, h plat.Hash) (plat.Layout, error)
	Contents(ctx context.Context, hashes []plat.Hash) ([][]byte, error)
}

// Follower examines subscriptions. The fields are set before the first call, and not changed
// after it.
type Follower struct {
	Store Store

	// Enlist schedules visits of pages that items link to, for subscriptions of depth 2 and 3.
	// nil: no such visits.
	Enlist func(ctx context.Context, jobs []plat.Job) error

	Log    *slog.Logger
	Stored func() // called after messages were stored, unless nil

	moved       time.Time     // last call of Readdress
	waits       chan struct{} // signals that a subscription waits to be examined aside; nil: no goroutine does so
	examining   time.Duration // duration of the examinations in the last pass
	expressions saferegexp.Cache

	mu      sync.Mutex
	failing map[string]failure // subscriptions that could not be examined, by ID; guarded by mu
	aside   asideQueue         // guarded by mu

	// For tests, nil otherwise.
	clock   func() time.Time
	matches func(re *regexp.Regexp, text string) bool
}

// failure is the state of a subscription that cannot be examined.
type failure struct {
	again      time.Time     // time of the next attempt, unless its conditions change first
	pause      time.Duration // between the last two attempts
	conditions string        // see conditionsOf
}

const (
	pollEvery  = time.Second      // minimum; the pause is at least twenty times the duration of the query
	atOnce     = 100              // subscriptions that are examined between two polls
	movedEvery = 5 * time.Minute  // see Readdress
	failPause  = 10 * time.Minute // maximum between attempts at a subscription that cannot be examined
)

// Run examines subscriptions that are behind until ctx ends.
func (f *Follower) Run(ctx context.Context) {
	f.waits = make(chan struct{}, 1)
	var aside sync.WaitGroup
	aside.Go(func() { f.runAside(ctx) })
	defer aside.Wait()
	for ctx.Err() == nil {
		start := time.Now()
		n, err := f.pass(ctx)
		if err != nil && ctx.Err() == nil {
			f.Log.Error("subscriptions cannot be examined; it is tried again", "error", err)
		}
		if err == nil && time.Since(f.moved) > movedEvery {
			f.moved = time.Now()
			if err := f.Readdress(ctx); err != nil && ctx.Err() == nil {
				f.Log.Error("addresses of subscriptions cannot be looked up", "error", err)
			}
		}
		pause := max(pollEvery, 20*(time.Since(start)-f.examining))
		if n == atOnce {
			pause = 0 // there may be more
		}
		if err != nil {
			pause = 10 * pollEvery
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// pass examines subscriptions that are behind, and sets a subscription aside if its conditions
// take long.
func (f *Follower) pass(ctx context.Context) (n int, err error) {
	f.examining = 0
	for s, err := range f.Store.Behind(ctx, 0) {
		if err != nil {
			return n, err
		}
		f.mu.Lock()
		failed, failing := f.failing[s.ID]
		wait, slow := f.aside.in[s.ID], f.aside.slow[s.ID]
		f.mu.Unlock()
		if failing && failed.conditions == conditionsOf(s) {
			wait = wait || f.now().Before(failed.again)
		}
		if wait {
			continue
		}
		if slow {
			f.setAside(s.ID)
			continue
		}
		began := time.Now()
		err := f.examine(ctx, s, &turn{version: slice, all: slice})
		f.examining += time.Since(began)
		if errors.Is(err, errSlow) {
			f.setAside(s.ID)
			continue
		}
		if !f.settled(ctx, s, err) {
			if ctx.Err() != nil {
				return n, ctx.Err()
			}
			continue
		}
		if n++; n == atOnce {
			break
		}
	}
	return n, nil
}

// examine examines a subscription in a turn, and stores the result. The error wraps errSlow if
// it needs a longer one.
func (f *Follower) examine(ctx context.Context, s *storage.Subscribed, t *turn) error {
	found, err := f.inTurn(ctx, s, t, maxVersions)
	if errors.Is(err, errSlow) && t.version >= patience {
		err = &unfit{fmt.Sprintf("its conditions (match, except) take more than %s for the texts of version %d of a page; write fewer, or smaller counts; it is tried again, and nothing is lost", patience, t.n)}
	}
	if u, is := errors.AsType[*unfit](err); is {
		return errors.Join(err, f.markUnfit(ctx, s, u.why))
	}
	if err != nil {
		return err
	}
	if f.Enlist != nil && len(found.jobs) > 0 {
		// Enlisted first: otherwise followed pages might never be visited.
		if err := f.Enlist(ctx, found.jobs); err != nil {
			return err
		}
	}
	err = f.Store.Examined(ctx, &found.Examination)
	if errors.Is(err, plat.ErrConflict) || errors.Is(err, plat.ErrNotFound) {
		return nil // a different process was faster, or a user has changed it: it is examined again
	}
	if err != nil {
		return err
	}
	if found.first.After(s.ReadTo) {
		if err := f.Store.Read(ctx, s.ID, found.first); err != nil && !errors.Is(err, plat.ErrNotFound) {
			return err
		}
	}
	if len(found.Messages) > 0 && f.Stored != nil {
		f.Stored()
	}
	if now := found.Following.Broken; watch.Undecided(now) && now != s.Broken {
		f.Log.Warn(view.Choose, "url", s.URL, "why", view.Sought(now), "next", view.ToChoose(s))
	}
	return nil
}

// conditionsOf returns a short form of a subscription's conditions for comparison.
func conditionsOf(s *storage.Subscribed) string {
	return hashed(append(append([]string{fmt.Sprint(len(s.Match))}, s.Match...), s.Except...)...)
}
