package forecast

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"plat/plat"
	"plat/queue/schedule"
	"plat/storage"
	"plat/storage/sqlite"
	"plat/storage/sqlite/sqlitetest"
	"plat/storage/storagetest"
)

var day = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func enlist(t *testing.T, s storage.Store, due time.Time, plan plat.Plan, urls ...string) {
	t.Helper()
	var jobs []plat.Job
	for _, url := range urls {
		jobs = append(jobs, plat.Job{URL: url, Due: due, Plan: plan})
	}
	if _, err := s.Enlist(t.Context(), jobs, storage.Join); err != nil {
		t.Fatal(err)
	}
}

// page is a page that a worker visits.
type page struct {
	t    *testing.T
	s    storage.Store
	page *storagetest.Page
	url  string
	now  time.Time
}

// visit visits the page as a worker does.
func (p *page) visit(after time.Duration, outcome plat.Outcome, news bool) {
	p.t.Helper()
	st, err := p.s.State(p.t.Context(), p.url)
	if err != nil {
		p.t.Fatal(err)
	}
	memory, err := plat.DecodeMemory(st.Memory)
	if err != nil {
		p.t.Fatal(err)
	}
	p.now = p.now.Add(after)
	said := schedule.Visit{State: st, Due: st.Due, Time: p.now, Outcome: outcome, Memory: memory.Policy}
	shared := schedule.Remembered(memory.Policy, schedule.Pool(st.Schedule, plat.HostOf(st.URL)))
	if shared.Pages = 1; memory.Policy != "" {
		said.Shared = &shared // as a fleet of this page would
	}
	if news {
		said.Changes.Blocks = []plat.Change{{Kind: plat.Content}}
	}
	next := schedule.Decide(&said)
	memory.Policy, memory.Skip = next.Memory, "other"
	v := plat.Visit{URL: p.url, Time: p.now, Outcome: outcome, Version: st.Head, Status: 200, Settles: st.Due, Next: later(next.Due, p.now.Add(time.Second)), Memory: memory.Encode()}
	if outcome != plat.OutcomeNew && outcome != plat.OutcomeChanged {
		if outcome.Failed() {
			v.Version = 0
		}
		if err := p.s.Record(p.t.Context(), v, 10); err != nil {
			p.t.Fatal(err)
		}
		return
	}
	c := p.page.Next()
	c.Version.Taken, v.Version, c.Version.Changes = p.now, c.Version.N, nil
	if c.Visit = v; news {
		c.Version.Changes = map[plat.Kind]int{plat.Content: 1}
	} else if c.Version.N > 1 {
		c.Version.Changes = map[plat.Kind]int{plat.Moved: 1}
	}
	if _, err := p.s.Commit(p.t.Context(), c); err != nil {
		p.t.Fatal(err)
	}
}

func later(a, b time.Time) time.Time { return plat.Later(a, b).UTC().Truncate(time.Millisecond) }

// visited returns an archive with a page that changes every third day, and was gone for one.
func visited(t *testing.T) (*sqlite.Store, *page) {
	s := sqlitetest.Open(t)
	p := &page{t, s, storagetest.NewPage("https://a.test/", 1), "https://a.test/", day}
	enlist(t, s, day, plat.Plan{Schedule: plat.Schedule{Policy: "harmonic", Budget: "10/day"}}, p.url)
	p.visit(0, plat.OutcomeNew, false)
	for i := range 9 {
		switch {
		case i%3 == 2:
			p.visit(24*time.Hour, plat.OutcomeChanged, true)
		case i == 3:
			p.visit(24*time.Hour, plat.OutcomeTimeout, false)
		case i == 4:
			p.visit(24*time.Hour, plat.OutcomeChanged, false) // only moved
		default:
			p.visit(24*time.Hour, plat.OutcomeUnchanged, false)
		}
	}
	p.visit(24*time.Hour, plat.OutcomeGone, false)
	p.visit(24*time.Hour, plat.OutcomeGone, false)
	return s, p
}

