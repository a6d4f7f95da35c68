package workers

import (
	"context"
	"time"

	"plat/queue"
)

// announcer lists the workers of a fleet; see [queue.Queue].
type announcer interface {
	AnnounceWorker(ctx context.Context, w queue.Worker) error
	RemoveWorker(ctx context.Context) error
}

// announce announces the crew to the fleet until ctx ends, so that operators see who works. Failures
// are not logged: an unreachable frontier is logged already, and a full one takes no announcements.
func (c *Crew) announce(ctx context.Context, drain <-chan struct{}) {
	w := c.o.Worker
	w.Name, w.Started = c.o.Name, time.Now().UTC()
	for {
		w.Visits, w.State = int(c.visits.Load()), c.state(drain)
		if c.o.Memory != nil {
			w.Memory = c.o.Memory()
		}
		limit, cancel := context.WithTimeout(ctx, queue.AnnounceEvery)
		_ = c.queue.AnnounceWorker(limit, w)
		cancel()
		next := drain
		if w.State == draining {
			next = nil
		}
		sleep(ctx, next, queue.AnnounceEvery)
		if ctx.Err() != nil {
			break
		}
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_ = c.queue.RemoveWorker(last)
}

const draining = "draining"

// state describes what the crew does, in a few words.
func (c *Crew) state(drain <-chan struct{}) string {
	select {
	case <-drain:
		return draining
	default:
	}
	if err := c.Ready(); err != nil {
		return err.Error()
	}
	if c.visits.Load() == 0 {
		return "idle"
	}
	return "working"
}
