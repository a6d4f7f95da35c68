package schedule

import (
	"math"
	"strings"
	"testing"
	"time"

	"plat/plat"
)

func TestBelieve(t *testing.T) {
	v := visit(plat.Schedule{Policy: "harmonic", Budget: "10/day"}, day, day)
	v.Shared = &Shared{Steering: Steering{Pages: 20}}
	var all []Visit
	for i := range 30 {
		v.Outcome, v.Changes = plat.OutcomeUnchanged, plat.Changes{}
		if i%2 == 1 { // every second day
			v.Outcome, v.Changes = plat.OutcomeChanged, plat.Changes{Blocks: []plat.Change{{Kind: plat.Content}}}
		}
		all = append(all, *v)
		next := Decide(v)
		v.Memory, v.State.Due, v.State.Outcome = next.Memory, next.Due, v.Outcome
		v.Time = v.Time.Add(24 * time.Hour)
	}
	v.Time = v.Time.Add(-23 * time.Hour) // an hour after the last visit
	b := Believe(v)
	if b.Policy != "harmonic" || b.Visits != 29 || b.Every < 1 || b.Every > 3 || b.Pages != 20 || b.Factor != 1 || b.Chance <= 0 || b.Chance > 0.3 {
		t.Errorf("%+v", b)
	}
	if wait := b.Next.Sub(b.Last).Hours() / 24; wait < 0.5 || wait > 4 {
		t.Errorf("its turn comes after %v days", wait)
	}
	if !strings.Contains(b.Decides, "29 visits") || !strings.Contains(b.Decides, "10/day for 20 pages") {
		t.Error(b.Decides)
	}
	// If the memory is lost, the visits restore all of it, except the fleet's shared data.
	alone := *v
	alone.Shared = nil
	if Rebuild(&alone, all) != v.Memory {
		t.Errorf("rebuilt %+v, was %+v", decode(Rebuild(&alone, all)), decode(v.Memory))
	}
	alone.Memory = ""
	k, again := decode(v.Memory), decode(Rebuild(&alone, all))
	if !again.due.Equal(k.due) || again.Pages != 0 || again.Visits != k.Visits || again.Age != k.Age || math.Abs(again.Rate()/k.Rate()-1) > 1e-6 || !again.at.Equal(k.at) {
		t.Errorf("rebuilt %+v, was %+v", again, k)
	}

	v.State.Schedule.Policy = "blocks" // a policy without any memory of this URL
	lost := *v
	lost.Memory = ""
	if k := decode(Rebuild(&lost, all)); k.Blocks.Rate() != new(Blocks).Rate() || k.Visits != 29 {
		t.Errorf("rebuilt without blocks: they turn at %v, %d visits", k.Blocks.Rate(), k.Visits)
	}

	v.State.Schedule = plat.Schedule{Every: time.Hour}
	if b := Believe(v); b.Policy != "fixed" || !b.Next.Equal(v.State.Due) || b.Decides != "it is visited every 60 minutes" {
		t.Errorf("%+v", b)
	}
	v.State.Due = time.Time{}
	if b := Believe(v); b.Decides != "it is not visited again" {
		t.Errorf("%+v", b)
	}
	unknown := visit(plat.Schedule{Budget: "0/day"}, day, day)
	unknown.State.Due = day
	if b := Believe(unknown); b.Every != 0 || b.Chance != 0 || !b.Next.Equal(day) {
		t.Errorf("%+v", b)
	}
}
