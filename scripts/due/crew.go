package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"plat/plat"
	"plat/queue"
	"plat/queue/redistest"
	"plat/queue/schedule"
	"plat/queue/window"
	"plat/storage"
	"plat/storage/sqlite"
)

// crew is a loader and workers. They work like workers.Crew, without visits.
type crew struct {
	*world
	store   *sqlite.Store
	queue   *queue.Queue
	redis   *redistest.Server
	planner *schedule.Planner
	loader  *window.Loader
	bell    chan struct{}
	visits  atomic.Int64
	found   atomic.Int64
	late    atomic.Int64 // put off by a worker
	failed  chan error   // the first failure
}

func newCrew(w *world, s *sqlite.Store, q *queue.Queue, r *redistest.Server) *crew {
	c := &crew{world: w, store: s, queue: q, redis: r, bell: make(chan struct{}, w.workers), failed: make(chan error, 1)}
	c.planner = &schedule.Planner{Share: q.Share, Day: w.day}
	c.loader = window.NewLoader(s, q, c.planner, slog.New(slog.DiscardHandler), func() {
		select {
		case c.bell <- struct{}{}:
		default:
		}
	})
	return c
}

// start has all work until the returned function is called.
func (c *crew) start(ctx context.Context) (end func()) {
	ctx, stop := context.WithCancel(ctx)
	var all sync.WaitGroup
	all.Go(func() { c.loader.Run(ctx) })
	for i := range c.workers {
		all.Go(func() {
			if err := c.work(ctx, fmt.Sprint("worker-", i)); err != nil && ctx.Err() == nil {
				select {
				case c.failed <- err:
				default:
				}
			}
		})
	}
	return func() { stop(); all.Wait() }
}

