package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"plat/plat"
	"plat/queue"
	"plat/queue/window"
	"plat/storage"
	"plat/storage/sqlite"
)

// crawl is an archive in SQLite, the embedded Redis with a clock of its own, and a
// loader. Visits take no time; a host rests for delay after each. So a crawl of hours
// takes as long as its steps, and depends on nothing that the machine does meanwhile.
type crawl struct {
	dir    string
	store  *sqlite.Store
	redis  *queue.Server
	queue  *queue.Queue
	loader *window.Loader

	begun, now time.Time
	next       time.Time // the loader's next tick
	delay      time.Duration
	clocks     map[string]time.Time // hosts must not be visited before
	tooSoon    int                  // visits before that
	twice      int                  // visits of jobs that were settled
	leases     int                  // requested
}

func newCrawl(ctx context.Context, size int, delay time.Duration) (c *crawl, err error) {
	c = &crawl{delay: delay, clocks: map[string]time.Time{}}
	defer func() {
		if err != nil {
			c.close()
		}
	}()
	if c.dir, err = os.MkdirTemp("", "plat-frontier-"); err != nil {
		return c, err
	}
	if c.store, err = sqlite.Open(filepath.Join(c.dir, "plat.db"), sqlite.Options{}); err != nil {
		return c, err
	}
	if c.redis, err = queue.Embed("127.0.0.1:0"); err != nil {
		return c, err
	}
	c.begun = time.Now().UTC().Truncate(time.Second)
	c.set(c.begun)
	if c.queue, err = queue.Open(ctx, queue.Options{URL: c.redis.URL(), Size: size}); err != nil {
		return c, err
	}
	_, err = c.queue.Begin(ctx, 0)
	c.loader = window.NewLoader(c.store, c.queue, nil, slog.New(slog.DiscardHandler), nil)
	c.next = c.now
	return c, err
}

func (c *crawl) close() {
	if c.queue != nil {
		c.queue.Close()
	}
	if c.redis != nil {
		c.redis.Close()
	}
	if c.store != nil {
		c.store.Close()
	}
	os.RemoveAll(c.dir)
}

func (c *crawl) set(now time.Time) {
	c.now = now
	c.redis.SetTime(now)
}

// enlist adds URLs to the archive as links are, and offers them to the frontier.
func (c *crawl) enlist(ctx context.Context, jobs []plat.Job) error {
	for i := range jobs {
		jobs[i].Due = c.now
	}
	e, err := c.store.Enlist(ctx, jobs, storage.IfNew)
	if err != nil {
		return err
	}
	return c.queue.Offer(ctx, e.Jobs)
}

// fill adds URLs to the archive before the crawl begins.
func (c *crawl) fill(ctx context.Context, jobs []plat.Job) error {
	for i := range jobs {
		jobs[i].Due = c.now
	}
	const batch = 20_000 // URLs per batch, as of a list
	for from := 0; from < len(jobs); from += batch {
		if _, err := c.store.Enlist(ctx, jobs[from:min(from+batch, len(jobs))], storage.Join); err != nil {
			return err
		}
	}
	return nil
}

// visit visits a URL and settles its job; empty if no URL can be visited.
func (c *crawl) visit(ctx context.Context) (url string, err error) {
	for !c.now.Before(c.next) {
		wait, err := c.loader.Tick(ctx)
		if err != nil {
			return "", err
		}
		c.next = c.next.Add(max(wait, time.Millisecond))
	}
	c.leases++
	l, _, err := c.queue.Lease(ctx, "w")
	if err != nil || l == nil {
		return "", err
	}
	if c.now.Before(c.clocks[l.Host]) {
		c.tooSoon++
	}
	c.clocks[l.Host] = c.now.Add(c.delay)
	v := plat.Visit{URL: l.URL, Time: c.now, Outcome: plat.OutcomeUnchanged, Settles: l.Due, Rest: c.delay}
	err = c.store.Record(ctx, v, 1)
	again := errors.Is(err, plat.ErrSettled)
	if again {
		c.twice++
	} else if err != nil {
		return "", err
	}
	if err := c.queue.Done(ctx, l, c.delay); err != nil {
		return "", err
	}
	if again {
		return "", nil
	}
	return l.URL, nil
}

// run visits at most rate URLs a second, until visited says that it is enough, or
// nothing can be visited for a minute.
func (c *crawl) run(ctx context.Context, rate int, visited func(url string) (more bool, err error)) error {
	credit, last := 0, c.now
	for {
		// Time goes by in whole milliseconds, as Redis' clock does.
		for credit += rate; credit >= 1000; credit -= 1000 {
			url, err := c.visit(ctx)
			if err != nil {
				return err
			}
			if url == "" {
				continue
			}
			last = c.now
			if more, err := visited(url); !more || err != nil {
				return err
			}
		}
		if c.now.Sub(last) > time.Minute {
			return nil
		}
		c.set(c.now.Add(time.Millisecond))
	}
}

// left returns the errors of a crawl.
func (c *crawl) left() error {
	if c.tooSoon > 0 || c.twice > 0 {
		return fmt.Errorf("%d visits came sooner than the host's delay, %d jobs were given out although they were settled", c.tooSoon, c.twice)
	}
	return nil
}
