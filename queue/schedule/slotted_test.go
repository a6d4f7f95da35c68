package schedule

import (
	"math/rand/v2"
	"testing"
	"time"

	"plat/plat"
)

// A planned page is visited in its slots, ten minutes after they begin, whenever it was visited, and those that were
// missed are skipped.
func TestSlotted(t *testing.T) {
	s := plat.Schedule{Policy: "plan", Every: 6 * time.Hour, Slots: "28:0,5,27+600s"} // of a week
	if err := Check(s); err != nil {
		t.Fatal(err)
	}
	times := []time.Time{} // of four weeks
	monday := time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)
	for week := range 4 {
		for _, k := range []int{0, 5, 27} {
			times = append(times, monday.Add(time.Duration(week*28+k)*6*time.Hour+10*time.Minute))
		}
	}
	v := visit(s, monday, monday)
	v.Outcome = plat.OutcomeNew
	for i, want := range times {
		next := Decide(v)
		if !next.Due.Equal(want) || next.Memory == "" {
			t.Fatalf("visit %d at %v is due %v, want %v", i, v.Time, next.Due, want)
		}
		v.Memory, v.Due, v.Time = next.Memory, next.Due, next.Due.Add(time.Minute)
	}
	v.Time = monday.Add(-10000 * 24 * time.Hour) // before the first week of all
	v.Due = v.Time
	if next := Decide(v); next.Due.Sub(v.Time) > 7*24*time.Hour || !next.Due.After(v.Time) {
		t.Errorf("at %v due %v", v.Time, next.Due)
	}
	r := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		v.Time = monday.Add(time.Duration(r.Int64N(int64(500*24*time.Hour))) - 250*24*time.Hour)
		v.Due = v.Time.Add(-time.Duration(r.Int64N(int64(24 * time.Hour))))
		due := Decide(v).Due
		if !due.After(v.Time) {
			t.Fatalf("at %v due %v", v.Time, due)
		}
		for _, at := range times {
			for k := -60; k < 60; k++ {
				if x := at.Add(time.Duration(k) * 28 * 24 * time.Hour); x.After(v.Time) && x.Before(due) {
					t.Fatalf("at %v due %v, though %v comes before", v.Time, due, x)
				}
			}
		}
	}
}

func TestSlots(t *testing.T) {
	for _, text := range []string{"24:0,7,12", "1:0", "1000:999", "24:1,2+600s"} {
		if p, err := ParseSlots(text); err != nil || p.String() != text {
			t.Errorf("%s: %+v, %v", text, p, err)
		}
	}
	for _, text := range []string{"", "24", "24:", "24:24", "24:-1", "24:5,5", "24:7,5", "0:0", "1001:0", "x:0", "24:0,,1", "24:0+", "24:0+soon", "24:0+-5s"} {
		if p, err := ParseSlots(text); err == nil {
			t.Errorf("%q: %+v", text, p)
		}
	}
	for _, s := range []plat.Schedule{{Policy: "plan", Every: time.Hour}, {Every: time.Hour, Slots: "2:1"}, {Policy: "plan", Slots: "2:1"}, {Policy: "plan", Every: time.Hour, Slots: "2:2"}, {Policy: "plan", Budget: "1/day", Slots: "2:1"}, {Policy: "plan", Every: time.Hour, Slots: "2:1+3600s"}} {
		if Check(s) == nil {
			t.Errorf("%+v is taken", s)
		}
	}
	s := plat.Schedule{Policy: "plan", Every: time.Hour, Slots: "24:1,8,9,20"}
	if got := Inherited(s); got != (plat.Schedule{Every: 6 * time.Hour}) {
		t.Errorf("links get %+v", got)
	}
	if s = (plat.Schedule{Budget: "5/day"}); Inherited(s) != s {
		t.Errorf("links get %+v", Inherited(s))
	}
}
