package storagetest

import (
	"testing"
	"time"

	"plat/plat"
	"plat/storage"
)

func enlist(t testing.TB, s storage.Store, jobs ...plat.Job) {
	t.Helper()
	if _, err := s.Enlist(t.Context(), jobs, storage.Join); err != nil {
		t.Fatalf("Enlist = %v", err)
	}
}

func record(t testing.TB, s storage.Store, v plat.Visit) {
	t.Helper()
	if err := s.Record(t.Context(), v, 10); err != nil {
		t.Fatalf("Record = %v", err)
	}
}

func states(t testing.TB, s storage.Store) []plat.URLState {
	t.Helper()
	return collect(t, s.States(t.Context(), "", ""))
}

// after returns the time hours after the day of the tests.
func after(hours int) time.Time { return day.Add(time.Duration(hours) * time.Hour) }

func testJobs(t *testing.T, open func(testing.TB) storage.Store, size int) {
	t.Run("an enlisted URL has a state only", func(t *testing.T) { testEnlisted(t, open(t)) })
	t.Run("the first visit of an enlisted URL is its first and last, at any time", func(t *testing.T) { testFirstVisit(t, open(t)) })
	t.Run("a job for a known URL is merged", func(t *testing.T) { testMerged(t, open(t)) })
	t.Run("a job that was put off waits no longer when its URL is enlisted again", func(t *testing.T) { testPutOff(t, open(t)) })
	t.Run("a hint is taken by known URLs", func(t *testing.T) { testHints(t, open(t)) })
	t.Run("a large Enlist may contain duplicates", func(t *testing.T) { testLargeEnlist(t, open(t)) })
	t.Run("a job without URL or Due is an error, and none is enlisted", func(t *testing.T) { testBadJobs(t, open(t)) })
	t.Run("a visit settles its job, and is returned with it", func(t *testing.T) { testSettles(t, open(t)) })
	t.Run("no job is settled twice", func(t *testing.T) { testSettledOnce(t, open(t)) })
	t.Run("an Unkept visit settles its job, and is neither stored nor counted", func(t *testing.T) { testUnkept(t, open(t)) })
	t.Run("a commit settles its job even if a visit of that time is stored", func(t *testing.T) { testCommitSettles(t, open(t)) })
	t.Run("one of several concurrent visits settles the job", func(t *testing.T) { testSettledByOne(t, open(t), size) })
	t.Run("concurrent Enlists are all merged", func(t *testing.T) { testEnlistTogether(t, open(t)) })
}

func testPutOff(t *testing.T, s storage.Store) {
	const url = "https://a.test/"
	enlist(t, s, plat.Job{URL: url, Due: day})
	record(t, s, plat.Visit{URL: url, Time: day, Outcome: plat.OutcomeUnchanged, Settles: day, Next: after(1)})
	for _, tc := range []struct {
		attempts int
		sooner   bool
	}{{1, false}, {0, true}} {
		if err := s.Defer(t.Context(), storage.Deferral{URL: url, Due: after(1), At: after(9), Attempts: tc.attempts}); err != nil {
			t.Fatal(err)
		}
		enlist(t, s, plat.Job{URL: url, Due: after(2)})
		st, err := s.State(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		want := st
		if want.Due, want.NotBefore = after(1), after(9); tc.sooner {
			want.NotBefore = time.Time{}
		}
		if st != want {
			t.Errorf("after %d failed attempts: due %v, not before %v; want %v, %v", tc.attempts, st.Due, st.NotBefore, want.Due, want.NotBefore)
		}
	}
	clean(t, s)
}
