package follow

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"time"

	"plat"
	"plat/storage"
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

	// Enlist has pages visited that items link to, for subscriptions of depth 2 and 3. nil:
	// they are not.
	Enlist func(ctx context.Context, jobs []plat.Job) error

	Log  *slog.Logger
	Told func() // called when messages were stored; nil: nobody waits for them

	moved   time.Time          // when subscriptions of other addresses were last looked for
	failing map[string]failure // subscriptions that could not be examined, by ID
}

// failure is of a subscription that cannot be examined.
type failure struct {
	again time.Time     // not before
	pause time.Duration // between the last two attempts
}

const (
	pollEvery  = time.Second      // at least; twenty times what a poll took, if that is longer
	atOnce     = 100              // subscriptions that are examined between two polls
	movedEvery = 5 * time.Minute  // see Readdress
	failPause  = 10 * time.Minute // at most, between attempts at a subscription that cannot be examined
)

// Run examines subscriptions that are behind until ctx ends.
func (f *Follower) Run(ctx context.Context) {
	for ctx.Err() == nil {
		start := time.Now()
		n, err := f.Once(ctx)
		if err != nil && ctx.Err() == nil {
			f.Log.Error("subscriptions cannot be examined; it is tried again", "error", err)
		}
		if err == nil && time.Since(f.moved) > movedEvery {
			f.moved = time.Now()
			if err := f.Readdress(ctx); err != nil && ctx.Err() == nil {
				f.Log.Error("addresses of subscriptions cannot be looked up", "error", err)
			}
		}
		pause := max(pollEvery, 20*time.Since(start))
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

// Once examines subscriptions that are behind, at most 100 of them, and returns how many. One
// that cannot be examined does not stop the others: it is left out for a while, which doubles.
func (f *Follower) Once(ctx context.Context) (n int, err error) {
	for s, err := range f.Store.Behind(ctx, 0) {
		if err != nil {
			return n, err
		}
		failed := f.failing[s.ID]
		if time.Now().Before(failed.again) {
			continue
		}
		if err := f.examine(ctx, s); err != nil {
			if ctx.Err() != nil {
				return n, ctx.Err()
			}
			if f.failing == nil {
				f.failing = map[string]failure{}
			}
			pause := min(max(10*pollEvery, 2*failed.pause), failPause)
			f.failing[s.ID] = failure{time.Now().Add(pause), pause}
			f.Log.Error("a subscription cannot be examined", "subscription", s.ID, "url", s.URL, "again in", pause, "error", err)
			continue
		}
		delete(f.failing, s.ID)
		if n++; n == atOnce {
			break
		}
	}
	return n, nil
}

func (f *Follower) examine(ctx context.Context, s *storage.Subscribed) error {
	found, err := f.Examine(ctx, s)
	if err != nil {
		return err
	}
	if f.Enlist != nil && len(found.jobs) > 0 {
		// First: pages that are followed but never visited would stay so.
		if err := f.Enlist(ctx, found.jobs); err != nil {
			return err
		}
	}
	err = f.Store.Examined(ctx, &found.Examination)
	if errors.Is(err, plat.ErrConflict) || errors.Is(err, plat.ErrNotFound) {
		return nil // another process was faster, or somebody has changed it: it is examined again
	}
	if err != nil {
		return err
	}
	if found.first.After(s.ReadTo) {
		if err := f.Store.Read(ctx, s.ID, found.first); err != nil && !errors.Is(err, plat.ErrNotFound) {
			return err
		}
	}
	if len(found.Messages) > 0 && f.Told != nil {
		f.Told()
	}
	return nil
}

// Readdress moves subscriptions whose URL is another address of an archived page to the
// address under which it is archived. Nothing is known of them yet, so nothing is lost.
func (f *Follower) Readdress(ctx context.Context) error {
	for s, err := range f.Store.Subscriptions(ctx, storage.Which{}) {
		if err != nil {
			return err
		}
		if len(s.Pages) > 0 {
			continue
		}
		st, err := f.Store.State(ctx, s.URL)
		if errors.Is(err, plat.ErrNotFound) || err == nil && st.Main == "" {
			continue
		}
		if err != nil {
			return err
		}
		// It may have been changed or removed meanwhile.
		moved, err := f.Store.Subscription(ctx, s.ID)
		if errors.Is(err, plat.ErrNotFound) || err == nil && (moved.URL != s.URL || len(moved.Pages) > 0) {
			continue
		}
		if err != nil {
			return err
		}
		moved.URL = st.Main
		if err := f.Store.Subscribe(ctx, &moved.Subscription); err != nil {
			return err
		}
	}
	return nil
}
