package storagetest

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"plat/plat"
	"plat/storage"
)

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
