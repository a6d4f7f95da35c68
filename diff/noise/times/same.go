package times

import (
	"time"

	"plat/plat/calendar"
)

// What says what two values are that are the same thing.
type What string

// The values of a What.
const (
	Going What = "clock" // a clock that has gone on, or a time that is left
	Age   What = "age"   // the same instant
	Date  What = "date"  // the date of each look
)

// Same says what two values of one kind are that is the same thing, the second seen after the
// first; empty if they are not.
func Same(a *Value, then time.Time, b *Value, now time.Time) What {
	switch a.Kind {
	case Clock:
		if sameClock(a, then, b, now) {
			return Going
		}
	case Instant:
		if a.unit == 0 && b.unit == 0 { // two dates of one event are two, unless it is the visit
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

// What a clock may be wrong by: its own unit, and the time that a page takes to load.
const slack = 5 * time.Second

// sameClock reports whether a clock has gone on by the time between two looks: forward as
// a clock or a stopwatch, or backwards to a deadline.
func sameClock(a *Value, then time.Time, b *Value, now time.Time) bool {
	passed, wrong := now.Sub(then), max(a.unit, b.unit)+slack
	near := func(d, period time.Duration) bool {
		if period > 0 {
			d = (d%period + period) % period
			d = min(d, period-d)
		}
		return -wrong <= d && d <= wrong
	}
	// A clock shows the time of the looks in some zone; zones differ by quarters of an hour.
	// Opening hours are whole quarters.
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
		return false // hours and minutes may be anything
	}
	return near(b.n-a.n-passed, 0) || near(b.n-a.n+passed, 0)
}

// sameInstant reports whether two ages, or an age and a date, may be of one instant.
func sameInstant(a *Value, then time.Time, b *Value, now time.Time) bool {
	if a.unit != 0 && b.unit != 0 {
		// Ages grow, and what is ahead comes nearer, but for what another unit cuts off.
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

// instant returns the bounds of what a value says, seen at a time: an age may be cut off or
// rounded, and a date be that of any time zone.
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

// The time zones farthest from UTC.
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
