package workers

import (
	"context"
	"errors"
	"time"

	"plat/queue"
)

// hold works on a lease while heartbeats keep it.
//
// The context of the work ends some time before anybody else may have the host,
// by this machine's clock counted from before the last heartbeat was sent: even
// if Redis cannot be asked, nobody visits under a lease that has passed on.
func (c *Crew) hold(ctx context.Context, l *queue.Lease) {
	ctx, end := context.WithCancelCause(ctx)
	ttl := c.queue.TTL()
	margin := ttl / 4
	death := time.AfterFunc(time.Until(l.Granted.Add(ttl-margin)), func() { end(queue.ErrLost) })
	beating := make(chan struct{})
	go func() {
		defer close(beating)
		every := ttl / 5
		for sleep(ctx, nil, every) {
			asked := time.Now()
			limit, cancel := context.WithTimeout(ctx, ttl/4)
			err := c.queue.Beat(limit, l)
			cancel()
			switch {
			case err == nil:
				every = ttl / 5
				death.Reset(time.Until(asked.Add(ttl - margin)))
			case errors.Is(err, queue.ErrLost):
				end(queue.ErrLost)
			default:
				every = ttl / 20 // until it works or death comes
			}
		}
	}()
	c.o.Metrics.underway.Inc()
	c.settle(ctx, l, c.job(ctx, l))
	c.o.Metrics.underway.Dec()
	end(nil)
	death.Stop()
	<-beating
}

// verdict ends a lease, as the job's end has it.
type verdict func(context.Context) error

// settle ends the lease. While Redis cannot be reached it is tried again until
// the lease is lost; then another worker finds the job settled in the archive.
func (c *Crew) settle(ctx context.Context, l *queue.Lease, v verdict) {
	lost := func() {
		c.o.Metrics.lost.Inc()
		c.o.Log.Warn("lease lost", "url", l.URL)
	}
	if ctx.Err() != nil {
		if errors.Is(context.Cause(ctx), queue.ErrLost) {
			lost()
			return
		}
		// We are leaving: nobody else need wait for this host.
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
	}
	for pause := 50 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		err := v(ctx)
		switch {
		case err == nil:
			return
		case errors.Is(err, queue.ErrLost):
			lost()
			return
		case !sleep(ctx, nil, pause):
			return
		}
	}
}
