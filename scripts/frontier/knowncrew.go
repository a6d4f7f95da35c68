package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"plat/plat"
	"plat/queue"
	"plat/queue/redistest"
	"plat/queue/window"
)

// A knownCrew is a frontier in a Redis, its loader, and workers whose visits take no
// time. It works like workers.Crew, without visits.
type knownCrew struct {
	store  knownStore
	redis  *redistest.Server
	queue  *queue.Queue
	loader *window.Loader
	notes  *window.Leases
	bell   chan struct{}
	began  time.Time

	loads  context.CancelFunc // ends the loader
	stop   context.CancelFunc // ends all
	all    sync.WaitGroup
	loaded chan struct{} // the loader has ended

	write   atomic.Bool // visits are written to the archive
	settled atomic.Int64
	lost    atomic.Int64 // leases
	twice   atomic.Int64 // jobs that the archive had settled
	firstAt atomic.Int64 // of the first lease, Unix ns
	holdEnd atomic.Int64 // when the previous leases end, Unix ns

	failed chan error // the first failure
}

// newKnownCrew connects to a Redis and starts to work.
func newKnownCrew(ctx context.Context, o *knownOptions, s knownStore, r *redistest.Server) (*knownCrew, error) {
	c := &knownCrew{store: s, redis: r, bell: make(chan struct{}, o.workers), began: time.Now(), failed: make(chan error, 1), loaded: make(chan struct{})}
	var err error
	if c.queue, err = queue.Open(ctx, queue.Options{URL: r.URL(), Size: o.window, TTL: o.ttl}); err != nil {
		return nil, err
	}
	log := slog.New(slog.DiscardHandler)
	c.loader = window.NewLoader(s, c.queue, nil, log, c.ring)
	c.notes = window.NewLeases(s, "bench", c.queue.Hold(), log)
	ctx, c.stop = context.WithCancel(ctx)
	loads, stop := context.WithCancel(ctx)
	c.loads = stop
	go func() {
		defer close(c.loaded)
		c.loader.Run(loads)
	}()
	c.all.Go(func() { c.notes.Keep(ctx) })
	for i := range o.workers {
		c.all.Go(func() { c.work(ctx, fmt.Sprint("bench-", i)) })
	}
	return c, nil
}

// close ends the workers, whose leases are then noted as ended.
func (c *knownCrew) close() {
	c.stop()
	c.all.Wait()
	<-c.loaded
	c.queue.Close()
}

func (c *knownCrew) ring() {
	for range cap(c.bell) {
		select {
		case c.bell <- struct{}{}:
		default:
			return
		}
	}
}

func (c *knownCrew) fail(err error) {
	select {
	case c.failed <- err:
	default:
	}
}

func (c *knownCrew) work(ctx context.Context, name string) {
	for ctx.Err() == nil {
		if !c.notes.May() {
			pause(ctx, 10*time.Millisecond)
			continue
		}
		l, wait, err := c.queue.Lease(ctx, name)
		switch {
		case ctx.Err() != nil:
		case errors.Is(err, queue.ErrNone):
			c.begin(ctx)
		case err != nil:
			c.fail(err)
			pause(ctx, 100*time.Millisecond)
		case l == nil:
			t := time.NewTimer(min(wait, time.Second) + rand.N(20*time.Millisecond))
			select {
			case <-t.C:
			case <-c.bell:
			case <-ctx.Done():
			}
			t.Stop()
		default:
			for l != nil {
				c.firstAt.CompareAndSwap(0, time.Now().UnixNano())
				c.notes.Taken()
				if l, err = c.settle(ctx, l, name); err != nil && ctx.Err() == nil {
					c.fail(err)
				}
			}
		}
	}
}

