package workers

import (
	"context"
	"errors"
	"time"

	"plat/queue"
)

// hold processes a lease and keeps it alive with heartbeats. It returns the next lease, if
// one came with the settlement.
//
// The job's context ends some time before a second worker can lease the host, by this
// machine's clock counted from before the last heartbeat was sent: even if Redis is
// unreachable, no visit continues under a lease that has expired.
func (c *Crew) hold(ctx context.Context, l *queue.Lease, drain <-chan struct{}) (next *queue.Lease) {
	crew := ctx
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
				every = ttl / 20 // until it succeeds or the lease is lost
			}
		}
	}()
	c.o.Metrics.underway.Inc()
	c.visits.Add(1)
	next = c.settle(ctx, l, c.job(ctx, l), func() bool { return c.goesOn(crew, drain) })
	c.queue.Over(l)
	c.visits.Add(-1)
	c.o.Metrics.underway.Dec()
	end(nil)
	death.Stop()
	<-beating
	return next
}

// verdict ends a lease according to the job's result. If a next one is wanted, it may take
// one in the same step.
type verdict func(ctx context.Context, wanted bool) (next *queue.Lease, err error)

// settle ends the lease. While Redis is unreachable it retries until the lease is
// lost; then the next worker finds the job settled in the archive. It returns the next
// lease, if one came with it.
func (c *Crew) settle(ctx context.Context, l *queue.Lease, v verdict, goesOn func() bool) *queue.Lease {
	lost := func() {
		c.o.Metrics.lost.Inc()
		c.o.Log.Warn("lease lost", "url", l.URL)
	}
	if ctx.Err() != nil {
		if errors.Is(context.Cause(ctx), queue.ErrLost) {
			lost()
			return nil
		}
		// Shutting down: release the host now.
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
	}
	for pause := 50 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		next, err := v(ctx, goesOn())
		switch {
		case err == nil:
			return next
		case errors.Is(err, queue.ErrLost), errors.Is(context.Cause(ctx), queue.ErrLost):
			lost()
			return nil
		case !sleep(ctx, nil, pause):
			return nil
		}
	}
}
