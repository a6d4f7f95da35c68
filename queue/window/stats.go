package window

import (
	"context"
	"encoding/json"
	"time"

	"github.com/prometheus/client_golang/prometheus"

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

// ReadStats reads the statistics of a frontier and, if it is not nil, its archive.
func ReadStats(ctx context.Context, q *queue.Queue, archive Counter) (s Stats, err error) {
	if s.Stats, err = q.Stats(ctx); err != nil || archive == nil {
		return s, err
	}
	c, err := archive.Counts(ctx, time.Now())
	s.Jobs = &c
	return s, err
}

// FleetCounter counts the jobs of an archive for a whole fleet: once in [CountEvery], whoever asks.
type FleetCounter struct {
	Queue   *queue.Queue
	Archive Counter
}

// CountEvery is the longest age of counts that a fleet shares.
const CountEvery = 10 * time.Second

// Counts returns counts that a process of the fleet made, or makes them.
func (f FleetCounter) Counts(ctx context.Context, now time.Time) (c storage.JobCounts, err error) {
	text, err := f.Queue.Shared(ctx, "jobs", CountEvery, countLimit, func(ctx context.Context) (string, error) {
		c, err := f.Archive.Counts(ctx, now)
		if err != nil {
			return "", err
		}
		text, err := json.Marshal(c)
		return string(text), err
	})
	if err == nil {
		err = json.Unmarshal([]byte(text), &c)
	}
	return c, err
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
