package dial

import (
	"time"

	"plat/plat/calendar"
)

// clock reads hours, minutes and seconds that show the time, in any zone and by any error that stays
// the same, and the numbers beside them that are parts of the date then.
func (p *pairing) clock(i int) (best found, ok bool) {
	if i < 2 || !p.near(i) || !p.near(i-1) || p.shifts(i-1) || p.shifts(i) {
		return best, false
	}
	hours, minutes, seconds := i-2, i-1, i
	was, valid := timeOfDay(p.was(hours), p.was(minutes), p.was(seconds))
	is, fine := timeOfDay(p.is(hours), p.is(minutes), p.is(seconds))
	if !valid || !fine || was == is {
		return best, false
	}
	for _, period := range [...]time.Duration{day, noon} {
		if period == noon && max(p.was(hours).value, p.is(hours).value) > 12 {
			break
		}
		wrong := wrap(is-was-p.passed(), period)
		if !p.fits(p.passed()+wrong, p.passed()) {
			// The hour of summer time.
			if period != day || p.passed().Abs() < time.Hour || !p.fits(p.passed()+wrap(wrong+time.Hour, period), p.passed()) && !p.fits(p.passed()+wrap(wrong-time.Hour, period), p.passed()) {
				continue
			}
		}
		// At noon and at midnight, twelve hours may look like 24.
		if f := p.dated(hours, p.fraction(seconds), was, is, period); !ok || f.length() > best.length() {
			best, ok = f, true
		}
	}
	return best, ok
}

// timeOfDay returns a time of day since midnight; ok is false if the numbers are none.
func timeOfDay(h, m, s *number) (d time.Duration, ok bool) {
	ok = h.digits <= 2 && m.digits <= 2 && s.digits <= 2 && h.value < 24 && m.value < 60 && s.value < 60
	return time.Duration(h.value)*time.Hour + time.Duration(m.value)*time.Minute + time.Duration(s.value)*time.Second, ok
}

// wrap returns a difference of two times of day that is at most half a period.
func wrap(d, period time.Duration) time.Duration {
	d = (d%period + period) % period
	if d > period/2 {
		d -= period
	}
	return d
}

// A view is a moment as the page's clock shows it at both texts.
type view struct{ then, now time.Time }

// dated extends a clock, between two numbers, by the parts of its date, in the zone that explains most.
func (p *pairing) dated(hours, seconds int, was, is, period time.Duration) found {
	midnight := func(t time.Time) time.Time { return t.Truncate(day) }
	off := wrap(is-p.now.Sub(midnight(p.now)), period)
	now := p.now.Add(off)
	then := p.then.Add(off)
	then = then.Add(wrap(was-then.Sub(midnight(then)), period))
	var best found
	for _, zone := range [...]time.Duration{0, noon, -noon, day, -day} {
		if zone%period != 0 {
			continue
		}
		v := view{then.Add(zone), now.Add(zone)}
		if f := p.extended(v, hours, seconds, period); f.length() > best.length() {
			best = f
		}
	}
	best.zoned = wrap(off, quarter).Abs() <= slack
	return best
}

// quarter divides the offsets of all zones.
const quarter = 15 * time.Minute

// mostParts is the maximum count of numbers of a date: year, month and day.
const mostParts = 3

// extended extends a clock by its date on both sides.
func (p *pairing) extended(v view, hours, seconds int, period time.Duration) found {
	first, last := hours, seconds
	for !p.changed(first) {
		first++
	}
	left := hours // first number of the date
	for g := mostParts; g > 0 && left == hours; g-- {
		if k := hours - g; k >= 0 && p.beside(hours) && !p.partly(k) && p.isDate(v, k, hours) && p.holds(v, k+1, hours, period) {
			for left = k; k < hours; k++ {
				if p.changed(k) || p.shifts(k+1) {
					first = min(first, k)
				}
			}
		}
	}
	for g := mostParts; g > 0 && last == seconds; g-- {
		to := seconds + 1 + g
		if to > p.n || !p.beside(seconds+1) || p.partly(to) || !(p.isDate(v, seconds+1, to) || g == 1 && p.isZone(v, seconds+1)) || !p.holds(v, seconds+1, to-1, period) {
			continue
		}
		for k := seconds + 1; k < to; k++ {
			if p.changed(k) || p.shifts(k) {
				last = k
			}
		}
	}
	if last > seconds && v.otherZone(p) != 0 && last+1 < p.n && p.new.gap(p.b+last+1) == ":" {
		last++ // +02:00
	}
	f := p.cover(first, last)
	was, is := p.old.before(p.a+left), p.new.before(p.b+left)
	for k := range min(len(was), len(is)) {
		x, y := p.old.in(was[k]), p.new.in(is[k])
		if x == y {
			continue
		}
		if !v.names(x, y) && !(k == 0 && left == hours && period == noon && v.otherHalf()) {
			break
		}
		f.old.from, f.new.from = min(f.old.from, was[k].from), min(f.new.from, is[k].from)
	}
	if was, is := p.old.after(p.a+last), p.new.after(p.b+last); len(was) > 0 && len(is) > 0 {
		if x, y := p.old.in(was[0]), p.new.in(is[0]); x != y && (period == noon && v.otherHalf() || v.otherZone(p) != 0 || v.names(x, y)) {
			f.old.to, f.new.to = was[0].to, is[0].to
		}
	}
	return f
}

