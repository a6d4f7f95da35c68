package forecast

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"plat/plat"
	"plat/queue/schedule"
	"plat/storage/sqlite/sqlitetest"
	"plat/storage/storagetest"
)

// hourly returns a page that is visited every hour for some days, from an hour on.
func hourly(t *testing.T, days int, from time.Time, changes func(hour int) bool) *page {
	s := sqlitetest.Open(t)
	p := &page{t, s, storagetest.NewPage("https://a.test/", 1), "https://a.test/", from}
	enlist(t, s, from, plat.Plan{Schedule: plat.Schedule{Every: time.Hour}}, p.url)
	p.visit(0, plat.OutcomeNew, false)
	for range days * 24 {
		if changes(p.now.Add(time.Hour).Hour()) {
			p.visit(time.Hour, plat.OutcomeChanged, true)
		} else {
			p.visit(time.Hour, plat.OutcomeUnchanged, false)
		}
	}
	return p
}

// A page that changes in some hours of each day is visited after these; one that changes at any
// time at even intervals; and one that was not visited in most hours is not planned.
func TestSeason(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	from := time.Date(2026, 1, 1, 3, 20, 0, 0, time.UTC)
	busy := map[int]bool{6: true, 7: true, 12: true, 13: true, 20: true}
	o := SeasonOptions{Slot: time.Hour, Slots: 24, Visits: 5}
	p := hourly(t, 8, from, func(hour int) bool { return busy[hour] && r.IntN(10) > 0 || r.IntN(60) == 0 })
	s, err := SeasonOf(t.Context(), p.s, p.url, o)
	if err != nil {
		t.Fatal(err)
	}
	if s.Periods != 7 || s.Visited != 1 || !s.Periodic || s.P > .01 || s.Chosen == "even" || len(s.Plans) != 3 || !strings.Contains(s.Why, "its changes repeat") {
		t.Fatalf("%+v", s)
	}
	got := s.Schedule()
	slots, err := schedule.ParseSlots(got.Slots)
	if err != nil || slots.Of != 24 || slots.At != 20*time.Minute || got.Every != time.Hour || schedule.Check(got) != nil {
		t.Fatalf("%+v, %v", got, err)
	}
	hits := 0
	for _, k := range slots.Chosen {
		if busy[k] {
			hits++
		}
	}
	if hits < 4 {
		t.Errorf("visits in %v", slots)
	}
	quietest, most := 1e9, 0.0
	for i, x := range s.News {
		if busy[i] {
			quietest = min(quietest, x)
		} else {
			most = max(most, x)
		}
	}
	if quietest <= most { // not all changes of this page bring something
		t.Errorf("news %.2f", s.News)
	}
	even, best := s.Plans[0], s.Plans[slices.IndexFunc(s.Plans, func(p SlotPlan) bool { return p.Method == s.Chosen })]
	if even.Method != "even" || best.Accuracy+best.Freshness < even.Accuracy+even.Freshness+.2 {
		t.Errorf("even %+v, best %+v", even, best)
	}

	p = hourly(t, 8, from, func(int) bool { return r.IntN(4) == 0 })
	if s, err = SeasonOf(t.Context(), p.s, p.url, o); err != nil || s.Periodic || s.Chosen != "even" {
		t.Errorf("at any time: %+v, %v", s, err)
	}
	if got := s.Schedule(); got != (plat.Schedule{Every: 24 * time.Hour / 5}) {
		t.Errorf("%+v", got)
	}
	// After a plan was kept for some days, the days before are enough still; and after a time of
	// rare visits, those since.
	for range 4 {
		p.visit(6*time.Hour, plat.OutcomeUnchanged, false)
	}
	if s, err = SeasonOf(t.Context(), p.s, p.url, o); err != nil || s.Periods < 5 || s.Visited > .95 {
		t.Errorf("after a day of few visits: %+v, %v", s, err)
	}
	p = hourly(t, 0, from, nil)
	for range 10 {
		p.visit(24*time.Hour, plat.OutcomeUnchanged, false)
	}
	for range 4 * 24 {
		p.visit(time.Hour, plat.OutcomeUnchanged, false)
	}
	if s, err = SeasonOf(t.Context(), p.s, p.url, o); err != nil || s.Periods < 3 || s.Periods > 5 {
		t.Errorf("after days of few visits: %+v, %v", s, err)
	}
	p = hourly(t, 8, from, func(int) bool { return false })
	if s, err = SeasonOf(t.Context(), p.s, p.url, o); err != nil || s.Periodic || s.Chosen != "even" {
		t.Errorf("never: %+v, %v", s, err)
	}
	if _, err := SeasonOf(t.Context(), p.s, p.url, SeasonOptions{Slot: time.Hour, Slots: 168, Visits: 5}); err == nil || !strings.Contains(err.Error(), "3 are needed") {
		t.Errorf("a week: %v", err)
	}
	if _, err := SeasonOf(t.Context(), p.s, p.url, SeasonOptions{Slot: 30 * time.Minute, Slots: 48, Visits: 5}); err == nil || !strings.Contains(err.Error(), "only 50 %") {
		t.Errorf("half hours: %v", err)
	}
	if _, err := SeasonOf(t.Context(), p.s, p.url, SeasonOptions{Slot: time.Hour, Slots: 24, Visits: 25}); err == nil {
		t.Error("25 visits in 24 hours")
	}
}
