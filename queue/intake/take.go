package intake

import (
	"context"
	"fmt"
	"time"

	"plat/plat"
	"plat/storage"
)

// Store is the part of an archive that Take uses; see [storage.Jobs].
type Store interface {
	Enlist(ctx context.Context, jobs []plat.Job, how storage.Intake) (storage.Enlisted, error)
}

// Frontier is the part of a queue that receives new jobs; see [queue.Queue].
type Frontier interface {
	Now(ctx context.Context) (time.Time, error)
	Offer(ctx context.Context, jobs []plat.Job) error
	Announce(ctx context.Context, hosts map[string]float32) error
}

// Take schedules visits of seeds, including known URLs: they are added to the archive, so that
// they survive the loss of the frontier, and then offered to the frontier. A zero Due is now, by
// Redis' clock. It returns how many had no job before. It is idempotent: after an error, all seeds
// may be given again.
func Take(ctx context.Context, s Store, q Frontier, jobs []plat.Job) (fresh int, err error) {
	if len(jobs) == 0 {
		return 0, nil
	}
	now, err := q.Now(ctx)
	if err != nil {
		return 0, fmt.Errorf("frontier: %w", err)
	}
	for i := range jobs {
		if jobs[i].Due.IsZero() {
			jobs[i].Due = now
		}
	}
	e, err := s.Enlist(ctx, jobs, storage.Seed)
	if err != nil {
		return 0, fmt.Errorf("enlist: %w", err)
	}
	if err := tell(ctx, q, e.Jobs); err != nil {
		return e.New, fmt.Errorf("frontier: %w", err)
	}
	return e.New, nil
}

// tell offers jobs that are in the archive to the frontier.
func tell(ctx context.Context, q Frontier, jobs []plat.Job) error {
	if len(jobs) <= maxOffer {
		return q.Offer(ctx, jobs)
	}
	hosts := map[string]float32{}
	for i := range jobs {
		host := plat.HostOf(jobs[i].URL)
		hosts[host] = max(hosts[host], jobs[i].Priority)
	}
	return q.Announce(ctx, hosts)
}

// maxOffer is the number of jobs that are offered one by one. Of more, most do not
// belong into the window.
const maxOffer = 50

// NoFrontier replaces a frontier where there is none: a loader finds the jobs in the archive later.
type NoFrontier struct{}

// Now returns the time by this machine's clock.
func (NoFrontier) Now(context.Context) (time.Time, error) { return time.Now().UTC(), nil }

// Offer does nothing.
func (NoFrontier) Offer(context.Context, []plat.Job) error { return nil }

// Announce does nothing.
func (NoFrontier) Announce(context.Context, map[string]float32) error { return nil }
