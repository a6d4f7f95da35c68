package storagetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"plat/plat"
	"plat/storage"
)

// CrashCase is an operation to be interrupted by a crash.
type CrashCase struct {
	Name string

	// Ready brings an empty store to the initial state, and returns a description of
	// it for After.
	Ready func(testing.TB, storage.Store) (was string)

	// Write is the operation to interrupt.
	Write func(context.Context, storage.Store) error

	// After checks a store in which Write was interrupted, and continues from there.
	After func(t testing.TB, s storage.Store, was string)
}

// Dooms returns all crash cases: commits with various continuations, visits, enlisted
// jobs, subscriptions, messages and focused crawls.
func Dooms() []CrashCase {
	dooms := []CrashCase{
		{"Enlist", readyToEnlist, enlistDoomed, afterEnlist},
		{"Defer", readyToEnlist, deferDoomed, afterDefer},
		{"Load", readyToEnlist, loadDoomed, afterLoad},
		{"SetMain", readyToEnlist, setMainDoomed, afterSetMain},
		{"Record", readyToCommit, recordDoomed, afterRecord},
		{"Record, then many others", readyToCommit, recordDoomed, afterRecordOthers},
	}
	for _, x := range []struct {
		name string
		then func(testing.TB, storage.Store, bool) []*storage.Commit
	}{
		{"the same", thenTheSame},
		{"another", thenAnother},
		{"a visit for its job", thenAVisit},
		{"that, GC, and the same without a job", thenTheSameWithoutJob},
	} {
		dooms = append(dooms, CrashCase{"Commit, then " + x.name, readyToCommit,
			func(ctx context.Context, s storage.Store) error {
				_, last := Doomed()
				_, err := s.Commit(ctx, last)
				return err
			},
			func(t testing.TB, s storage.Store, was string) { afterCommit(t, s, was, x.then) }})
	}
	dooms = append(dooms,
		CrashCase{"Attach, then the same", readyToCommit, attachDoomed, afterAttach(thenAttach)},
		CrashCase{"Attach, then GC", readyToCommit, attachDoomed, afterAttach(thenCollect)},
		CrashCase{"Attach, then a version", readyToCommit, attachDoomed, afterAttach(thenFollow)})
	return append(dooms,
		CrashCase{"Examined", readyToExamine, examineDoomed, afterExamine},
		CrashCase{"Unsubscribe", readyToExamine, unsubscribeDoomed, afterUnsubscribe},
		CrashCase{"Sent", readyToExamine, sendDoomed, afterSend},
		CrashCase{"Ask and Answer", readyToCrawl, crawlDoomed, afterCrawl},
		CrashCase{"Forget versions", readyToForget, forgetDoomed(storage.Cut{KeepLast: 2}), afterForget(storage.Cut{KeepLast: 2})},
		CrashCase{"Forget a page", readyToForget, forgetDoomed(storage.Cut{}), afterForget(storage.Cut{})},
		CrashCase{"RemoveCrawl", readyToCrawl, removeCrawlDoomed, afterRemoveCrawl})
}

// Doomed returns a history that ends in a crash: three versions, and the interrupted
// commit, which has a new layout, a picture, blocks and resources, and settles a job.
func Doomed() (before []*storage.Commit, last *storage.Commit) {
	p := NewPage("https://doomed.test/", 7)
	for range 3 {
		before = append(before, p.Next())
	}
	p.newLayout()
	p.Add([]byte("<p>Never seen before</p>"), "Never seen", plat.LabelMain)
	last = p.Next()
	pic := &plat.Picture{Type: "image/png", Data: []byte("a picture")}
	last.Picture, last.Version.Picture = pic, plat.HashOf(pic.Data)
	SetResources(last, someResources([]byte("an image"))...)
	last.Visit.Settles = instantOf(last.Visit.Time.Add(-time.Minute))
	last.Visit.Next = instantOf(last.Visit.Time.Add(24 * time.Hour))
	return before, last
}

