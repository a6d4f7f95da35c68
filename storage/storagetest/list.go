package storagetest

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"plat/plat"
	"plat/storage"
)

// allReady returns all ready hosts, by pages of two.
func allReady(t testing.TB, s storage.Store) (all []storage.ReadyHost) {
	t.Helper()
	var after storage.ReadyHost
	for {
		got, err := s.Ready(t.Context(), after, 2)
		if err != nil {
			t.Fatal(err)
		}
		if all = append(all, got...); len(got) < 2 {
			return all
		}
		after = got[1]
	}
}

func load(t testing.TB, s storage.Store, now time.Time, host string, limit int) storage.HostJobs {
	t.Helper()
	got, err := s.Load(t.Context(), now, []storage.HostLimit{{Host: host, Limit: limit}})
	if err != nil || len(got) != 1 || got[0].Host != host {
		t.Fatalf("Load(%s) = %+v, %v", host, got, err)
	}
	return got[0]
}

// job returns the job of page n, due on the day of the tests.
func job(n int, priority float32) plat.Job {
	return plat.Job{URL: fmt.Sprint("https://a.test/", n), Due: day, Priority: priority}
}

// testList tests the list of all jobs.
func testList(t *testing.T, open func(testing.TB) storage.Store, size int) {
	t.Run("what Enlist does with known URLs", func(t *testing.T) { testWays(t, open(t)) })
	t.Run("a seed's schedule replaces that of before, and the schedule of known URLs can be changed", func(t *testing.T) { testSchedules(t, open(t)) })
	t.Run("what is enlisted twice is as if it were once", func(t *testing.T) { testEnlistedTwice(t, open(t)) })
	t.Run("a job that failed is put off, or given up", func(t *testing.T) { testDeferred(t, open(t)) })
	t.Run("jobs are put off together, but for those that are settled", func(t *testing.T) { testDeferredTogether(t, open(t)) })
	t.Run("with jobs of visited URLs that have a budget comes what their policies remember", func(t *testing.T) { testMemories(t, open(t)) })
	t.Run("URLs that were given up are listed, the latest first", func(t *testing.T) { testDead(t, open(t)) })
	t.Run("hosts are ready in order of urgency, then of waiting", func(t *testing.T) { testReady(t, open(t)) })
	t.Run("jobs of the backlog that are not due yet hide no others", func(t *testing.T) { testBacklog(t, open(t)) })
	t.Run("a host's clock never goes back", func(t *testing.T) { testClocks(t, open(t)) })
	testNotes(t, open)
	t.Run("random operations agree with a model", func(t *testing.T) { testListModel(t, open, size) })
	t.Run("a long list of many hosts", func(t *testing.T) { testLongList(t, open(t), size) })
}

func testWays(t *testing.T, s storage.Store) {
	const url = "https://a.test/"
	try := func(how storage.Intake, j plat.Job, isNew int, want ...plat.Job) {
		t.Helper()
		e, err := s.Enlist(t.Context(), []plat.Job{j}, how)
		if err != nil || e.New != isNew || !slices.Equal(e.Jobs, want) {
			t.Errorf("Enlist(%v) = %+v, %v; want %d new, %+v", how, e, err, isNew, want)
		}
	}
	a := plat.Job{URL: url, Due: day, Priority: 0.5}
	plain := func(due time.Time, p float32) plat.Job { return plat.Job{URL: url, Due: due, Priority: p} }
	try(storage.IfNew, a, 1, a)
	for _, how := range []storage.Intake{storage.IfNew, storage.Join, storage.Again} {
		try(how, a, 0)
	}
	try(storage.IfNew, plain(after(-1), 1), 0)
	try(storage.Join, plain(after(1), 0.75), 0, plain(day, 0.75))
	record(t, s, plat.Visit{URL: url, Time: after(1), Outcome: plat.OutcomeNew, Settles: day})
	try(storage.IfNew, plain(after(2), 1), 0)
	try(storage.Join, plain(day, 0), 0)
	try(storage.Again, plain(day, 0), 0, plain(day.Add(time.Millisecond), 0.75))
	try(storage.Again, plain(after(3), 0), 0)
	if err := s.Defer(t.Context(), storage.Deferral{URL: url, Due: day.Add(time.Millisecond), At: after(5), Attempts: 1}); err != nil {
		t.Fatal(err)
	}
	try(storage.Join, plain(after(2), 0), 0)
	try(storage.Again, plain(after(2), 0), 0, plain(day.Add(time.Millisecond), 0.75))
	// Within a budget it is visited regardless of its policy, even if it is already due.
	b := plat.Job{URL: url + "budget", Due: day, Priority: 0.5, Plan: plat.Plan{Schedule: plat.Schedule{Budget: "1/day"}}}
	try(storage.IfNew, b, 1, plat.Job{URL: b.URL, Due: day, Priority: 0.5})
	record(t, s, plat.Visit{URL: b.URL, Time: day, Outcome: plat.OutcomeNew, Settles: day, Next: after(3)})
	b.Due = after(4)
	try(storage.Join, b, 0)
	try(storage.Again, b, 0, plat.Job{URL: b.URL, Due: day.Add(time.Millisecond), Priority: 0.5})
	// A URL that was only visited never had a job.
	record(t, s, plat.Visit{URL: url + "2", Time: after(1), Outcome: plat.OutcomeNew})
	try(storage.IfNew, job(2, 0.25), 1, job(2, 0.25))
}

