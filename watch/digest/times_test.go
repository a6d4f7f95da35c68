package digest

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	loc, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return loc
}

func parsed(t testing.TB, s string) Times {
	t.Helper()
	times, err := Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return times
}

func TestTimesAreReadAndWritten(t *testing.T) {
	for text, want := range map[string]string{
		"hourly": "hourly", " Hourly  Asia/Kolkata ": "hourly Asia/Kolkata",
		"daily 07:30": "daily 07:30", "DAILY 7:30": "daily 07:30", "daily 00:00 UTC": "daily 00:00 UTC",
		"daily 23:59 Europe/Berlin": "daily 23:59 Europe/Berlin",
		"weekly mon 07:30":          "weekly mon 07:30", "weekly Sunday 7:05 America/St_Johns": "weekly sun 07:05 America/St_Johns",
	} {
		got, err := Parse(text)
		if err != nil || got.String() != want {
			t.Errorf("%q is %q, %v; want %q", text, got, err, want)
		}
	}
	for _, bad := range []string{"", " ", "monthly", "daily", "daily 24:00", "daily 7:5", "daily 07:60", "daily 7.30", "daily -1:30", "daily +1:30", "daily 007:30", "daily :30",
		"weekly", "weekly 07:30", "weekly mo 07:30", "weekly mon", "hourly 07:30", "daily 07:30 Local", "daily 07:30 Mars/Base", "daily 07:30 ../x", "daily 07:30 UTC x", strings.Repeat("x", 10000)} {
		if got, err := Parse(bad); !errors.Is(err, ErrTimes) || len(err.Error()) > 400 {
			t.Errorf("%.40q is %q, %v", bad, got, err)
		}
	}
}

func TestDigestsAreDueOnceADayWhateverTheClockDoes(t *testing.T) {
	for _, tc := range []struct {
		name, times, zone, after string
		want                     []string // in local time
	}{
		{"winter", "daily 07:30", "Europe/Berlin", "2026-01-01T07:30:00+01:00", []string{"2026-01-02T07:30:00+01:00", "2026-01-03T07:30:00+01:00"}},
		{"just before", "daily 07:30", "Europe/Berlin", "2026-01-01T07:29:59+01:00", []string{"2026-01-01T07:30:00+01:00"}},
		{"the named zone goes before the caller's", "daily 07:30 Asia/Tokyo", "Europe/Berlin", "2026-01-01T00:00:00+01:00", []string{"2026-01-02T07:30:00+09:00"}},
		{"a time that does not exist comes when the clock has passed it", "daily 02:30", "Europe/Berlin", "2026-03-28T12:00:00+01:00", []string{"2026-03-29T03:00:00+02:00", "2026-03-30T02:30:00+02:00"}},
		{"a time that comes twice counts first", "daily 02:30", "Europe/Berlin", "2026-10-24T12:00:00+02:00", []string{"2026-10-25T02:30:00+02:00", "2026-10-26T02:30:00+01:00"}},
		{"after the first there is no second", "daily 02:30", "Europe/Berlin", "2026-10-25T02:30:00+02:00", []string{"2026-10-26T02:30:00+01:00"}},
		{"a midnight that does not exist", "daily 00:00", "America/Santiago", "2026-09-05T12:00:00-04:00", []string{"2026-09-06T01:00:00-03:00", "2026-09-07T00:00:00-03:00"}},
		{"an hour before midnight that does not exist", "daily 23:30", "America/Scoresbysund", "2025-03-29T12:00:00-02:00", []string{"2025-03-30T00:00:00-01:00", "2025-03-30T23:30:00-01:00"}},
		{"half an hour", "daily 02:15", "Australia/Lord_Howe", "2026-10-03T12:00:00+10:30", []string{"2026-10-04T02:30:00+11:00", "2026-10-05T02:15:00+11:00"}},
		{"a day that did not exist has no digest", "daily 07:30", "Pacific/Apia", "2011-12-28T12:00:00-10:00", []string{"2011-12-29T07:30:00-10:00", "2011-12-31T07:30:00+14:00"}},
		{"a week", "weekly mon 07:30", "Europe/Berlin", "2026-10-19T07:30:00+02:00", []string{"2026-10-26T07:30:00+01:00", "2026-11-02T07:30:00+01:00"}},
		{"a week whose time does not exist", "weekly sun 02:30", "Europe/Berlin", "2026-03-28T00:00:00+01:00", []string{"2026-03-29T03:00:00+02:00", "2026-04-05T02:30:00+02:00"}},
		{"a week without that day", "weekly fri 07:30", "Pacific/Apia", "2011-12-24T00:00:00-10:00", []string{"2011-12-31T00:00:00+14:00", "2012-01-06T07:30:00+14:00"}},
		{"hours over a change forward", "hourly", "Europe/Berlin", "2026-03-29T00:30:00+01:00", []string{"2026-03-29T01:00:00+01:00", "2026-03-29T03:00:00+02:00", "2026-03-29T04:00:00+02:00"}},
		{"hours over a change back", "hourly", "Europe/Berlin", "2026-10-25T01:30:00+02:00", []string{"2026-10-25T02:00:00+02:00", "2026-10-25T02:00:00+01:00", "2026-10-25T03:00:00+01:00"}},
		{"hours where zones are at 30 minutes", "hourly", "Asia/Kolkata", "2026-01-01T00:00:00Z", []string{"2026-01-01T06:00:00+05:30"}},
		{"hours over a change by half an hour", "hourly", "Australia/Lord_Howe", "2026-10-04T01:10:00+10:30", []string{"2026-10-04T03:00:00+11:00", "2026-10-04T04:00:00+11:00"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			times, loc := parsed(t, tc.times), zone(t, tc.zone)
			at, err := time.Parse(time.RFC3339, tc.after)
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range tc.want {
				at = times.Next(at, loc)
				if got := at.Format(time.RFC3339); got != want {
					t.Fatalf("next is %s, want %s", got, want)
				}
			}
		})
	}
}

