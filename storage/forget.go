package storage

import (
	"fmt"
	"time"

	"plat/plat"
)

// Cut says which versions of a page are forgotten: those to which all of its bounds apply.
// The zero value forgets the whole page.
type Cut struct {
	// Before forgets the versions that another one had replaced by then. What stood on the
	// page at that time, and since, is kept.
	Before time.Time

	// KeepLast is how many of the last versions are kept, even if Before forgets them.
	KeepLast int
}

// Whole reports whether the page is forgotten with all that is known of it.
func (c Cut) Whole() bool { return c == Cut{} }

// Done reports whether nothing of a URL that is forgotten as a whole is left to forget.
func (c Cut) Done(st *plat.URLState) bool {
	return c.Whole() && st.Gone() && st.Due.IsZero()
}

// Follows reports whether a version follows the head of a URL: one that was compared with what
// was forgotten meanwhile does not.
func Follows(v *plat.Version, st *plat.URLState) bool {
	return v.N == st.Next() && (st.Head > 0 || v.N == 1 || v.Oldest)
}

// Outlived reports whether a visit found a version that was forgotten meanwhile, so that it is not
// recorded.
func Outlived(v *plat.Visit, st *plat.URLState) bool {
	return v.Version > 0 && v.Version <= st.Forgotten
}

// Last returns the number of the last version that is forgotten, at least st.Forgotten;
// taken has when each version from st.Oldest() to the head was taken.
func (c Cut) Last(st *plat.URLState, taken []time.Time) int {
	n := len(taken)
	if c.Whole() {
		return st.Forgotten + n
	}
	if n = min(n-1, n-c.KeepLast); n <= 0 {
		return st.Forgotten
	}
	if !c.Before.IsZero() {
		// Version i was replaced when the next one was taken. Clocks of two machines differ.
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

// Forgotten is what Forget removed, or would.
type Forgotten struct {
	Versions int
	Visits   int
	Items    int // of subscriptions

	// Until is when GC may remove what only they referred to; zero: at once.
	Until time.Time
}

// Add adds what was forgotten of another URL.
func (f *Forgotten) Add(o Forgotten) {
	f.Versions += o.Versions
	f.Visits += o.Visits
	f.Items += o.Items
	if o.Until.After(f.Until) {
		f.Until = o.Until
	}
}

// Forget applies [Keeper.Forget] to the state of a URL. last is the last version that is
// forgotten; visits are those that are kept, and first and latest the oldest and newest of
// them, nil if there are none.
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

// Drop ends the job of a URL that is forgotten as a whole. Links that are found do not bring
// it back, for its job is settled, now if it was not due yet; who asks for it is heard.
func Drop(st *plat.URLState, now time.Time) {
	settled := plat.Later(st.Settled, wholeMillis(now))
	st.Due, st.Settled, st.Priority, st.Plan, st.Main = time.Time{}, settled, 0, plat.Plan{}, ""
	st.NotBefore, st.Attempts, st.Throttled, st.Dead = time.Time{}, 0, 0, time.Time{}
}

// Kept returns why version *n of a URL is not kept, and replaces 0 by the number of the head.
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

// Ages dates contents anew, as if no version had been before the first one that it is asked about: a
// content is as old as the first of them that has it in its lineage.
type Ages map[ContentKey]int32

// Of returns the version that leaf b of version n is dated by. Versions come oldest first.
func (a Ages) Of(b *plat.Block, n int) int32 {
	k := KeyOf(b)
	if a[k] == 0 {
		a[k] = int32(n)
	}
	return a[k]
}

// CommitTime is longer than any commit takes: what was written longer ago belongs to none in
// progress.
const CommitTime = time.Hour
