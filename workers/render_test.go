package workers_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"plat/browser/egress"
	"plat/plat"
	"plat/workers"
)

// guarded sends requests for one name to the site, and all other requests through the guard.
type guarded struct {
	*town
	client *http.Client
}

func (g guarded) Do(r *http.Request) (*http.Response, error) {
	if strings.HasSuffix(r.URL.Hostname(), ".test") {
		return g.town.Do(r)
	}
	return g.client.Do(r)
}

// An address that the guard refuses stays refused: it is requested once, and does not count as a failure of
// the host.
func TestARefusedAddressIsVisitedOnce(t *testing.T) {
	for _, ignore := range []bool{false, true} {
		w := newTown(t, nil)
		guard, err := egress.New(egress.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { guard.Close() })
		w.fails = func(url string) error { // as the browser does
			if !strings.Contains(url, ".test/") {
				return &plat.VisitError{Outcome: plat.OutcomeRefused, Err: errors.New("blocked")}
			}
			return nil
		}
		w.leads = map[string]string{"http://a.test/away": "http://10.0.0.2/"}
		o := quick
		o.IgnoreRobots = ignore
		crew := workers.NewCrew(workers.New(w, w.store, describer(t), workers.Options{}), w.queue, w.store, guarded{w, guard.Client()}, o)
		urls := []string{"http://10.0.0.1/", "http://169.254.169.254/latest", "http://[::1]/"}
		if !ignore { // the browser prevents such redirects; a renderer that does not is checked nevertheless
			urls = append(urls, "http://a.test/away")
		}
		var jobs []plat.Job
		for _, u := range urls {
			jobs = append(jobs, plat.Job{URL: u, Due: time.Now(), Plan: plat.Plan{Scope: "host"}})
		}
		w.enqueue(jobs...)
		w.work(crew)
		for _, u := range urls {
			state, err := w.store.State(t.Context(), u)
			if err != nil || state.Outcome != plat.OutcomeRefused || state.Visits != 1 {
				t.Errorf("robots ignored %v: %s: %d visits, the last %q, %v; want one, refused", ignore, u, state.Visits, state.Outcome, err)
			}
		}
		if n, err := w.store.Counts(t.Context(), time.Now()); err != nil || n.Backlog+n.Due+n.Later > 0 {
			t.Errorf("robots ignored %v: %+v are to be visited, %v", ignore, n, err)
		}
	}
}
