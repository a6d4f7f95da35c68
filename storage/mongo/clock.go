package mongo

import (
	"sync/atomic"
	"time"
)

// clock tells the time of the server. What one process writes is removed by another one once it is old enough (see
// [Store.GC]), and clocks of machines differ: by hours, where one has a wrong time zone or no time service.
type clock struct {
	wall func() time.Time // of this process
	last atomic.Pointer[bothClocks]
}

// bothClocks is what both clocks showed at one instant.
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

// now returns the time of the server. If the clock of this process was set meanwhile, or has stood still during a
// suspension of the machine, the later one of both estimates holds: what is written too late is only kept longer.
func (c *clock) now() time.Time {
	at, now := c.last.Load(), c.wall()
	return at.server.Add(max(now.Sub(at.local), now.Round(0).Sub(at.local.Round(0))))
}

// fromLocal returns the time of the server at a time of this process.
func (c *clock) fromLocal(t time.Time) time.Time { return t.Add(c.now().Sub(c.wall())) }
