package dial

import (
	"fmt"
	"time"

	"plat/diff"
	"plat/diff/noise/times"
)

// Run is a part of two texts that has moved as time has.
type Run struct {
	Old, New   [2]int // ranges in bytes, [from, to)
	OldAt, At  int    // positions of the seconds, or of the one number
	Key        string // of their place, which stays the same as the numbers change
	OfAnyClock bool   // shows the time of both texts in a zone: its texts alone prove that it is a clock
}

// mostNumbers is the maximum count of numbers in a text that is searched.
const mostNumbers = 2000

// Ran returns the runs between two texts that were seen at these times, in order. Of those that overlap
// it is the longest: the month, the day and the hour may look like a clock by chance, and are within the
// longer one.
func Ran(old *Text, then time.Time, new *Text, now time.Time) (all []Run) {
	if len(old.numbers) == 0 || len(new.numbers) == 0 || max(len(old.numbers), len(new.numbers)) > mostNumbers {
		return nil
	}
	for _, r := range diff.LCS(old.keys, new.keys) {
		p := pairing{old, new, then.UTC(), now.UTC(), r.A, r.B, r.N}
		for i := range r.N {
			run, ok := p.at(i)
			for ok && len(all) > 0 && all[len(all)-1].overlaps(&run) {
				if ok = all[len(all)-1].length() <= run.length(); ok {
					all = all[:len(all)-1]
				}
			}
			if ok {
				all = append(all, run)
			}
		}
	}
	return all
}

func (r *Run) length() int { return r.New[1] - r.New[0] }

func (r *Run) overlaps(s *Run) bool {
	return r.New[0] < s.New[1] && s.New[0] < r.New[1] || r.Old[0] < s.Old[1] && s.Old[0] < r.Old[1]
}

// place identifies a number by what is around it, and by the count of such numbers before it.
func (t *Text) place(i int) string {
	key, n := t.keys[i], 0
	for _, k := range t.keys[:i] {
		if k == key {
			n++
		}
	}
	return fmt.Sprint(key, " ", n)
}

// A pairing is numbers in a row in two texts, seen at two times.
type pairing struct {
	old, new  *Text
	then, now time.Time
	a, b, n   int // old.numbers[a:a+n] and new.numbers[b:b+n]
}

func (p *pairing) was(i int) *number { return &p.old.numbers[p.a+i] }
func (p *pairing) is(i int) *number  { return &p.new.numbers[p.b+i] }

// changed reports whether a number differs.
func (p *pairing) changed(i int) bool {
	a, b := p.was(i), p.is(i)
	return a.value != b.value || a.digits != b.digits
}

// near reports whether the text between a number and the one before it belongs to one time.
func (p *pairing) near(i int) bool {
	return i > 0 && i < p.n && p.old.shapes[p.a+i] != apart && p.new.shapes[p.b+i] != apart
}

// at returns the longest run whose seconds are a number: an uptime of days, hours, minutes and seconds
// is also a clock.
func (p *pairing) at(i int) (r Run, ok bool) {
	for _, read := range [...]func(int) (found, bool){p.clock, p.duration, p.count} {
		f, is := read(i)
		if !is || ok && f.length() <= r.length() {
			continue
		}
		r, ok = Run{OldAt: p.was(i).from, At: p.is(i).from, Key: p.new.place(p.b + i), OfAnyClock: f.zoned}, true
		r.Old, r.New = [2]int{f.old.from, f.old.to}, [2]int{f.new.from, f.new.to}
	}
	return r, ok
}

// found is a run from the first changed number to the last.
type found struct {
	old, new span
	last     int // number
	zoned    bool
}

func (f *found) length() int { return f.new.to - f.new.from }

// cover returns a run of some numbers.
func (p *pairing) cover(first, last int) found {
	return found{span{p.was(first).from, p.was(last).to}, span{p.is(first).from, p.is(last).to}, last, false}
}