// someZones have changes of every kind.
var someZones = []string{"UTC", "Europe/Berlin", "America/New_York", "America/Santiago", "Australia/Lord_Howe", "Pacific/Apia", "America/Scoresbysund", "Asia/Kolkata",
	"Africa/Casablanca", "Asia/Tehran", "Antarctica/Troll", "Pacific/Kwajalein", "Asia/Manila", "America/Juneau", "Africa/Monrovia", "Europe/Dublin"}

// properties checks the properties of all times at all instants.
func properties(t *testing.T, times Times, at time.Time, loc *time.Location) {
	t.Helper()
	where := times.in(loc)
	next, latest := times.Next(at, loc), times.Latest(at, loc)
	from, to := times.Period(at, loc)
	switch {
	case !next.After(at) || latest.After(at):
		t.Fatalf("%s: at %s next is %s, latest %s", times, at, next, latest)
	case !times.Next(latest, loc).Equal(next):
		t.Fatalf("%s: at %s next is %s, but after %s it is %s", times, at, next, latest, times.Next(latest, loc))
	case !to.Equal(latest) || !from.Before(to) || !times.Next(from, loc).Equal(to):
		t.Fatalf("%s: at %s the period is [%s, %s), latest %s", times, at, from, to, latest)
	case !times.Latest(next, loc).Equal(next):
		t.Fatalf("%s: the latest at %s is %s", times, next, times.Latest(next, loc))
	}
	if f, _ := times.Period(next, loc); !f.Equal(to) {
		t.Fatalf("%s: periods are not adjacent: to %s, from %s", times, to, f)
	}
	local := next.In(where)
	wall := time.Duration(local.Hour())*time.Hour + time.Duration(local.Minute())*time.Minute + time.Duration(local.Second())*time.Second
	before := next.Add(-1).In(where)
	_, offset := next.In(where).Zone()
	_, was := before.Zone()
	jumped := offset > was // the clock was set forward at that instant
	switch times.every {
	case hourly:
		if wall%time.Hour != 0 || next.Sub(latest) > 2*time.Hour {
			t.Fatalf("hourly at %s after %s", local, latest)
		}
	default:
		if wall != time.Duration(times.minute)*time.Minute && !jumped {
			t.Fatalf("%s at %s", times, local)
		}
		if times.every == weekly && local.Weekday() != times.day && !jumped {
			t.Fatalf("%s at %s", times, local)
		}
	}
}

func TestPeriodsFollowEachOtherWithoutGaps(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 4000 {
		times := Times{every: every(r.IntN(3)), minute: r.IntN(1440), day: time.Weekday(r.IntN(7))}
		loc := zone(t, someZones[r.IntN(len(someZones))])
		at := time.Date(1840+r.IntN(260), time.Month(1+r.IntN(12)), 1+r.IntN(28), r.IntN(24), r.IntN(60), r.IntN(60), r.IntN(1e9), time.UTC)
		if r.IntN(2) == 0 { // near a change of the clock
			if _, end := at.In(loc).ZoneBounds(); !end.IsZero() {
				at = end.Add(time.Duration(r.IntN(8*3600)-4*3600) * time.Second)
			}
		}
		properties(t, times, at, loc)
	}
}

func TestTheLastDayOfADistantLeapYearEnds(t *testing.T) {
	loc := zone(t, "Europe/Berlin")
	for _, text := range []string{"hourly", "daily 07:30", "weekly thu 07:30"} {
		properties(t, parsed(t, text), time.Date(2096, 12, 31, 12, 0, 0, 0, loc), loc)
	}
}

func TestEveryDateOfYearsHasOneDigest(t *testing.T) {
	for _, name := range someZones {
		loc := zone(t, name)
		for _, clock := range []string{"00:00", "00:30", "02:30", "12:00", "23:30"} {
			times := parsed(t, "daily "+clock)
			// One digest for each date that exists in the zone.
			from, to := time.Date(2009, 1, 15, 12, 45, 0, 0, loc), time.Date(2029, 1, 15, 12, 45, 0, 0, loc)
			want := 0
			for d := dateOf(from); d.Before(dateOf(to)); d = d.AddDate(0, 0, 1) {
				if exists(d, loc) {
					want++
				}
			}
			got := 0
			for at := times.Next(from, loc); !at.After(to); at = times.Next(at, loc) {
				got++
			}
			if got != want {
				t.Errorf("%s in %s: %d digests in %d days", clock, name, got, want)
			}
		}
	}
}

func FuzzTimes(f *testing.F) {
	f.Add("daily 02:30 Europe/Berlin", int64(1774742400))
	f.Add("weekly fri 07:30 Pacific/Apia", int64(1325100000))
	f.Add("hourly", int64(-5000000000))
	f.Fuzz(func(t *testing.T, text string, unix int64) {
		times, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Parse(times.String())
		if err != nil || again.String() != times.String() {
			t.Fatalf("%q became %q, %v", text, times, err)
		}
		properties(t, times, time.Unix(unix%4e9, 0), time.UTC)
	})
}
