package draw

import (
	"fmt"
	"time"
)

// Timeline shows the capture times of versions as bars.
type Timeline struct {
	Name     string
	From, To time.Time
	Bars     []Bar
}

// Bar represents the versions of an interval. Lengths are relative to a line of 1000 by 100.
type Bar struct {
	X, Y, W, H float64
	Name, Href string
}

// maxBars is the number of intervals of a time line.
const maxBars = 100

// NewTimeline draws the capture times of versions: times[n-1] for version n, or the zero time
// if it is not kept. The last one must be kept. A bar links to its last version.
func NewTimeline(times []time.Time, href func(n int) string) *Timeline {
	gone := 0
	for times[gone].IsZero() {
		gone++
	}
	from, to := times[gone], times[len(times)-1]
	t := &Timeline{From: from, To: to, Name: fmt.Sprintf("%d versions from %s to %s", len(times)-gone, from.UTC().Format(time.DateTime), to.UTC().Format(time.DateTime))}
	span := max(to.Sub(from), time.Second)
	type slot struct{ n, last int }
	var slots [maxBars]slot
	most := 0
	for i, at := range times {
		if i < gone {
			continue
		}
		k := min(maxBars-1, max(0, int(maxBars*float64(at.Sub(from))/float64(span))))
		slots[k].n++
		slots[k].last = i + 1
		most = max(most, slots[k].n)
	}
	const wide = 1000.0 / maxBars
	for k, x := range slots {
		if x.n == 0 {
			continue
		}
		h := max(4, 100*float64(x.n)/float64(most))
		name := fmt.Sprintf("%d versions up to %s", x.n, times[x.last-1].UTC().Format(time.DateTime))
		if x.n == 1 {
			name = fmt.Sprintf("version %d, %s", x.last, times[x.last-1].UTC().Format(time.DateTime))
		}
		t.Bars = append(t.Bars, Bar{X: float64(k) * wide, W: wide * 0.8, H: h, Y: 100 - h, Name: name, Href: href(x.last)})
	}
	return t
}
