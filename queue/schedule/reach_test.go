package schedule

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The secant method saves most steps of a bisection, and its results differ only by rounding.
func TestReachIsThatOfABisection(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, name := range Worths() {
		p, err := LearningPolicy(name)
		if err != nil {
			t.Fatal(err)
		}
		asked := 0
		counted := Learning{func(m *Model, days float64) float64 { asked++; return p.worth(m, days) }, p.grows}
		for range 300 {
			m := &Model{Burst: new(Burst)}
			for range random.IntN(20) {
				m.Visit(math.Exp(6*random.Float64()-4), random.IntN(3) == 0)
			}
			worth := math.Exp(30*random.Float64() - 20)
			switch random.IntN(20) {
			case 0:
				worth = math.Inf(1)
			case 1:
				worth = 0
			}
			low, high := leastWait/600, mostWait
			for range 40 {
				if mid := math.Sqrt(low * high); p.worth(m, mid) < worth {
					low = mid
				} else {
					high = mid
				}
			}
			if got := counted.reach(m, worth); math.Abs(got-high) > 1e-7*high {
				t.Fatalf("%s: a worth of %v after %v days, want %v", name, worth, got, high)
			}
		}
		if p.grows && asked > 25*300 {
			t.Errorf("%s: %d questions each, a bisection asks 40", name, asked/300)
		}
	}
}
