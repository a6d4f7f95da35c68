package schedule

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Newton's method saves evaluations and gives the same results: the rate is, bit by bit, that of
// the bisection alone.
func TestRateIsThatOfTheBisection(t *testing.T) {
	bisect := func(x *Intervals) float64 {
		low, high := minRate, maxRate
		for range 40 {
			mid := math.Sqrt(low * high)
			sum := imagined/math.Expm1(imagined*mid) - imagined - x.unchanged
			for i, days := range x.changed {
				sum += weights[x.visits[i]] * days / math.Expm1(mid*days)
			}
			if sum > 0 {
				low = mid
			} else {
				high = mid
			}
		}
		return math.Sqrt(low * high)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		var x Intervals
		scale, often := math.Pow(10, 9*r.Float64()-5), r.Float64()
		for range r.IntN(120) {
			x.Add(scale*math.Exp(3*r.NormFloat64()), r.Float64() < often)
			if got, want := x.Rate(), bisect(&x); got != want {
				t.Fatalf("%v, by bisection %v: %+v", got, want, x)
			}
		}
	}
}

func BenchmarkRate(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	var x Intervals
	for range 100 {
		x.Add(r.ExpFloat64(), r.IntN(2) == 0)
	}
	for b.Loop() {
		x.Rate()
	}
}