func (c *crew) work(ctx context.Context, name string) error {
	var l *queue.Lease
	for ctx.Err() == nil {
		rest := time.Duration(0)
		var err error
		if l == nil {
			l, rest, err = c.queue.Lease(ctx, name)
		}
		if err == nil && l != nil {
			l, err = c.visit(ctx, l, name)
		} else if err == nil {
			select {
			case <-time.After(min(rest, time.Second) + rand.N(20*time.Millisecond)):
			case <-c.bell:
			case <-ctx.Done():
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// visit makes the visit that a lease is for, unless it is put off, and returns the next lease.
func (c *crew) visit(ctx context.Context, l *queue.Lease, name string) (*queue.Lease, error) {
	st, err := c.store.State(ctx, l.URL)
	if err != nil {
		return nil, err
	}
	if !st.Settled.Before(l.Due) {
		return c.queue.EndNext(ctx, l, queue.Finished, 0, name)
	}
	m, err := plat.DecodeMemory(st.Memory)
	if err != nil {
		return nil, err
	}
	now := time.Now().UTC()
	v := &schedule.Visit{State: st, Due: l.Due, Time: now, Memory: m.Policy}
	shared, until, err := c.planner.Early(ctx, v)
	if err != nil {
		return nil, err
	}
	if !until.IsZero() {
		c.late.Add(1)
		if err := c.store.Defer(ctx, storage.Deferral{URL: l.URL, Due: l.Due, At: until}); err != nil {
			return nil, err
		}
		return c.queue.EndNext(ctx, l, queue.PutOff, 0, name)
	}
	changed := c.changed(numberOf(l.URL), float64(now.Sub(st.Last))/float64(c.day), now)
	after := &schedule.Visit{State: st, Due: l.Due, Time: now, Memory: m.Policy, Shared: shared}
	seen(after, changed)
	next, err := c.planner.Next(after)
	if err != nil {
		return nil, err
	}
	err = c.store.Record(ctx, plat.Visit{URL: l.URL, Time: now, Outcome: plat.OutcomeUnchanged, Settles: l.Due, Next: next.Due, Memory: plat.Memory{Policy: next.Memory}.Encode()}, 20_000)
	if err == nil {
		err = c.planner.Teach(ctx, v, next.Learned)
	}
	if errors.Is(err, plat.ErrSettled) {
		err = nil
	}
	if err != nil {
		return nil, err
	}
	if c.visits.Add(1); changed {
		c.found.Add(1)
	}
	return c.queue.EndNext(ctx, l, queue.Finished, 0, name)
}

func numberOf(url string) int {
	i, _ := strconv.Atoi(url[strings.LastIndexByte(url, '/')+1:])
	return i
}

// tally counts the work until some moment.
type tally struct {
	visits, found, late, putOff int64
	commands                    float64 // of Redis
	own, redis                  float64 // CPU, s
	memory                      float64 // of Redis, bytes
}

func (c *crew) tally(ctx context.Context) (t tally, err error) {
	info := map[string]string{}
	for _, section := range []string{"stats", "cpu", "memory"} {
		part, err := c.redis.Info(ctx, section)
		if err != nil {
			return t, err
		}
		for k, v := range part {
			info[k] = v
		}
	}
	number := func(name string) float64 { x, _ := strconv.ParseFloat(info[name], 64); return x }
	t.commands, t.memory = number("total_commands_processed"), number("used_memory")
	t.redis = number("used_cpu_sys") + number("used_cpu_user")
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return t, err
	}
	t.own = time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
	st, err := c.queue.Stats(ctx)
	t.visits, t.found, t.late, t.putOff = c.visits.Load(), c.found.Load(), c.late.Load(), st.PutOff
	return t, err
}

// lines is the number of printed lines.
const lines = 10

// watch prints the progress of the budget.
func (c *crew) watch(ctx context.Context) error {
	fmt.Printf("%d URLs of %d hosts, %s, %.0f visits a day, a day lasts %v\n\n", c.urls, c.hosts, c.policy, c.perDay(), c.day)
	fmt.Printf("%6s %9s %9s %9s %8s %8s %9s %9s %9s %9s %9s\n", "day", "visits", "in budget", "threshold", "found", "asked", "by worker", "commands", "Redis MB", "Redis ms", "plat ms")
	fmt.Printf("%6s %9s %9s %9s %8s %8s %9s %9s %9s %9s %9s\n", "", "", "", "", "", "a visit", "a visit", "a visit", "", "a visit", "a visit")
	page := &schedule.Visit{State: plat.URLState{URL: c.url(0), Plan: c.plan()}, Day: c.day}
	wait(ctx, c.warm) // until the threshold has settled
	first, err := c.tally(ctx)
	if err != nil {
		return err
	}
	began, was := time.Now(), first
	row := func(days float64, a, b tally) error {
		shared, err := c.queue.Share(ctx, page, schedule.Learned{})
		if err != nil {
			return err
		}
		threshold := "-"
		if shared != nil {
			threshold = fmt.Sprintf("%.3f", shared.Factor())
		}
		n := float64(b.visits - a.visits)
		fmt.Printf("%6.2f %9d %8.1f%% %9s %7.1f%% %8.2f %9.3f %9.1f %9.1f %9.3f %9.3f\n", days, b.visits, 100*float64(b.visits)/((days+c.warm.Seconds()/c.day.Seconds())*c.perDay()), threshold,
			100*float64(b.found-a.found)/n, float64(b.putOff-a.putOff)/n, float64(b.late-a.late)/n, (b.commands-a.commands)/n, b.memory/1e6, 1e3*(b.redis-a.redis)/n, 1e3*(b.own-a.own)/n)
		return nil
	}
	for line := range lines {
		select {
		case <-time.After(time.Until(began.Add(c.lasts * time.Duration(line+1) / lines))):
		case err := <-c.failed:
			return err
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		now, err := c.tally(ctx)
		if err == nil {
			err = row(float64(time.Since(began))/float64(c.day), was, now)
		}
		if err != nil {
			return err
		}
		was = now
	}
	fmt.Println("\nall of it:")
	return row(float64(c.lasts)/float64(c.day), first, was)
}
