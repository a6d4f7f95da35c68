// Package digest computes the times and the contents of digests.
//
// [Times] are the times of a digest, such as "daily 07:30". They are local times: if the clock
// is set forward past the time, the digest is due at that change, and if a time occurs twice,
// the first counts. So a daily digest comes once a day, also when clocks change. [New] groups the items of a period into a
// [Digest]. The package does not read a clock.
package digest

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ErrTimes is returned for times that cannot be parsed.
var ErrTimes = errors.New(`bad times of a digest; write "hourly", "daily 07:30" or "weekly mon 07:30", optionally followed by a time zone, such as "daily 07:30 Europe/Berlin"`)

// every is the interval of a digest.
type every int

const (
	hourly every = iota
	daily
	weekly
)

// Times are the times of a digest. The zero value is every full hour.
type Times struct {
	every  every
	day    time.Weekday // for weekly
	minute int          // minute of the day
	zone   *time.Location
}

// weekdays are the written names of the days, from Sunday.
var weekdays = []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}

// Parse parses times: "hourly", "daily HH:MM" or "weekly DAY HH:MM", with a day such as "mon"
// or "monday". A name of the IANA time zone database may follow. Without it, the caller's zone
// applies. The error wraps [ErrTimes].
func Parse(s string) (Times, error) {
	words := strings.Fields(s)
	bad := func(what string, args ...any) (Times, error) {
		return Times{}, fmt.Errorf("%w: %.100q %s", ErrTimes, s, fmt.Sprintf(what, args...))
	}
	if len(words) == 0 {
		return bad("says nothing")
	}
	var t Times
	switch strings.ToLower(words[0]) {
	case "hourly":
	case "daily":
		t.every = daily
	case "weekly":
		t.every = weekly
	default:
		return bad("begins with %.20q", words[0])
	}
	words = words[1:]
	if t.every == weekly {
		if len(words) == 0 {
			return bad("has no day")
		}
		day := slices.IndexFunc(weekdays, func(name string) bool {
			w := strings.ToLower(words[0])
			return w == name || w == strings.ToLower(time.Weekday(slices.Index(weekdays, name)).String())
		})
		if day < 0 {
			return bad("has the day %.20q", words[0])
		}
		t.day, words = time.Weekday(day), words[1:]
	}
	if t.every != hourly {
		if len(words) == 0 {
			return bad("has no time")
		}
		minute, ok := minuteOf(words[0])
		if !ok {
			return bad("has the time %.20q", words[0])
		}
		t.minute, words = minute, words[1:]
	}
	if len(words) > 1 {
		return bad("has too many words")
	}
	if len(words) == 1 {
		zone, err := time.LoadLocation(words[0])
		if err != nil || words[0] == "Local" {
			return bad("has the time zone %.40q, which is unknown here", words[0])
		}
		t.zone = zone
	}
	return t, nil
}

// minuteOf parses HH:MM or H:MM.
func minuteOf(s string) (int, bool) {
	h, m, ok := strings.Cut(s, ":")
	digits := func(s string) bool { return strings.Trim(s, "0123456789") == "" }
	if !ok || len(h) < 1 || len(h) > 2 || len(m) != 2 || !digits(h+m) {
		return 0, false
	}
	hour, _ := strconv.Atoi(h)
	minute, _ := strconv.Atoi(m)
	return hour*60 + minute, hour < 24 && minute < 60
}

// String formats times for [Parse].
func (t Times) String() string {
	s := "hourly"
	clock := fmt.Sprintf("%02d:%02d", t.minute/60, t.minute%60)
	switch t.every {
	case daily:
		s = "daily " + clock
	case weekly:
		s = "weekly " + weekdays[t.day] + " " + clock
	}
	if t.zone != nil {
		s += " " + t.zone.String()
	}
	return s
}

// in returns the zone of the times: their own, or else the caller's.
func (t Times) in(loc *time.Location) *time.Location {
	if t.zone != nil {
		return t.zone
	}
	return loc
}

// Next returns the first time of the digest after an instant. loc is the zone of times without
// their own.
func (t Times) Next(after time.Time, loc *time.Location) time.Time {
	loc = t.in(loc)
	after = after.In(loc)
	if t.every == hourly {
		return nextHour(after)
	}
	// Times ascend with their dates, and those of earlier dates have passed.
	for date := dateOf(after); ; date = date.AddDate(0, 0, 1) {
		if t.every == weekly && date.Weekday() != t.day || t.every == daily && !exists(date, loc) {
			continue
		}
		if at := reached(date.Add(time.Duration(t.minute)*time.Minute), loc); at.After(after) {
			return at
		}
	}
}

// Latest returns the last time of the digest that is not after at.
func (t Times) Latest(at time.Time, loc *time.Location) time.Time {
	// Two times are never further apart than this, even with changes of the clock.
	back := map[every]time.Duration{hourly: 3 * time.Hour, daily: 4 * 24 * time.Hour, weekly: 10 * 24 * time.Hour}[t.every]
	latest := t.Next(at.Add(-back), loc)
	for {
		next := t.Next(latest, loc)
		if next.After(at) {
			return latest
		}
		latest = next
	}
}

// Period returns the period [from, to) of the last digest that is due at an instant: to is its
// time, and from is the time of the previous digest.
func (t Times) Period(at time.Time, loc *time.Location) (from, to time.Time) {
	to = t.Latest(at, loc)
	return t.Latest(to.Add(-1), loc), to
}

// dateOf returns the local date of an instant, as midnight in UTC.
func dateOf(t time.Time) time.Time {
	y, m, d := t.Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
}

// exists reports whether a zone has a date. Samoa had no 30 December 2011.
func exists(date time.Time, loc *time.Location) bool {
	return dateOf(reached(date, loc)).Equal(date)
}

// reached returns the first instant at which the local clock shows a given time or a later one.
// The time is given as if in UTC.
func reached(wall time.Time, loc *time.Location) time.Time {
	at := wall.Add(-48 * time.Hour).In(loc) // offsets are smaller
	for {
		_, offset := at.Zone()
		shown := wall.Add(-time.Duration(offset) * time.Second)
		if shown.Before(at) {
			shown = at // the clock was set forward past it
		}
		end := zoneEnd(at)
		if end.IsZero() || shown.Before(end) {
			return shown.In(loc)
		}
		at = end
	}
}

// nextHour returns the first full hour of local time after an instant.
func nextHour(after time.Time) time.Time {
	at := after.Truncate(time.Second).Add(time.Second)
	for {
		_, offset := at.Zone()
		over := (at.Unix() + int64(offset)) % 3600
		if over < 0 {
			over += 3600
		}
		next := at.Add(time.Duration((3600-over)%3600) * time.Second)
		end := zoneEnd(at)
		if end.IsZero() || next.Before(end) {
			return next
		}
		at = end
	}
}

// zoneEnd returns an instant after at until which the zone's offset does not change, or the
// zero time if it never changes again.
func zoneEnd(at time.Time) time.Time {
	_, end := at.ZoneBounds()
	if !end.IsZero() && !end.After(at) {
		// On 31 December of a leap year beyond the zone's table, Go 1.26 returns the beginning
		// of that day. No zone changes its offset on that day.
		return at.Add(time.Hour)
	}
	return end
}
