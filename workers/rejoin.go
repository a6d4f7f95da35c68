package workers

import (
	"context"
	"sync"
	"time"
)

// rejoining limits how often a crew works at the end of a hold.
type rejoining struct {
	mu   sync.Mutex
	next time.Time // guarded by mu
}

// rejoinEvery is the shortest interval between two attempts.
const rejoinEvery = 250 * time.Millisecond

// endHold ends the time for which a frontier that has begun again grants no leases, as soon as all
// workers that may hold earlier ones, by their notes in the archive, have none any more. Errors are
// not logged: the hold ends by itself later, and a frontier or archive that does not answer is logged
// where it is needed.
func (c *Crew) endHold(ctx context.Context) {
	if c.notes == nil || !c.rejoin.mu.TryLock() {
		return
	}
	defer c.rejoin.mu.Unlock()
	now := time.Now()
	if now.Before(c.rejoin.next) {
		return
	}
	c.rejoin.next = now.Add(rejoinEvery)
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	held, err := c.queue.Rejoin(ctx, c.notes.Name())
	if err != nil || !held {
		return
	}
	// The notes are read after the frontier has begun: who notes later has no earlier lease.
	names, err := c.notes.Holders(ctx)
	if err != nil {
		return
	}
	if released, err := c.queue.Release(ctx, names); err == nil && released {
		c.o.Log.Info("no worker holds an earlier lease: leases are granted at once", "workers", len(names))
		c.ring()
	}
}