// The error of a time beyond its own unit: slack covers the time in which a page loads, which varies;
// drift covers a server's clock that runs too fast or too slow.
const (
	slack     = 6 * time.Second
	drift     = 20000 // one second in so many
	mostDrift = time.Minute
)

// The lengths of units.
const (
	day  = 24 * time.Hour
	noon = 12 * time.Hour
)

// fits reports whether a time has moved by as much as expected, in either case not by nothing. What is
// seen within moments must move in that direction.
func (p *pairing) fits(moved, expected time.Duration) bool {
	wrong := slack + min(p.passed().Abs()/drift, mostDrift)
	if expected.Abs() <= wrong && (moved > 0) != (expected > 0) {
		return false
	}
	return moved != 0 && (moved-expected).Abs() <= wrong
}

func (p *pairing) passed() time.Duration { return p.now.Sub(p.then) }

// fraction returns the index of a number that is the decimal fraction of one, or that one.
func (p *pairing) fraction(i int) int {
	if i+1 < p.n && isPoint(p.old.gap(p.a+i+1)) && isPoint(p.new.gap(p.b+i+1)) {
		return i + 1
	}
	return i
}

func isPoint(s string) bool { return s == "." || s == "," || s == "٫" }

// duration reads days, hours, minutes and seconds that grow or shrink with the time.
func (p *pairing) duration(i int) (found, bool) {
	units := [...]time.Duration{time.Second, time.Minute, time.Hour, day, 7 * day}
	var was, is time.Duration
	for k, unit := range units {
		n := i - k
		if n < 0 || k > 0 && !(p.near(n+1) && p.plurals(n+1)) || unit >= day && !p.inUnits(n+1, i) {
			break
		}
		a, b := p.was(n), p.is(n)
		if a.digits > 6 || b.digits > 6 {
			break
		}
		was, is = was+time.Duration(a.value)*unit, is+time.Duration(b.value)*unit
		if moved := is - was; k > 0 && (p.fits(moved, p.passed()) || p.fits(moved, -p.passed())) {
			first := n
			for !p.changed(first) {
				first++
			}
			f := p.cover(first, p.fraction(i))
			if was, is := p.old.after(p.a+f.last), p.new.after(p.b+f.last); len(was) > 0 && len(is) > 0 && times.SameUnit(p.old.in(was[0]), p.new.in(is[0])) {
				f.old.to, f.new.to = was[0].to, is[0].to
			}
			return f, true
		}
		if max(a.value, b.value) > mostOf[k] {
			break // of the largest unit there may be more
		}
	}
	return found{}, false
}

// mostOf are the greatest numbers of seconds, minutes, hours and days before a larger unit.
var mostOf = [...]int64{59, 59, 23, 6, 0}

// fewest is the least length, in digits, of a number that counts seconds since some beginning.
const fewest = 8

// count reads one number that counts seconds, or parts of them, or days with a fraction.
func (p *pairing) count(i int) (found, bool) {
	a, b, last := p.was(i), p.is(i), p.fraction(i)
	if a.digits != b.digits {
		return found{}, false
	}
	if a.digits >= fewest {
		for _, unit := range [...]time.Duration{time.Second, time.Millisecond, time.Microsecond} {
			if moved := b.value - a.value; moved == int64(time.Duration(moved)*unit/unit) && p.fits(time.Duration(moved)*unit, p.passed()) {
				return p.cover(i, last), true
			}
		}
	}
	if last == i || a.digits < 5 { // a fraction of a day is of many days: of a Julian date
		return found{}, false
	}
	days := func(n, f *number) float64 {
		x, scale := float64(f.value), 1.0
		for range f.digits {
			scale *= 10
		}
		return float64(n.value) + x/scale
	}
	x, y := p.was(last), p.is(last)
	if moved := time.Duration((days(b, y) - days(a, x)) * float64(day)); x.digits >= 4 && p.fits(moved, p.passed()) {
		return p.cover(i, last), true
	}
	return found{}, false
}
