package queue

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Collector is a [prometheus.Collector] of [Stats], read at every scrape.
type Collector struct {
	stats                                func(context.Context) (Stats, error)
	urls, size, hosts, inbox, up, events *prometheus.Desc
}

// NewCollector returns the collector of statistics that a function reads, such as [Queue.Stats], at
// every scrape and for at most statsLimit.
func NewCollector(stats func(context.Context) (Stats, error)) *Collector {
	return &Collector{
		stats:  stats,
		urls:   prometheus.NewDesc("plat_queue_urls", "URLs in the window of the frontier, by state.", []string{"state"}, nil),
		size:   prometheus.NewDesc("plat_queue_window_size", "Bound of queued URLs in the window.", nil, nil),
		hosts:  prometheus.NewDesc("plat_queue_hosts", "Hosts with URLs to visit, by state.", []string{"state"}, nil),
		inbox:  prometheus.NewDesc("plat_queue_inbox_entries", "Entries waiting in the inbox.", nil, nil),
		up:     prometheus.NewDesc("plat_queue_up", "1 if the frontier can be read.", nil, nil),
		events: prometheus.NewDesc("plat_queue_events_total", "Events since the frontier was created, by kind.", []string{"kind"}, nil),
	}
}

// statsLimit is the time limit for Redis' answer: by default Prometheus times out
// after ten seconds.
const statsLimit = 5 * time.Second

// Describe sends the descriptions of the metrics.
func (c *Collector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{c.urls, c.size, c.hosts, c.inbox, c.up, c.events} {
		ch <- d
	}
}

// Collect sends the statistics. If Redis does not answer, it sends only
// plat_queue_up.
func (c *Collector) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), statsLimit)
	defer cancel()
	s, err := c.stats(ctx)
	if err != nil {
		ch <- prometheus.MustNewConstMetric(c.up, prometheus.GaugeValue, 0)
		return
	}
	gauge := func(d *prometheus.Desc, n int64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, float64(n), labels...)
	}
	gauge(c.up, 1)
	gauge(c.inbox, s.Inbox)
	gauge(c.urls, s.Queued, "queued")
	gauge(c.urls, s.Leased, "leased")
	gauge(c.size, s.Size)
	gauge(c.hosts, s.ReadyHosts, "ready")
	gauge(c.hosts, s.WaitingHosts, "waiting")
	for kind, n := range map[string]int64{
		"added": s.Added, "leased": s.Leases, "done": s.Done, "retried": s.Retried, "slowed": s.Slowed, "put_off": s.PutOff,
		"returned": s.Returned, "buried": s.Buried, "expired": s.Expired, "too_late": s.TooLate,
	} {
		ch <- prometheus.MustNewConstMetric(c.events, prometheus.CounterValue, float64(n), kind)
	}
}
