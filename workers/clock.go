package workers

import (
	"time"

	"plat/queue"
)

// maxSkew is how far this machine's clock may be from Redis' before it is
// corrected: less than that may as well be the way there.
const maxSkew = time.Second

// compare looks how far this machine's clock is from Redis', which is the fleet's.
// Leases, delays and due times are by Redis' clock alone; but versions and visits
// have times too, and those of one URL, by workers whose clocks disagree, would
// not be in order.
func (c *Crew) compare(l *queue.Lease) {
	way := time.Since(l.Granted) // there and back
	if way > maxSkew/2 {
		return // that says nothing
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
		c.o.Log.Warn("this machine's clock is "+word+" that of Redis, by which visits are dated; have it set (NTP)", "by", skew.Abs().Round(100*time.Millisecond))
	case skew == 0 && was != 0:
		c.o.Log.Info("this machine's clock is right again")
	}
}