func testSchedules(t *testing.T, s storage.Store) {
	testWatched(t, s)
	const url = "https://a.test/"
	enlisted := func(how storage.Intake, url string, due time.Time, every time.Duration, isNew int) (told []plat.Job) {
		t.Helper()
		e, err := s.Enlist(t.Context(), []plat.Job{{URL: url, Due: due, Priority: 0.5, Plan: plat.Plan{Schedule: plat.Schedule{Every: every}}}}, how)
		if err != nil || e.New != isNew {
			t.Errorf("Enlist(%v) = %+v, %v", how, e, err)
		}
		return e.Jobs
	}
	is := func(url string, due time.Time, every time.Duration) {
		t.Helper()
		if st, err := s.State(t.Context(), url); err != nil || !st.Due.Equal(due) || st.Schedule.Every != every || !st.NotBefore.IsZero() {
			t.Errorf("%s is due %v, after %v, %v; want %v, %v", url, st.Due, st.Schedule.Every, err, due, every)
		}
	}
	const one, never, dead, fails = url + "1", url + "never", url + "dead", url + "fails"
	enlisted(storage.Seed, one, day, time.Hour, 1)
	enlisted(storage.Replan, one, after(3), 2*time.Minute, 0) // before its first visit
	is(one, day, 2*time.Minute)
	record(t, s, plat.Visit{URL: one, Time: day, Outcome: plat.OutcomeNew, Settles: day, Next: after(2)})
	for _, how := range []storage.Intake{storage.IfNew, storage.Join, storage.Again} {
		enlisted(how, one, after(4), time.Minute, 0)
		is(one, after(2), 2*time.Minute)
	}
	if told := enlisted(storage.Replan, one, after(5), 5*time.Minute, 0); len(told) != 0 {
		t.Errorf("later, and told of: %+v", told)
	}
	is(one, after(5), 5*time.Minute)
	enlisted(storage.Replan, one, after(1), 5*time.Minute, 0) // the same
	is(one, after(5), 5*time.Minute)
	if told := enlisted(storage.Replan, one, after(1), 3*time.Minute, 0); len(told) != 1 {
		t.Errorf("sooner, and told of: %+v", told)
	}
	is(one, after(1), 3*time.Minute)
	enlisted(storage.Replan, one, after(1), 9*time.Hour, 0) // one interval after its last visit
	is(one, after(9), 9*time.Hour)
	enlisted(storage.Seed, one, after(9), 0, 0)
	is(one, after(9), 9*time.Hour)
	enlisted(storage.Seed, one, after(1), 4*time.Hour, 0)
	is(one, after(1), 4*time.Hour)
	enlisted(storage.Replan, one, after(1), 0, 0)
	is(one, time.Time{}, 0)
	enlisted(storage.Replan, one, after(-1), time.Hour, 0) // one interval after its last visit
	is(one, after(1), time.Hour)
	// An alias of a page waits for no visit, and a list keeps its interval.
	const alias, list = url + "alias", url + "list"
	enlist(t, s, plat.Job{URL: alias, Due: day, Plan: plat.Plan{Depth: 1, Schedule: plat.Schedule{Every: time.Hour}}})
	if err := s.SetMain(t.Context(), one, day, alias); err != nil {
		t.Fatal(err)
	}
	before, err := s.State(t.Context(), alias)
	enlisted(storage.Replan, alias, after(1), 2*time.Hour, 0)
	if now, failed := s.State(t.Context(), alias); err != nil || failed != nil || before.Main != one || !now.Due.IsZero() || now.Main != one || now.Schedule.Every != 2*time.Hour {
		t.Errorf("another address is %+v, %v %v; was %+v", now, err, failed, before)
	}
	enlisted(storage.Replan, one, after(-9), 0, 0)
	enlisted(storage.Replan, one, after(-9), time.Millisecond, 0) // after Settled, and not marked as a request
	is(one, day.Add(time.Second), time.Millisecond)
	enlist(t, s, plat.Job{URL: list, Due: day, Plan: plat.Plan{Kind: plat.FetchJob, Schedule: plat.Schedule{Every: time.Hour}}})
	record(t, s, plat.Visit{URL: list, Time: day, Outcome: plat.OutcomeFetched, Settles: day, Next: after(24), Unkept: true})
	enlisted(storage.Replan, list, after(1), 2*time.Hour, 0)
	is(list, after(24), 2*time.Hour)
	enlisted(storage.Replan, list, after(1), 0, 0)
	is(list, time.Time{}, 0)
	// Unknown and dead URLs do not change, and a retry is not moved forward.
	enlisted(storage.Replan, never, day, time.Hour, 0)
	if _, err := s.State(t.Context(), never); !errors.Is(err, plat.ErrNotFound) {
		t.Errorf("an unknown URL: %v", err)
	}
	enlisted(storage.Seed, dead, day, time.Hour, 1)
	record(t, s, plat.Visit{URL: dead, Time: day, Outcome: plat.OutcomeGone, Settles: day})
	enlisted(storage.Replan, dead, after(1), 2*time.Hour, 0)
	is(dead, time.Time{}, 2*time.Hour)
	enlisted(storage.Seed, fails, day, time.Hour, 1)
	record(t, s, plat.Visit{URL: fails, Time: day, Outcome: plat.OutcomeNew, Settles: day, Next: after(1)})
	if err := s.Defer(t.Context(), storage.Deferral{URL: fails, Due: after(1), At: after(9), Attempts: 1}); err != nil {
		t.Fatal(err)
	}
	enlisted(storage.Replan, fails, after(2), 2*time.Hour, 0)
	if st, err := s.State(t.Context(), fails); err != nil || !st.NotBefore.Equal(after(9)) || st.Schedule.Every != 2*time.Hour {
		t.Errorf("%+v, %v", st, err)
	}
	clean(t, s)
}

