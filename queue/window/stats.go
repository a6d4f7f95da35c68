package window

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"plat/plat"
	"plat/queue"
	"plat/storage"
)

// Stats are the statistics of a frontier: its window, and the list of all jobs in the archive.
type Stats struct {
	queue.Stats
	Jobs *storage.JobCounts `json:"jobs,omitempty"` // nil: not read from the archive
}

// Counter counts the jobs of an archive; see [storage.Jobs].
type Counter interface {
	Counts(ctx context.Context, now time.Time) (storage.JobCounts, error)
}

// Records is the part of a store that statistics use: its counts and the states of its URLs.
type Records interface {
	Counter
	State(ctx context.Context, url string) (plat.URLState, error)
}

// ReadStats reads the statistics of a frontier and, if it is not nil, its archive.
func ReadStats(ctx context.Context, q *queue.Queue, archive Records) (s Stats, err error) {
	if s.Stats, err = q.Stats(ctx); err != nil || archive == nil {
		return s, err
	}
	if err := withoutSettled(ctx, q, archive, &s.Stats); err != nil {
		return s, err
	}
	c, err := archive.Counts(ctx, time.Now())
	s.Jobs = &c
	return s, err
}

// A worker that crashes between the settlement of a job in the archive and the end of its lease
// leaves its lease behind. The lease ends by itself later; until then, the state of the URL shows that
// the job is settled. ReadStats reads the states of the oldest leases, mostStates at most; it skips leases
// younger than settledAge, because most visits are shorter.
const (
	settledAge = 5 * time.Second
	mostStates = 100 // URLs whose state is read
)

// Underway returns the jobs that are being visited: the leased ones, sorted by worker and host,
// without those that the archive has settled.
func Underway(ctx context.Context, q *queue.Queue, archive Records) ([]queue.Held, error) {
	all, err := q.Held(ctx)
	if err != nil {
		return nil, err
	}
	now, err := q.Now(ctx)
	if err != nil {
		return nil, err
	}
	old := slices.DeleteFunc(slices.Clone(all), func(h queue.Held) bool { return now.Sub(h.Since) < settledAge || h.Due.IsZero() })
	if len(old) == 0 {
		return all, nil
	}
	slices.SortFunc(old, func(a, b queue.Held) int { return a.Since.Compare(b.Since) })
	old = old[:min(len(old), mostStates)]
	var settled []pastLease
	if f, is := archive.(FleetCounter); is {
		settled, err = f.settled(ctx, old)
	} else {
		settled, err = settledOf(ctx, archive, old)
	}
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(h queue.Held) bool { return slices.Contains(settled, leaseOf(h)) }), nil
}

// pastLease identifies a lease whose job is settled: a later lease of its URL begins later.
type pastLease struct {
	URL   string `json:"url"`
	Since int64  `json:"since"` // ms
}

func leaseOf(h queue.Held) pastLease { return pastLease{h.URL, h.Since.UnixMilli()} }

// settledOf returns those of some leases whose jobs the archive has settled.
func settledOf(ctx context.Context, archive Records, held []queue.Held) (settled []pastLease, err error) {
	for _, h := range held {
		switch state, err := archive.State(ctx, h.URL); {
		case errors.Is(err, plat.ErrNotFound):
		case err != nil:
			return nil, err
		case !state.Settled.Before(h.Due):
			settled = append(settled, leaseOf(h))
		}
	}
	return settled, nil
}

// withoutSettled corrects the number of URLs being visited and the age of the oldest lease, unless all
// leases are young.
func withoutSettled(ctx context.Context, q *queue.Queue, archive Records, s *queue.Stats) error {
	if s.Oldest() < settledAge {
		return nil
	}
	all, err := Underway(ctx, q, archive)
	if err != nil {
		return err
	}
	now, err := q.Now(ctx)
	if err != nil {
		return err
	}
	s.Leased, s.OldestMS = int64(len(all)), 0
	for _, h := range all {
		s.OldestMS = max(s.OldestMS, now.Sub(h.Since).Milliseconds())
	}
	return nil
}

