package schedule

import "math"

// Steering keeps the visits of pages that share a budget within it. It holds the factor by which a
// visit must exceed the worth of a visit to an unknown page, made as often as the budget allows
// each page: the factor rises when more visits were made than earned, and falls when fewer were.
// No solver has to know all pages, so a fleet shares three numbers (Olston and Pandey, as in
// [FreshWorth], section 4; Kolobov et al., as in [HarmonicWorth]).
type Steering struct {
	Pages  float64 // that share the budget
	Beyond float64 // visits that were made beyond those that were earned; negative: fewer
	Offset float64 // logarithm of the factor, if as many visits were made as earned
}

// Constants of the steering. In a burst, a fifth of the pages may be visited ahead of the budget
// before the threshold has grown e-fold; over the time in which each page is visited once, the
// threshold corrects half of its error.
const (
	ahead  = 0.2
	settle = 0.5
)

// mostOff bounds the logarithms of a factor. leastOff is the limit of its fall because of unused
// visits: a fleet that was stopped does not make up for them.
const (
	mostOff  = 20.0
	leastOff = -3.0
)

// Factor returns the multiplier on the value that a visit needs.
func (s *Steering) Factor() float64 { return math.Exp(s.Offset + s.off()) }

// Earned adds so many earned visits.
func (s *Steering) Earned(visits float64) {
	if !(visits > 0) {
		return
	}
	s.Beyond = max(s.Beyond-visits, leastOff*s.slack())
	if s.Pages > 0 {
		s.Offset = min(max(s.Offset+settle*s.off()*min(1, visits/s.Pages), -mostOff), mostOff)
	}
}

// off returns how far visits are off the budget, within bounds.
func (s *Steering) off() float64 { return min(max(s.Beyond/s.slack(), leastOff), mostOff) }

// slack returns the number of visits that may be made ahead before the threshold has grown e-fold.
func (s *Steering) slack() float64 { return ahead*max(s.Pages, 0) + 2 }
