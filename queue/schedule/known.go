package schedule

import "math"

// Known holds the statistics of a URL's visits and changes. The zero value is a URL without
// visits.
type Known struct {
	Visits    int     // after the first
	Age       float64 // days from the last change that was seen to the last visit
	Signal    Source  // of the last signal of a change since the last visit
	Intervals         // of the visits

	rate float64 // its estimate; 0: not made yet

	took, wait, still float64 // of abc, days; 0: not set yet
	nutch, storm      float64 // intervals of adaptive and stormcrawler, days
}

// Visit records a visit so many days after the previous one, and whether it found a change.
func (k *Known) Visit(days float64, changed bool) {
	if !(days > 0) || math.IsInf(days, 1) {
		return
	}
	k.Visits, k.Signal = k.Visits+1, NoSource
	k.Add(days, changed)
	if k.rate = 0; changed {
		k.Age = 0
	} else {
		k.Age += days
	}
}

// Rate returns the estimated rate of changes a day.
func (k *Known) Rate() float64 {
	switch {
	case k.rate != 0:
	case len(k.changed) == 0 && k.unchanged == 0:
		k.rate = unknownRate
	default:
		k.rate = k.Intervals.Rate()
	}
	return k.rate
}

// unknownRate is the rate of a URL without a second visit.
var unknownRate = new(Intervals).Rate()
