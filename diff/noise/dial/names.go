package dial

import "plat/diff/noise/times"

// weekday returns the day of the week that a word names, Sunday is 0, -1 if it is none.
func weekday(word string) int { return times.WeekdayOf(word) }

// plurals reports whether the words between a number and the one before it are the same units, but for
// their plural.
func (p *pairing) plurals(i int) bool {
	was, is := p.old.after(p.a+i-1), p.new.after(p.b+i-1)
	if len(was) != len(is) {
		return false
	}
	for k := range was {
		x, y := p.old.in(was[k]), p.new.in(is[k])
		if x != y && !times.SameUnit(x, y) {
			return false
		}
	}
	return true
}

// inUnits reports whether the number before this one may be of days or weeks: marks are between, or the
// name of a unit, or words of any language where each part of the time has its own. A number of other
// things, or of a day of the month, is not of a duration.
func (p *pairing) inUnits(i, seconds int) bool {
	named := func(k int) []span { return p.new.after(p.b + k - 1) }
	all := named(i)
	if len(all) == 0 || times.SameUnit(p.new.in(all[0]), p.new.in(all[0])) {
		return true
	}
	for k := i; k <= seconds; k++ {
		if len(named(k)) == 0 {
			return false
		}
	}
	return true
}