func testEnlistedTwice(t *testing.T, s storage.Store) {
	plans := []plat.Plan{{}, {Schedule: plat.Schedule{Every: time.Hour}}, {Schedule: plat.Schedule{Every: 9 * time.Hour}}, {Schedule: plat.Schedule{Budget: "1/day"}}, {Kind: plat.FetchJob, Schedule: plat.Schedule{Budget: "1/day"}}}
	n := 0
	for _, how := range []storage.Intake{storage.IfNew, storage.Join, storage.Again, storage.Hint, storage.Seed, storage.Replan} {
		for _, was := range plans {
			for _, is := range plans {
				for _, off := range []bool{false, true} {
					if n++; Slow && n%3 != 0 {
						continue
					}
					j := job(n, 0.5)
					j.Plan = was
					enlist(t, s, j)
					record(t, s, plat.Visit{URL: j.URL, Time: day, Outcome: plat.OutcomeUnchanged, Settles: day, Next: after(3)})
					if off {
						if err := s.Defer(t.Context(), storage.Deferral{URL: j.URL, Due: after(3), At: after(30)}); err != nil {
							t.Fatal(err)
						}
					}
					j.Plan, j.Due = is, after(2)
					j.Signal = plat.Signal{Modified: after(1)}
					var states [2]plat.URLState
					for i := range states {
						if _, err := s.Enlist(t.Context(), []plat.Job{j}, how); err != nil {
							t.Fatal(err)
						}
						var err error
						if states[i], err = s.State(t.Context(), j.URL); err != nil {
							t.Fatal(err)
						}
					}
					if states[0] != states[1] {
						t.Errorf("%v of %+v, put off %v, with %+v: once %+v, twice %+v", how, was, off, is, states[0], states[1])
					}
					asked := states[0].Due.Equal(day.Add(time.Millisecond))
					if wants := (how == storage.Again || how == storage.Seed) && states[0].Schedule.Budget != "" && states[0].Kind == plat.RenderJob; asked != wants {
						t.Errorf("%v of %+v, put off %v, with %+v: due %v", how, was, off, is, states[0].Due)
					}
				}
			}
		}
	}
}

