package forecast_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"plat/plat"
	"plat/queue/forecast"
	"plat/storage"
	"plat/storage/sqlite/sqlitetest"
)

// A new schedule applies to URLs with a prefix, or to a list of URLs: with an interval they are
// due that long after their last visit, and with a budget their policy decides at once.
func TestSet(t *testing.T) {
	s := sqlitetest.Open(t)
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	daily := plat.Plan{Schedule: plat.Schedule{Every: 24 * time.Hour}}
	var all []plat.Job
	for i := range 2100 { // more than two batches
		all = append(all, plat.Job{URL: fmt.Sprintf("http://a.test/%s/%d", []string{"news", "docs"}[i%2], i), Due: at, Priority: 0.5, Plan: daily})
	}
	all[2].Due = at.Add(-20 * time.Hour)
	if _, err := s.Enlist(t.Context(), all, storage.Join); err != nil {
		t.Fatal(err)
	}
	visit := func(url string, last, settles time.Time) {
		t.Helper()
		v := plat.Visit{URL: url, Time: last, Outcome: plat.OutcomeUnchanged, Settles: settles}
		if !settles.IsZero() {
			v.Next = last.Add(24 * time.Hour)
		}
		if err := s.Record(t.Context(), v, 0); err != nil {
			t.Fatal(err)
		}
	}
	visit(all[0].URL, at, at)
	visit(all[2].URL, all[2].Due, all[2].Due)
	const byHand = "http://a.test/news/by-hand"
	visit(byHand, at, time.Time{})
	now := at.Add(time.Hour)
	c := &forecast.Setter{Archive: s, Now: now, Schedule: plat.Schedule{Every: 12 * time.Hour}}
	if n, _, err := c.Prefix(t.Context(), "http://a.test/news/", nil); err != nil || n != (forecast.Set{Set: 1050, Passed: 1}) {
		t.Errorf("%+v, %v", n, err)
	}
	if n, _, err := c.Prefix(t.Context(), "http://a.test/", nil); err != nil || n != (forecast.Set{Set: 1050, AsWas: 1050, Passed: 1}) {
		t.Errorf("again: %+v, %v", n, err)
	}
	due := func(i int, want time.Time) {
		t.Helper()
		if st, err := s.State(t.Context(), all[i].URL); err != nil || !st.Due.Equal(want) || st.Schedule != c.Schedule {
			t.Errorf("%+v, %v; want due %v", st, err, want)
		}
	}
	due(0, at.Add(12*time.Hour))
	due(2, now)
	due(4, at) // its first visit
	c.Schedule = plat.Schedule{Budget: "9/day"}
	if n, at, err := c.URLs(t.Context(), []string{all[0].URL, all[2].URL, byHand, "http://unknown.test/"}); !errors.Is(err, plat.ErrNotFound) || at != "http://unknown.test/" || n != (forecast.Set{Set: 3}) {
		t.Errorf("%+v at %s, %v", n, at, err)
	}
	if st, err := s.State(t.Context(), byHand); err != nil || !st.Due.Equal(now) || st.Schedule != c.Schedule || st.Priority != 0.5 {
		t.Errorf("a page visited by hand: %+v, %v", st, err)
	}
	if n, _, err := c.URLs(t.Context(), []string{all[0].URL, all[2].URL}); err != nil || n != (forecast.Set{AsWas: 2}) {
		t.Errorf("%+v, %v", n, err)
	}
	due(0, now)
	due(2, now)
	c.Schedule = plat.Schedule{Policy: "plan", Every: time.Hour, Slots: "24:7,12"}
	if n, _, err := c.URLs(t.Context(), []string{all[0].URL}); err != nil || n != (forecast.Set{Set: 1}) {
		t.Errorf("%+v, %v", n, err)
	}
	due(0, at.Add(7*time.Hour))
}

// A URL that is named gets visits, whatever ended them; one that only begins with a prefix does not.
func TestANamedURLIsVisitedAgain(t *testing.T) {
	s := sqlitetest.Open(t)
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	const byHand, dead, alias, page, never = "http://a.test/by-hand", "http://a.test/dead", "http://a.test/alias", "http://a.test/page", "http://a.test/never"
	record := func(v plat.Visit) {
		t.Helper()
		if err := s.Record(t.Context(), v, 0); err != nil {
			t.Fatal(err)
		}
	}
	record(plat.Visit{URL: byHand, Time: at, Outcome: plat.OutcomeUnchanged})
	record(plat.Visit{URL: page, Time: at, Outcome: plat.OutcomeUnchanged})
	record(plat.Visit{URL: alias, Time: at, Outcome: plat.OutcomeAlias, Main: page})
	if _, err := s.Enlist(t.Context(), []plat.Job{{URL: dead, Due: at, Priority: 0.3}, {URL: never, Due: at, Priority: 0.3}}, storage.Join); err != nil {
		t.Fatal(err)
	}
	if err := s.Defer(t.Context(), storage.Deferral{URL: dead, Due: at, Attempts: 5}); err != nil {
		t.Fatal(err)
	}
	record(plat.Visit{URL: never, Time: at, Outcome: plat.OutcomeUnchanged, Settles: at})
	now := at.Add(time.Hour)
	c := &forecast.Setter{Archive: s, Now: now, Schedule: plat.Schedule{Every: 12 * time.Hour}}
	if n, _, err := c.Prefix(t.Context(), "http://a.test/", nil); err != nil || n != (forecast.Set{Set: 1, Passed: 4}) {
		t.Errorf("by prefix: %+v, %v", n, err)
	}
	if n, _, err := c.URLs(t.Context(), []string{byHand, dead, alias, never}); err != nil || n != (forecast.Set{Set: 3, AsWas: 1}) {
		t.Errorf("by name: %+v, %v", n, err)
	}
	for url, due := range map[string]time.Time{byHand: at.Add(12 * time.Hour), dead: now, page: at.Add(12 * time.Hour), never: at.Add(12 * time.Hour)} {
		if st, err := s.State(t.Context(), url); err != nil || !st.Due.Equal(due) || st.Schedule != c.Schedule || !st.Dead.IsZero() {
			t.Errorf("%s: %+v, %v; want due %v", url, st, err, due)
		}
	}
	c.Schedule = plat.Schedule{}
	if n, _, err := c.URLs(t.Context(), []string{byHand, never}); err != nil || n != (forecast.Set{Set: 2}) {
		t.Errorf("never: %+v, %v", n, err)
	}
}

// A schedule that a user sets is no longer that of a subscription, also if it is the same.
func TestASetScheduleIsThatOfTheUser(t *testing.T) {
	s := sqlitetest.Open(t)
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	hourly := plat.Schedule{Every: time.Hour}
	for url, set := range map[string]plat.Schedule{"http://a.test/": {Every: 24 * time.Hour}, "http://b.test/": hourly} {
		if _, err := s.Enlist(t.Context(), []plat.Job{{URL: url, Due: at, Plan: plat.Plan{Schedule: hourly, Watched: true}}}, storage.Seed); err != nil {
			t.Fatal(err)
		}
		c := &forecast.Setter{Archive: s, Now: at, Schedule: set}
		if _, _, err := c.URLs(t.Context(), []string{url}); err != nil {
			t.Fatal(err)
		}
		if st, err := s.State(t.Context(), url); err != nil || st.Schedule != set || st.Watched || st.Due.IsZero() {
			t.Errorf("%s: %+v, due %v, %v", url, st.Plan, st.Due, err)
		}
	}
}
