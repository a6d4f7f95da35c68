package workers

import (
	"context"
	"fmt"
	"time"

	"plat/plat"
	"plat/queue/links"
	"plat/queue/schedule"
	"plat/storage"
)

// hint takes over what a list says of known pages that have changed since it was last read.
func (c *Crew) hint(ctx context.Context, jobs []plat.Job, last time.Time) error {
	if last.IsZero() {
		return nil
	}
	var told []plat.Job
	for _, j := range jobs {
		if j.Signal.Modified.After(last.Add(-schedule.ListsEvery)) {
			told = append(told, j)
		}
	}
	return c.tell(ctx, told)
}

// maxHints is how many links of a page are taken for signals. A page on which more have changed
// is made anew.
const maxHints = 100

// hintLinks takes over what the changed leaves of a page say of others: a link in one may lead to
// a page that has changed.
func (c *Crew) hintLinks(ctx context.Context, a *attempt, all []links.Link, changed map[int32]bool) error {
	now := c.fleetNow().UTC().Truncate(time.Second)
	var told []plat.Job
	for i := range all {
		if l := &all[i]; l.Kind == links.Anchor && changed[l.Block] && l.URL != a.URL {
			told = append(told, plat.Job{URL: l.URL, Plan: plat.Plan{Signal: plat.Signal{Modified: now, Source: plat.SignalLink}}})
		}
	}
	if len(told) > maxHints {
		return nil
	}
	return c.tell(ctx, told)
}

// tell has the policies of known pages asked whether they are worth a visit, after a signal.
func (c *Crew) tell(ctx context.Context, told []plat.Job) error {
	if len(told) == 0 {
		return nil
	}
	now := c.fleetNow().Truncate(time.Millisecond)
	for i := range told {
		told[i].Due = now
	}
	e, err := c.store.Enlist(ctx, told, storage.Hint)
	if err != nil {
		return fmt.Errorf("take over signals: %w", err)
	}
	return c.offer(ctx, e.Jobs)
}
