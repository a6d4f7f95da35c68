package follow

import (
	"slices"
	"testing"
	"time"

	"plat/plat"
	"plat/storage"
	"plat/storage/sqlite/sqlitetest"
)

// The end of a subscription ends the visits that it has begun, and no others.
func TestAnEndedSubscriptionLeavesTheScheduleFromBefore(t *testing.T) {
	s := sqlitetest.Open(t)
	daily, hourly, often := plat.Schedule{Every: 24 * time.Hour}, plat.Schedule{Every: time.Hour}, plat.Schedule{Every: 10 * time.Minute}
	const own, crawled, chosen, shared, deeper, once = "https://a.test/own", "https://a.test/crawled", "https://a.test/chosen", "https://a.test/shared", "https://a.test/deeper", "https://a.test/once"
	enlist := func(url string, p plat.Plan, how storage.Intake) {
		t.Helper()
		if _, err := s.Enlist(t.Context(), []plat.Job{{URL: url, Due: made, Priority: 0.5, Plan: p}}, how); err != nil {
			t.Fatal(err)
		}
	}
	enlist(crawled, plat.Plan{Scope: "host", Schedule: daily}, storage.Join)
	enlist(chosen, plat.Plan{Schedule: daily}, storage.Seed)
	enlist(once, plat.Plan{Scope: "host"}, storage.Join)
	var ended []*storage.Subscribed
	add := func(id, url string, every plat.Schedule, depth int) {
		t.Helper()
		sub := &plat.Subscription{ID: id, URL: url, Depth: depth, Made: made}
		if err := Subscribe(t.Context(), s, plat.Job{Priority: 0.5, Plan: plat.Plan{Schedule: every}}, made, sub); err != nil {
			t.Fatal(err)
		}
		if id[0] == 'x' {
			return
		}
		all, err := s.Subscription(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		ended = append(ended, all)
	}
	add("own", own, hourly, 1)
	add("crawled", crawled, often, 1)
	add("chosen", chosen, plat.Schedule{}, 1) // it keeps its own schedule
	add("shared", shared, hourly, 1)
	add("x1", shared, plat.Schedule{}, 1)
	add("once", once, often, 1)
	add("x2", "https://a.test/list", hourly, 2)
	enlist(deeper, plat.Plan{Schedule: hourly, Watched: true}, storage.Join)
	if err := s.Examined(t.Context(), &storage.Examination{ID: "x2", Following: plat.Following{Pages: []plat.FollowedPage{{URL: "https://a.test/list", Depth: 1, Examined: 1}, {URL: deeper, Depth: 2}}}}); err != nil {
		t.Fatal(err)
	}
	ended[0].Pages = []plat.FollowedPage{{URL: own, Depth: 1}, {URL: deeper, Depth: 2}, {URL: "https://a.test/unknown", Depth: 2}}
	for url := range map[string]bool{own: true, crawled: true, once: true} { // their first visits are made
		v := plat.Visit{URL: url, Time: made, Outcome: plat.OutcomeUnchanged, Settles: made, Next: made.Add(time.Hour)}
		if err := s.Record(t.Context(), v, 0); err != nil {
			t.Fatal(err)
		}
	}
	all, err := Remaining(t.Context(), s, ended...)
	want := []Visited{{own, hourly, true, plat.Schedule{}}, {crawled, often, true, daily}, {chosen, daily, false, plat.Schedule{}}, {once, often, true, plat.Schedule{}}}
	if err != nil || len(all) != len(want) {
		t.Fatalf("%+v, %v", all, err)
	}
	for i := range want {
		if all[i] != want[i] {
			t.Errorf("%+v, want %+v", all[i], want[i])
		}
	}
	stopped, err := Stop(t.Context(), s, made, all)
	if err != nil || len(stopped) != 3 {
		t.Fatalf("%+v, %v", stopped, err)
	}
	for url, want := range map[string]plat.Schedule{own: {}, crawled: daily, chosen: daily, once: {}, shared: hourly, deeper: hourly} {
		st, err := s.State(t.Context(), url)
		if err != nil || st.Schedule != want || st.Due.IsZero() != (want == plat.Schedule{}) || url != shared && url != deeper && st.Watched {
			t.Errorf("%s: %+v due %v, %v; want %+v", url, st.Plan, st.Due, err, want)
		}
	}
	if st, err := s.State(t.Context(), crawled); err != nil || !st.Due.Equal(made.Add(24*time.Hour)) {
		t.Errorf("the crawl's next visit: %v, %v", st.Due, err)
	}
	if again, err := Stop(t.Context(), s, made, nil); err != nil || len(again) != 0 {
		t.Errorf("nothing to stop: %v, %v", again, err)
	}
}

// Feeds of a subscription go on being visited like its page, also those never examined, unless another one has them.
func TestFeedsOfAnEndedSubscriptionGoOnBeingVisited(t *testing.T) {
	s := sqlitetest.Open(t)
	hourly := plat.Schedule{Every: time.Hour}
	const page, other, own, shared, pageOfAnother = "https://a.test/", "https://b.test/", "https://a.test/own.rss", "https://a.test/shared.rss", "https://c.test/"
	for _, sub := range []*plat.Subscription{
		{ID: "a", URL: page, Feeds: []string{own, shared, pageOfAnother}, Made: made},
		{ID: "b", URL: other, Feeds: []string{shared}, Made: made},
		{ID: "c", URL: pageOfAnother, Made: made},
	} {
		if err := Subscribe(t.Context(), s, plat.Job{Priority: 0.5, Plan: plat.Plan{Schedule: hourly}}, made, sub); err != nil {
			t.Fatal(err)
		}
	}
	for id, want := range map[string][]string{"a": {page, own}, "b": {other}, "c": nil} {
		ended, err := s.Subscription(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		all, err := Remaining(t.Context(), s, ended)
		var urls []string
		for _, v := range all {
			urls = append(urls, v.URL)
		}
		if err != nil || !slices.Equal(urls, want) {
			t.Errorf("%s: %q, %v; want %q", id, urls, err, want)
		}
	}
}
