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
		var fresh, harmonic, news float64
		for range pages {
			// Each U is t·D(t) − ∫₀ᵗ D of the divergence that a copy has had.
			missed := 0.0
			for at := r.ExpFloat64() / tc.rate; at <= tc.days; at += r.ExpFloat64() / tc.rate {
				if missed++; missed == 1 {
					fresh += at // D was 1 from then on
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
			{"news", NewsWorth(tc.rate, tc.days), news / pages},
		} {
			if !near(c.got, c.want) {
				t.Errorf("%s, rate %v, %v days: %v, simulated %v", c.name, tc.rate, tc.days, c.got, c.want)
			}
		}
	}
}

// For every model, worths are numbers that grow with time, from 0.
func TestWorthsGrow(t *testing.T) {
	for name, worth := range map[string]func(rate, days float64) float64{
		"fresh": FreshWorth, "harmonic": HarmonicWorth, "news": NewsWorth,
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