// StatsOf returns a function that reads the statistics of a queue as ReadStats does, without the
// archive's counts. If the archive does not answer, it counts the jobs that are settled, too.
func StatsOf(q *queue.Queue, archive Records) func(context.Context) (queue.Stats, error) {
	return func(ctx context.Context) (queue.Stats, error) {
		s, err := q.Stats(ctx)
		if err != nil {
			return s, err
		}
		if corrected := s; withoutSettled(ctx, q, archive, &corrected) == nil {
			s = corrected
		}
		return s, nil
	}
}

// FleetCounter counts the jobs of an archive. All processes of a fleet that use it share one result, which one of them
// makes anew after [CountEvery]. Likewise they share which old leases are of settled jobs, for settledAge.
type FleetCounter struct {
	Queue   *queue.Queue
	Archive Records
}

// State returns the state of a URL in the archive.
func (f FleetCounter) State(ctx context.Context, url string) (plat.URLState, error) {
	return f.Archive.State(ctx, url)
}

// CountEvery is the longest age of counts that a fleet shares.
const CountEvery = 10 * time.Second

// Counts returns counts that a process of the fleet made, or makes them.
func (f FleetCounter) Counts(ctx context.Context, now time.Time) (c storage.JobCounts, err error) {
	return shared(ctx, f.Queue, "jobs", CountEvery, func(ctx context.Context) (storage.JobCounts, error) { return f.Archive.Counts(ctx, now) })
}

// settled returns those of some leases whose jobs were settled when a process of the fleet asked the
// archive.
func (f FleetCounter) settled(ctx context.Context, held []queue.Held) (settled []pastLease, err error) {
	return shared(ctx, f.Queue, "settled", settledAge, func(ctx context.Context) ([]pastLease, error) { return settledOf(ctx, f.Archive, held) })
}

// shared returns what f returned to a process of the fleet at most fresh ago, or calls it; see
// [queue.Queue.Shared].
func shared[T any](ctx context.Context, q *queue.Queue, name string, fresh time.Duration, f func(context.Context) (T, error)) (v T, err error) {
	text, err := q.Shared(ctx, name, fresh, countLimit, func(ctx context.Context) (string, error) {
		v, err := f(ctx)
		if err != nil {
			return "", err
		}
		text, err := json.Marshal(v)
		return string(text), err
	})
	if err == nil {
		err = json.Unmarshal([]byte(text), &v)
	}
	return v, err
}

// Collector is a [prometheus.Collector] of an archive's jobs.
type Collector struct {
	archive Counter
	jobs    *prometheus.Desc
	hosts   *prometheus.Desc
}

// NewCollector returns the collector of an archive.
func NewCollector(archive Counter) *Collector {
	return &Collector{
		archive: archive,
		jobs:    prometheus.NewDesc("plat_jobs", "URLs with a job in the archive, by state: backlog (never visited), due, later; and dead ones.", []string{"state"}, nil),
		hosts:   prometheus.NewDesc("plat_jobs_hosts", "Hosts with jobs in the archive.", nil, nil),
	}
}

// countLimit is the time limit for the archive's answer: by default Prometheus times
// out after ten seconds.
const countLimit = 5 * time.Second

// Describe sends the descriptions of the metrics.
func (c *Collector) Describe(ch chan<- *prometheus.Desc) {
	ch <- c.jobs
	ch <- c.hosts
}

// Collect sends the counts, or nothing if the archive does not respond.
func (c *Collector) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), countLimit)
	defer cancel()
	n, err := c.archive.Counts(ctx, time.Now())
	if err != nil {
		return
	}
	for state, n := range map[string]int64{"backlog": n.Backlog, "due": n.Due, "later": n.Later, "dead": n.Dead} {
		ch <- prometheus.MustNewConstMetric(c.jobs, prometheus.GaugeValue, float64(n), state)
	}
	ch <- prometheus.MustNewConstMetric(c.hosts, prometheus.GaugeValue, float64(n.Hosts))
}
