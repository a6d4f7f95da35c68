package simulate_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"plat/fixtures/history"
	"plat/queue/schedule"
	"plat/queue/simulate"
)

// random returns a trace of pages that change at random, at rates from 0.01 to 3 a day.
func random(seed uint64, pages int, days float64) *simulate.Trace {
	r := rand.New(rand.NewPCG(seed, 1))
	t := &simulate.Trace{Name: "random", To: days}
	state := uint64(0)
	for i := range pages {
		rate := 0.01 * math.Pow(300, r.Float64())
		p := simulate.Page{Name: fmt.Sprint(i)}
		for at := days * 0.3 * r.Float64(); at < days; at += r.ExpFloat64() / rate {
			state++
			p.Changes = append(p.Changes, simulate.Change{At: at, State: state})
		}
		t.Pages = append(t.Pages, p)
	}
	return t
}

// Each trace counts alike in the mean; visits and budgets are sums.
func TestMeansAreThoseOfTheTraces(t *testing.T) {
	found, err := simulate.Compare(t.Context(), []*simulate.Trace{random(1, 10, 50), random(2, 30, 100)}, []float64{1}, []string{"uniform", "harmonic"}, simulate.Signals{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range found {
		best := 0 // of how many traces no policy keeps more fresh
		for k := range c.Of {
			if !slices.ContainsFunc(found, func(o simulate.Comparison) bool { return o.Of[k].Fresh > c.Of[k].Fresh }) {
				best++
			}
		}
		if c.Best != best {
			t.Errorf("%s is the best for %d traces, want %d", c.Policy, c.Best, best)
		}
		a, b, m := c.Of[0], c.Of[1], c.Mean
		if m.Visits != a.Visits+b.Visits || m.Budget != a.Budget+b.Budget || m.Planning != a.Planning+b.Planning {
			t.Errorf("%s: sums %+v of %+v and %+v", c.Policy, m, a, b)
		}
		for i, got := range []float64{m.Fresh, m.Staleness, m.Captured, m.Wasted, m.Asked, m.Delay[0], m.Delay[1]} {
			of := func(r simulate.Result) float64 {
				return []float64{r.Fresh, r.Staleness, r.Captured, r.Wasted, r.Asked, r.Delay[0], r.Delay[1]}[i]
			}
			if want := (of(a) + of(b)) / 2; math.Abs(got-want) > 1e-9 || want == 0 {
				t.Errorf("%s: value %d has the mean %v of %v and %v", c.Policy, i, got, of(a), of(b))
			}
		}
	}
}

// Every policy makes as many visits as the budget allows, and its measures are in their ranges.
func TestVisitsMatchTheBudget(t *testing.T) {
	for _, budget := range []float64{0.1, 0.5, 1, 2} {
		trace := random(7, 40, 200)
		for _, policy := range schedule.Worths() {
			r, err := simulate.Run(t.Context(), trace, budget, policy, simulate.Signals{})
			if err != nil {
				t.Fatal(err)
			}
			// A fifth of the pages may be visited ahead.
			if off := math.Abs(float64(r.Visits - r.Budget)); off > 0.05*float64(r.Budget)+0.2*float64(len(trace.Pages)) {
				t.Errorf("%s, %v visits a change: %d visits of %d", policy, budget, r.Visits, r.Budget)
			}
			for _, x := range []float64{r.Fresh, r.Captured, r.Wasted} {
				if !(x >= 0 && x <= 1) {
					t.Errorf("%s: %+v", policy, r)
				}
			}
			if !(r.Staleness >= 0) || !(r.Delay[0] >= 0 && r.Delay[1] >= r.Delay[0]) {
				t.Errorf("%s: %+v", policy, r)
			}
			again, err := simulate.Run(t.Context(), trace, budget, policy, simulate.Signals{})
			if again.Planning = r.Planning; err != nil || again != r {
				t.Errorf("%s is other at a second run: %+v, then %+v", policy, r, again)
			}
		}
	}
}

func TestStillPages(t *testing.T) {
	still := &simulate.Trace{Name: "still", To: 10, Pages: []simulate.Page{{Changes: []simulate.Change{{At: 0, State: 1}}}, {Changes: []simulate.Change{{At: 2, State: 2}}}}}
	r, err := simulate.Run(t.Context(), still, 20, "harmonic", simulate.Signals{})
	if err != nil || r.Fresh != 1 || r.Staleness != 0 || r.Wasted != 1 || r.Captured != 0 {
		t.Errorf("%+v: %v", r, err)
	}
}

// A page that changes once, at day 4, is visited at even times: the result can be counted by hand.
func TestOnePage(t *testing.T) {
	one := &simulate.Trace{Name: "one", To: 10, Pages: []simulate.Page{{Changes: []simulate.Change{{At: 0, State: 1}, {At: 4, State: 2}, {At: 4.001, State: 3}}}}}
	r, err := simulate.Run(t.Context(), one, 3.4, "uniform", simulate.Signals{}) // ten visits, about one a day
	if err != nil || r.Visits < 9 || r.Visits > 11 {
		t.Fatalf("%+v: %v", r, err)
	}
	if r.Captured != 0.5 { // of the two changes, the first is never seen
		t.Errorf("captured %v", r.Captured)
	}
	if late := 10 * (1 - r.Fresh); math.Abs(late-r.Delay[0]) > 0.01 || late > 2.5 {
		t.Errorf("stale for %v days, %v until it was seen", late, r.Delay[0])
	}
}

func TestRunEnds(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stop")
	cancel(stop)
	if _, err := simulate.Compare(ctx, []*simulate.Trace{random(1, 5, 50)}, []float64{1}, []string{"uniform"}, simulate.Signals{}, nil); !errors.Is(err, stop) {
		t.Error(err)
	}
	if _, err := simulate.Run(t.Context(), random(1, 5, 50), 1, "nothing", simulate.Signals{}); err == nil || !strings.Contains(err.Error(), "uniform") {
		t.Error(err)
	}
}

// traces returns the recorded traces with at least three pages.
func traces(t *testing.T) (all []*simulate.Trace) {
	dir, ok := history.Dir()
	if !ok {
		t.Skip("no shared data: set PLAT_DATA")
	}
	files, err := filepath.Glob(filepath.Join(dir, "history", "traces", "*.json.gz"))
	if err != nil || len(files) == 0 {
		t.Skipf("no traces in %s: %v", dir, err)
	}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		trace, err := simulate.Read(f)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		if len(trace.Pages) >= 3 {
			all = append(all, trace)
		}
	}
	return all
}

// On recorded traces, learning beats visiting all pages equally often, at one visit a change:
// by as much as docs/schedule.md says.
func TestRecordedTraces(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: hundreds of simulations, and this is a short run")
	}
	all := traces(t)
	found, err := simulate.Compare(t.Context(), all, []float64{1}, schedule.Worths(), simulate.Signals{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	of := func(policy string) *simulate.Comparison {
		return &found[slices.IndexFunc(found, func(c simulate.Comparison) bool { return c.Policy == policy })]
	}
	for i := range found {
		t.Logf("%-13s fresh %.4f, captured %.4f, best on %d", found[i].Policy, found[i].Mean.Fresh, found[i].Mean.Captured, found[i].Best)
	}
	if better := of("harmonic").Mean.Fresh - of("uniform").Mean.Fresh; better < 0.03 {
		t.Errorf("harmonic keeps pages fresher by %.4f", better)
	}
	if captured := of("archive").Mean.Captured; captured < 0.47 {
		t.Errorf("archive captures %.4f of the changes", captured)
	}
	if best := of("harmonic").Best; best < 12 {
		t.Errorf("harmonic is best on %d traces", best)
	}
	// Beside the rest, as it compares with the same run without signals.
	t.Run("signals", func(t *testing.T) { testSignals(t, all, of("harmonic").Mean.Fresh) })
}

// Policies learn how reliable signals are: good ones help, and random ones do no harm. none is the freshness without signals.
func testSignals(t *testing.T, all []*simulate.Trace, none float64) {
	fresh := func(s simulate.Signals) float64 {
		found, err := simulate.Compare(t.Context(), all, []float64{1}, []string{"harmonic"}, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%+v: fresh %.4f, captured %.4f", s, found[0].Mean.Fresh, found[0].Mean.Captured)
		return found[0].Mean.Fresh
	}
	if good := fresh(simulate.Signals{Recall: 0.8, False: 0.25, Seed: 1}); good < none+0.02 {
		t.Errorf("with signals pages are fresher by %.4f", good-none)
	}
	if noise := fresh(simulate.Signals{False: 1, Seed: 2}); noise < none-0.01 {
		t.Errorf("with signals that say nothing pages are fresher by %.4f", noise-none)
	}
}