// take leases and settles n jobs, without a loader.
func (c *knownCrew) take(ctx context.Context, workers int, n int64) error {
	var left atomic.Int64
	left.Store(n)
	errs := make([]error, workers)
	var all sync.WaitGroup
	for i := range workers {
		name := fmt.Sprint("bench-", i)
		all.Go(func() {
			var l *queue.Lease
			var err error
			for left.Add(-1) >= 0 && err == nil {
				if l == nil {
					l, _, err = c.queue.Lease(ctx, name)
				}
				switch {
				case err != nil:
				case l == nil:
					err = errors.New("the window is empty")
				default:
					l, err = c.queue.EndNext(ctx, l, queue.Finished, 0, name)
				}
			}
			if l != nil && err == nil {
				err = c.queue.Back(ctx, l, 0)
			}
			errs[i] = err
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// settle ends a lease, and returns the worker's next one, if there is one at once.
func (c *knownCrew) settle(ctx context.Context, l *queue.Lease, worker string) (next *queue.Lease, err error) {
	if c.write.Load() {
		v := plat.Visit{URL: l.URL, Time: l.Now, Outcome: plat.OutcomeUnchanged, Status: 200, Bytes: 20_000, Settles: l.Due, Next: l.Now.Add(builtAgain)}
		err := c.store.Record(ctx, v, 20_000)
		if errors.Is(err, plat.ErrSettled) {
			c.twice.Add(1) // refused, as it must be: the window had it twice, one after the other
		} else if err != nil {
			return nil, err
		}
	}
	if c.notes.May() && ctx.Err() == nil {
		next, err = c.queue.EndNext(ctx, l, queue.Finished, 0, worker)
	} else {
		err = c.queue.Done(ctx, l, 0)
	}
	switch {
	case errors.Is(err, queue.ErrLost):
		c.lost.Add(1)
		return nil, nil
	case err != nil:
		return nil, err
	}
	c.settled.Add(1)
	return next, nil
}

func (c *knownCrew) begin(ctx context.Context) {
	hold, err := c.notes.Held(ctx)
	if err != nil {
		c.fail(err)
		return
	}
	begun, err := c.queue.Begin(ctx, hold)
	if err != nil && ctx.Err() == nil {
		c.fail(err)
		return
	}
	if begun {
		c.holdEnd.Store(time.Now().Add(hold).UnixNano())
		c.firstAt.Store(0)
		c.loader.Nudge()
	}
}

// A knownRow is a moment of a crawl.
type knownRow struct {
	At      float64 `json:"at_s"`
	Settled int64   `json:"settled"`
	Rate    float64 `json:"per_s"`    // lease and ack, since the row before
	Memory  int64   `json:"redis_mb"` // used_memory
	Queued  int64   `json:"queued"`
	Hosts   int64   `json:"hosts"`
	Redis   float64 `json:"redis_cpu"` // share of a core
	Client  float64 `json:"client_cpu"`

	redis, client float64 // s of CPU so far
	time          time.Time
}

// row reads where the crawl is.
func (c *knownCrew) row(ctx context.Context, before *knownRow) (r knownRow, err error) {
	info, err := c.redis.Info(ctx, "memory")
	if err != nil {
		return r, err
	}
	bytes, _ := strconv.ParseInt(info["used_memory"], 10, 64)
	if r.redis, r.client, err = c.cpu(ctx); err != nil {
		return r, err
	}
	s, err := c.queue.Stats(ctx)
	if err != nil {
		return r, err
	}
	r.time, r.Settled = time.Now(), c.settled.Load()
	r.At, r.Memory, r.Queued, r.Hosts = r.time.Sub(c.began).Seconds(), bytes>>20, s.Queued, s.Hosts
	if before != nil {
		spent := r.time.Sub(before.time).Seconds()
		r.Rate = float64(r.Settled-before.Settled) / spent
		r.Redis, r.Client = (r.redis-before.redis)/spent, (r.client-before.client)/spent
	}
	select {
	case err = <-c.failed:
	default:
	}
	return r, err
}

// cpu is the CPU time of Redis and of this process, in seconds.
func (c *knownCrew) cpu(ctx context.Context) (ofRedis, own float64, err error) {
	info, err := c.redis.Info(ctx, "cpu")
	for _, name := range []string{"used_cpu_sys", "used_cpu_user"} {
		n, _ := strconv.ParseFloat(info[name], 64)
		ofRedis += n
	}
	var u syscall.Rusage
	if err == nil {
		err = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	}
	return ofRedis, time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds(), err
}