func TestVisitsSayWhatTheyHaveFound(t *testing.T) {
	s, p := visited(t)
	r := Reader{Archive: s, Now: p.now.Add(12 * time.Hour)}
	o, err := r.Of(t.Context(), p.url)
	if err != nil {
		t.Fatal(err)
	}
	var got []Result
	for _, v := range o.Visits {
		got = append(got, v.Result)
	}
	want := []Result{First, Nothing, Nothing, News, Failed, Nothing, News, Nothing, Nothing, News, News, Nothing}
	if !slices.Equal(got, want) {
		t.Errorf("the visits found %v, want %v", got, want)
	}
	if o.Counts != (Counts{Visits: 12, First: 1, News: 4, Nothing: 6, Failed: 1}) {
		t.Errorf("counts %+v", o.Counts)
	}
	if o.Policy != "harmonic" || o.Budget != "10/day" || o.ChangesEvery < 1 || o.ChangesEvery > 6 || o.Chance <= 0 || o.Chance >= 1 || !o.Last.Equal(p.now) || !o.Next.After(p.now) || o.Why == "" {
		t.Errorf("%+v", o)
	}
	gone := plat.Visit{URL: "https://gone.test/", Time: day, Outcome: plat.OutcomeGone}
	if err := s.Record(t.Context(), gone, 0); err != nil {
		t.Fatal(err)
	}
	if o, err := r.Of(t.Context(), gone.URL); err != nil || o.Counts != (Counts{Visits: 1, First: 1}) || o.Why != "it is not visited again" || !o.Next.IsZero() {
		t.Errorf("of a page that was never there: %+v, %v", o, err)
	}
	if _, err := r.Of(t.Context(), "https://b.test/"); !errors.Is(err, plat.ErrNotFound) {
		t.Errorf("of an unknown URL: %v", err)
	}
	r.Share = func(context.Context, *schedule.Visit, schedule.Learned) (*schedule.Shared, error) {
		return &schedule.Shared{Steering: schedule.Steering{Pages: 1000}}, nil
	}
	if shared, err := r.Of(t.Context(), p.url); err != nil || shared.Pages != 1000 || !shared.Next.After(o.Next) {
		t.Errorf("with 1,000 pages in the budget: %+v, %v; without %v", shared, err, o.Next)
	}
}

func TestNextIsInOrderAndWhole(t *testing.T) {
	s, p := visited(t)
	now := p.now.Add(time.Hour)
	for i := range 30 {
		enlist(t, s, now.Add(time.Duration(i%7-1)*time.Hour), plat.Plan{Schedule: plat.Schedule{Every: time.Hour}}, fmt.Sprintf("https://b.test/%02d", i))
	}
	r := Reader{Archive: s, Now: now}
	all, err := r.Next(t.Context(), 0, nil)
	if err != nil || len(all) != 31 {
		t.Fatalf("%d URLs, %v", len(all), err)
	}
	if !slices.IsSortedFunc(all, func(a, b *Outlook) int { return a.Next.Compare(b.Next) }) || all[0].Next.Before(now) {
		t.Error("they are not in order, or before now")
	}
	for limit := 1; limit < 9; limit++ {
		some, err := r.Next(t.Context(), limit, nil)
		if err != nil || len(some) != limit {
			t.Fatalf("%d of %d URLs, %v", len(some), limit, err)
		}
		for i := range some {
			if some[i].URL != all[i].URL {
				t.Errorf("with limit %d, %s is number %d, not %s", limit, some[i].URL, i, all[i].URL)
			}
		}
	}
}

