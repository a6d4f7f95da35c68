package workers

import (
	"context"
	"time"
)

// watchGuards asks the guards now and then, until ctx ends.
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
			c.o.Log.Warn("nothing new is begun", "error", short)
			c.o.Metrics.outages.WithLabelValues(theGuards).Inc()
		case short == nil && was:
			c.o.Log.Info("work goes on")
		}
	}
}
