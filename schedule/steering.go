package schedule

import "math"

// Steering keeps visits to a budget. It says how much a visit must be worth to be made: more
// when more visits have been made than were earned, less when fewer. No solver has to know all
// pages, so a fleet shares two numbers (Olston and Pandey, as in [FreshWorth], section 4;
// Kolobov and others, as in [HarmonicWorth]).
//
// The zero Steering has no threshold yet; the first worth that is asked for becomes it.
type Steering struct {
	log   float64 // of the threshold, if as many visits were made as earned
	known bool
}

// Constants of the steering. In a burst, a fifth of the pages may be visited ahead of the budget
// before the threshold has grown e-fold; over the time in which each page is visited once, the
// threshold moves by half of what it was off.
const (
	ahead  = 0.2
	settle = 0.5
)

// Begin sets the first threshold: that of the visit that is worth most of those that could be
// made. It has no effect later.
func (s *Steering) Begin(worth float64) {
	if !s.known && worth > 0 && !math.IsInf(worth, 1) {
		s.log, s.known = math.Log(worth), true
	}
}

// Threshold is what a visit must be worth, where so many pages are known and so many visits
// were made beyond those that were earned; fewer are negative. Infinite before Begin.
func (s *Steering) Threshold(beyond float64, pages int) float64 {
	if !s.known {
		return math.Inf(1)
	}
	return math.Exp(s.log + off(beyond, pages))
}

// Earned moves the threshold, after so many visits more were earned.
func (s *Steering) Earned(visits, beyond float64, pages int) {
	if s.known && visits > 0 && pages > 0 {
		s.log += settle * off(beyond, pages) * min(1, visits/float64(pages))
	}
}

// off is how far visits are off the budget, within bounds.
func off(beyond float64, pages int) float64 {
	return min(max(beyond/(ahead*float64(pages)+2), -20), 20)
}