func readyToCommit(t testing.TB, s storage.Store) string {
	before, last := Doomed()
	for _, c := range before {
		commit(t, s, c)
	}
	enlist(t, s, plat.Job{URL: last.Version.URL, Due: last.Visit.Settles, Priority: 0.5, Plan: plat.Plan{Depth: 2, Scope: "host", Schedule: plat.Schedule{Every: 24 * time.Hour}}})
	return snapshotOf(t, s, last.Version.URL)
}

// afterCommit checks a store in which the last commit of Doomed was interrupted. then
// continues from there, given whether the commit succeeded, and returns the versions
// that exist afterwards.
func afterCommit(t testing.TB, s storage.Store, was string, then func(testing.TB, storage.Store, bool) []*storage.Commit) {
	t.Helper()
	before, last := Doomed()
	url := last.Version.URL
	clean(t, s)
	all := before
	st, err := s.State(t.Context(), url)
	switch {
	case err != nil:
		t.Fatal(err)
	case st.Head == 3:
		if now := snapshotOf(t, s, url); now != was {
			t.Errorf("the interrupted commit left\n%s, want\n%s", now, was)
		}
	case st.Head == 4: // the crash came after moving the head
		all = append(all, last)
		settled(t, s, &last.Visit)
	default:
		t.Fatalf("the head is version %d, want 3 or 4", st.Head)
	}
	for _, c := range all {
		sameCommit(t, s, c, nil)
	}
	all = then(t, s, st.Head == 4)
	for range 2 { // before and after GC
		if r := clean(t, s); r.Versions != 4 {
			t.Errorf("Verify counts %d versions, want 4", r.Versions)
		}
		for _, c := range all {
			sameCommit(t, s, c, nil)
		}
		if _, err := s.GC(t.Context(), time.Now().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	if r := clean(t, s); r.Unreferenced != 0 {
		t.Errorf("after GC %d are unreferenced", r.Unreferenced)
	}
	visits := collect(t, s.Visits(t.Context(), url, 0))
	st, err = s.State(t.Context(), url)
	if err != nil || st.Visits != len(visits) || st.Changes != 4 || st.Head != 4 || !st.Last.Equal(visits[0].Time) {
		t.Errorf("State = %+v, %v; want 4 versions, and the %d visits up to %s", st, err, len(visits), visits[0].Time)
	}
	for _, c := range all {
		n := 0
		for _, v := range visits {
			if v.Time.Equal(instantOf(c.Visit.Time)) {
				n++
			}
		}
		if n != 1 {
			t.Errorf("the visit of version %d is stored %d times", c.Version.N, n)
		}
	}
}

// settled checks that v was the last visit to settle a job of its URL.
func settled(t testing.TB, s storage.Store, v *plat.Visit) {
	t.Helper()
	st, err := s.State(t.Context(), v.URL)
	if err != nil || !st.Settled.Equal(v.Settles) || !st.Due.Equal(v.Next) {
		t.Errorf("State = %+v, %v; want settled %s, due %s", st, err, v.Settles, v.Next)
	}
}

func thenTheSame(t testing.TB, s storage.Store, _ bool) []*storage.Commit {
	before, last := Doomed()
	commit(t, s, last)
	settled(t, s, &last.Visit)
	return append(before, last)
}

// anotherDoomed returns a commit that replaces the last of Doomed, for the same job.
func anotherDoomed() *storage.Commit {
	_, last := Doomed()
	c := NewPage(last.Version.URL, 8).Next()
	c.Version.N, c.Visit.Version = 4, 4
	c.Version.Taken = last.Version.Taken.Add(time.Hour)
	c.Visit.Time = c.Version.Taken
	c.Visit.Settles, c.Visit.Next = last.Visit.Settles, instantOf(c.Visit.Time.Add(48*time.Hour))
	return c
}

func thenAnother(t testing.TB, s storage.Store, there bool) []*storage.Commit {
	before, last := Doomed()
	next := anotherDoomed()
	switch _, err := s.Commit(t.Context(), next); {
	case err == nil && !there:
		last = next
	case !errors.Is(err, plat.ErrConflict) && !errors.Is(err, plat.ErrSettled):
		t.Fatalf("the next commit: %v", err)
	} // otherwise the interrupted commit was completed instead
	settled(t, s, &last.Visit)
	return append(before, last)
}

// recordUnless records a visit, whose job is already settled if there.
func recordUnless(t testing.TB, s storage.Store, v plat.Visit, there bool) {
	t.Helper()
	if err := s.Record(t.Context(), v, 7); there != errors.Is(err, plat.ErrSettled) || !there && err != nil {
		t.Fatalf("Record = %v; the job was settled before: %v", err, there)
	}
}

// thenAVisit lets a second worker settle the job without a new version. Then the crashed worker
// repeats its commit, and later a further job follows.
func thenAVisit(t testing.TB, s storage.Store, there bool) []*storage.Commit {
	before, last := Doomed()
	v := last.Visit
	v.Time, v.Next, v.Outcome, v.Version = v.Time.Add(time.Hour), instantOf(v.Time.Add(48*time.Hour)), plat.OutcomeUnchanged, 3
	recordUnless(t, s, v, there)
	if there {
		commit(t, s, last)
		settled(t, s, &last.Visit)
		return append(before, last)
	}
	was := snapshotOf(t, s, v.URL)
	if _, err := s.Commit(t.Context(), last); !errors.Is(err, plat.ErrSettled) {
		t.Errorf("Commit for a settled job: error = %v, want plat.ErrSettled", err)
	}
	if now := snapshotOf(t, s, v.URL); now != was {
		t.Errorf("the commit for a settled job left\n%s, want\n%s", now, was)
	}
	settled(t, s, &v)
	next := anotherDoomed()
	next.Visit.Settles = v.Next
	next.Version.Taken = v.Next.Add(time.Minute)
	next.Visit.Time = next.Version.Taken
	next.Visit.Next = time.Time{}
	commit(t, s, next)
	settled(t, s, &next.Visit)
	return append(before, next)
}

// thenTheSameWithoutJob is like thenAVisit, but GC removes the rest of the commit,
// and then the same version is committed without a job.
func thenTheSameWithoutJob(t testing.TB, s storage.Store, there bool) []*storage.Commit {
	before, last := Doomed()
	v := last.Visit
	v.Time, v.Outcome, v.Version = v.Time.Add(time.Hour), plat.OutcomeUnchanged, 3
	recordUnless(t, s, v, there)
	settled(t, s, &v)
	if _, err := s.GC(t.Context(), time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if r := clean(t, s); r.Unreferenced != 0 {
		t.Errorf("after GC %d are unreferenced", r.Unreferenced)
	}
	if !there {
		last.Visit.Settles, last.Visit.Next = time.Time{}, time.Time{}
	}
	commit(t, s, last)
	settled(t, s, &v)
	return append(before, last)
}

// recordDoomed settles the job of Doomed with an unchanged visit.
func recordDoomed(ctx context.Context, s storage.Store) error {
	_, last := Doomed()
	v := last.Visit
	v.Outcome, v.Version = plat.OutcomeUnchanged, 3
	return s.Record(ctx, v, 7)
}

func afterRecord(t testing.TB, s storage.Store, was string) {
	_, last := Doomed()
	url := last.Version.URL
	clean(t, s)
	if st, err := s.State(t.Context(), url); err != nil {
		t.Fatal(err)
	} else if st.Settled.IsZero() {
		if now := snapshotOf(t, s, url); now != was {
			t.Errorf("the interrupted visit left\n%s, want\n%s", now, was)
		}
	}
	if err := recordDoomed(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	now := snapshotOf(t, s, url)
	if now == was {
		t.Error("repeating the visit changed nothing")
	}
	late := last.Visit // a second visit, for the same job
	late.Time, late.Next = late.Time.Add(time.Hour), late.Next.Add(time.Hour)
	if err := recordDoomed(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if err := s.Record(t.Context(), late, 7); !errors.Is(err, plat.ErrSettled) {
		t.Fatalf("Record for a settled job = %v, want plat.ErrSettled", err)
	}
	if again := snapshotOf(t, s, url); again != now {
		t.Errorf("visits for a settled job left\n%s, want\n%s", again, now)
	}
	settled(t, s, &last.Visit)
	st, err := s.State(t.Context(), url)
	if visits := collect(t, s.Visits(t.Context(), url, 0)); err != nil || len(visits) != 4 || st.Visits != 4 || !visits[0].Settles.Equal(last.Visit.Settles) {
		t.Errorf("State = %+v, %v, and there are %d visits, want 4, the last %+v", st, err, len(visits), visits[0])
	}
	clean(t, s)
}

// afterRecordOthers records different visits instead of repeating the interrupted one, which
// must be stored if it was counted.
func afterRecordOthers(t testing.TB, s storage.Store, _ string) {
	_, last := Doomed()
	v := last.Visit
	st, err := s.State(t.Context(), v.URL)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 13 {
		visits := collect(t, s.Visits(t.Context(), v.URL, 0))
		if len(visits) != st.Visits+i || collect(t, s.Visits(t.Context(), v.URL, 1))[0] != visits[0] {
			t.Fatalf("%d visits are stored, want %d", len(visits), st.Visits+i)
		}
		if i%4 == 0 {
			clean(t, s)
		}
		at := v.Time.Add(time.Duration(i+1) * time.Minute)
		if i%3 == 2 { // out of order
			at = v.Time.Add(-time.Duration(i+1) * time.Minute)
		}
		record(t, s, plat.Visit{URL: v.URL, Time: at, Outcome: plat.OutcomeTimeout})
	}
	did := 0
	for _, x := range collect(t, s.Visits(t.Context(), v.URL, 0)) {
		if x.Settles.Equal(v.Settles) {
			did++
		}
	}
	if want := st.Visits - 3; did != want { // after three earlier visits
		t.Errorf("%d visits settled the job, want %d", did, want)
	}
	clean(t, s)
}

// doomedJobs returns jobs for known and for unknown URLs; want is the merged state of
// the known ones.
func doomedJobs() (known, jobs []plat.Job, want []plat.URLState) {
	job := func(n int, due time.Time, priority float32, depth int, scope string) plat.Job {
		return plat.Job{URL: fmt.Sprintf("https://%c.test/%d", 'a'+n%2, n), Due: due, Priority: priority, Plan: plat.Plan{Depth: depth, Scope: scope, Schedule: plat.Schedule{Every: time.Hour}}}
	}
	known = []plat.Job{job(0, day, 0.5, 3, ""), job(1, day, 0.5, 3, "site")}
	jobs = []plat.Job{job(0, day.Add(-time.Hour), 0.25, 1, "host"), job(1, day.Add(time.Hour), 0.75, 5, "host"),
		job(2, day, 1, 0, "site"), job(3, day, 0, 9, ""), job(4, day, 0.5, 1, "host")}
	for _, j := range []plat.Job{job(0, day.Add(-time.Hour), 0.5, 1, "host"), job(1, day, 0.75, 3, "site"), jobs[2], jobs[3], jobs[4]} {
		want = append(want, enlisted(&j))
	}
	return known, jobs, want
}

// enlisted returns the state of a URL that only has a job.
func enlisted(j *plat.Job) plat.URLState {
	return plat.URLState{URL: j.URL, Host: storage.Host(j.URL), Due: instantOf(j.Due), Priority: j.Priority, Plan: j.Plan}
}

func readyToEnlist(t testing.TB, s storage.Store) string {
	known, _, _ := doomedJobs()
	enlist(t, s, known...)
	return ""
}

func enlistDoomed(ctx context.Context, s storage.Store) error {
	_, jobs, _ := doomedJobs()
	_, err := s.Enlist(ctx, jobs, storage.Join)
	return err
}

// afterEnlist checks that every URL has its old or its new state.
func afterEnlist(t testing.TB, s storage.Store, _ string) {
	known, jobs, want := doomedJobs()
	clean(t, s)
	for i := range jobs {
		got, err := s.State(t.Context(), jobs[i].URL)
		switch {
		case errors.Is(err, plat.ErrNotFound) && i >= len(known):
		case err != nil:
			t.Errorf("State of %s: %v", jobs[i].URL, err)
		case got != want[i] && (i >= len(known) || got != enlisted(&known[i])):
			t.Errorf("%s is half written: %+v", jobs[i].URL, got)
		}
	}
	for range 2 {
		if err := enlistDoomed(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		for _, st := range states(t, s) {
			if i := slices.IndexFunc(want, func(w plat.URLState) bool { return w.URL == st.URL }); i < 0 || st != want[i] {
				t.Errorf("after repeating Enlist, %s is %+v", st.URL, st)
			}
		}
	}
	if r := clean(t, s); r.URLs != int64(len(want)) {
		t.Errorf("Verify counts %d URLs, want %d", r.URLs, len(want))
	}
}

// deferDoomed postpones one of doomedJobs and marks a second one dead.
func deferDoomed(ctx context.Context, s storage.Store) error {
	known, _, _ := doomedJobs()
	first := s.Defer(ctx, storage.Deferral{URL: known[0].URL, Due: known[0].Due, At: after(3), Attempts: 1, Clock: after(1)})
	second := s.Defer(ctx, storage.Deferral{URL: known[1].URL, Due: known[1].Due, Attempts: 5})
	if errors.Is(second, plat.ErrSettled) {
		second = nil // repeated
	}
	return errors.Join(first, second)
}

func afterDefer(t testing.TB, s storage.Store, _ string) {
	clean(t, s)
	if err := deferDoomed(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	known, _, _ := doomedJobs()
	if got := load(t, s, after(2), storage.Host(known[0].URL), 9); len(got.Jobs) != 0 || !got.Clock.Equal(after(1)) {
		t.Errorf("before the retry's time: %+v", got)
	}
	if woken, _, err := s.Wake(t.Context(), after(3), 9); len(woken) != 1 || err != nil {
		t.Errorf("Wake = %v, %v", woken, err)
	}
	if got := load(t, s, after(3), storage.Host(known[0].URL), 9); len(got.Jobs) != 1 || got.Jobs[0].Attempts != 1 {
		t.Errorf("at the retry's time: %+v", got)
	}
	load(t, s, after(3), storage.Host(known[1].URL), 9)
	if dead := collect(t, s.Dead(t.Context())); len(dead) != 1 || dead[0].URL != known[1].URL || dead[0].Attempts != 5 {
		t.Errorf("dead are %+v", dead)
	}
	if c, err := s.Counts(t.Context(), after(3)); err != nil || c != (storage.JobCounts{Hosts: 1, Due: 1, Dead: 1}) {
		t.Errorf("Counts = %+v, %v", c, err)
	}
	clean(t, s)
}

// loadDoomed wakes and loads the hosts of doomedJobs.
func loadDoomed(ctx context.Context, s storage.Store) error {
	known, _, _ := doomedJobs()
	if err := s.Defer(ctx, storage.Deferral{URL: known[0].URL, Due: known[0].Due, At: after(3), Attempts: 1}); err != nil {
		return err
	}
	if _, _, err := s.Wake(ctx, after(4), 9); err != nil {
		return err
	}
	_, err := s.Load(ctx, after(4), []storage.HostLimit{{Host: storage.Host(known[0].URL), Limit: 1}, {Host: storage.Host(known[1].URL), Limit: 1}})
	return err
}

func afterLoad(t testing.TB, s storage.Store, _ string) {
	clean(t, s)
	if err := loadDoomed(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	known, _, _ := doomedJobs()
	for _, j := range known {
		if got := load(t, s, after(4), storage.Host(j.URL), 9); len(got.Jobs) != 1 || got.Jobs[0].URL != j.URL {
			t.Errorf("Load = %+v, want %s", got, j.URL)
		}
	}
	clean(t, s)
}
