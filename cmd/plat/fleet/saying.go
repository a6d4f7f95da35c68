package fleet

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"plat/cmd/plat/app"
	"plat/cmd/plat/output"
	"plat/plat"
	"plat/queue"
	"plat/storage"
	"plat/workers"
	"plat/workers/batch"
)

// A speaker prints what a crew does.
type speaker struct {
	*app.App
	visits atomic.Int64
}

// visited prints an attempt at a job.
func (s *speaker) visited(v workers.Visited) {
	s.visits.Add(1)
	if v.Kind != plat.RenderJob {
		if !s.Quiet && !s.JSON {
			s.Out.Print(output.Fetched(s.Out, v.URL, v.Report.Duration, v.Report.Links))
		}
		return
	}
	p := batch.PageOf(v.Report, v.Tries, v.Err)
	if v.Again && !s.JSON {
		p.Error += "; it is tried again"
	}
	_ = output.PrintPage(s.Out, &p, s.Quiet, s.JSON) // a fleet outlives the reader of its output
}

// idleEvery is the interval between two checks whether the crew is idle.
const idleEvery = time.Second

// watchIdle says when everything that is due is visited, each time, until stop is called.
func (s *speaker) watchIdle(ctx context.Context, crew *workers.Crew, q *queue.Queue, store storage.Jobs) (stop func()) {
	if s.Quiet {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() {
		said, since := int64(-1), 0
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(idleEvery):
			}
			n := s.visits.Load()
			if said == n {
				continue
			}
			if !isIdle(ctx, crew, q, store) {
				since = 0
				continue
			}
			// The frontier may be about to bring jobs in.
			if since++; since < 2 {
				continue
			}
			now, err := q.Now(ctx)
			if err != nil {
				continue
			}
			said, since = n, 0
			s.Out.Progress("")
			fmt.Fprintf(s.Stderr, "plat: %s\n", output.Idle(now, crew.Next()))
		}
	})
	return func() {
		cancel()
		running.Wait()
	}
}

// isIdle reports whether no job is due.
func isIdle(ctx context.Context, crew *workers.Crew, q *queue.Queue, store storage.Jobs) bool {
	if crew.Underway() > 0 || crew.Ready() != nil {
		return false
	}
	now, err := q.Now(ctx)
	if err != nil {
		return false
	}
	c, err := store.Counts(ctx, now)
	return err == nil && c.Backlog+c.Due == 0
}
