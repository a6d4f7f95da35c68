package storagetest

import (
	"testing"
	"time"

	"plat/plat"
	"plat/storage"
)

// testWatched checks that a subscription's schedule keeps the one before it, for linked pages and for its end.
func testWatched(t *testing.T, s storage.Store) {
	const url = "https://a.test/watched"
	daily, hourly := plat.Schedule{Every: 24 * time.Hour}, plat.Schedule{Every: time.Hour}
	plan := func(how storage.Intake, p plat.Plan, want plat.Plan) {
		t.Helper()
		if _, err := s.Enlist(t.Context(), []plat.Job{{URL: url, Due: day, Priority: 0.5, Plan: p}}, how); err != nil {
			t.Fatal(err)
		}
		if st, err := s.State(t.Context(), url); err != nil || st.Plan != want {
			t.Errorf("%+v: %+v, %v; want %+v", p, st.Plan, err, want)
		}
	}
	plan(storage.Seed, plat.Plan{Scope: "host", Schedule: daily}, plat.Plan{Scope: "host", Schedule: daily})
	watched := plat.Plan{Scope: "host", Schedule: hourly, Watched: true, Crawled: daily}
	plan(storage.Seed, plat.Plan{Schedule: hourly, Watched: true}, watched)
	plan(storage.Join, plat.Plan{Schedule: daily}, watched)
	again := watched
	again.Schedule.Every = 2 * time.Hour
	plan(storage.Replan, plat.Plan{Schedule: again.Schedule, Watched: true}, again)
	plan(storage.Seed, plat.Plan{Scope: "any"}, again)
	plan(storage.Replan, plat.Plan{Schedule: daily}, plat.Plan{Scope: "host", Schedule: daily})
	plan(storage.Replan, plat.Plan{Schedule: daily, Watched: true}, plat.Plan{Scope: "host", Schedule: daily, Watched: true, Crawled: daily})
	plan(storage.Seed, plat.Plan{Schedule: hourly}, plat.Plan{Scope: "host", Schedule: hourly})
}
