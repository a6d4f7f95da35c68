package workers_test

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"plat/fixtures"
	"plat/plat"
	"plat/workers"
)

// Visits are counted by the news that a policy sees, and with its probability.
func TestVisitsAreCountedByWhatTheyFound(t *testing.T) {
	one := fixtures.Snapshot(t, "site-1")
	two := edit(t, fixtures.Snapshot(t, "site-2"), "three weeks", "four weeks")
	gone := *one
	gone.Status = 404
	broken := *one
	broken.Status = 500
	w := newTown(t, nil)
	o := quick
	o.Metrics = workers.NewMetrics()
	registry := prometheus.NewRegistry()
	registry.MustRegister(o.Metrics)
	for _, snap := range []*plat.Snapshot{one, two, two, &broken, &gone, &gone} { // first, news, nothing, failed, news, nothing
		w.show = func(string) *plat.Snapshot { return snap }
		w.enqueue(plat.Job{URL: daily, Plan: plat.Plan{Schedule: plat.Schedule{Budget: "9/day"}}})
		w.work(w.crew(o))
	}
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	found, known := map[string]float64{}, uint64(0)
	for _, f := range families {
		switch f.GetName() {
		case "plat_visits_found_total":
			for _, m := range f.GetMetric() {
				found[m.GetLabel()[0].GetValue()] = m.GetCounter().GetValue()
			}
		case "plat_visit_freshness":
			s := f.GetMetric()[0].GetSummary()
			if known = s.GetSampleCount(); s.GetSampleSum() < 0 || s.GetSampleSum() > float64(known) {
				t.Errorf("%d visits with chances of %v in sum", known, s.GetSampleSum())
			}
		}
	}
	if found["news"] != 2 || found["nothing"] != 2 || len(found) != 2 || known == 0 || known > 4 {
		t.Errorf("found %v, %d with a belief", found, known)
	}
}
