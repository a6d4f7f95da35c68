package schedule

import (
	"math"
	"slices"
)

// Intervals estimates the rate of changes from the visits: the times between visits, and whether a
// change was seen after each. The zero value has no data.
type Intervals struct {
	unchanged float64   // days, of all intervals after which nothing had changed, by weight
	changed   []float64 // days, of each interval with a change, the latest last
	visits    []uint16  // after each of these
}

// fading is the factor by which each visit reduces the weight of earlier ones: pages change their
// habits.
const fading = 0.9

// mostIntervals is the number of intervals with a change that are kept. The next one's weight is
// less than a hundredth.
const mostIntervals = 48

// Add records a visit so many days after the previous one.
func (x *Intervals) Add(days float64, changed bool) {
	if !(days > 0) || math.IsInf(days, 1) {
		return
	}
	x.unchanged *= fading
	for i := range x.visits {
		x.visits[i] = min(x.visits[i]+1, 1000)
	}
	if !changed {
		x.unchanged += days
		return
	}
	if n := len(x.changed); n == mostIntervals {
		x.changed, x.visits = slices.Delete(x.changed, 0, 1), slices.Delete(x.visits, 0, 1)
	}
	x.changed, x.visits = append(x.changed, days), append(x.visits, 0)
}

// weights are the weights of a visit, by the number of later visits.
var weights = func() (all [1001]float64) {
	for i := range all {
		all[i] = math.Pow(fading, float64(i))
	}
	return all
}()

// imagined is the length, in days, of two intervals that are added to those seen: one with a
// change and one without. So the estimate is finite from the start, and never 0. They draw
// estimates of few short intervals to a change in some days; docs/schedule.md has figures.
const imagined = 3

// Rate returns the maximum-likelihood estimate of the rate of a Poisson process, in changes a day,
// from visits at any times: the λ at which the sum over the intervals with a change of
// τ/(e^{λτ}−1) is the unchanged time (Cho and Garcia-Molina, "Estimating Frequency of Change",
// ACM TOIT 3(3), 2003, section 5).
func (x *Intervals) Rate() float64 {
	near := x.approach()
	low, high := minRate, maxRate
	for range 40 { // each halves the ratio's logarithm
		mid := math.Sqrt(low * high)
		below := mid < near
		if math.Abs(mid-near) <= 1e-11*near { // within rounding errors
			sum, _ := x.excess(mid)
			below = sum > 0
		}
		if below {
			low = mid
		} else {
			high = mid
		}
	}
	return math.Sqrt(low * high)
}

// approach returns the rate by Newton's method. The sum is convex, and falls: from a rate that is
// too low no step goes too far, and each doubles the digits once it is near.
func (x *Intervals) approach() float64 {
	// τ/(e^{λτ}−1) > 1/λ − τ/2
	weight, days := 1.0, imagined/2.0
	for i, d := range x.changed {
		w := weights[x.visits[i]]
		weight, days = weight+w, days+w*d/2
	}
	rate := max(minRate, weight/(imagined+x.unchanged+days))
	for range 100 {
		sum, slope := x.excess(rate)
		if !(sum > 0) { // there, or it is below the least rate
			break
		}
		step := -sum / slope
		if rate += step; step <= 1e-14*rate || rate > maxRate {
			break
		}
	}
	return rate
}

// excess returns the excess of the sum at a rate, and its derivative.
func (x *Intervals) excess(rate float64) (sum, slope float64) {
	add := func(weight, days float64) {
		e := math.Expm1(rate * days)
		q := days / e
		sum += weight * days / e
		if q > 0 {
			slope -= weight * q * q * (e + 1)
		}
	}
	add(1, imagined)
	sum = sum - imagined - x.unchanged
	for i, days := range x.changed {
		add(weights[x.visits[i]], days)
	}
	return sum, slope
}

// Bounds of a rate, in changes a day: one in 300 years, one in 10 seconds.
const (
	minRate = 1e-5
	maxRate = 1e4
)

// RegularRate estimates the changes per interval from n visits at regular intervals, some of which
// found a change, with reduced bias: −ln((n−X+½)/(n+½)) (Cho and Garcia-Molina, as above, section
// 4.2). It is finite also if every visit found a change.
func RegularRate(n, changed int) float64 {
	n, changed = max(n, 0), min(max(changed, 0), max(n, 0))
	return -math.Log((float64(n-changed) + 0.5) / (float64(n) + 0.5))
}
