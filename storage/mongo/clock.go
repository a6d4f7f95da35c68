package mongo

import (
	"sync/atomic"
	"time"
)

// clock tells the time in a way that several processes agree on. What one process writes is removed by another one once
// it is old enough (see [Store.GC]), and clocks of machines differ: by hours, where one has a wrong time zone or no time
// service. So two clocks are asked: that of the server, which all processes share, and that of the process. A document
// gets the later time of both, and it is old only if both clocks say so. Data is lost only if both clocks are fast where
// garbage is collected.
type clock struct {
	wall func() time.Time // of this process
	last atomic.Pointer[bothClocks]
}

// bothClocks holds the times of both clocks at one instant.
type bothClocks struct{ server, local time.Time }

func newClock() *clock {
	c := &clock{wall: time.Now}
	c.set(time.Time{}, c.wall())
	return c
}

// set notes what both clocks show. A server that does not tell its time has that of this process.
func (c *clock) set(server, local time.Time) {
	if server.IsZero() || server.Unix() <= 0 {
		server = local.Round(0)
	}
	c.last.Store(&bothClocks{server, local})
}

// server returns the earliest and the latest time that the server's clock may show. They differ if the clock of this
// process was set since both were noted, or if the machine was suspended, so that less time has passed for it.
func (c *clock) server() (early, late time.Time) {
	at, now := c.last.Load(), c.wall()
	passed, shown := now.Sub(at.local), now.Round(0).Sub(at.local.Round(0))
	return at.server.Add(min(passed, shown)), at.server.Add(max(passed, shown))
}

// now returns the time for what is written now.
func (c *clock) now() time.Time {
	_, late := c.server()
	if wall := c.wall(); wall.After(late) {
		return wall.Round(0)
	}
	return late
}

// before returns the time before which everything is old that is older than a time of this process.
func (c *clock) before(t time.Time) time.Time {
	early, _ := c.server()
	return t.Add(min(0, early.Sub(c.wall())))
}

// shared converts a time of this process into the earliest and the latest one that the server's clock may show then.
// Clocks that differ by less than a second count as equal.
func (c *clock) shared(t time.Time) (early, late time.Time) {
	early, late = c.server()
	wall := c.wall()
	return t.Add(early.Sub(wall).Truncate(time.Second)), t.Add(late.Sub(wall).Truncate(time.Second))
}

// started is when the process was, for times that no clock that is set changes.
var started = time.Now()

// uptime is the time since a while before that.
func uptime() time.Duration { return time.Since(started) + time.Hour }
