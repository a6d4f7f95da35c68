package storagetest

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"plat/plat"
	"plat/storage"
)

// saysSettled checks the error of a visit for a settled job; due is the URL's next
// due time.
func saysSettled(t testing.TB, err error, due time.Time) {
	t.Helper()
	var settled *plat.SettledError
	if !errors.Is(err, plat.ErrSettled) || !errors.As(err, &settled) || !settled.Due.Equal(due) {
		t.Errorf("error = %v (%+v), want a plat.SettledError due at %v", err, settled, due)
	}
}

func testSettles(t *testing.T, s storage.Store) {
	const url = "https://a.test/"
	p := NewPage(url, 1)
	at := p.taken
	j := plat.Job{URL: url, Due: at.Add(-time.Minute), Plan: plat.Plan{Depth: 1}}
	enlist(t, s, j)
	var want []plat.Visit
	check := func(v plat.Visit, due, settled time.Time) {
		t.Helper()
		want = append([]plat.Visit{v}, want...)
		st, err := s.State(t.Context(), url)
		if err != nil || !st.Due.Equal(due) || !st.Settled.Equal(settled) || st.Due.IsZero() != due.IsZero() || st.Visits != len(want) || st.Depth != 1 {
			t.Fatalf("State = %+v, %v; want due %s, settled %s, %d visits", st, err, due, settled, len(want))
		}
	}
	try := plat.Visit{URL: url, Time: at.Add(-time.Second), Outcome: plat.OutcomeTimeout, Error: "no answer"} // settles nothing
	record(t, s, try)
	check(try, j.Due, time.Time{})
	c := p.Next()
	c.Visit.Settles, c.Visit.Next = j.Due.Add(300*time.Microsecond), at.Add(24*time.Hour+400*time.Microsecond)
	commit(t, s, c)
	c.Visit.Settles, c.Visit.Next = j.Due, at.Add(24*time.Hour)
	check(c.Visit, c.Visit.Next, j.Due)
	due := c.Visit.Next
	for i := range 60 { // one or two runs of visits
		if i%7 == 3 {
			try.Time = due.Add(time.Second)
			record(t, s, try)
			check(try, due, want[0].Settles)
		}
		v := plat.Visit{URL: url, Time: due.Add(time.Duration(i+2) * time.Second), Outcome: plat.OutcomeUnchanged, Version: 1, Status: 200,
			Settles: due, Next: due.Add(time.Duration(20+i) * time.Hour)}
		if i%5 == 4 { // the URL is enlisted for an earlier time
			v.Settles = due.Add(-3 * time.Hour)
			enlist(t, s, plat.Job{URL: url, Due: v.Settles, Plan: plat.Plan{Depth: 1}})
		}
		if i == 30 { // a wrong clock
			v.Next = v.Next.AddDate(-500, 0, 0)
		}
		record(t, s, v)
		check(v, v.Next, v.Settles)
		if i == 30 {
			v = plat.Visit{URL: url, Time: v.Time.Add(time.Second), Settles: v.Settles.Add(time.Millisecond), Next: due.Add(24 * time.Hour)}
			record(t, s, v)
			check(v, v.Next, v.Settles)
		}
		due = v.Next
	}
	last := plat.Visit{URL: url, Time: due, Outcome: plat.OutcomeGone, Status: 410, Settles: due} // no next visit
	record(t, s, last)
	check(last, time.Time{}, due)
	c = p.Next() // without a job
	commit(t, s, c)
	got := collect(t, s.Visits(t.Context(), url, 0))
	for i, v := range got {
		if v.Time.Equal(instantOf(c.Visit.Time)) {
			got = append(got[:i:i], got[i+1:]...)
			break
		}
	}
	if len(got) != len(want) {
		t.Fatalf("got %d visits, want %d", len(got), len(want))
	}
	for i := range got {
		g, w := got[i], want[i]
		w.Time, w.Duration = instantOf(w.Time), w.Duration.Truncate(time.Millisecond)
		if !w.Next.IsZero() {
			w.Next = instantOf(w.Next)
		}
		if !w.Settles.IsZero() {
			w.Settles = instantOf(w.Settles)
		}
		if g != w {
			t.Errorf("visit %d is\n%+v, want\n%+v", i, g, w)
		}
	}
	if st, err := s.State(t.Context(), url); err != nil || !st.Settled.Equal(due) || !st.Due.IsZero() {
		t.Errorf("State = %+v, %v; want settled %s and due never", st, err, due)
	}
	clean(t, s)
}

