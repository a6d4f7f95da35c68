package intake

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"plat/plat"
	"plat/queue"
)

// Drainer moves URLs from the frontier's inbox to the archive's list of jobs.
type Drainer struct {
	Store    Store
	Queue    Inboxed
	Drop     []string // query parameters removed from URLs
	Taken    func()   // called after URLs were added
	Rejected func()   // called for each invalid entry
	Log      *slog.Logger
}

// Inboxed is a frontier with an inbox; see [queue.Queue].
type Inboxed interface {
	Frontier
	Inbox(ctx context.Context, n int) ([]queue.InboxEntry, error)
	Taken(ctx context.Context, entries []queue.InboxEntry) error
	Reject(ctx context.Context, entry string, reason error) error
}

// taken is the number of entries read at a time.
const taken = 1000

// inboxEvery is the polling interval of an empty inbox.
const inboxEvery = 500 * time.Millisecond

// Run moves entries from the inbox to the archive until ctx ends.
func (x *Drainer) Run(ctx context.Context) {
	failing := false
	for ctx.Err() == nil {
		n, err := x.take(ctx)
		if was := failing; ctx.Err() == nil {
			if failing = err != nil; failing && !was {
				x.Log.Warn("reading the inbox failed; retrying", "error", err)
			}
		}
		pause := time.Duration(0)
		switch {
		case err != nil:
			pause = 2 * time.Second
		case n == 0:
			pause = inboxEvery
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

func (x *Drainer) take(ctx context.Context) (int, error) {
	entries, err := x.Queue.Inbox(ctx, taken)
	if err != nil {
		return 0, err
	}
	var jobs []plat.Job
	refused := map[int]error{} // by index
	for i, p := range entries {
		if j, err := p.Job(x.Drop); err != nil {
			refused[i] = err
		} else {
			jobs = append(jobs, j)
		}
	}
	// If Redis is full, only taking entries frees its memory. The jobs are in the archive, where a
	// loader finds them.
	_, err = Take(ctx, x.Store, x.Queue, jobs)
	if err != nil && !errors.Is(err, queue.ErrFull) {
		return 0, err
	}
	if len(jobs) > 0 {
		x.Taken()
	}
	for i, p := range entries {
		if why := refused[i]; why != nil {
			x.Rejected()
			err := x.Queue.Reject(ctx, p.Text, why)
			if errors.Is(err, queue.ErrFull) {
				x.Log.Warn("an invalid entry of the inbox; Redis is too full for the list of these", "entry", fmt.Sprintf("%.200q", p.Text), "reason", why)
			} else if err != nil {
				return 0, err
			}
		}
	}
	return len(entries), x.Queue.Taken(ctx, entries)
}
