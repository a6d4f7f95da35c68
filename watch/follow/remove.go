package follow

import (
	"context"
	"errors"
	"iter"
	"slices"
	"time"

	"plat/plat"
	"plat/storage"
)

// Remover is the part of an archive that Remaining and Stop use.
type Remover interface {
	State(ctx context.Context, url string) (plat.URLState, error)
	Subscriptions(ctx context.Context, which storage.Which) iter.Seq2[*storage.Subscribed, error]
	Subscription(ctx context.Context, id string) (*storage.Subscribed, error)
	Enlist(ctx context.Context, jobs []plat.Job, how storage.Intake) (storage.Enlisted, error)
}

// Visited is a page that goes on being visited when subscriptions have ended.
type Visited struct {
	URL      string        `json:"url"`
	Schedule plat.Schedule `json:"schedule"`
	Watched  bool          `json:"watched"` // a subscription chose the schedule, so that [Stop] ends it

	crawled plat.Schedule
}

// Remaining returns the pages of subscriptions that go on being visited when these have ended, and that no other subscription
// has.
func Remaining(ctx context.Context, store Remover, ended ...*storage.Subscribed) ([]Visited, error) {
	var ids []string
	pages, wanted := map[string]bool{}, []string{}
	add := func(url string) {
		if !pages[url] {
			pages[url] = true
			wanted = append(wanted, url)
		}
	}
	for _, s := range ended {
		ids = append(ids, s.ID)
		add(s.URL)
		for _, f := range s.Feeds {
			add(f)
		}
		for _, p := range s.Pages {
			add(p.URL)
		}
	}
	for s, err := range store.Subscriptions(ctx, storage.Which{}) {
		if err != nil {
			return nil, err
		}
		if slices.Contains(ids, s.ID) {
			continue
		}
		delete(pages, s.URL)
		for _, f := range s.Feeds {
			delete(pages, f)
		}
		if storage.DepthOf(&s.Subscription) == 1 {
			continue
		}
		other, err := store.Subscription(ctx, s.ID)
		if errors.Is(err, plat.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, p := range other.Pages {
			delete(pages, p.URL)
		}
	}
	var all []Visited
	for _, url := range wanted {
		if !pages[url] {
			continue
		}
		st, err := store.State(ctx, url)
		if errors.Is(err, plat.ErrNotFound) || err == nil && (st.Schedule == (plat.Schedule{}) || st.Due.IsZero()) {
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, Visited{url, st.Schedule, st.Watched, st.Crawled})
	}
	return all, nil
}

// Stop gives pages whose schedule a subscription chose the schedule from before: that of their crawl, or none. It returns them;
// other pages stay as they are.
func Stop(ctx context.Context, store Remover, now time.Time, all []Visited) (stopped []Visited, err error) {
	var jobs []plat.Job
	for _, v := range all {
		if !v.Watched {
			continue
		}
		jobs = append(jobs, plat.Job{URL: v.URL, Due: now.UTC(), Plan: plat.Plan{Schedule: v.crawled}})
		v.Schedule, v.Watched = v.crawled, false
		stopped = append(stopped, v)
	}
	if len(jobs) == 0 {
		return nil, nil
	}
	_, err = store.Enlist(ctx, jobs, storage.Replan)
	return stopped, err
}
