package workers

import (
	"time"

	"plat/queue"
)

// maxSkew is the clock skew from Redis that is tolerated: smaller values may be
// network latency.
const maxSkew = time.Second

// compare measures this machine's clock skew from Redis, the fleet's clock. Leases,
// delays and due times use Redis' clock alone, but versions and visits are dated by
// workers, and those of one URL would be out of order if their clocks disagreed.
func (c *Crew) compare(l *queue.Lease) {
	way := time.Since(l.Granted) // round trip
	if way > maxSkew/2 {
		return // too slow to measure the skew
	}
	skew := l.Now.Sub(l.Granted.Add(way / 2))
	c.o.Metrics.skew.Set(-skew.Seconds())
	if skew.Abs() < maxSkew {
		skew = 0
	}
	was := c.worker.clockOffset.Swap(int64(skew))
	switch {
	case skew != 0 && was == 0:
		word := "behind"
		if skew < 0 {
			word = "ahead of"
		}
		c.o.Log.Warn("this machine's clock is "+word+" that of Redis, by which visits are dated; synchronize it (NTP)", "by", skew.Abs().Round(100*time.Millisecond))
	case skew == 0 && was != 0:
		c.o.Log.Info("this machine's clock is synchronized again")
	}
}

// fleetNow is the time by the fleet's clock.
func (c *Crew) fleetNow() time.Time { return c.worker.fleetTime(c.worker.now()) }