func testSettledOnce(t *testing.T, s storage.Store) {
	const url = "https://a.test/"
	p := NewPage(url, 5)
	commit(t, s, p.Next())
	job := instantOf(p.taken.Add(time.Hour))
	at := job.Add(time.Minute)
	enlist(t, s, plat.Job{URL: url, Due: job})
	first := plat.Visit{URL: url, Time: at, Outcome: plat.OutcomeUnchanged, Version: 1, Settles: job, Next: at.Add(24 * time.Hour)}
	record(t, s, first)
	was := snapshotOf(t, s, url)
	unchanged := func(what string) {
		t.Helper()
		if now := snapshotOf(t, s, url); now != was {
			t.Errorf("%s left\n%s, want\n%s", what, now, was)
		}
		clean(t, s)
	}
	for _, late := range []plat.Visit{
		{URL: url, Time: at.Add(time.Hour), Outcome: plat.OutcomeGone, Settles: job, Next: at},
		{URL: url, Time: at.Add(-time.Second), Outcome: plat.OutcomeGone, Settles: job},
		{URL: url, Time: at.Add(time.Hour), Outcome: plat.OutcomeGone, Settles: job.Add(999 * time.Microsecond)},
		{URL: url, Time: at.Add(time.Hour), Outcome: plat.OutcomeGone, Settles: job.Add(-time.Hour)},
		{URL: url, Time: at, Outcome: plat.OutcomeGone, Settles: first.Next}, // a repeated visit
	} {
		err := s.Record(t.Context(), late, 10)
		if late.Time.Equal(first.Time) {
			if err != nil {
				t.Errorf("repeated visit: Record = %v", err)
			}
		} else {
			saysSettled(t, err, first.Next)
		}
		unchanged("a visit for a settled job")
	}
	second := p.Next()
	second.Visit.Settles = job
	stale := NewPage(url, 6).Next()
	stale.Visit.Settles = job.Add(-time.Hour)
	ahead := NewPage(url, 7).Next()
	ahead.Version.N, ahead.Visit.Version, ahead.Visit.Settles = 9, 9, job
	for _, c := range []*storage.Commit{second, stale, ahead} {
		_, err := s.Commit(t.Context(), c)
		saysSettled(t, err, first.Next)
		unchanged("a commit for a settled job")
	}
	ahead.Visit.Settles = first.Next
	if _, err := s.Commit(t.Context(), ahead); !errors.Is(err, plat.ErrConflict) {
		t.Errorf("version %d for an unsettled job: error = %v, want plat.ErrConflict", ahead.Version.N, err)
	}
	unchanged("a conflicting commit")
	second.Visit.Settles, second.Visit.Next = first.Next, first.Next.Add(time.Hour)
	for range 2 { // the second iteration repeats a complete commit
		commit(t, s, second)
		sameCommit(t, s, second, nil)
		settled(t, s, &second.Visit)
	}
	if st, err := s.State(t.Context(), url); err != nil || st.Visits != 3 || st.Changes != 2 {
		t.Errorf("State = %+v, %v; want 3 visits, 2 versions", st, err)
	}
	if _, err := s.GC(t.Context(), time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if r := clean(t, s); r.Unreferenced != 0 || r.Versions != 2 {
		t.Errorf("Verify = %+v, want 2 versions and nothing unreferenced", r)
	}
}

func testUnkept(t *testing.T, s storage.Store) {
	const url = "https://a.test/"
	j := plat.Job{URL: url, Due: day, Priority: 0.5, Plan: plat.Plan{Kind: plat.FetchJob, Scope: "host"}}
	enlist(t, s, j)
	v := plat.Visit{URL: url, Time: after(1), Outcome: plat.OutcomeFetched, Settles: day, Next: after(24), Memory: "read", Unkept: true}
	record(t, s, v)
	want := enlisted(&j)
	want.Due, want.Settled, want.Memory = after(24), day, "read"
	same := func(when string) {
		t.Helper()
		if got, err := s.State(t.Context(), url); err != nil || got != want {
			t.Errorf("%s: State = %+v, %v; want %+v", when, got, err, want)
		}
		if got := collect(t, s.Visits(t.Context(), url, 0)); len(got) != 0 {
			t.Errorf("%s: Visits = %+v, want none", when, got)
		}
		if stats, err := s.Stats(t.Context()); err != nil || len(stats) != 0 {
			t.Errorf("%s: Stats = %+v, %v; want none", when, stats, err)
		}
		clean(t, s)
	}
	same("once")
	late := v
	late.Time, late.Next, late.Memory = after(2), after(48), "late"
	for range 2 {
		saysSettled(t, s.Record(t.Context(), late, 10), after(24))
		same("for a settled job")
	}
	late.Settles = after(24)
	record(t, s, late)
	want.Due, want.Settled, want.Memory = after(48), after(24), "late"
	same("for the next job")
	// The first stored visit is the URL's First.
	record(t, s, plat.Visit{URL: url, Time: after(50), Outcome: plat.OutcomeGone, Settles: after(48)})
	if st, err := s.State(t.Context(), url); err != nil || st.Visits != 1 || !st.First.Equal(after(50)) || !st.Due.IsZero() || st.Plan != j.Plan {
		t.Errorf("State = %+v, %v", st, err)
	}
}

func testCommitSettles(t *testing.T, s storage.Store) {
	const url = "https://a.test/"
	c := NewPage(url, 5).Next()
	record(t, s, plat.Visit{URL: url, Time: c.Visit.Time, Outcome: plat.OutcomeTimeout})
	c.Visit.Settles, c.Visit.Next = day, after(1)
	commit(t, s, c)
	settled(t, s, &c.Visit)
	if st, err := s.State(t.Context(), url); err != nil || st.Visits != 1 || st.Head != 1 {
		t.Errorf("State = %+v, %v; want one visit", st, err)
	}
	clean(t, s)
}

func testSettledByOne(t *testing.T, s storage.Store, size int) {
	const url = "https://a.test/"
	commit(t, s, NewPage(url, 1).Next())
	enlist(t, s, plat.Job{URL: url, Due: after(0)})
	head, visits := 1, 1
	for round := range 3 + size/16 {
		job, next := after(round), after(round+1)
		var wins atomic.Pointer[plat.Visit]
		var all sync.WaitGroup
		won := func(v *plat.Visit) {
			if other := wins.Swap(v); other != nil {
				t.Errorf("round %d: two commits settled one job", round)
			}
		}
		for k := range 8 {
			c := NewPage(url, uint64(1000*k+round)).Next()
			c.Version.N, c.Visit.Version = head+1, head+1
			c.Version.Taken = job.Add(time.Duration(k+1) * time.Second)
			c.Visit.Time, c.Visit.Settles, c.Visit.Next = c.Version.Taken, job, next
			if round%3 > 0 && k%2 == 0 { // half of the visits are unchanged
				v := c.Visit
				v.Outcome, v.Version = plat.OutcomeUnchanged, head
				all.Go(func() {
					if err := s.Record(t.Context(), v, 10); err != nil && !errors.Is(err, plat.ErrSettled) {
						t.Errorf("round %d: Record = %v", round, err)
					}
				})
				continue
			}
			all.Go(func() {
				switch _, err := s.Commit(t.Context(), c); {
				case err == nil:
					won(&c.Visit)
				case !errors.Is(err, plat.ErrConflict) && !errors.Is(err, plat.ErrSettled):
					t.Errorf("round %d: Commit = %v", round, err)
				}
			})
		}
		all.Go(func() { // concurrently the URL is enlisted again
			if _, err := s.Enlist(t.Context(), []plat.Job{{URL: url, Due: job, Priority: 1}}, storage.Join); err != nil {
				t.Errorf("round %d: Enlist = %v", round, err)
			}
		})
		all.Wait()
		visits++
		st, err := s.State(t.Context(), url)
		if wins.Load() != nil {
			head++
		}
		if err != nil || st.Head != head || st.Changes != head || st.Visits != visits || !st.Settled.Equal(job) || !st.Due.Equal(next) || st.Priority != 1 {
			t.Fatalf("round %d: State = %+v, %v; want head %d, %d visits, settled %s", round, st, err, head, visits, job)
		}
		if wins.Load() == nil && round%3 == 0 {
			t.Errorf("round %d: no commit won", round)
		}
		got := collect(t, s.Visits(t.Context(), url, 1))
		if w := wins.Load(); len(got) != 1 || !got[0].Settles.Equal(job) || w != nil && !got[0].Time.Equal(w.Time) || w == nil && got[0].Outcome != plat.OutcomeUnchanged {
			t.Errorf("round %d: the last visit is %+v, that of the winning commit is %+v", round, got, w)
		}
	}
	if got := collect(t, s.Visits(t.Context(), url, 0)); len(got) != visits {
		t.Errorf("%d visits are stored, want %d", len(got), visits)
	}
	clean(t, s)
	if _, err := s.GC(t.Context(), time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if r := clean(t, s); r.Unreferenced != 0 || r.Versions != int64(head) {
		t.Errorf("Verify = %+v, want %d versions and nothing unreferenced", r, head)
	}
}
