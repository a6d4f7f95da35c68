package simulate_test

import (
	"testing"
	"time"

	"plat/queue/simulate"
)

func TestProgressSaysWhatRunsAndWhatIsLeft(t *testing.T) {
	for _, tc := range []struct {
		p     simulate.Progress
		after time.Duration
		want  string
	}{
		{simulate.Progress{Runs: 8, Policy: "fresh", Trace: "site"}, time.Second, "0 %, 0 of 8 runs: fresh on site"},
		{simulate.Progress{Ended: 2, Runs: 8, Part: 0.25, Policy: "fresh", Trace: "site"}, time.Minute, "25 %, 2 of 8 runs, about 3m0s left: fresh on site"},
		{simulate.Progress{Ended: 2, Runs: 8, Part: 0.25, Policy: "fresh", Trace: "site"}, time.Millisecond, "25 %, 2 of 8 runs: fresh on site"},
		{simulate.Progress{Ended: 8, Runs: 8, Part: 1, Policy: "fresh", Trace: "site"}, time.Minute, "100 %, 8 of 8 runs"},
	} {
		if got := tc.p.After(tc.after); got != tc.want {
			t.Errorf("After(%v) = %q, want %q", tc.after, got, tc.want)
		}
	}
}

// The work grows from nothing to all of it, and each run is reported twice.
func TestProgressIsReported(t *testing.T) {
	traces := []*simulate.Trace{random(1, 5, 50), random(2, 20, 50), {Name: "empty"}}
	last, calls := simulate.Progress{}, 0
	_, err := simulate.Compare(t.Context(), traces, []float64{1, 2}, []string{"uniform", "harmonic"}, simulate.Signals{}, func(p simulate.Progress) {
		if p.Part < last.Part || p.Part > 1 || p.Ended < last.Ended || p.Policy == "" || p.Trace == "" {
			t.Errorf("%+v after %+v", p, last)
		}
		last = p
		calls++
	})
	if err != nil || calls != 2*12 || last.Ended != 12 || last.Runs != 12 || last.Part < 0.999999 {
		t.Errorf("%d calls, at last %+v, %v", calls, last, err)
	}
}
