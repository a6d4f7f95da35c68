package workers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"plat"
)

// taken is the batch size for seeds, so that visits can start before a long list is
// complete.
const taken = 200

// Take enqueues seeds, known or not: first in the archive, so that they survive the
// loss of the frontier, then in the frontier. It returns how many were unknown. It is
// idempotent: after an error, all seeds may be taken again. Due times are by Redis'
// clock and always later than what was settled already, even if clocks disagree.
func Take(ctx context.Context, store seedStore, q seedQueue, jobs []plat.Job) (fresh int, err error) {
	for part := range slices.Chunk(jobs, taken) {
		n, err := take(ctx, store, q, part)
		fresh += n
		if err != nil {
			return fresh, err
		}
	}
	return fresh, nil
}

// seedStore and seedQueue are the parts of an archive and of a frontier that Take
// uses.
type seedStore interface {
	State(ctx context.Context, url string) (plat.URLState, error)
	Enlist(ctx context.Context, jobs []plat.Job) error
}

type seedQueue interface {
	Now(ctx context.Context) (time.Time, error)
	AddAgain(ctx context.Context, jobs []plat.Job) (int, error)
}

func take(ctx context.Context, store seedStore, q seedQueue, jobs []plat.Job) (int, error) {
	now, err := q.Now(ctx)
	if err != nil {
		return 0, err
	}
	for i := range jobs {
		j := &jobs[i]
		if j.Due.IsZero() {
			j.Due = now
		}
		state, err := store.State(ctx, j.URL)
		switch {
		case errors.Is(err, plat.ErrNotFound):
		case err != nil:
			return 0, fmt.Errorf("look up %s: %w", j.URL, err)
		case !j.Due.After(state.Settled):
			j.Due = state.Settled.Add(time.Millisecond)
		}
	}
	if err := store.Enlist(ctx, jobs); err != nil {
		return 0, fmt.Errorf("enlist: %w", err)
	}
	return q.AddAgain(ctx, jobs)
}

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
	if _, err := Take(ctx, c.store, c.queue, jobs); err != nil {
		return 0, err
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
