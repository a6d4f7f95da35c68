package crawl

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"plat/plat"
	"plat/storage"
	"plat/storage/sqlite/sqlitetest"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

const seed, link = "http://a.test/", "http://a.test/page"

func job(url string, depth int) plat.Job {
	return plat.Job{URL: url, Due: noon, Priority: .5, Plan: plat.Plan{Scope: "host", Depth: depth}}
}

// open returns the store of a new crawl, with its archive and its list.
func open(t *testing.T, limit int) (s *Store, archive, list storage.Store) {
	t.Helper()
	archive, list = sqlitetest.Open(t), sqlitetest.Open(t)
	return reopen(t, archive, list, limit), archive, list
}

func reopen(t *testing.T, archive, list storage.Store, limit int) *Store {
	t.Helper()
	s, err := Open(t.Context(), archive, list, Options{Limit: limit})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func enlist(t *testing.T, s storage.Store, how storage.Intake, jobs ...plat.Job) storage.Enlisted {
	t.Helper()
	e, err := s.Enlist(t.Context(), jobs, how)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func record(t *testing.T, s storage.Store, v plat.Visit) {
	t.Helper()
	if err := s.Record(t.Context(), v, 0); err != nil {
		t.Fatal(err)
	}
}

// visit is a visit that settles the job of noon.
func visit(url string, o plat.Outcome) plat.Visit {
	return plat.Visit{URL: url, Time: noon.Add(time.Second), Settles: noon, Outcome: o}
}

func state(t *testing.T, s storage.Store, url string) plat.URLState {
	t.Helper()
	st, err := s.State(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	return st
}

func progress(t *testing.T, s *Store) Progress {
	t.Helper()
	p, err := s.Progress(t.Context(), noon.Add(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func loaded(t *testing.T, s *Store) (urls []string) {
	t.Helper()
	all, err := s.Load(t.Context(), noon.Add(time.Minute), []storage.HostLimit{{Host: "a.test", Limit: 100}})
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range all[0].Jobs {
		urls = append(urls, j.URL)
	}
	return urls
}

func TestAKnownPageIsVisitedOnceAndKeepsItsScheduleInTheArchive(t *testing.T) {
	s, archive, _ := open(t, 0)
	scheduled := job(link, 3)
	scheduled.Schedule = plat.Schedule{Every: time.Hour}
	enlist(t, archive, storage.Seed, scheduled)
	policy := plat.Memory{Policy: "learned", Skip: "old"}
	record(t, archive, plat.Visit{URL: link, Time: noon, Settles: noon, Next: noon.Add(time.Hour), Outcome: plat.OutcomeUnchanged, Memory: policy.Encode()})
	before := state(t, archive, link)

	if _, err := s.State(t.Context(), "http://a.test/other"); !errors.Is(err, plat.ErrNotFound) {
		t.Errorf("an unknown URL: %v", err)
	}
	if st := state(t, s, link); st.Visits != 0 || !st.Due.IsZero() || !st.Settled.IsZero() || st.Schedule != (plat.Schedule{}) {
		t.Errorf("before it is linked: %+v", st)
	}
	if e := enlist(t, s, storage.IfNew, job(link, 1)); e.New != 1 || len(e.Jobs) != 1 {
		t.Fatalf("a link to a known page: %+v", e)
	}
	if st := state(t, s, link); st.Visits != 1 || !st.Due.Equal(noon) || st.Depth != 1 || st.Memory != before.Memory {
		t.Errorf("as a job: %+v", st)
	}
	record(t, s, plat.Visit{URL: link, Time: noon.Add(time.Second), Settles: noon, Next: noon.Add(time.Minute), Outcome: plat.OutcomeUnchanged, Memory: plat.Memory{Skip: "new"}.Encode()})

	after := state(t, archive, link)
	if after.Visits != 2 || !after.Due.Equal(before.Due) || !after.Settled.Equal(before.Settled) || after.Plan != before.Plan {
		t.Errorf("the schedule of the archive was\n%+v, now\n%+v", before, after)
	}
	if m, err := plat.DecodeMemory(after.Memory); err != nil || m != (plat.Memory{Policy: "learned", Skip: "new"}) {
		t.Errorf("the memory is %+v, %v", m, err)
	}
	if e := enlist(t, s, storage.IfNew, job(link, 1)); e.New != 0 || len(e.Jobs) != 0 {
		t.Errorf("a second link: %+v", e)
	}
	if got := loaded(t, s); len(got) > 0 {
		t.Errorf("a visit to confirm the answer is part of the crawl: %q", got)
	}
	if p := progress(t, s); p != (Progress{Done: 1, Over: true}) {
		t.Errorf("%+v", p)
	}
}

func TestAnInterruptedCrawlContinues(t *testing.T) {
	s, archive, list := open(t, 0)
	enlist(t, s, storage.IfNew, job(seed, 0))
	var all []plat.Job
	for i := range 9 {
		all = append(all, job(fmt.Sprintf("http://a.test/%d", i), 1))
	}
	enlist(t, s, storage.IfNew, all...)
	enlist(t, s, storage.IfNew, plat.Job{URL: "http://a.test/robots.txt", Due: noon, Priority: .5, Plan: plat.Plan{Kind: plat.FetchJob, Scope: "host"}})
	record(t, s, visit(seed, plat.OutcomeNew))
	record(t, s, visit("http://a.test/0", plat.OutcomeGone))
	record(t, s, visit("http://a.test/1", plat.OutcomeDisallowed))
	// An alias, a page that is tried again, one that has failed for good, and one that is not worth a visit.
	if err := s.SetMain(t.Context(), seed, noon, "http://a.test/2", "http://a.test/unknown"); err != nil {
		t.Fatal(err)
	}
	record(t, s, plat.Visit{URL: "http://a.test/3", Time: noon, Outcome: plat.OutcomeTimeout})
	record(t, s, plat.Visit{URL: "http://a.test/4", Time: noon, Outcome: plat.OutcomeTimeout})
	for _, d := range []storage.Deferral{
		{URL: "http://a.test/3", Due: noon, Attempts: 1, At: noon.Add(time.Hour)},
		{URL: "http://a.test/4", Due: noon, Attempts: 3},
		{URL: "http://a.test/5", Due: noon, At: noon.Add(24 * time.Hour)},
		{URL: "http://a.test/0", Due: noon, Attempts: 1}, // settled before
	} {
		if err := s.Defer(t.Context(), d); err != nil && !errors.Is(err, plat.ErrSettled) {
			t.Fatal(err)
		}
	}
	record(t, s, plat.Visit{URL: "http://a.test/robots.txt", Time: noon, Settles: noon, Outcome: plat.OutcomeFetched, Unkept: true})

	want := Progress{Done: 5, Failed: 2, Left: 4, Again: 1, PutOff: 1}
	for i := range 2 {
		if p := progress(t, s); p != want {
			t.Errorf("run %d: %+v, want %+v", i, p, want)
		}
		sum, err := s.Summary(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		outcomes := fmt.Sprint(sum.Outcomes)
		if sum.Pages != 5 || sum.Failed != 2 || sum.Left != 4 || sum.PutOff != 1 || outcomes != "map[alias:1 disallowed:1 gone:1 new:1 timeout:1]" {
			t.Errorf("run %d: %+v", i, sum)
		}
		if got := loaded(t, s); !slices.Equal(got, []string{"http://a.test/6", "http://a.test/7", "http://a.test/8"}) {
			t.Errorf("run %d: jobs %q", i, got)
		}
		s = reopen(t, archive, list, 0)
	}
}

func TestASeedThatRobotsDisallowsFails(t *testing.T) {
	s, _, _ := open(t, 0)
	enlist(t, s, storage.IfNew, job(seed, 0))
	record(t, s, visit(seed, plat.OutcomeDisallowed))
	if sum, err := s.Summary(t.Context()); err != nil || sum.Failed != 1 {
		t.Errorf("%+v, %v", sum, err)
	}
}

func TestALimitIsExactAndMayBeRaised(t *testing.T) {
	s, archive, list := open(t, 3)
	enlist(t, s, storage.IfNew, job(seed, 0))
	fetch := plat.Job{URL: "http://a.test/robots.txt", Due: noon, Priority: .5, Plan: plat.Plan{Kind: plat.FetchJob, Scope: "host"}}
	var all []plat.Job
	for i := range 9 {
		all = append(all, job(fmt.Sprintf("http://a.test/%d", i), 1))
	}
	e := enlist(t, s, storage.IfNew, append(all, fetch)...)
	if len(e.Jobs) != 3 || e.New != 10 { // two pages, and the list of URLs
		t.Fatalf("offered: %+v", e)
	}
	if got := loaded(t, s); len(got) != 4 {
		t.Errorf("loaded: %q, want the seed, two pages and the list", got)
	}
	if p := progress(t, s); p.Over || p.Left != 3 {
		t.Errorf("before a visit: %+v", p)
	}
	for _, j := range e.Jobs {
		if j.URL != fetch.URL {
			record(t, s, visit(j.URL, plat.OutcomeNew))
		}
	}
	record(t, s, visit(seed, plat.OutcomeNew))
	if p := progress(t, s); !p.Over || p.Done != 3 || p.Left != 0 {
		t.Errorf("after three visits: %+v", p)
	}
	s = reopen(t, archive, list, 3)
	if p := progress(t, s); !p.Over || len(loaded(t, s)) != 1 { // the list
		t.Errorf("opened again: %+v, %q", p, loaded(t, s))
	}
	s = reopen(t, archive, list, 5)
	if p := progress(t, s); p.Over || p.Left != 2 || len(loaded(t, s)) != 3 {
		t.Errorf("with a higher limit: %+v, %q", p, loaded(t, s))
	}
}

func TestALinkToAnAliasLeadsToItsPage(t *testing.T) {
	s, archive, _ := open(t, 0)
	page := &plat.Version{URL: link, N: 1, Taken: noon, Capture: plat.Capture{FinalURL: link, Status: 200}}
	layout := plat.Layout{HTML: []byte("<p>")}
	page.Layout = layout.Sum()
	page.Blocks = []plat.Block{{Parent: -1, Slot: -1, Run: 1, Tag: "#document"}}
	if _, err := archive.Commit(t.Context(), &storage.Commit{Version: page, Layout: layout, Visit: plat.Visit{URL: link, Time: noon, Outcome: plat.OutcomeNew, Version: 1, Status: 200}}); err != nil {
		t.Fatal(err)
	}
	if err := archive.SetMain(t.Context(), link, noon, "http://a.test/page?print=1", "http://b.test/page"); err != nil {
		t.Fatal(err)
	}
	e := enlist(t, s, storage.IfNew, job("http://a.test/page?print=1", 1), job("http://b.test/page", 1), job("http://a.test/new", 1))
	var urls []string
	for _, j := range e.Jobs {
		urls = append(urls, j.URL)
	}
	if !slices.Equal(urls, []string{link, "http://a.test/new"}) {
		t.Errorf("jobs %q", urls)
	}
	record(t, s, visit(link, plat.OutcomeUnchanged))
	record(t, s, visit("http://a.test/new", plat.OutcomeGone))
	var pages []string
	for st, err := range s.Pages(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, fmt.Sprintf("%s@%d", st.URL, st.Head))
	}
	if !slices.Equal(pages, []string{link + "@1"}) {
		t.Errorf("pages %q", pages)
	}
}

func TestSignalsAreForTheArchive(t *testing.T) {
	s, archive, _ := open(t, 0)
	learned := job(link, 1)
	learned.Schedule = plat.Schedule{Budget: "5/day"}
	enlist(t, archive, storage.Seed, learned)
	hint := plat.Job{URL: link, Due: noon, Plan: plat.Plan{Signal: plat.Signal{Modified: noon, Source: plat.SignalLink}}}
	if e := enlist(t, s, storage.Hint, hint); len(e.Jobs) > 0 {
		t.Errorf("a signal is a job of the crawl: %+v", e)
	}
	if st := state(t, archive, link); st.Signal.Source != plat.SignalLink {
		t.Errorf("the archive has %+v", st.Signal)
	}
	if p := progress(t, s); !p.Over {
		t.Errorf("%+v", p)
	}
}
