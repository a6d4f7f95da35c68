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

// hint signals known pages that a list dates after its last reading.
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

// maxHints is the largest number of links of a page that count as signals. A page with more changed links was
// redesigned.
const maxHints = 100

// hintLinks signals the pages that changed leaves of a page link to: they may have changed too.
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
