package noise_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"plat/fixtures"
)

// A page with a clock, a counter and a price that changes once, visited 1,000 times: nothing grows,
// and the last visit is as fast as the tenth.
func TestAClockPageVisitedAThousandTimes(t *testing.T) {
	s, n, price := newSite(t), 0, 14
	var early, late []time.Duration
	for v := range 1000 {
		if v == 700 {
			price = 15
		}
		news := 0
		took := fixtures.Timed(t, func() {
			news = s.visit(func(i int) []string {
				n++
				at := s.now.Add(time.Duration(i) * time.Second)
				return []string{fmt.Sprintf("It is %s. Views %d. Ticket %d euros.", at.Format("15:04:05"), 1000+3*n, price), still}
			})
		})
		switch {
		case v >= 10 && v < 110:
			early = append(early, took)
		case v >= 900:
			late = append(late, took)
		}
		if want := v == 700; (news > 0) != want {
			t.Errorf("visit %d: %d blocks are news", v, news)
		}
	}
	slices.Sort(early)
	slices.Sort(late)
	// One tenth of the visits is faster than this; other processes may have slowed the rest.
	first, last := early[len(early)/10], late[len(late)/10]
	t.Logf("1000 visits: %d second renderings, a mask of %d bytes; a visit takes %v at first, %v at last", s.looks, len(s.mask.Encode()), first, last)
	if last > 3*first || s.looks > 10 || len(s.mask.Encode()) > 100 {
		t.Error("it grows")
	}
}