func TestRebuildSaysWhatTheVisitsSay(t *testing.T) {
	s, p := visited(t)
	ctx := t.Context()
	enlist(t, s, day, plat.Plan{}, "https://once.test/")
	enlist(t, s, day, plat.Plan{Schedule: plat.Schedule{Budget: "10/day"}}, "https://new.test/")
	before, err := s.State(ctx, p.url)
	if err != nil {
		t.Fatal(err)
	}
	// Rebuilding from the visits changes no memory.
	r := Rebuilder{Archive: s}
	if n, _, err := r.URLs(ctx, nil, nil); err != nil || n != (Rebuilt{0, 3}) {
		t.Errorf("%+v, %v; want nothing to do", n, err)
	}
	for _, lost := range []plat.Memory{{Skip: "other"}, {Skip: "other", Policy: "of another format"}} {
		is, err := s.State(ctx, p.url)
		if err != nil {
			t.Fatal(err)
		}
		if ok, err := s.SwapMemory(ctx, p.url, is.Memory, lost.Encode()); !ok || err != nil {
			t.Fatal(ok, err)
		}
		if n, _, err := r.URLs(ctx, nil, nil); err != nil || n != (Rebuilt{1, 2}) {
			t.Errorf("%+v, %v; want one rebuilt", n, err)
		}
		if n, _, err := r.URLs(ctx, nil, nil); err != nil || n != (Rebuilt{0, 3}) {
			t.Errorf("again: %+v, %v; want nothing to do", n, err)
		}
		after, err := s.State(ctx, p.url)
		if err != nil {
			t.Fatal(err)
		}
		memory, err := plat.DecodeMemory(after.Memory)
		if err != nil || memory.Skip != "other" || schedule.Remembered(memory.Policy, schedule.Pool(after.Schedule, after.Host)).Pages != 1 {
			t.Errorf("memory %+v, %v; want the other part as it was, and one page in the budget", memory, err)
		}
		looks := func(st plat.URLState) schedule.Belief {
			m, _ := plat.DecodeMemory(st.Memory)
			b := schedule.Believe(&schedule.Visit{State: st, Time: p.now.Add(time.Hour), Memory: m.Policy, Shared: &schedule.Shared{Steering: schedule.Steering{Pages: 1}}})
			return b
		}
		if got, want := looks(after), looks(before); got != want {
			t.Errorf("it is believed\n%+v, was\n%+v", got, want)
		}
		after.Memory = before.Memory
		if after != before {
			t.Errorf("State is %+v, was %+v", after, before)
		}
	}
	if n, at, err := r.URLs(ctx, []string{p.url, "https://unknown.test/"}, nil); !errors.Is(err, plat.ErrNotFound) || at != "https://unknown.test/" || n != (Rebuilt{0, 1}) {
		t.Errorf("an unknown URL: %+v, %q, %v", n, at, err)
	}
}

func TestRebuildTakesAVisitThatComesMeanwhile(t *testing.T) {
	s, p := visited(t)
	is, err := s.State(t.Context(), p.url)
	if err != nil {
		t.Fatal(err)
	}
	if ok, err := s.SwapMemory(t.Context(), p.url, is.Memory, ""); !ok || err != nil {
		t.Fatal(ok, err)
	}
	visits := 2 // between reading and writing
	b := &storagetest.Fake{Store: s, Around: func(ctx context.Context, c storagetest.Call, do func(context.Context) error) error {
		if c.Method == "SwapMemory" && visits > 0 {
			visits--
			p.visit(24*time.Hour, plat.OutcomeUnchanged, false)
		}
		return do(ctx)
	}}
	if changed, err := (&Rebuilder{Archive: b}).URL(t.Context(), p.url); err != nil || !changed {
		t.Fatal(changed, err)
	}
	o, err := (&Reader{Archive: s, Now: p.now}).Of(t.Context(), p.url)
	if err != nil || !o.Known.Equal(p.now) || len(o.Visits) != 14 {
		t.Errorf("%d visits, the last known at %v, %v; want 14 and %v", len(o.Visits), o.Known, err, p.now)
	}
	visits = tries
	if is, err = s.State(t.Context(), p.url); err != nil {
		t.Fatal(err)
	}
	if ok, err := s.SwapMemory(t.Context(), p.url, is.Memory, ""); !ok || err != nil {
		t.Fatal(ok, err)
	}
	if _, err := (&Rebuilder{Archive: b}).URL(t.Context(), p.url); err == nil {
		t.Error("no error where a visit always comes first")
	}
}
