package follow

import (
	"context"
	"errors"
	"fmt"
	"time"

	"plat/plat"
	"plat/storage"
)

// DefaultEvery is how often a page is visited of which nobody has said it.
const DefaultEvery = time.Hour

// ErrCannot is returned for a subscription that cannot be followed: whoever has written it has
// to change it.
var ErrCannot = errors.New("it cannot be followed")

// Subscriber is the part of an archive that Subscribe uses.
type Subscriber interface {
	State(ctx context.Context, url string) (plat.URLState, error)
	Enlist(ctx context.Context, jobs []plat.Job, how storage.Intake) (storage.Enlisted, error)
	Subscribe(ctx context.Context, s *plat.Subscription) error
}

// Subscribe has the pages of subscriptions visited, see [Enlist], and stores the subscriptions, in
// place of those with the same ID. Those that have none are given one, and the time. job says how
// their pages are visited, whatever its URL.
//
// A subscription that cannot be followed is an error that wraps [ErrCannot], and nothing is
// stored. What was cut off may be repeated.
func Subscribe(ctx context.Context, store Subscriber, job plat.Job, now time.Time, subs ...*plat.Subscription) error {
	jobs := make([]plat.Job, len(subs))
	for i, s := range subs {
		if s.ID == "" {
			s.ID, s.Made = plat.NewID(), now.UTC()
		}
		err := Check(s)
		if err == nil {
			err = storage.CheckSubscription(s)
		}
		if err != nil {
			return fmt.Errorf("%w: %w", ErrCannot, err)
		}
		jobs[i] = job
		jobs[i].URL = s.URL
	}
	// First: a subscription whose page is never visited would stay silent.
	if err := Enlist(ctx, store, now, jobs...); err != nil {
		return err
	}
	for _, s := range subs {
		if err := store.Subscribe(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// Enlist has pages visited by the schedule of their jobs; by their own, if they have one and the
// job has none; every hour, if they have none.
func Enlist(ctx context.Context, store Subscriber, now time.Time, jobs ...plat.Job) error {
	var all []plat.Job
	for _, j := range jobs {
		if j.Schedule == (plat.Schedule{}) {
			st, err := store.State(ctx, j.URL)
			if err == nil && st.Schedule != (plat.Schedule{}) {
				continue
			}
			if err != nil && !errors.Is(err, plat.ErrNotFound) {
				return err
			}
			j.Schedule = plat.Schedule{Every: DefaultEvery}
		}
		j.Due = now.UTC()
		all = append(all, j)
	}
	if len(all) == 0 {
		return nil
	}
	_, err := store.Enlist(ctx, all, storage.Seed)
	return err
}

// EnlistFollowed has pages visited that items link to, by the schedule of their jobs, unless they
// have one of their own.
func EnlistFollowed(ctx context.Context, store Subscriber, jobs []plat.Job) error {
	if _, err := store.Enlist(ctx, jobs, storage.IfNew); err != nil {
		return err
	}
	var once []plat.Job // known, and visited no more
	for _, j := range jobs {
		st, err := store.State(ctx, j.URL)
		if err != nil && !errors.Is(err, plat.ErrNotFound) {
			return err
		}
		if err == nil && st.Schedule == (plat.Schedule{}) {
			once = append(once, j)
		}
	}
	if len(once) == 0 {
		return nil
	}
	_, err := store.Enlist(ctx, once, storage.Replan)
	return err
}
