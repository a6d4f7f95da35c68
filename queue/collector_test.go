package queue

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"plat/plat"
)

// gathered returns the metrics of a scrape, by name and value of the only label.
func gathered(t *testing.T, q *Queue) map[string]float64 {
	t.Helper()
	r := prometheus.NewPedanticRegistry()
	r.MustRegister(NewCollector(q.Stats))
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			name := f.GetName()
			for _, l := range m.GetLabel() {
				name += " " + l.GetValue()
			}
			all[name] = m.GetGauge().GetValue() + m.GetCounter().GetValue()
		}
	}
	return all
}

func TestCollector(t *testing.T) {
	s, err := Embed("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	q := begun(t, s.URL(), nil)
	add(t, q, plat.Job{URL: "https://a.test/1"}, plat.Job{URL: "https://a.test/2"}, plat.Job{URL: "https://b.test/"})
	all := gathered(t, q)
	for name, want := range map[string]float64{
		"plat_queue_up": 1, "plat_queue_urls queued": 3, "plat_queue_urls leased": 0, "plat_queue_window_size": 2000, "plat_queue_hosts ready": 2, "plat_queue_events_total added": 3, "plat_queue_inbox_entries": 0,
	} {
		if got, ok := all[name]; !ok || got != want {
			t.Errorf("%s is %v (present: %v), want %v", name, got, ok, want)
		}
	}

	q.Close()
	if all := gathered(t, q); len(all) != 1 || all["plat_queue_up"] != 0 {
		t.Errorf("without Redis: %v, want only plat_queue_up 0", all)
	}
}