func testDeferred(t *testing.T, s storage.Store) {
	const url = "https://a.test/"
	enlist(t, s, job(1, 0.5), job(2, 0.5))
	d := storage.Deferral{URL: url + "1", Due: day, At: after(2), Attempts: 2, Throttled: 3, Clock: after(1)}
	put := func(d storage.Deferral) {
		t.Helper()
		if err := s.Defer(t.Context(), d); err != nil {
			t.Fatalf("Defer(%+v) = %v", d, err)
		}
	}
	put(d)
	put(d)
	st, err := s.State(t.Context(), d.URL)
	if want := (plat.URLState{URL: d.URL, Host: "a.test", Due: day, Priority: 0.5, NotBefore: after(2), Attempts: 2, Throttled: 3}); err != nil || st != want {
		t.Errorf("State = %+v, %v; want %+v", st, err, want)
	}
	if got := load(t, s, after(1), "a.test", 9); len(got.Jobs) != 1 || got.More || !got.Clock.Equal(after(1)) {
		t.Errorf("before the retry's time: %+v", got)
	}
	if woken, next, err := s.Wake(t.Context(), after(2).Add(-1), 9); err != nil || len(woken) != 0 || !next.Equal(after(2)) {
		t.Errorf("Wake = %v, %v, %v; want next at %v", woken, next, err, after(2))
	}
	if woken, next, err := s.Wake(t.Context(), after(2), 9); err != nil || len(woken) != 1 || !next.IsZero() {
		t.Errorf("Wake = %v, %v, %v; want 1 and none to come", woken, next, err)
	}
	if got := load(t, s, after(2), "a.test", 9).Jobs; len(got) != 2 || got[1] != (storage.LoadedJob{URL: d.URL, Due: day, Priority: 0.5, Attempts: 2, Throttled: 3}) {
		t.Errorf("at the retry's time: %+v", got)
	}
	d.At, d.Attempts = time.Time{}, 5
	put(d)
	saysSettled(t, s.Defer(t.Context(), d), time.Time{})
	st, err = s.State(t.Context(), d.URL)
	if err != nil || !st.Due.IsZero() || !st.Settled.Equal(day) || st.Dead.IsZero() || st.Attempts != 5 || !st.NotBefore.IsZero() {
		t.Errorf("given up: State = %+v, %v", st, err)
	}
	if err := s.Defer(t.Context(), storage.Deferral{URL: "https://unknown.test/", Due: day}); !errors.Is(err, plat.ErrNotFound) {
		t.Errorf("Defer of an unknown URL = %v", err)
	}
	d = storage.Deferral{URL: url + "2", Due: after(1), At: after(2)} // of a different job
	saysSettled(t, s.Defer(t.Context(), d), day)
	clean(t, s)
}

func testDeferredTogether(t *testing.T, s storage.Store) {
	const url = "https://a.test/"
	enlist(t, s, job(1, 0.5), job(2, 0.5), job(3, 0.5), plat.Job{URL: "https://b.test/", Due: day, Priority: 0.5})
	record(t, s, plat.Visit{URL: url + "2", Time: after(1), Outcome: plat.OutcomeNew, Settles: day})
	var all []storage.Deferral
	for _, u := range []string{url + "1", url + "2", "https://unknown.test/", url + "3", "https://b.test/"} {
		all = append(all, storage.Deferral{URL: u, Due: day, At: after(2)})
	}
	err := s.Defer(t.Context(), all...)
	if saysSettled(t, err, time.Time{}); !errors.Is(err, plat.ErrNotFound) {
		t.Errorf("Defer = %v", err)
	}
	if c, err := s.Counts(t.Context(), after(1)); err != nil || c != (storage.JobCounts{Hosts: 2, Later: 3}) {
		t.Errorf("%+v, %v", c, err)
	}
	if err := s.Defer(t.Context()); err != nil {
		t.Errorf("Defer of nothing = %v", err)
	}
	// A state that was read before an attempt failed does not undo the failure.
	failed := storage.Deferral{URL: url + "1", Due: day, At: after(3), Attempts: 1}
	if err := s.Defer(t.Context(), failed); err != nil {
		t.Fatal(err)
	}
	stale := storage.Deferral{URL: url + "1", Due: day, At: after(9), Unchanged: true}
	if err := s.Defer(t.Context(), stale); !errors.Is(err, plat.ErrSettled) {
		t.Errorf("Defer = %v", err)
	}
	if st, err := s.State(t.Context(), url+"1"); err != nil || st.Attempts != 1 || !st.NotBefore.Equal(after(3)) {
		t.Errorf("%+v, %v", st, err)
	}
	clean(t, s)
}

