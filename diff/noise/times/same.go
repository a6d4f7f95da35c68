package times

import (
	"time"

	"plat/plat/calendar"
)

// What is the kind of thing that two values denote.
type What string

// The kinds of things.
const (
	Going What = "clock" // a clock that has advanced, or a remaining time
	Age   What = "age"   // the same instant
	Date  What = "date"  // the date of each visit
)

// Same returns the kind of thing that two values of one kind both denote, the second seen after the
// first; empty if they denote different things.
func Same(a *Value, then time.Time, b *Value, now time.Time) What {
	switch a.Kind {
	case Clock:
		if sameClock(a, then, b, now) {
			return Going
		}
	case Instant:
		if a.unit == 0 && b.unit == 0 { // two dates are two events, unless they are those of the visits
			if Shows(then, now, func(t, u time.Time) bool { return dayOf(t) == a.day && dayOf(u) == b.day }) {
				return Date
			}
			return ""
		}
		if sameInstant(a, then, b, now) {
			return Age
		}
	case Weekday:
		if Shows(then, now, func(t, u time.Time) bool { return int(t.Weekday()) == a.day.Day && int(u.Weekday()) == b.day.Day }) {
			return Date
		}
	}
	return ""
}

// slack is the error of a clock beyond its own unit: the time that a page takes to load.
const slack = 5 * time.Second

// sameClock reports whether a clock advanced by the time between two visits: forward as a clock or a
// stopwatch, or backward to a deadline.
func sameClock(a *Value, then time.Time, b *Value, now time.Time) bool {
	passed, wrong := now.Sub(then), max(a.unit, b.unit)+slack
	near := func(d, period time.Duration) bool {
		if period > 0 {
			d = (d%period + period) % period
			d = min(d, period-d)
		}
		return -wrong <= d && d <= wrong
	}
	// A clock shows the time of the visits in some zone; zones differ by quarters of an hour. Opening
	// hours are whole quarters.
	period, quarter := day, 15*time.Minute
	if a.half && b.half {
		period = 12 * time.Hour
	}
	whole := max(a.unit, b.unit) > time.Second && a.n%quarter == 0 && b.n%quarter == 0
	if !whole && near(b.n-a.n-passed, period) {
		since := then.Sub(then.Truncate(day))
		if near(a.n-since, quarter) {
			return true
		}
	}
	if max(a.unit, b.unit) > time.Second {
		return false // hours and minutes alone are ambiguous
	}
	return near(b.n-a.n-passed, 0) || near(b.n-a.n+passed, 0)
}

// sameInstant reports whether two ages, or an age and a date, may denote one instant.
func sameInstant(a *Value, then time.Time, b *Value, now time.Time) bool {
	if a.unit != 0 && b.unit != 0 {
		// Ages grow and remaining times shrink, except for rounding to a different unit.
		grown := b.n - a.n
		if a.unit != b.unit {
			grown += max(a.unit, b.unit)
		}
		if grown < 0 || b.n < 0 && a.unit == b.unit && grown > now.Sub(then)+a.unit/2 {
			return false
		}
	}
	from, to := a.instant(then)
	since, till := b.instant(now)
	return from.Before(till) && since.Before(to)
}

// instant returns the bounds of the instant that a value denotes, seen at a time: an age may be
// truncated or rounded, and a date may be in any time zone.
func (v *Value) instant(at time.Time) (from, to time.Time) {
	if v.unit == 0 {
		t := time.Date(v.day.Year, time.Month(v.day.Month), v.day.Day, 0, 0, 0, 0, time.UTC)
		return t.Add(-eastmost), t.Add(day + westmost)
	}
	at = at.Add(-v.n)
	if v.n < 0 {
		return at.Add(-v.unit/2 - slack), at.Add(v.unit + slack)
	}
	return at.Add(-v.unit - slack), at.Add(v.unit/2 + slack)
}

// The extreme offsets from UTC.
const (
	eastmost = 14 * time.Hour
	westmost = 12 * time.Hour
)

// Shows reports whether there is a time zone in which f holds at both times.
func Shows(then, now time.Time, f func(then, now time.Time) bool) bool {
	for zone := -westmost; zone <= eastmost; zone += time.Hour {
		if f(then.UTC().Add(zone), now.UTC().Add(zone)) {
			return true
		}
	}
	return false
}

func dayOf(t time.Time) calendar.Day {
	return calendar.Day{Year: t.Year(), Month: int(t.Month()), Day: t.Day()}
}
