package follow

import (
	"context"
	"errors"
	"fmt"
	"time"

	"plat/plat"
	"plat/storage"
)

// DefaultEvery is the interval between visits of a page without a schedule.
const DefaultEvery = time.Hour

// ErrCannot is returned for a subscription that cannot be followed until the user changes it.
var ErrCannot = errors.New("it cannot be followed")

// Subscriber is the part of an archive that Subscribe uses.
type Subscriber interface {
	State(ctx context.Context, url string) (plat.URLState, error)
	Enlist(ctx context.Context, jobs []plat.Job, how storage.Intake) (storage.Enlisted, error)
	Subscribe(ctx context.Context, s *plat.Subscription) error
}

// Subscribe schedules visits of the pages of subscriptions, see [Enlist], and stores the
// subscriptions. They replace subscriptions with the same ID. Subscriptions without an ID get a
// new one, and the time now. job is the template for the visits of their pages. Its URL is
// ignored.
//
// If a subscription cannot be followed, nothing is stored, and the error wraps [ErrCannot].
// After an interruption, the call can be repeated.
func Subscribe(ctx context.Context, store Subscriber, job plat.Job, now time.Time, subs ...*plat.Subscription) error {
	var jobs []plat.Job
	for _, s := range subs {
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
		own, err := JobsOf(ctx, store, job, s)
		if err != nil {
			return err
		}
		jobs = append(jobs, own...)
	}
	// Enlisted first: a subscription whose page is never visited would remain without news.
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

// JobsOf returns the visits of a subscription's page and feeds for [Enlist]; job is their template. If it has no schedule, a feed
// without one of its own gets that of the page.
func JobsOf(ctx context.Context, store Subscriber, job plat.Job, s *plat.Subscription) ([]plat.Job, error) {
	job.URL = s.URL
	jobs := []plat.Job{job}
	var page plat.URLState
	if len(s.Feeds) > 0 && job.Schedule == (plat.Schedule{}) {
		var err error
		if page, err = store.State(ctx, s.URL); err != nil && !errors.Is(err, plat.ErrNotFound) {
			return nil, err
		}
	}
	for _, url := range s.Feeds {
		j := job
		if j.URL = url; page.Schedule != (plat.Schedule{}) {
			st, err := store.State(ctx, url)
			if err != nil && !errors.Is(err, plat.ErrNotFound) {
				return nil, err
			}
			if st.Schedule == (plat.Schedule{}) {
				j.Schedule = page.Schedule
			}
		}
		jobs = append(jobs, j)
	}
	return jobs, nil
}

// Enlist schedules visits of pages by the schedule of their jobs. If a job has no schedule, the
// page keeps its own, or is visited every DefaultEvery. The schedule is that of the page alone: if a crawl follows its
// links, these have the schedule of the crawl.
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
		j.Due, j.Watched = now.UTC(), true
		all = append(all, j)
	}
	if len(all) == 0 {
		return nil
	}
	_, err := store.Enlist(ctx, all, storage.Seed)
	return err
}

// EnlistFollowed schedules visits of pages that items link to, by the schedule of their jobs,
// unless a page has its own schedule.
func EnlistFollowed(ctx context.Context, store Subscriber, jobs []plat.Job) error {
	if _, err := store.Enlist(ctx, jobs, storage.IfNew); err != nil {
		return err
	}
	var once []plat.Job // known pages that are no longer visited
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
