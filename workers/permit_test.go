package workers_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"plat/fixtures"
	"plat/plat"
	"plat/workers"
)

// gate forbids URLs with a word, and notes its requests.
type gate struct {
	word  string
	asked []string
}

func (g *gate) Obey(_ context.Context, url string) (time.Duration, error) {
	g.asked = append(g.asked, url)
	if strings.Contains(url, g.word) {
		return 0, &plat.VisitError{Outcome: plat.OutcomeDisallowed, Err: errors.New("robots.txt forbids it")}
	}
	return 0, nil
}

func TestAVisitWithoutACrewObeysRobots(t *testing.T) {
	for _, tc := range []struct {
		name, url, final string
		outcome          plat.Outcome
		rendered         bool
		asked            string
	}{
		{"allowed", url, url, plat.OutcomeNew, true, url},
		{"forbidden", url + "private", url + "private", plat.OutcomeDisallowed, false, url + "private"},
		{"redirected to what is allowed", url, url + "other", plat.OutcomeNew, true, url + " " + url + "other"},
		{"redirected to what is forbidden", url, url + "private", plat.OutcomeDisallowed, true, url + " " + url + "private"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			g := &gate{word: "private"}
			w := start(t, workers.Options{Permission: workers.Permission{Robots: g}})
			s := *fixtures.Snapshot(t, "site-1")
			s.FinalURL = tc.final
			w.pages.snap = &s
			r, err := w.Visit(t.Context(), plat.Job{URL: tc.url})
			if r.Outcome != tc.outcome || (err == nil) != (tc.outcome == plat.OutcomeNew) || r.Retry {
				t.Errorf("%+v, %v", r, err)
			}
			if rendered := !w.pages.tick.IsZero(); rendered != tc.rendered || strings.Join(g.asked, " ") != tc.asked {
				t.Errorf("rendered %t, asked for %q", rendered, g.asked)
			}
			if tc.final != tc.url && err != nil && !strings.Contains(err.Error(), "it leads to "+tc.final) {
				t.Errorf("the error names another address: %v", err)
			}
			state, err := w.store.State(t.Context(), tc.url)
			if err != nil || state.Outcome != tc.outcome || (state.Head > 0) != (tc.outcome == plat.OutcomeNew) {
				t.Errorf("the archive has %+v, %v", state, err)
			}
		})
	}
}

// A crew asks robots.txt, with the delays of hosts; its worker does not ask again.
func TestACrewAsksRobotsOnce(t *testing.T) {
	w := newTown(t, nil)
	g := &gate{word: "test"} // forbids everything
	crew := workers.NewCrew(workers.New(w, w.store, describer(t), workers.Options{Permission: workers.Permission{Robots: g}}), w.queue, w.store, w, quick)
	w.enqueue(plat.Job{URL: url, Due: time.Now()})
	w.work(crew)
	if got := w.outcome(url); got != plat.OutcomeNew || len(g.asked) > 0 {
		t.Errorf("the outcome is %q, the worker asked for %q", got, g.asked)
	}
}

func TestAPageThatAsksForALoginSaysWhatToTry(t *testing.T) {
	for status, want := range map[int]string{401: "HTTP status 401; not for ", 407: "HTTP status 407; not for ", 403: "HTTP status 403"} {
		w := start(t, workers.Options{Permission: workers.Permission{Unauthorized: func(url string) string { return "; not for " + url }}})
		s := *fixtures.Snapshot(t, "site-1")
		s.Status = status
		if status != 403 {
			want += s.FinalURL
		}
		w.pages.snap = &s
		r, err := w.Visit(t.Context(), plat.Job{URL: url})
		if err == nil || !strings.HasSuffix(err.Error(), want) || r.Outcome != plat.OutcomeHTTPError || r.Retry {
			t.Errorf("%d: %+v, %v, want %q", status, r, err, want)
		}
	}
}

func TestAPageThatIsForbiddenSaysWhatToTry(t *testing.T) {
	for status, want := range map[int]string{403: "HTTP status 403; try another name", 401: "HTTP status 401"} {
		w := start(t, workers.Options{Permission: workers.Permission{Forbidden: "; try another name"}})
		s := *fixtures.Snapshot(t, "site-1")
		s.Status = status
		w.pages.snap = &s
		r, err := w.Visit(t.Context(), plat.Job{URL: url})
		if err == nil || !strings.HasSuffix(err.Error(), want) || r.Outcome != plat.OutcomeHTTPError || r.Retry {
			t.Errorf("%d: %+v, %v", status, r, err)
		}
	}
}
