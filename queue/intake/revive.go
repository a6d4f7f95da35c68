package intake

import (
	"context"
	"errors"
	"iter"

	"plat/plat"
	"plat/storage"
)

// ReviveStore is the part of an archive that Revive uses.
type ReviveStore interface {
	Store
	State(ctx context.Context, url string) (plat.URLState, error)
	Dead(ctx context.Context) iter.Seq2[storage.DeadURL, error]
}

// Revive schedules the given URLs that have failed for good, or all such URLs if urls is empty,
// for a new visit, and returns their number.
func Revive(ctx context.Context, s ReviveStore, q Frontier, urls []string) (n int, err error) {
	var jobs []plat.Job
	add := func(url string) error {
		st, err := s.State(ctx, url)
		if errors.Is(err, plat.ErrNotFound) || err == nil && st.Dead.IsZero() {
			return nil
		}
		jobs = append(jobs, plat.Job{URL: url, Priority: st.Priority, Plan: st.Plan})
		return err
	}
	for _, u := range urls {
		if err := add(u); err != nil {
			return 0, err
		}
	}
	if len(urls) == 0 {
		for d, err := range s.Dead(ctx) {
			if err == nil {
				err = add(d.URL)
			}
			if err != nil {
				return 0, err
			}
		}
	}
	_, err = Take(ctx, s, q, jobs)
	return len(jobs), err
}
