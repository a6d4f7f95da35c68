package storage

import (
	"time"

	"plat/plat"
)

// ToSettle reports whether a job due at the given time is unsettled, where settled is the
// latest settled Due or zero. Instants are compared in whole milliseconds, the precision of
// stores.
func ToSettle(settled, due time.Time) bool {
	return settled.IsZero() || settled.UnixMilli() < due.UnixMilli()
}

// Takes reports whether a visit has no job, or an unsettled one.
func Takes(st *plat.URLState, v *plat.Visit) bool {
	return v.Settles.IsZero() || ToSettle(st.Settled, v.Settles)
}

// Settle settles the visit's job, if it has one. Call it only if [Takes] returned
// true.
func Settle(st *plat.URLState, v *plat.Visit) {
	if v.Settles.IsZero() {
		return
	}
	st.Settled, st.Due = v.Settles, v.Next
	st.NotBefore, st.Throttled, st.Dead = time.Time{}, 0, time.Time{}
	if v.Outcome.Failed() && v.Next.IsZero() && !v.Unkept {
		st.Dead, st.Attempts = wholeMillis(v.Time), st.Attempts+1
	} else {
		st.Attempts = 0
	}
}

// ClockAfter returns the earliest time of the next visit of a visit's host, or zero if the
// visit does not contain it.
func ClockAfter(v *plat.Visit) time.Time {
	if v.Rest <= 0 {
		return time.Time{}
	}
	return wholeMillis(v.Time.Add(v.Duration + v.Rest))
}

// Count adds a visit to the state of its URL; pageBytes is the size of the page
// found. Visits may come in any order.
func Count(st *plat.URLState, v *plat.Visit, pageBytes int64) {
	if st.Visits == 0 || v.Time.Before(st.First) {
		st.First = v.Time
	}
	if st.Visits == 0 || !v.Time.Before(st.Last) {
		st.Last, st.Status, st.Outcome = v.Time, v.Status, v.Outcome
	}
	st.Visits++
	st.PageBytes += pageBytes
}
