package workers

import (
	"github.com/prometheus/client_golang/prometheus"

	"plat/plat"
)

// Metrics counts a crew's work, for Prometheus. No label contains a URL or host,
// which would create too many series.
type Metrics struct {
	all []prometheus.Collector

	visits    *prometheus.CounterVec
	stages    *prometheus.HistogramVec
	underway  prometheus.Gauge
	skew      prometheus.Gauge
	skipped   prometheus.Counter
	versions  prometheus.Counter
	uncovered prometheus.Counter
	pageBytes prometheus.Counter
	stored    prometheus.Counter
	files     *prometheus.CounterVec
	links     prometheus.Counter
	seen      *prometheus.CounterVec
	refused   *prometheus.CounterVec
	spared    *prometheus.CounterVec
	lost      prometheus.Counter
	looks     prometheus.Counter
	found     *prometheus.CounterVec
	fresh     prometheus.Summary
	itself    *prometheus.CounterVec
	policies  prometheus.Counter
	repeated  prometheus.Counter
	rejected  prometheus.Counter
	outages   *prometheus.CounterVec
	robots    *prometheus.CounterVec
}

// NewMetrics returns counters at zero.
func NewMetrics() *Metrics {
	m := &Metrics{}
	counter := func(name, help string) prometheus.Counter {
		c := prometheus.NewCounter(prometheus.CounterOpts{Name: "plat_" + name, Help: help})
		m.all = append(m.all, c)
		return c
	}
	counters := func(name, help, label string) *prometheus.CounterVec {
		c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "plat_" + name, Help: help}, []string{label})
		m.all = append(m.all, c)
		return c
	}
	m.visits = counters("visits_total", "Visits finished, by outcome.", "outcome")
	m.stages = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "plat_visit_stage_seconds", Help: "Time that a visit spends in its stages; read and store are parts that also compare.",
		Buckets: []float64{.001, .003, .01, .03, .1, .3, 1, 3, 10, 30, 90},
	}, []string{"stage"})
	m.underway = prometheus.NewGauge(prometheus.GaugeOpts{Name: "plat_visits_in_progress", Help: "Jobs in progress."})
	m.skew = prometheus.NewGauge(prometheus.GaugeOpts{Name: "plat_clock_skew_seconds", Help: "How far this machine's clock is ahead of Redis'."})
	m.all = append(m.all, m.stages, m.underway, m.skew)
	m.skipped = counter("visits_skipped_total", "Visits among them that were found unchanged without rendering.")
	m.versions = counter("versions_stored_total", "Versions stored.")
	m.uncovered = counter("low_coverage_total", "Visits of pages with more than 2 % of the laid-out text outside of all blocks.")
	m.pageBytes = counter("page_bytes_total", "Bytes of the pages visited, as HTML.")
	m.stored = counter("stored_bytes_total", "Bytes written for them: blocks, layouts, versions.")
	m.files = counters("stored_files_bytes_total", "Bytes written for pictures and resources of pages.", "kind")
	m.links = counter("links_found_total", "Unknown URLs found.")
	m.seen = counters("links_total", "Links in scope, by who knew their URLs: this worker's cache, the archive, or nobody (new).", "known")
	m.refused = counters("links_refused_total", "Links in scope that are not followed, or under another address: by rule (repeats, segments, length, order, max-urls, address).", "rule")
	m.spared = counters("visits_spared_total", "Visits that were not made: of another address of a known page (address, redirect), and of URLs whose pattern brings little (barren).", "reason")
	m.found = counters("visits_found_total", "Visits of pages that were archived before, by what they found as policies count it (news, nothing). Failed ones are not among them.", "found")
	m.fresh = prometheus.NewSummary(prometheus.SummaryOpts{Name: "plat_visit_freshness", Help: "Chance, as believed before a visit, that the page is as the last visit left it; sum by count is the mean."})
	m.all = append(m.all, m.fresh)
	m.looks = counter("second_looks_total", "More looks at a page that has changed, to see what it changes by itself.")
	m.itself = counters("changes_by_itself_total", "Changes that pages make by themselves, by kind; no version is stored for them alone.", "kind")
	m.lost = counter("leases_lost_total", "Leases that passed to another worker before they were settled.")
	m.policies = counter("policy_failures_total", "Visits whose schedule's policy failed; a fixed interval was used instead.")
	m.repeated = counter("jobs_repeated_total", "Jobs leased again that were already settled.")
	m.rejected = counter("inbox_rejected_total", "Invalid entries of the inbox.")
	m.outages = counters("outages_total", "Times that a service was unreachable, or resources ran short.", "what")
	m.robots = counters("robots_total", "Requests for a robots.txt, by result.", "access")
	return m
}

// Describe implements prometheus.Collector.
func (m *Metrics) Describe(ch chan<- *prometheus.Desc) {
	for _, c := range m.all {
		c.Describe(ch)
	}
}

// Collect implements prometheus.Collector.
func (m *Metrics) Collect(ch chan<- prometheus.Metric) {
	for _, c := range m.all {
		c.Collect(ch)
	}
}

func (m *Metrics) visited(r *Report) {
	m.visits.WithLabelValues(string(r.Outcome)).Inc()
	for stage, s := range r.Stages {
		m.stages.WithLabelValues(stage).Observe(s)
	}
	if r.PolicyError != nil {
		m.policies.Inc()
	}
	if r.Skipped {
		m.skipped.Inc()
	}
	if r.Blocks > 0 && r.Coverage < plat.LowCoverage {
		m.uncovered.Inc()
	}
	if r.Stored {
		m.versions.Inc()
	}
	if r.Found != "" && !r.Repeated && !r.Retry {
		m.found.WithLabelValues(r.Found).Inc()
		if r.Fresh >= 0 {
			m.fresh.Observe(r.Fresh)
		}
	}
	m.looks.Add(float64(r.Looks))
	for kind, n := range r.SelfChanges {
		m.itself.WithLabelValues(string(kind)).Add(float64(n))
	}
	m.pageBytes.Add(float64(r.PageBytes))
	m.stored.Add(float64(r.StoredBytes))
	m.files.WithLabelValues("picture").Add(float64(r.Pictures))
	m.files.WithLabelValues("resource").Add(float64(r.Resources))
	m.links.Add(float64(r.Links))
}
