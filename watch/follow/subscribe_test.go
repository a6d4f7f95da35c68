package follow_test

import (
	"errors"
	"testing"
	"time"

	"plat/plat"
	"plat/storage"
	"plat/storage/sqlite/sqlitetest"
	"plat/watch/follow"
)

func TestAPageIsVisitedByTheScheduleAskedForOrItsOwnOrEveryHour(t *testing.T) {
	store := sqlitetest.Open(t)
	const u = "https://a.test/"
	now := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	for _, x := range []struct {
		name      string
		ask, want time.Duration
	}{{"nothing is asked for", 0, time.Hour}, {"another is asked for", 6 * time.Hour, 6 * time.Hour}, {"it has one", 0, 6 * time.Hour}} {
		s := &plat.Subscription{URL: u, Title: x.name}
		if err := follow.Subscribe(t.Context(), store, plat.Job{Plan: plat.Plan{Schedule: plat.Schedule{Every: x.ask}}}, now, s); err != nil {
			t.Fatal(err)
		}
		got, err := store.Subscription(t.Context(), s.ID)
		if err != nil || got.Title != x.name || !got.Made.Equal(now) {
			t.Errorf("%s: subscribed is %+v, %v", x.name, got, err)
		}
		if st, err := store.State(t.Context(), u); err != nil || st.Schedule.Every != x.want {
			t.Errorf("%s: it is visited every %v, %v", x.name, st.Schedule.Every, err)
		}
	}
}

func TestWhatCannotBeFollowedIsNotStored(t *testing.T) {
	store := sqlitetest.Open(t)
	good, bad := &plat.Subscription{URL: "https://a.test/"}, &plat.Subscription{URL: "https://b.test/", Match: []string{"("}}
	if err := follow.Subscribe(t.Context(), store, plat.Job{}, time.Now(), good, bad); !errors.Is(err, follow.ErrCannot) {
		t.Errorf("the error is %v", err)
	}
	for range store.Subscriptions(t.Context(), storage.Which{}) {
		t.Error("something is stored")
	}
	if _, err := store.State(t.Context(), good.URL); !errors.Is(err, plat.ErrNotFound) {
		t.Errorf("a page is to be visited: %v", err)
	}
}

func TestAFollowedPageIsVisitedAgainAndAgain(t *testing.T) {
	store := sqlitetest.Open(t)
	now := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	every := func(url string, d time.Duration) plat.Job {
		return plat.Job{URL: url, Due: now, Plan: plat.Plan{Schedule: plat.Schedule{Every: d}}}
	}
	unknown, once, own := "https://a.test/unknown", "https://a.test/once", "https://a.test/own"
	if _, err := store.Enlist(t.Context(), []plat.Job{every(once, 0), every(own, 6*time.Hour)}, storage.Seed); err != nil {
		t.Fatal(err)
	}
	if err := follow.EnlistFollowed(t.Context(), store, []plat.Job{every(unknown, time.Hour), every(once, time.Hour), every(own, time.Hour)}); err != nil {
		t.Fatal(err)
	}
	for url, want := range map[string]time.Duration{unknown: time.Hour, once: time.Hour, own: 6 * time.Hour} {
		if st, err := store.State(t.Context(), url); err != nil || st.Schedule.Every != want {
			t.Errorf("%s is visited every %v, %v; want %v", url, st.Schedule.Every, err, want)
		}
	}
}

// A feed keeps its own schedule; one without is visited as often as the page.
func TestFeedsAreVisitedByTheirScheduleOrThatOfThePage(t *testing.T) {
	s := sqlitetest.Open(t)
	now := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	const page, own, fresh = "https://a.test/", "https://a.test/own.rss", "https://a.test/new.rss"
	daily, often := plat.Schedule{Every: 24 * time.Hour}, plat.Schedule{Every: 10 * time.Minute}
	for url, schedule := range map[string]plat.Schedule{page: daily, own: often} {
		if _, err := s.Enlist(t.Context(), []plat.Job{{URL: url, Due: now, Plan: plat.Plan{Schedule: schedule}}}, storage.Seed); err != nil {
			t.Fatal(err)
		}
	}
	sub := &plat.Subscription{ID: "a", URL: page, Feeds: []string{own, fresh}, Made: now}
	for _, step := range []struct{ asked, page, own, fresh plat.Schedule }{{plat.Schedule{}, daily, often, daily}, {plat.Schedule{Every: time.Hour}, plat.Schedule{Every: time.Hour}, plat.Schedule{Every: time.Hour}, plat.Schedule{Every: time.Hour}}} {
		if err := follow.Subscribe(t.Context(), s, plat.Job{Plan: plat.Plan{Schedule: step.asked}}, now, sub); err != nil {
			t.Fatal(err)
		}
		for url, want := range map[string]plat.Schedule{page: step.page, own: step.own, fresh: step.fresh} {
			if st, err := s.State(t.Context(), url); err != nil || st.Schedule != want || st.Due.IsZero() {
				t.Errorf("%s: %+v, %v; want %+v", url, st.Plan, err, want)
			}
		}
	}
}
