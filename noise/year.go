package noise

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// newYear reports whether an edit is the year of a copyright notice, which is that of the
// visit now, and was an earlier one: "© 2025", "Copyright 1997-2025", or "© 2019" that has
// become "© 2019-2026".
func newYear(old, new *words, e *Edit, now time.Time) bool {
	was, is := old.in(e.Old), new.in(e.New)
	at := new.at(e.New.To) - 1 // the year's word
	if len(is) == 0 || !shows(now, now, func(t, _ time.Time) bool { return yearOf(&new.all[at]) == t.Year() }) || !new.claimed(at) {
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

// claims begin a copyright notice.
var claims = []string{"©", "copyright", "copr", "ⓒ"}

// nearYear is how many words may stand between the years of a notice and its sign.
const nearYear = 2

// claimed reports whether a year is one of a copyright notice: the sign stands before its
// years or after them.
func (w *words) claimed(at int) bool {
	claim := func(i int) bool {
		return slices.Contains(claims, strings.ToLower(w.all[i].text)) || w.all[i].text == "c" && i > 0 && w.all[i-1].text == "(" // (c)
	}
	apart := 0
	for i := at - 1; i >= 0 && apart <= nearYear; i-- {
		if claim(i) {
			return true
		}
		if yearOf(&w.all[i]) == 0 && !isDash(&w.all[i]) && w.all[i].text != "," {
			apart++
		}
	}
	return at+1 < len(w.all) && claim(at+1)
}

// yearOf is the year that a word is, 0 if it is none.
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
