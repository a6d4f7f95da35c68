package workers

import (
	"context"
	"time"
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