// holds reports whether all words that differ between some numbers are names of a day, a month or half
// a day, in any language: each such name changes only with its day.
func (p *pairing) holds(v view, from, to int, period time.Duration) bool {
	for k := from; k <= to; k++ {
		if !p.near(k) || p.shifts(k) && (p.old.shapes[p.a+k] != p.new.shapes[p.b+k] || !v.otherDay() && !(period == noon && v.otherHalf())) {
			return false
		}
	}
	return true
}

// mostJoining is the maximum count of words between a clock and its date: "PM UTC", "a las".
const mostJoining = 2

// beside reports whether the text before a number is short enough to join a clock and its date.
func (p *pairing) beside(i int) bool {
	return p.near(i) && len(p.new.wordsOf(p.is(i-1).to, p.is(i).from)) <= mostJoining
}

// partly reports whether a date that begins or ends before a number would be a part of a number without
// marks.
func (p *pairing) partly(i int) bool {
	return p.b+i > 0 && p.b+i < len(p.new.numbers) && p.new.gap(p.b+i) == ""
}

// isDate reports whether some numbers are the date at both times: each is a part of it, and a single one
// a year or beside the name of the month or weekday. Three numbers with one mark between them may be
// those of a different calendar, whose days are as many.
func (p *pairing) isDate(v view, from, to int) bool {
	all := 0
	for k := from; k < to; k++ {
		if p.isPart(v, k) {
			all++
		}
	}
	if all < to-from {
		mark := p.new.gap(p.b + from + 1)
		return to-from == mostParts && mark == p.new.gap(p.b+from+2) && p.isForeign(v, from)
	}
	if all > 1 || p.is(from).digits == 4 {
		return true
	}
	i := p.b + from
	for _, s := range append(p.new.before(i), p.new.after(i)...) {
		if w := p.new.in(s); calendar.MonthOf(w) == int(v.now.Month()) || weekday(w) == int(v.now.Weekday()) {
			return true
		}
	}
	return false
}

// isForeign reports whether three numbers, the year first or last, advance by the days that have passed, within a month.
func (p *pairing) isForeign(v view, from int) bool {
	days, n := v.days(), int64(0)
	for k := from; k < from+mostParts; k++ {
		if a, b := p.was(k), p.is(k); a.value != b.value {
			if n++; b.value-a.value != int64(days) || max(a.value, b.value) > 32 {
				return false
			}
		}
	}
	return n == 1
}

// isZone reports whether a number is the offset of a zone, which has changed by the hour of summer time.
func (p *pairing) isZone(v view, i int) bool {
	gap := p.new.gap(p.b + i)
	if gap == "" || !isSign(gap[len(gap)-1]) {
		return false
	}
	moved, shift := p.is(i).value-p.was(i).value, int64(v.otherZone(p))
	if gap[len(gap)-1] == '-' {
		moved = -moved
	}
	return moved == shift || moved == 100*shift
}

func isSign(c byte) bool { return c == '+' || c == '-' }

// before returns the words right before a number, the nearest first.
func (t *Text) before(i int) (all []span) {
	to := t.numbers[i].from
	all = t.wordsOf(to-len(t.gap(i)), to)
	for k, n := 0, len(all); k < n/2; k++ {
		all[k], all[n-1-k] = all[n-1-k], all[k]
	}
	return all[:min(2, len(all))]
}

// after returns the words right after a number.
func (t *Text) after(i int) []span {
	from := t.numbers[i].to
	return t.wordsOf(from, from+len(t.gap(i+1)))
}

// shifts reports whether the words between a number and the one before it differ.
func (p *pairing) shifts(i int) bool { return p.old.gap(p.a+i) != p.new.gap(p.b+i) }

func (v view) otherDay() bool { return v.then.Truncate(day) != v.now.Truncate(day) }

func (v view) otherHalf() bool { return (v.then.Hour() < 12) != (v.now.Hour() < 12) }

// names reports whether two words are the names of the months or of the weekdays.
func (v view) names(was, is string) bool {
	return calendar.MonthOf(was) == int(v.then.Month()) && calendar.MonthOf(is) == int(v.now.Month()) ||
		weekday(was) == int(v.then.Weekday()) && weekday(is) == int(v.now.Weekday())
}

// otherZone returns the hours by which the zone of the clock has changed: of summer time.
func (v view) otherZone(p *pairing) int {
	return int((v.now.Sub(v.then) - p.passed()).Round(time.Hour) / time.Hour)
}

// days returns how many midnights are between the two times.
func (v view) days() int { return int(v.now.Truncate(day).Sub(v.then.Truncate(day)) / day) }

// eras are years of other calendars that begin with the year 1: of Thailand, Taiwan and Japan.
var eras = [...]int{0, 543, -1911, -2018}

// isPart reports whether a number is the same part of the date at both times: year, month or day.
func (p *pairing) isPart(v view, i int) bool {
	a, b := int(p.was(i).value), int(p.is(i).value)
	is := func(part func(t time.Time) int) bool { return part(v.then) == a && part(v.now) == b }
	for _, e := range eras {
		if is(func(t time.Time) int { return t.Year() + e }) {
			return true
		}
	}
	return is(time.Time.Day) || is(func(t time.Time) int { return int(t.Month()) }) || is(func(t time.Time) int { return t.Year() % 100 }) || is(time.Time.YearDay)
}
