package schedule

import "cmp"

// Intervals that rules set, in days: the first, and their bounds.
const (
	firstWait = 1.0
	leastWait = 1.0 / 1440
	mostWait  = 3650.0
)

// stretch sets the intervals of the rules that set them, after a visit.
func (m *Model) stretch(changed bool) {
	m.abc(changed)
	m.nutch = stretched(m.nutch, changed, 0.8, 1.4) // the defaults of Nutch's AdaptiveFetchSchedule
	m.storm = stretched(m.storm, changed, 0.5, 1.5) // the defaults of StormCrawler's AdaptiveScheduler
}

// abc applies the rule of a site-update monitor (Zhou and Guo, "Website update monitoring based on
// web crawler and improved LCS algorithm", section 1.2): A, how long the last change took to be
// seen; B, the predicted wait; C, how long nothing has changed. After a visit C grows by B. If
// there was a change, A = C, B = 0.8·A and C = 0, else B grows by A/2.
func (m *Model) abc(changed bool) {
	a, b := cmp.Or(m.took, firstWait), cmp.Or(m.wait, firstWait)
	m.still += b
	if changed {
		a = m.still
		b, m.still = 0.8*a, 0
	} else {
		b += a / 2
	}
	m.took, m.wait = min(max(a, leastWait), mostWait), min(max(b, leastWait), mostWait)
}

// stretched returns an interval, multiplied by shorter after a change, by longer otherwise.
func stretched(days float64, changed bool, shorter, longer float64) float64 {
	factor := longer
	if changed {
		factor = shorter
	}
	return min(max(cmp.Or(days, firstWait)*factor, leastWait), mostWait)
}
