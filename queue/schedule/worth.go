package schedule

import "math"

// The worth of a visit depends on the purpose of the archive. With D(t) the expected divergence of
// a copy t days after its visit, a visit then is worth U(t) = t·D(t) − ∫₀ᵗ D (Olston and Pandey,
// "Recrawl Scheduling Based on Information Longevity", WWW 2008, section 2.2): each visit goes
// where U is largest, or where it reaches a threshold. All U grow with t from 0; rate is in
// changes a day.

// FreshWorth returns the worth for copies that should equal their pages: D = 1−e^{−λt}. It is bounded
// by 1/λ, so a page that changes too fast to be kept fresh is abandoned.
func FreshWorth(rate, days float64) float64 {
	x := rate * days
	if x < 1e-4 {
		return rate * days * days / 2 // a difference of nearly equal numbers would have no precision
	}
	return (1 - (1+x)*math.Exp(-x)) / rate
}

// HarmonicWorth returns the worth if the harmonic number of the missed changes counts: the second
// missed change costs half of the first, and so on, so no page is abandoned (Kolobov et al.,
// "Staying up to Date with Online Content Changes Using Reinforcement Learning for Scheduling",
// NeurIPS 2019).
func HarmonicWorth(rate, days float64) float64 {
	x := rate * days
	if x < 1e-4 {
		return rate * days * days / 2
	}
	return days + math.Expm1(-x)/rate
}

// NewsWorth returns the worth if new items should be found soon, and waiting loses no item: the days
// that they have waited in sum, ½λt² (Sia, Cho and Cho, "Efficient Monitoring Algorithm for Fast
// News Alerts", IEEE TKDE 19(7), 2007).
func NewsWorth(rate, days float64) float64 { return rate * days * days / 2 }
