package workers

import (
	"context"
	"time"

	"plat"
	"plat/intake"
)

// taken is how many entries of the inbox are taken at a time.
const taken = 1000

// inboxEvery is the polling interval of an empty inbox.
const inboxEvery = 500 * time.Millisecond

// takeInbox takes entries from the inbox until ctx ends.
func (c *Crew) takeInbox(ctx context.Context) {
	failing := false
	for ctx.Err() == nil {
		n, err := c.takeEntries(ctx)
		if was := failing; ctx.Err() == nil {
			if failing = err != nil; failing && !was {
				c.o.Log.Warn("taking the inbox failed; retrying", "error", err)
			}
		}
		switch {
		case err != nil:
			sleep(ctx, nil, 2*time.Second)
		case n == 0:
			sleep(ctx, nil, inboxEvery)
		}
	}
}

func (c *Crew) takeEntries(ctx context.Context) (int, error) {
	entries, err := c.queue.Inbox(ctx, taken)
	if err != nil {
		return 0, err
	}
	var jobs []plat.Job
	refused := map[int]error{} // by index
	for i, p := range entries {
		if j, err := p.Job(c.o.Drop); err != nil {
			refused[i] = err
		} else {
			jobs = append(jobs, j)
		}
	}
	if _, err := intake.Take(ctx, c.store, c.queue, jobs); err != nil {
		return 0, err
	}
	if len(jobs) > 0 {
		c.loader.Nudge()
	}
	for i, p := range entries {
		if why := refused[i]; why != nil {
			c.o.Metrics.rejected.Inc()
			if err := c.queue.Reject(ctx, p.Text, why); err != nil {
				return 0, err
			}
		}
	}
	return len(entries), c.queue.Taken(ctx, entries)
}
