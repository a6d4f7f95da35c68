package workers

import (
	"context"
	"time"

	"plat/queue"
)

// watchGuards checks the guards periodically, until ctx ends.
func (c *Crew) watchGuards(ctx context.Context) {
	for sleep(ctx, nil, time.Second) {
		var short error
		for _, g := range c.o.Guards {
			if short = g(); short != nil {
				break
			}
		}
		switch was := c.down[theGuards].Swap(short != nil); {
		case short != nil && !was:
			c.o.Log.Warn("resources are low; no new jobs are started", "error", short)
			c.o.Metrics.outages.WithLabelValues(theGuards).Inc()
		case short == nil && was:
			c.o.Log.Info("resources are sufficient; continuing")
		}
	}
}

// watchStore tries the archive periodically, until ctx ends: otherwise a crew without jobs would say that it can work
// until it gets one.
func (c *Crew) watchStore(ctx context.Context) {
	for sleep(ctx, nil, queue.AnnounceEvery) {
		limit, cancel := context.WithTimeout(ctx, 2*queue.AnnounceEvery) // as long as a visit waits
		err := c.store.Probe(limit)
		cancel()
		switch {
		case ctx.Err() != nil:
		case err != nil:
			c.markDown(theStore, err)
		default:
			c.markUp(theStore)
		}
	}
}
