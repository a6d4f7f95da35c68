package planner

import (
	"testing"
	"time"

	"plat"
	"plat/schedule"
)

// What was believed before a visit is that the page is as it was, by the time since the last one.
func TestFresh(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	v := &schedule.Visit{State: plat.URLState{URL: "http://a.test/", Due: at, Plan: plat.Plan{Schedule: plat.Schedule{Budget: "9/day"}}}, Due: at, Time: at, Outcome: plat.OutcomeNew}
	p := &Planner{Day: time.Hour}
	if chance, known := p.Fresh(v); known {
		t.Errorf("%v before the first visit", chance)
	}
	for i := range 20 { // each second one finds a change
		v.Changes = plat.Changes{}
		if i%2 == 1 {
			v.Changes.Blocks = []plat.Change{{Kind: plat.Content}}
		}
		next, err := p.Next(v)
		if err != nil {
			t.Fatal(err)
		}
		v.Memory, v.Time, v.Outcome = next.Memory, v.Time.Add(time.Hour), plat.OutcomeUnchanged
	}
	soon, late := *v, *v
	soon.Time, late.Time = v.Time.Add(-59*time.Minute), v.Time.Add(100*time.Hour)
	a, known := p.Fresh(&soon)
	b, _ := p.Fresh(v)
	c, _ := p.Fresh(&late)
	if !known || !(a > b && b > c) || a > 1 || a < .9 || c < 0 || c > .1 {
		t.Errorf("after a minute %v, an hour %v, 100 hours %v", a, b, c)
	}
}
