package storagetest

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
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

// saysSettled checks the error of a visit for a settled job; due is the URL's next
// due time.
func saysSettled(t testing.TB, err error, due time.Time) {
	t.Helper()
	var settled *plat.SettledError
	if !errors.Is(err, plat.ErrSettled) || !errors.As(err, &settled) || !settled.Due.Equal(due) {
		t.Errorf("error = %v (%+v), want a plat.SettledError due at %v", err, settled, due)
	}
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

func testEnlisted(t *testing.T, s storage.Store) {
	const url = "https://a.test/"
	a := plat.Job{URL: url, Due: day.Add(300 * time.Microsecond), Priority: 0.1, Plan: plat.Plan{Depth: 3, Scope: "site 新闻", Schedule: plat.Schedule{Policy: "fixed", Every: time.Hour + time.Microsecond, Jitter: 0.1}}}
	b := plat.Job{URL: "https://b.test/", Due: time.UnixMilli(0).In(time.FixedZone("x", 3600)), Plan: plat.Plan{Kind: plat.FetchJob}}
	enlist(t, s, b, a)
	wantA, wantB := enlisted(&a), enlisted(&b)
	wantA.Schedule.Every = time.Hour
	if got := states(t, s); len(got) != 2 || got[0] != wantA || got[1] != wantB {
		t.Errorf("States = %+v, want %+v and %+v", got, wantA, wantB)
	}
	if got, err := s.State(t.Context(), url); err != nil || got != wantA {
		t.Errorf("State = %+v, %v; want %+v", got, err, wantA)
	}
	for _, n := range []int{0, 1} {
		if _, err := s.Version(t.Context(), url, n); !errors.Is(err, plat.ErrNotFound) {
			t.Errorf("Version(%d) error = %v, want plat.ErrNotFound", n, err)
		}
	}
	if got := collect(t, s.Versions(t.Context(), url)); len(got) != 0 {
		t.Errorf("Versions = %v, want none", got)
	}
	if got := collect(t, s.Visits(t.Context(), url, 0)); len(got) != 0 {
		t.Errorf("Visits = %v, want none", got)
	}
	for _, q := range []storage.BlockQuery{{}, {Head: true}, {Host: "a.test"}} {
		if got := collect(t, s.Find(t.Context(), q)); len(got) != 0 {
			t.Errorf("Find(%+v) = %v, want none", q, got)
		}
	}
	if stats, err := s.Stats(t.Context()); err != nil || len(stats) != 0 {
		t.Errorf("Stats = %+v, %v; want none", stats, err)
	}
	record(t, s, plat.Visit{URL: "https://b.test/2", Time: day, Outcome: plat.OutcomeGone})
	if stats, err := s.Stats(t.Context()); err != nil || len(stats) != 1 || stats[0].Host != "b.test" || stats[0].URLs != 1 {
		t.Errorf("Stats = %+v, %v; want only the visited URL", stats, err)
	}
	if swept, err := s.GC(t.Context(), time.Now().Add(time.Hour)); err != nil || swept != (storage.Swept{}) {
		t.Errorf("GC = %+v, %v; want nothing removed", swept, err)
	}
	if r := clean(t, s); r.URLs != 3 || r.Versions != 0 || r.Unreferenced != 0 {
		t.Errorf("Verify = %+v, want 3 URLs", r)
	}
	if got, err := s.State(t.Context(), url); err != nil || got != wantA {
		t.Errorf("after GC State = %+v, %v; want %+v", got, err, wantA)
	}
}

func testFirstVisit(t *testing.T, s storage.Store) {
	const url = "https://a.test/"
	for i, at := range []time.Time{day, time.UnixMilli(-5).UTC(), time.UnixMilli(0).UTC()} {
		j := plat.Job{URL: fmt.Sprint(url, i), Due: day, Plan: plat.Plan{Depth: 2}}
		enlist(t, s, j)
		record(t, s, plat.Visit{URL: j.URL, Time: at, Outcome: plat.OutcomeGone, Status: 410})
		want := enlisted(&j)
		want.First, want.Last, want.Visits, want.Status, want.Outcome, want.PageBytes = at, at, 1, 410, plat.OutcomeGone, 10
		if got, err := s.State(t.Context(), j.URL); err != nil || got != want {
			t.Errorf("State = %+v, %v; want %+v", got, err, want)
		}
	}
	enlist(t, s, plat.Job{URL: url, Due: day, Plan: plat.Plan{Depth: 2}})
	c := NewPage(url, 1).Next()
	w := commit(t, s, c)
	sameCommit(t, s, c, nil)
	at := instantOf(c.Visit.Time)
	want := plat.URLState{URL: url, Host: "a.test", First: at, Last: at, Visits: 1, Changes: 1, Head: 1, Level: 3, Status: 200, Outcome: c.Visit.Outcome,
		PageBytes: c.Version.Capture.PageBytes, StoredBytes: w.Bytes, Due: day, Plan: plat.Plan{Depth: 2}}
	if got, err := s.State(t.Context(), url); err != nil || got != want {
		t.Errorf("State = %+v, %v; want %+v", got, err, want)
	}
	clean(t, s)
}

func testMerged(t *testing.T, s storage.Store) {
	const url = "https://a.test/"
	type state struct {
		due, settled time.Time
		priority     float32
		depth        int
		scope        string
		every        time.Duration
	}
	known := state{day, time.Time{}, 0.5, 2, "site", time.Hour}
	settled := state{after(24), day, 0.5, 2, "site", time.Hour} // a visit settled the known one
	done := state{time.Time{}, day, 0.5, 2, "site", time.Hour}  // the same, without a next visit
	with := func(s state, change func(*state)) state { change(&s); return s }
	job := func(due time.Time, change func(*plat.Job)) plat.Job {
		j := plat.Job{Due: due, Priority: 0.5, Plan: plat.Plan{Depth: 2, Scope: "site", Schedule: plat.Schedule{Every: time.Hour}}}
		change(&j)
		return j
	}
	nothing := func(*plat.Job) {}
	for i, tc := range []struct {
		name string
		was  state
		job  plat.Job
		want state
	}{
		{"the same", known, job(day, nothing), known},
		{"in the same millisecond", known, job(day.Add(999*time.Microsecond), nothing), known},
		{"a higher priority", known, job(day, func(j *plat.Job) { j.Priority = 0.75 }), with(known, func(s *state) { s.priority = 0.75 })},
		{"a lower priority", known, job(day, func(j *plat.Job) { j.Priority = 0.1 }), known},
		{"a smaller depth", known, job(day, func(j *plat.Job) { j.Depth = 0 }), with(known, func(s *state) { s.depth = 0 })},
		{"a greater depth", known, job(day, func(j *plat.Job) { j.Depth = 3 }), known},
		{"another scope", known, job(day, func(j *plat.Job) { j.Scope = "host" }), known},
		{"no scope", known, job(day, func(j *plat.Job) { j.Scope = "" }), known},
		{"an empty scope is filled", with(known, func(s *state) { s.scope = "" }), job(day, func(j *plat.Job) { j.Scope = "host" }), with(known, func(s *state) { s.scope = "host" })},
		{"another interval", known, job(day, func(j *plat.Job) { j.Schedule.Every = time.Minute }), known},
		{"an empty interval is filled", with(known, func(s *state) { s.every = 0 }), job(day, func(j *plat.Job) { j.Schedule.Every = time.Minute }), with(known, func(s *state) { s.every = time.Minute })},
		{"due earlier", known, job(after(-1), nothing), with(known, func(s *state) { s.due = after(-1) })},
		{"due later", known, job(after(1), nothing), known},
		{"everything at once", with(known, func(s *state) { s.scope, s.every = "", 0 }),
			plat.Job{Due: after(-1), Priority: 1, Plan: plat.Plan{Depth: 1, Scope: "host", Schedule: plat.Schedule{Every: time.Minute}}}, state{after(-1), time.Time{}, 1, 1, "host", time.Minute}},

		{"settled, the same", settled, job(day, nothing), settled},
		{"settled, in the same millisecond", settled, job(day.Add(999*time.Microsecond), nothing), settled},
		{"settled, an earlier job", settled, job(after(-1), nothing), settled},
		{"settled, an earlier job with a higher priority", settled, job(after(-1), func(j *plat.Job) { j.Priority = 1 }), with(settled, func(s *state) { s.priority = 1 })},
		{"settled, a later job before the due time", settled, job(after(1), nothing), with(settled, func(s *state) { s.due = after(1) })},
		{"settled, when it is due", settled, job(after(24), nothing), settled},
		{"settled, later than due", settled, job(after(25), nothing), settled},

		{"done, the same", done, job(day, nothing), done},
		{"done, the same with a smaller depth", done, job(day, func(j *plat.Job) { j.Depth = 1 }), with(done, func(s *state) { s.depth = 1 })},
		{"done, an earlier job", done, job(after(-1), nothing), done},
		{"done, a millisecond later", done, job(day.Add(time.Millisecond), nothing), with(done, func(s *state) { s.due = day.Add(time.Millisecond) })},

		{"only visited", state{}, job(after(-1), func(j *plat.Job) { j.Depth = 7 }), state{after(-1), time.Time{}, 0.5, 7, "site", time.Hour}},
	} {
		u := fmt.Sprintf("%s%02d", url, i)
		if tc.was == (state{}) {
			record(t, s, plat.Visit{URL: u, Time: day, Outcome: plat.OutcomeUnchanged})
		} else {
			enlist(t, s, plat.Job{URL: u, Due: day, Priority: tc.was.priority, Plan: plat.Plan{Depth: tc.was.depth, Scope: tc.was.scope, Schedule: plat.Schedule{Every: tc.was.every}}})
		}
		if !tc.was.settled.IsZero() {
			record(t, s, plat.Visit{URL: u, Time: after(1), Outcome: plat.OutcomeUnchanged, Settles: tc.was.settled, Next: tc.was.due})
		}
		before, err := s.State(t.Context(), u)
		if err != nil {
			t.Fatal(err)
		}
		want := before
		want.Due, want.Settled, want.Priority, want.Depth, want.Scope, want.Schedule.Every = tc.want.due, tc.want.settled, tc.want.priority, tc.want.depth, tc.want.scope, tc.want.every
		tc.job.URL = u
		for _, times := range []string{"once", "twice"} {
			enlist(t, s, tc.job)
			if got, err := s.State(t.Context(), u); err != nil || got != want {
				t.Errorf("%s, enlisted %s: State = %+v, %v; want %+v", tc.name, times, got, err, want)
			}
		}
	}
	clean(t, s)
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

func testHints(t *testing.T, s storage.Store) {
	const url = "https://a.test/"
	later, earlier := plat.Signal{Modified: after(3)}, plat.Signal{Modified: after(1)}
	learns := plat.Plan{Schedule: plat.Schedule{Budget: "5/day"}}
	link := plat.Signal{Modified: after(3), Source: plat.SignalLink}
	told := func(s plat.Signal) plat.Plan { return plat.Plan{Schedule: learns.Schedule, Signal: s} }
	daily := plat.Signal{Modified: after(-9), ChangeFreq: "daily", Priority: 0.5, Source: plat.SignalSitemap}
	for _, tc := range []struct {
		name   string
		plan   plat.Plan
		put    bool // the job is postponed
		signal plat.Signal
		want   func(*plat.URLState)
	}{
		{"learns", learns, false, later, func(st *plat.URLState) { st.Due, st.Signal = after(4), later }},
		{"put-off", learns, true, later, func(st *plat.URLState) { st.Due, st.NotBefore, st.Signal = after(4), time.Time{}, later }},
		{"fixed", plat.Plan{Schedule: plat.Schedule{Every: time.Hour}}, false, later, func(st *plat.URLState) { st.Signal = later }},
		{"link", told(daily), false, link, func(st *plat.URLState) {
			st.Due, st.Signal.Modified, st.Signal.Source = after(4), after(3), plat.SignalLink
		}},
		{"link-fixed", plat.Plan{Schedule: plat.Schedule{Every: time.Hour}}, false, link, func(*plat.URLState) {}},
		{"link-after-a-list", told(earlier), false, link, func(*plat.URLState) {}},
		{"list-after-a-link", told(link), false, plat.Signal{Modified: after(2), Source: plat.SignalFeed}, func(st *plat.URLState) {
			st.Due, st.Signal = after(4), plat.Signal{Modified: after(2), Source: plat.SignalFeed}
		}},
		{"visited-since", plat.Plan{Schedule: learns.Schedule, Signal: plat.Signal{Modified: after(-9)}}, false, plat.Signal{Modified: after(-1)}, func(st *plat.URLState) { st.Signal = plat.Signal{Modified: after(-1)} }},
		{"no-news", plat.Plan{Schedule: learns.Schedule, Signal: plat.Signal{Modified: after(2)}}, false, earlier, func(*plat.URLState) {}},
	} {
		u := url + tc.name
		enlist(t, s, plat.Job{URL: u, Due: day, Plan: tc.plan})
		record(t, s, plat.Visit{URL: u, Time: day, Outcome: plat.OutcomeUnchanged, Settles: day, Next: after(48)})
		if tc.put {
			if err := s.Defer(t.Context(), storage.Deferral{URL: u, Due: after(48), At: after(99)}); err != nil {
				t.Fatal(err)
			}
		}
		want, err := s.State(t.Context(), u)
		if err != nil {
			t.Fatal(err)
		}
		tc.want(&want)
		for range 2 {
			e, err := s.Enlist(t.Context(), []plat.Job{{URL: u, Due: after(4), Plan: plat.Plan{Signal: tc.signal}}, {URL: u + "-unknown", Due: after(4), Plan: plat.Plan{Signal: tc.signal}}}, storage.Hint)
			if err != nil || e.New != 0 {
				t.Fatal(e, err)
			}
			if got, err := s.State(t.Context(), u); err != nil || got != want {
				t.Errorf("%s: %+v, %v; want %+v", tc.name, got, err, want)
			}
		}
		if _, err := s.State(t.Context(), u+"-unknown"); !errors.Is(err, plat.ErrNotFound) {
			t.Errorf("%s: a hint makes a URL known: %v", tc.name, err)
		}
	}
	clean(t, s)
}

func testLargeEnlist(t *testing.T, s storage.Store) {
	const url = "https://a.test/"
	var jobs []plat.Job
	for i := range 1100 { // more than a store's batch
		jobs = append(jobs, plat.Job{URL: fmt.Sprintf("%s%d", url, i), Due: after(i), Priority: float32(i) / 2048, Plan: plat.Plan{Depth: i}})
	}
	jobs = append(jobs, plat.Job{URL: url + "1", Due: after(-5), Priority: 1, Plan: plat.Plan{Depth: 0, Scope: "host"}}, plat.Job{URL: url + "1", Due: day, Plan: plat.Plan{Depth: 9, Scope: "site"}},
		plat.Job{URL: url + "1099", Due: day, Plan: plat.Plan{Depth: 9, Scope: "site"}}, plat.Job{URL: url + "1099", Due: after(5), Plan: plat.Plan{Depth: 10, Scope: "host"}})
	enlist(t, s, jobs...)
	was := states(t, s)
	if len(was) != 1100 {
		t.Fatalf("%d URLs are known, want 1100", len(was))
	}
	for i, want := range map[int]plat.URLState{
		1:    {Due: after(-5), Priority: 1, Plan: plat.Plan{Scope: "host"}},
		2:    {Due: after(2), Priority: 2. / 2048, Plan: plat.Plan{Depth: 2}},
		1099: {Due: day, Priority: 1099. / 2048, Plan: plat.Plan{Depth: 9, Scope: "site"}},
	} {
		want.URL, want.Host = fmt.Sprintf("%s%d", url, i), "a.test"
		if got, err := s.State(t.Context(), want.URL); err != nil || got != want {
			t.Errorf("State = %+v, %v; want %+v", got, err, want)
		}
	}
	enlist(t, s, jobs...)
	for i, st := range states(t, s) {
		if st != was[i] {
			t.Errorf("repeating Enlist changed %+v to %+v", was[i], st)
		}
	}
	enlist(t, s)
}

func testBadJobs(t *testing.T, s storage.Store) {
	const url = "https://a.test/"
	good := plat.Job{URL: url, Due: day}
	nan := float32(0)
	nan /= nan
	for _, bad := range []plat.Job{{Due: day}, {URL: url + "2"}, {URL: url + "2", Due: day, Priority: nan}} {
		for _, jobs := range [][]plat.Job{{bad}, {bad, good}, {good, bad}} {
			if _, err := s.Enlist(t.Context(), jobs, storage.Join); err == nil {
				t.Errorf("Enlist accepted %+v", jobs)
			}
		}
	}
	if got := states(t, s); len(got) != 0 {
		t.Errorf("States = %+v, want none", got)
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

func testEnlistTogether(t *testing.T, s storage.Store) {
	const url = "https://a.test/"
	var all sync.WaitGroup
	for k := range 4 {
		all.Go(func() {
			var jobs []plat.Job
			for i := range 20 {
				jobs = append(jobs, plat.Job{URL: fmt.Sprintf("%s%02d", url, i), Due: after((k+i)%4 + 1), Priority: float32((k+i)%4+1) / 4, Plan: plat.Plan{Depth: (k+i)%4 + 1}})
			}
			if _, err := s.Enlist(t.Context(), jobs, storage.Join); err != nil {
				t.Error(err)
			}
		})
		all.Go(func() {
			if err := s.Record(t.Context(), plat.Visit{URL: fmt.Sprintf("%s%02d", url, k), Time: after(k), Settles: day, Next: after(3)}, 10); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	got := states(t, s)
	if len(got) != 20 {
		t.Fatalf("%d URLs exist, want 20", len(got))
	}
	for i, st := range got {
		// The visit may have come before, between or after the jobs.
		if visited := i < 4; st.Priority != 1 || visited != (st.Visits == 1) || visited != st.Settled.Equal(day) ||
			!visited && (st.Depth != 1 || !st.Due.Equal(after(1))) || visited && (st.Due.After(after(3)) || st.Due.Before(after(1))) {
			t.Errorf("State = %+v", st)
		}
	}
	clean(t, s)
}
