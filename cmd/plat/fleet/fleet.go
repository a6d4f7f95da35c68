// Package fleet is the commands of plat that have to do with visits again and again:
// crawls that end (crawl), workers and the service beside them (up, worker, serve, health), the frontier that they
// take URLs from (enqueue, queue, traps), and when URLs are visited (schedule, simulate).
package fleet

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"plat/cmd/plat/app"
	"plat/queue"
)

// Commands are the commands of a fleet.
func Commands(a *app.App) []*cobra.Command {
	return []*cobra.Command{
		crawlCommand(a), upCommand(a), workerCommand(a), serveCommand(a), healthCommand(a),
		enqueueCommand(a), queueCommand(a), trapsCommand(a),
		scheduleCommand(a), simulateCommand(a),
	}
}

// A frontier is the source of jobs: a shared Redis, or one of our own.
type frontier struct {
	url string
	own *queue.Server // nil: it is shared
}

// alone reports whether this process has the frontier to itself.
func (f frontier) alone() bool { return f.own != nil }

// openQueue opens a frontier.
func openQueue(ctx context.Context, a *app.App, f frontier) (*queue.Queue, error) {
	log, err := a.Logger(a.Stderr)
	if err != nil {
		return nil, err
	}
	o, err := a.QueueOptions(f.url, log)
	if err != nil {
		return nil, err
	}
	if f.own != nil {
		o.Dial = f.own.Dial
	}
	q, err := queue.Open(ctx, o)
	if errors.Is(err, queue.ErrConfig) {
		return nil, app.Fail(app.ExitUsage, "%w", err)
	}
	if err != nil {
		return nil, app.Fail(app.ExitStore, "%w", err)
	}
	return q, nil
}

// withQueue runs f on the frontier that --redis names.
func withQueue(ctx context.Context, a *app.App, f func(*queue.Queue) error) error {
	q, err := openQueue(ctx, a, frontier{url: a.Redis})
	if err != nil {
		return err
	}
	defer q.Close()
	return f(q)
}

// withClock runs f on the frontier that --redis names, nil without --redis, at the clock by which
// visits are due: that of Redis, or of this machine.
func withClock(ctx context.Context, a *app.App, f func(q *queue.Queue, now time.Time) error) error {
	if a.Redis == "" {
		return f(nil, time.Now().UTC())
	}
	return withQueue(ctx, a, func(q *queue.Queue) error {
		now, err := q.Now(ctx)
		if err != nil {
			return app.Fail(app.ExitStore, "%w", err)
		}
		return f(q, now)
	})
}