func testMemories(t *testing.T, s storage.Store) {
	const url = "https://a.test/"
	budget := plat.Plan{Schedule: plat.Schedule{Budget: "9/day"}}
	for i, p := range []plat.Plan{budget, {}, {Schedule: plat.Schedule{Every: time.Hour}}, budget} {
		j := job(i, 0.5)
		j.Plan = p
		enlist(t, s, j)
		if i < 3 {
			record(t, s, plat.Visit{URL: j.URL, Time: after(1), Outcome: plat.OutcomeUnchanged, Settles: day, Next: after(2), Memory: plat.Memory{Policy: fmt.Sprint(i)}.Encode()})
		}
	}
	for _, limit := range []int{9, 1} {
		for _, j := range load(t, s, after(3), "a.test", limit).Jobs {
			st, err := s.State(t.Context(), j.URL)
			if want := j.URL == url+"0"; err != nil || (j.State != nil) != want || want && *j.State != st {
				t.Errorf("%+v, %v; want %+v", j, err, st)
			}
		}
	}
}

func testDead(t *testing.T, s storage.Store) {
	const url = "https://a.test/"
	var jobs []plat.Job
	for i := range 300 { // more than a page
		jobs = append(jobs, job(i, 0.5))
	}
	enlist(t, s, jobs...)
	for i := range jobs {
		record(t, s, plat.Visit{URL: jobs[i].URL, Time: after(i / 2), Outcome: plat.OutcomeGone, Status: 404, Error: fmt.Sprint("status ", i), Settles: day})
	}
	dead := collect(t, s.Dead(t.Context()))
	if len(dead) != len(jobs) {
		t.Fatalf("%d are dead, want %d", len(dead), len(jobs))
	}
	for i, d := range dead {
		if n := 0; d.Outcome != plat.OutcomeGone || d.Attempts != 1 || !d.Time.Equal(after((299-i)/2)) {
			t.Errorf("%d: %+v", i, d)
		} else if fmt.Sscanf(d.Error, "status %d", &n); d.URL != fmt.Sprint(url, n) {
			t.Errorf("%s died of %q", d.URL, d.Error)
		}
	}
	if _, err := s.Enlist(t.Context(), jobs[:299], storage.Again); err != nil {
		t.Fatal(err)
	}
	if dead := collect(t, s.Dead(t.Context())); len(dead) != 1 || dead[0].URL != jobs[299].URL {
		t.Errorf("after 299 were enlisted again, dead are %+v", dead)
	}
	// A page that was found is not dead, and neither is a file.
	record(t, s, plat.Visit{URL: url + "0", Time: after(500), Outcome: plat.OutcomeBlank, Settles: day.Add(time.Millisecond)})
	record(t, s, plat.Visit{URL: url + "1", Time: after(500), Outcome: plat.OutcomeGone, Settles: day.Add(time.Millisecond), Unkept: true})
	if dead := collect(t, s.Dead(t.Context())); len(dead) != 1 {
		t.Errorf("dead are %+v", dead)
	}
	clean(t, s)
}

func testReady(t *testing.T, s storage.Store) {
	for i, p := range []float32{0.5, 0.9, 0.5, 0.1, 0.5} {
		enlist(t, s, plat.Job{URL: fmt.Sprintf("https://%c.test/", 'a'+i), Due: day, Priority: p})
		time.Sleep(2 * time.Millisecond)
	}
	check := func(when, want string) {
		t.Helper()
		got := ""
		for _, h := range allReady(t, s) {
			got += h.Host[:1]
		}
		if got != want {
			t.Errorf("%s: %s, want %s", when, got, want)
		}
	}
	check("at first", "baced")
	load(t, s, time.Now(), "a.test", 9)
	check("a was loaded", "bcead")
	enlist(t, s, plat.Job{URL: "https://d.test/2", Due: day, Priority: 1})
	check("d has become urgent", "dbcea")
	record(t, s, plat.Visit{URL: "https://b.test/", Time: day, Outcome: plat.OutcomeNew, Settles: day})
	if got := load(t, s, time.Now(), "b.test", 9); len(got.Jobs) != 0 {
		t.Errorf("b has %+v", got)
	}
	check("b is done", "dcea")
	if got := load(t, s, time.Now(), "unknown.test", 9); len(got.Jobs) != 0 || got.More {
		t.Errorf("an unknown host has %+v", got)
	}
}

