package schedule

import (
	"math"
	"math/rand/v2"
	"testing"
)

// near reports whether two numbers differ by less than 1 %.
func near(got, want float64) bool { return math.Abs(got-want) < 0.01*math.Abs(want)+1e-9 }

// Each closed formula agrees with a simulation of pages that change at random.
func TestWorthsAreThoseOfSimulatedPages(t *testing.T) {
	const pages = 400_000
	for _, tc := range []struct{ rate, days float64 }{{0.05, 3}, {0.3, 4}, {1, 1}, {2, 3}} {
		r := rand.New(rand.NewPCG(1, uint64(100*tc.rate)))
		var fresh, harmonic, archive, news float64
		for range pages {
			// Each U is t·D(t) − ∫₀ᵗ D of the divergence that a copy has had.
			missed := 0.0
			for at := r.ExpFloat64() / tc.rate; at <= tc.days; at += r.ExpFloat64() / tc.rate {
				if missed++; missed == 1 {
					fresh += at // D was 1 from then on
					archive++
				}
				harmonic += at / missed
				news += at
			}
		}
		for _, c := range []struct {
			name      string
			got, want float64
		}{
			{"fresh", FreshWorth(tc.rate, tc.days), fresh / pages},
			{"harmonic", HarmonicWorth(tc.rate, tc.days), harmonic / pages},
			{"archive", ArchiveWorth(tc.rate, tc.days), archive / pages},
			{"news", NewsWorth(tc.rate, tc.days), news / pages},
		} {
			if !near(c.got, c.want) {
				t.Errorf("%s, rate %v, %v days: %v, simulated %v", c.name, tc.rate, tc.days, c.got, c.want)
			}
		}
	}
}

// Cycles with signals are those of simulated pages, and a page is as fresh as Fresh says.
func TestSignalsAreThoseOfSimulatedPages(t *testing.T) {
	const cycles = 400_000
	for _, tc := range []struct {
		s               Signals
		rate, effective float64
	}{{Signals{0.8, 0.25}, 1, 3}, {Signals{0.5, 0.1}, 0.2, 10}, {Signals{0.9, 1}, 0.5, 12}, {Signals{0, 0.5}, 1, 1.5}} {
		r := rand.New(rand.NewPCG(2, uint64(100*tc.rate)))
		beta := tc.s.Effective(tc.rate, 0, 1)
		var days, fresh, atEnd float64
		for range cycles {
			changed := math.Inf(1) // when
			at, signals := 0.0, 0.0
			for {
				next := at + r.ExpFloat64()/(tc.rate+tc.s.False)
				if end := tc.effective - signals*beta; next >= end {
					at = max(at, end) // a signal may have been the last drop
					break
				}
				at = next
				if change := r.Float64() < tc.rate/(tc.rate+tc.s.False); change {
					changed = min(changed, at)
					if r.Float64() >= tc.s.Recall {
						continue
					}
				}
				signals++
			}
			days += at
			fresh += min(at, changed)
			if tc.effective > 0 && changed > at {
				atEnd++
			}
		}
		gotDays, gotFresh := tc.s.Cycle(tc.rate, tc.effective)
		if !near(gotDays, days/cycles) || !near(gotFresh, fresh/cycles) {
			t.Errorf("%+v, rate %v: cycles of %v days, fresh for %v; simulated %v and %v", tc.s, tc.rate, gotDays, gotFresh, days/cycles, fresh/cycles)
		}
	}
	// The chance is that of pages with so many signals in so many days.
	const pages = 2_000_000
	s, rate, span := Signals{0.6, 0.3}, 0.5, 2.0
	r := rand.New(rand.NewPCG(3, 3))
	var all, unchanged [4]float64
	for range pages {
		changes, signals := 0, 0
		for at := r.ExpFloat64() / (rate + s.False); at < span; at += r.ExpFloat64() / (rate + s.False) {
			if r.Float64() < s.False/(rate+s.False) {
				signals++
			} else if changes++; r.Float64() < s.Recall {
				signals++
			}
		}
		if signals < len(all) {
			all[signals]++
			if changes == 0 {
				unchanged[signals]++
			}
		}
	}
	for n := range all {
		if got, want := s.Fresh(rate, s.Effective(rate, span, n)), unchanged[n]/all[n]; !near(got, want) {
			t.Errorf("%d signals: fresh with chance %v, simulated %v", n, got, want)
		}
	}
}

// For every model, worths are numbers that grow with time, from 0.
func TestWorthsGrow(t *testing.T) {
	s := Signals{0.8, 0.1}
	for name, worth := range map[string]func(rate, days float64) float64{
		"fresh": FreshWorth, "harmonic": HarmonicWorth, "archive": ArchiveWorth, "news": NewsWorth, "signals": s.Worth,
		"never wrong": Signals{1, 0}.Worth, "no signals": Signals{}.Worth,
	} {
		for rate := minRate; rate <= maxRate; rate *= 10 {
			last := 0.0
			for days := 1e-6; days < 1e5; days *= 1.5 {
				w := worth(rate, days)
				if math.IsNaN(w) || math.IsInf(w, 0) || w < last*(1-1e-6)-1e-9*days {
					t.Fatalf("%s, rate %v: %v after %v days, %v before", name, rate, w, days, last)
				}
				last = w
			}
		}
	}
}
