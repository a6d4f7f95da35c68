package schedule

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"plat/plat"
)

// Of several URLs, Waits puts off those that are not worth a visit yet. It reads shared data once
// per site and budget; each visit to be made counts for the rest. Pages without a visit, or with
// an unconfirmed result, are visited.
func TestWaits(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var read []string
	p := &Planner{Share: func(_ context.Context, v *Visit, _ Learned) (*Shared, error) {
		read = append(read, v.State.Host)
		return &Shared{Steering: Steering{Pages: 10}}, errors.New("in part")
	}}
	urls := make([]*plat.URLState, 0, 10)
	add := func(host string, s plat.Schedule, m plat.Memory) {
		v := &Visit{State: plat.URLState{URL: "http://" + host + "/", Host: host, Due: at, Visits: 1, Last: at, Plan: plat.Plan{Schedule: s}}, Due: at, Time: at, Outcome: plat.OutcomeNew}
		next := Decide(v)
		m.Policy = next.Memory
		v.State.Due, v.State.Memory = next.Due, m.Encode()
		urls = append(urls, &v.State)
	}
	one, other := plat.Schedule{Budget: "1/day"}, plat.Schedule{Budget: "2/day"}
	for range 4 {
		add("a.test", one, plat.Memory{})
	}
	add("b.test", one, plat.Memory{})
	add("b.test", other, plat.Memory{})
	add("b.test", plat.Schedule{Every: time.Hour}, plat.Memory{})
	add("b.test", one, plat.Memory{Doubt: "it was not the page"})
	add("b.test", one, plat.Memory{})
	urls[8].Visits = 0
	ask := func(now time.Time) (made string) {
		t.Helper()
		read = nil
		waits, err := p.Waits(t.Context(), now, urls)
		if err == nil || len(waits) != len(urls) || len(read) != 3 {
			t.Fatalf("%v, %v, read %v", waits, err, read)
		}
		for i, w := range waits {
			switch {
			case w.IsZero():
				made += fmt.Sprint(i)
			case !w.After(now):
				t.Errorf("%d waits until %v, at %v", i, w, now)
			}
		}
		return made
	}
	if made := ask(at.Add(2 * 24 * time.Hour)); made != "678" {
		t.Errorf("soon: %s", made)
	}
	if made := ask(at.Add(25 * 24 * time.Hour)); made != "012345678" {
		t.Errorf("late: %s", made)
	}
	made := ask(at.Add(11 * 24 * time.Hour)) // just now worth a visit
	if made != "05678" {
		t.Errorf("each one makes the others worth less: %s", made)
	}
}

// Fresh estimates from the time since the last visit whether the page is unchanged.
func TestFresh(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	v := &Visit{State: plat.URLState{URL: "http://a.test/", Due: at, Plan: plat.Plan{Schedule: plat.Schedule{Budget: "9/day"}}}, Due: at, Time: at, Outcome: plat.OutcomeNew}
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
