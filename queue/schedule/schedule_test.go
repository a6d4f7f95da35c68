package schedule

import (
	"fmt"
	"math"
	"testing"
	"time"

	"plat/plat"
)

var day = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func visit(s plat.Schedule, due, now time.Time) *Visit {
	return &Visit{State: plat.URLState{URL: "https://a.test/", Plan: plat.Plan{Schedule: s}}, Due: due, Time: now}
}

func TestFixed(t *testing.T) {
	for _, tc := range []struct {
		name     string
		every    time.Duration
		late     time.Duration
		wantLate time.Duration // of the next, after due; 0: never
	}{
		{"once", 0, time.Hour, 0},
		{"at once", time.Hour, 0, time.Hour},
		{"before it was due", time.Hour, -time.Minute, time.Hour},
		{"a little late", time.Hour, 59 * time.Minute, time.Hour},
		{"at the next grid point", time.Hour, time.Hour, 2 * time.Hour},
		{"days late", time.Hour, 49*time.Hour + time.Second, 50 * time.Hour},
	} {
		got := Decide(visit(plat.Schedule{Every: tc.every}, day, day.Add(tc.late)))
		want := time.Time{}
		if tc.wantLate > 0 {
			want = day.Add(tc.wantLate)
		}
		if !got.Due.Equal(want) || (got.Memory == "") != (tc.every == 0) {
			t.Errorf("%s: %+v, want %v", tc.name, got, want)
		}
	}
}

// TestJitter checks many visits of many URLs: intervals are within bounds, evenly
// distributed, and have the requested mean.
func TestJitter(t *testing.T) {
	s := plat.Schedule{Every: 24 * time.Hour, Jitter: 0.25}
	const urls, visits = 100, 100
	var sum float64
	var tenth [10]int
	last := map[int64]int{}
	for u := range urls {
		v := visit(s, day, day)
		v.State.URL = fmt.Sprintf("https://a.test/%d", u)
		for range visits {
			due := Decide(v).Due
			if again := Decide(v).Due; !again.Equal(due) {
				t.Fatalf("not reproducible: %v, then %v", again, due)
			}
			took := due.Sub(v.Due)
			x := (took.Hours()/24 - 0.75) / 0.5
			if x < 0 || x > 1 {
				t.Fatalf("an interval of %v", took)
			}
			tenth[min(9, int(10*x))]++
			sum += took.Hours()
			v.Due, v.Time = due, due.Add(time.Second)
		}
		last[v.Due.UnixMilli()]++
	}
	if mean := sum / (urls * visits); math.Abs(mean-24) > 0.2 {
		t.Errorf("the mean interval is %.2f hours", mean)
	}
	for i, n := range tenth {
		if n < 850 || n > 1150 { // five standard deviations
			t.Errorf("%d of %d intervals are in tenth %d of the range", n, urls*visits, i)
		}
	}
	if len(last) < urls*9/10 {
		t.Errorf("%d URLs are due at only %d distinct times", urls, len(last))
	}
}

func TestUnknownPolicyIsFixed(t *testing.T) {
	got := Decide(visit(plat.Schedule{Policy: "of a newer plat", Every: time.Hour}, day, day))
	if !got.Due.Equal(day.Add(time.Hour)) {
		t.Errorf("%+v", got)
	}
}

func TestCheck(t *testing.T) {
	for _, tc := range []struct {
		s  plat.Schedule
		ok bool
	}{
		{plat.Schedule{}, true},
		{plat.Schedule{Every: time.Hour}, true},
		{plat.Schedule{Policy: "fixed", Every: time.Hour}, true},
		{plat.Schedule{Policy: "fixed"}, false},
		{plat.Schedule{Policy: "fiksed", Every: time.Hour}, false},
		{plat.Schedule{Policy: "harmonic", Every: time.Hour}, true},
		{plat.Schedule{Policy: "harmonic"}, false},
		{plat.Schedule{Budget: "5000/day"}, true},
		{plat.Schedule{Policy: "archive", Budget: "200/hour/host", Min: time.Hour, Max: 48 * time.Hour}, true},
		{plat.Schedule{Policy: "fixed", Budget: "5000/day"}, false},
		{plat.Schedule{Budget: "5000/day", Every: time.Hour}, false},
		{plat.Schedule{Budget: "many"}, false},
		{plat.Schedule{Every: time.Hour, Min: time.Minute}, false},
	} {
		if err := Check(tc.s); (err == nil) != tc.ok {
			t.Errorf("Check(%+v) = %v", tc.s, err)
		}
	}
}