func testBacklog(t *testing.T, s storage.Store) {
	const url = "https://a.test/"
	var jobs []plat.Job
	for i := range 30 {
		jobs = append(jobs, plat.Job{URL: fmt.Sprint(url, i), Due: after(2 + i%3), Priority: []float32{1, 0.75}[i%2]})
	}
	due := []plat.Job{job(50, 0.75), job(51, 0.5), job(52, 0.25)}
	enlist(t, s, append(jobs, due...)...)
	for limit := 1; limit <= 4; limit++ {
		got := load(t, s, after(1), "a.test", limit)
		if len(got.Jobs) != min(limit, 3) || got.More != (limit < 3) {
			t.Fatalf("Load of %d = %+v", limit, got)
		}
		for i, j := range got.Jobs {
			if j.URL != due[i].URL {
				t.Errorf("Load of %d gives %s as number %d, want %s", limit, j.URL, i, due[i].URL)
			}
		}
		ready := allReady(t, s)
		if len(ready) != 1 || storage.Rank(ready[0].Priority) > storage.Rank(0.75) {
			t.Errorf("after Load of %d, ready are %+v", limit, ready)
		}
	}
	// After the due jobs are visited, the host is woken for those that were not due.
	for _, j := range due {
		record(t, s, plat.Visit{URL: j.URL, Time: after(1), Outcome: plat.OutcomeNew, Settles: day})
	}
	if got := load(t, s, after(1), "a.test", 2); len(got.Jobs) != 0 || got.More {
		t.Errorf("all that was due is visited, Load = %+v", got)
	}
	if woken, next, err := s.Wake(t.Context(), after(1), 9); err != nil || len(woken) != 0 || !next.Equal(after(2)) {
		t.Errorf("Wake = %v, %v, %v; want next at %v", woken, next, err, after(2))
	}
	if woken, _, err := s.Wake(t.Context(), after(2), 9); err != nil || len(woken) != 1 {
		t.Errorf("Wake = %v, %v; want 1", woken, err)
	}
	if got := load(t, s, after(2), "a.test", 20); len(got.Jobs) != 10 || got.More {
		t.Errorf("at their time: %+v", got)
	}
	clean(t, s)
}

func testClocks(t *testing.T, s storage.Store) {
	const url = "https://a.test/"
	enlist(t, s, job(1, 0.5))
	for i, want := range []time.Time{day.Add(time.Hour + 3*time.Second), day.Add(2*time.Hour + 3*time.Second), day.Add(2*time.Hour + 3*time.Second)} {
		v := plat.Visit{URL: url + "1", Time: after([]int{1, 2, 0}[i]), Duration: time.Second, Outcome: plat.OutcomeUnchanged, Rest: 2 * time.Second}
		record(t, s, v)
		if got := load(t, s, day, "a.test", 1); !got.Clock.Equal(want) {
			t.Errorf("visit %d: the clock is %v, want %v", i, got.Clock, want)
		}
	}
	c := NewPage(url+"1", 1).Next()
	c.Visit.Rest = time.Minute
	commit(t, s, c)
	if got, want := load(t, s, day, "a.test", 1).Clock, instantOf(c.Visit.Time.Add(c.Visit.Duration+time.Minute)); want.After(after(3)) && !got.Equal(want) {
		t.Errorf("after a commit the clock is %v, want %v", got, want)
	}
}

func testLongList(t *testing.T, s storage.Store, size int) {
	var jobs []plat.Job
	for i := range 40 * max(size, 8) {
		jobs = append(jobs, plat.Job{URL: fmt.Sprintf("https://h%d.test/%s/%d", i%37, strings.Repeat("x", i%50), i), Due: day, Priority: float32(i%11) / 10})
	}
	e, err := s.Enlist(t.Context(), jobs, storage.IfNew)
	if err != nil || e.New != len(jobs) || !slices.Equal(e.Jobs, jobs) {
		t.Fatalf("Enlist = %d new, %d jobs, %v", e.New, len(e.Jobs), err)
	}
	n := 0
	for _, h := range allReady(t, s) {
		got := load(t, s, day, h.Host, 10_000)
		n += len(got.Jobs)
		if !slices.IsSortedFunc(got.Jobs, func(a, b storage.LoadedJob) int { return cmp.Compare(b.Priority, a.Priority) }) {
			t.Errorf("the jobs of %s are not in order of priority", h.Host)
		}
	}
	if n != len(jobs) {
		t.Errorf("%d jobs were loaded, want %d", n, len(jobs))
	}
}
