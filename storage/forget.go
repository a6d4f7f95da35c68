package storage

import (
	"fmt"
	"time"

	"plat/plat"
)

// Cut selects the versions of a page to forget: those to which all of its bounds apply. The
// zero value selects the whole page.
type Cut struct {
	// Before forgets the versions that had been replaced by then. The version of that time and
	// all later ones are kept.
	Before time.Time

	// KeepLast is the number of last versions that are kept, even if Before applies to them.
	KeepLast int
}

// Whole reports whether the page is forgotten with its whole state.
func (c Cut) Whole() bool { return c == Cut{} }

// Done reports whether a whole URL is to be forgotten, and nothing of it is left.
func (c Cut) Done(st *plat.URLState) bool {
	return c.Whole() && st.Gone() && st.Due.IsZero()
}

// Follows reports whether a version follows the head of a URL. It does not if it was compared
// with a version that has been forgotten since.
func Follows(v *plat.Version, st *plat.URLState) bool {
	return v.N == st.Next() && (st.Head > 0 || v.N == 1 || v.Oldest)
}

// Outlived reports whether a visit found a version that has been forgotten since, and must not
// be recorded.
func Outlived(v *plat.Visit, st *plat.URLState) bool {
	return v.Version > 0 && v.Version <= st.Forgotten
}

// Last returns the number of the last version that is forgotten, at least st.Forgotten; taken
// has the capture times of the versions from st.Oldest() to the head.
func (c Cut) Last(st *plat.URLState, taken []time.Time) int {
	n := len(taken)
	if c.Whole() {
		return st.Forgotten + n
	}
	if n = min(n-1, n-c.KeepLast); n <= 0 {
		return st.Forgotten
	}
	if !c.Before.IsZero() {
		// Version i was replaced when the next one was captured. Clocks of two machines differ.
		latest, i := time.Time{}, 0
		for i < n {
			if latest = plat.Later(latest, taken[i+1]); latest.After(c.Before) {
				break
			}
			i++
		}
		n = i
	}
	return st.Forgotten + n
}

// Forgotten counts the data that Forget removed, or would remove.
type Forgotten struct {
	Versions int
	Visits   int
	Items    int // items of subscriptions

	// Until is the time from which GC may remove data that only they referred to; zero: at
	// once.
	Until time.Time
}

// Add adds the counts of a further URL.
func (f *Forgotten) Add(o Forgotten) {
	f.Versions += o.Versions
	f.Visits += o.Visits
	f.Items += o.Items
	if o.Until.After(f.Until) {
		f.Until = o.Until
	}
}

// Forget applies [Keeper.Forget] to the state of a URL. last is the last version that is
// forgotten; visits is the number of kept visits, and first and latest are the oldest and
// newest of them, or nil.
func Forget(st *plat.URLState, last int, visits int, first, latest *plat.Visit, now time.Time) {
	kept := max(0, st.Head-last)
	share := func(bytes int64, kept, of int) int64 {
		if of <= 0 {
			return 0
		}
		return int64(float64(bytes) * float64(min(kept, of)) / float64(of))
	}
	st.PageBytes = share(st.PageBytes, visits, st.Visits)
	for _, bytes := range []*int64{&st.StoredBytes, &st.PictureBytes, &st.ResourceBytes} {
		*bytes = share(*bytes, kept, st.Kept())
	}
	st.Visits, st.Changes = visits, kept
	st.Forgotten, st.ForgottenAt = max(last, st.Forgotten), wholeMillis(now)
	st.First, st.Last, st.Status, st.Outcome = time.Time{}, time.Time{}, 0, ""
	if first != nil {
		st.First, st.Last, st.Status, st.Outcome = first.Time, latest.Time, latest.Status, latest.Outcome
	}
	if kept > 0 {
		return
	}
	st.Head, st.Level = 0, 0
}

// Drop ends the job of a URL that is forgotten as a whole. New links to it do not revive the
// job, because it is settled, at the latest now. An explicit request does.
func Drop(st *plat.URLState, now time.Time) {
	settled := plat.Later(st.Settled, wholeMillis(now))
	st.Due, st.Settled, st.Priority, st.Plan, st.Main = time.Time{}, settled, 0, plat.Plan{}, ""
	st.NotBefore, st.Attempts, st.Throttled, st.Dead = time.Time{}, 0, 0, time.Time{}
}

// Kept returns an error if version *n of a URL is not kept, and replaces 0 by the number of the
// head.
func Kept(st *plat.URLState, n *int) error {
	asked := *n
	if asked == 0 {
		*n = st.Head
	}
	switch forgotten := !st.ForgottenAt.IsZero(); {
	case *n > st.Forgotten && *n <= st.Head:
		return nil
	case forgotten && asked == 0:
		return fmt.Errorf("the versions of %q were removed on %s: %w", st.URL, st.ForgottenAt.Format(time.DateOnly), plat.ErrForgotten)
	case forgotten && 0 < asked && asked <= st.Forgotten:
		return fmt.Errorf("version %d of %q was removed on %s: %w", asked, st.URL, st.ForgottenAt.Format(time.DateOnly), plat.ErrForgotten)
	}
	return fmt.Errorf("version %d of %q: %w", asked, st.URL, plat.ErrNotFound)
}

// Ages dates contents as if the first version it is called with were the first of the page: a
// content is as old as the first version since then that has it in its lineage.
type Ages map[ContentKey]int32

// Of returns the first version with the content of leaf b of version n. It must be called in
// order of versions, oldest first.
func (a Ages) Of(b *plat.Block, n int) int32 {
	k := KeyOf(b)
	if a[k] == 0 {
		a[k] = int32(n)
	}
	return a[k]
}

// CommitTime is longer than any commit takes: older data does not belong to a commit in
// progress.
const CommitTime = time.Hour
