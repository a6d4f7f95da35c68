package noise

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"plat/diff/noise/times"
)

// newYear reports whether an edit changes the year of a copyright notice from an earlier year to that
// of the visit: "© 2025", "Copyright 1997-2025", or "© 2019" to "© 2019-2026".
func newYear(old, new *words, e *Edit, now time.Time) bool {
	was, is := old.in(e.Old), new.in(e.New)
	at := new.at(e.New.To) - 1 // index of the year
	if len(is) == 0 || !times.Shows(now, now, func(t, _ time.Time) bool { return yearOf(&new.all[at]) == t.Year() }) || !new.claimed(at) {
		return false
	}
	before := func() int { return yearOf(&new.all[at-2]) }
	switch {
	case len(was) == 1 && len(is) == 1:
		y := yearOf(&was[0])
		return y != 0 && y < yearOf(&is[0]) && old.claimed(old.at(e.Old.From))
	case len(was) == 0 && len(is) == 2 && at > 1 && isDash(&is[0]):
		return before() != 0 && before() < yearOf(&is[1])
	}
	return false
}

// mostNamed is the maximum length, in words, of a name between © and a year at the end of its line.
const mostNamed = 4

// claimed reports whether a year belongs to a copyright notice. In its part of a line, the sign
// precedes the years, with at most a name between; or the year begins the part and the sign follows.
// "The Copyright Act 2025" and "Season 2025 © City" are not notices.
func (w *words) claimed(at int) bool {
	from, to := at, at+1
	for from > 0 && !w.parted(from) {
		from--
	}
	for to < len(w.all) && !w.parted(to) {
		to++
	}
	part := w.all[from:to]
	k := at - from
	years := func(ts []token) bool {
		return !slices.ContainsFunc(ts, func(t token) bool { return yearOf(&t) == 0 && !isDash(&t) && t.text != "," })
	}
	if k == 0 {
		return len(part) > 1 && part[1].text == "©"
	}
	if strings.EqualFold(part[0].text, "copyright") {
		n := 1
		for n < k && slices.Contains([]string{"©", "(", "c", ")"}, part[n].text) {
			n++
		}
		return years(part[n:k])
	}
	sign := slices.IndexFunc(part[:k], func(t token) bool { return t.text == "©" })
	if sign < 0 {
		return false
	}
	n := k // start of the years
	for n > sign+1 && years(part[n-1:n]) {
		n--
	}
	return n == sign+1 || k == len(part)-1 && n-sign-1 <= mostNamed
}

// parted reports whether a word begins a new part of a line.
func (w *words) parted(i int) bool {
	between := w.text[w.all[i-1].To:w.all[i].From]
	is := func(t *token) bool { return strings.Contains("|·•.;", t.text) }
	return strings.Contains(between, "\n") || is(&w.all[i-1]) || is(&w.all[i])
}

// yearOf returns a word as a year, 0 if it is not one.
func yearOf(t *token) int {
	if len(t.text) != 4 {
		return 0
	}
	y, err := strconv.Atoi(t.text)
	if err != nil || y < 1900 {
		return 0
	}
	return y
}

func isDash(t *token) bool { return t.text == "-" || t.text == "–" || t.text == "—" }
