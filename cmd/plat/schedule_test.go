package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"plat/cmd/plat/app"
	"plat/plat"
	"plat/queue"
	"plat/queue/forecast"
	"plat/queue/schedule"
	"plat/storage"
	"plat/storage/sqlite"
	"plat/storage/sqlite/sqlitetest"
	"plat/storage/storagetest"
)

// scheduled is an archive of a page that has a budget: of 20 visits, one a day until an hour ago,
// every fifth finds something and one failed. More pages wait.
func scheduled(t *testing.T) (storeFlag, url string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.db")
	s := sqlitetest.OpenAt(t, path, sqlite.Options{})
	defer s.Close()
	ctx := t.Context()
	url = "https://news.test/"
	now := time.Now().UTC().Truncate(time.Millisecond)
	plan := plat.Plan{Schedule: plat.Schedule{Budget: "10/day"}}
	jobs := []plat.Job{
		{URL: url, Due: now.Add(-20 * 24 * time.Hour), Plan: plan},
		{URL: "https://new.test/", Due: now.Add(-time.Minute), Plan: plan},
		{URL: "https://old.test/", Due: now.Add(48 * time.Hour), Plan: plat.Plan{Schedule: plat.Schedule{Every: 24 * time.Hour}}},
		{URL: "https://once.test/", Due: now.Add(time.Hour)},
	}
	if _, err := s.Enlist(ctx, jobs, storage.Join); err != nil {
		t.Fatal(err)
	}
	page := storagetest.NewPage(url, 1)
	memory, skip := "", "of another part"
	var err error
	st := plat.URLState{URL: url, Plan: plan, Due: jobs[0].Due}
	for i := range 20 {
		v := plat.Visit{URL: url, Time: now.Add(time.Duration(i-19)*24*time.Hour - time.Hour), Outcome: plat.OutcomeUnchanged, Status: 200, Version: st.Head, Settles: st.Due}
		shared := schedule.Remembered(memory, schedule.Pool(st.Schedule, plat.HostOf(st.URL)))
		shared.Pages = 2
		said := schedule.Visit{State: st, Due: st.Due, Time: v.Time, Memory: memory, Shared: &shared}
		switch {
		case i == 0:
			v.Outcome = plat.OutcomeNew
		case i%5 == 0:
			v.Outcome, said.Changes.Blocks = plat.OutcomeChanged, []plat.Change{{Kind: plat.Content}}
		case i == 7:
			v.Outcome, v.Version = plat.OutcomeTimeout, 0
		}
		said.Outcome = v.Outcome
		next := schedule.Decide(&said)
		memory = next.Memory
		v.Next, v.Memory = v.Time.Add(24*time.Hour), plat.Memory{Skip: skip, Policy: memory}.Encode()
		if i == 19 {
			v.Next = next.Due.UTC().Truncate(time.Millisecond)
		}
		if v.Outcome == plat.OutcomeNew || v.Outcome == plat.OutcomeChanged {
			c := page.Next()
			c.Version.Taken, v.Version, c.Visit = v.Time, c.Version.N, v
			if c.Version.Changes = nil; i > 0 {
				c.Version.Changes = map[plat.Kind]int{plat.Content: 1}
			}
			c.Visit.Version = c.Version.N
			_, err = s.Commit(ctx, c)
		} else {
			err = s.Record(ctx, v, 10)
		}
		if err != nil {
			t.Fatal(err)
		}
		if st, err = s.State(ctx, url); err != nil {
			t.Fatal(err)
		}
	}
	return "--store=sqlite:" + path, url
}

func TestScheduleShowsWhatIsBelievedAndTheVisits(t *testing.T) {
	store, url := scheduled(t)
	out := must(t, "schedule", url, store)
	for _, want := range []string{url, "blocks, 10/day", "UTC, 60 minutes ago", "18 visits say that", "changes every 5 days", "of 20 visits 3 found something; 15 nothing; 1 failed; one was the first", "○   ▁   ▁   ▁  ▁   █   ▁   ×"} {
		if !strings.Contains(out, want) {
			t.Errorf("it does not say %q:\n%s", want, out)
		}
	}
	for line := range strings.Lines(out) {
		if n := len([]rune(line)); n > 81 && !strings.Contains(line, "why  ") {
			t.Errorf("a line of %d columns: %s", n, line)
		}
	}
	got := jsonLines[forecast.Outlook](t, must(t, "schedule", url, store, "--json"))
	if len(got) != 1 || len(got[0].Visits) != 20 || got[0].Counts.News != 3 || !got[0].Visits[5].News || got[0].Visits[5].Outcome != plat.OutcomeChanged || got[0].Visits[5].Version != 2 ||
		got[0].Chance <= 0 || got[0].Pages != 2 || !got[0].Next.After(got[0].Last) {
		t.Errorf("JSON %+v", got)
	}
	// An alternative spelling of a URL, and a URL without visits.
	if out := must(t, "schedule", "HTTPS://NEW.test#x", "https://once.test/", store); !strings.Contains(out, "it waits for its first visit") || !strings.Contains(out, "no visits yet") || !strings.Contains(out, "policy  once") {
		t.Errorf("of URLs without visits:\n%s", out)
	}
}

func TestScheduleListsWhatIsVisitedNext(t *testing.T) {
	store, url := scheduled(t)
	var urls []string
	all := jsonLines[forecast.Outlook](t, must(t, "schedule", store, "--json"))
	for i, o := range all {
		urls = append(urls, o.URL)
		if i > 0 && o.Next.Before(all[i-1].Next) || len(o.Visits) > 0 {
			t.Errorf("%s: next %v, %d visits; before it %v", o.URL, o.Next, len(o.Visits), all[i-1].Next)
		}
	}
	if len(urls) != 4 || urls[0] != "https://new.test/" {
		t.Errorf("listed are %v", urls)
	}
	out := must(t, "schedule", store, "--limit", "0")
	for _, want := range []string{"next (UTC)", "3/20", url, "blocks, 10/day", "fixed, every 24h", " now "} {
		if !strings.Contains(out, want) {
			t.Errorf("the table has no %q:\n%s", want, out)
		}
	}
	if out = must(t, "schedule", store, "--limit", "1"); strings.Count(out, "\n") != 2 {
		t.Errorf("with --limit 1:\n%s", out)
	}
	if out = must(t, "schedule", madeUp(t)); !strings.Contains(out, "plat enqueue") {
		t.Errorf("where nothing is scheduled: %s", out)
	}
}

func TestScheduleAsksTheFleet(t *testing.T) {
	store, url := scheduled(t)
	server, err := queue.Embed("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	of := func() forecast.Outlook {
		t.Helper()
		return jsonLines[forecast.Outlook](t, must(t, "schedule", url, store, "--json", "--redis", server.URL()))[0]
	}
	if o := of(); o.Pages != 2 {
		t.Errorf("%v pages where Redis knows none; want the 2 that are remembered", o.Pages)
	}
	q, err := queue.Open(t.Context(), queue.Options{URL: server.URL()})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	v := &schedule.Visit{State: plat.URLState{URL: url, Plan: plat.Plan{Schedule: plat.Schedule{Budget: "10/day"}}}}
	if _, err := q.Share(t.Context(), v, schedule.Learned{Pages: 5000}); err != nil {
		t.Fatal(err)
	}
	if o := of(); o.Pages != 5000 || !strings.Contains(o.Why, "5000 pages") {
		t.Errorf("%v pages, %q; want the 5,000 that the fleet has now", o.Pages, o.Why)
	}
}

func TestScheduleRebuildLearnsFromTheVisits(t *testing.T) {
	store, url := scheduled(t)
	count := func(rebuilt, asWas int64, args ...string) {
		t.Helper()
		got := jsonLines[forecast.Rebuilt](t, must(t, append([]string{"schedule", "rebuild", "--json", store}, args...)...))
		if len(got) != 1 || got[0] != (forecast.Rebuilt{Rebuilt: rebuilt, AsWas: asWas}) {
			t.Errorf("rebuild %v: %+v, want %d rebuilt", args, got, rebuilt)
		}
	}
	before := must(t, "schedule", url, store, "--json")
	count(0, 4)
	s := sqlitetest.OpenAt(t, strings.TrimPrefix(store, "--store=sqlite:"), sqlite.Options{})
	defer s.Close()
	st, err := s.State(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	if ok, err := s.SwapMemory(t.Context(), url, st.Memory, plat.Memory{Skip: "of another part"}.Encode()); !ok || err != nil {
		t.Fatal(ok, err)
	}
	if out := must(t, "schedule", url, store); !strings.Contains(out, "too few visits to know") {
		t.Errorf("without a memory:\n%s", out)
	}
	count(1, 0, url)
	count(0, 1, url)
	count(0, 4)
	var was, is forecast.Outlook
	for text, o := range map[string]*forecast.Outlook{before: &was, must(t, "schedule", url, store, "--json"): &is} {
		if err := json.Unmarshal([]byte(text), o); err != nil {
			t.Fatal(err)
		}
	}
	if is.ChangesEvery != was.ChangesEvery || is.Still != was.Still || !is.Known.Equal(was.Known) || !is.Due.Equal(was.Due) {
		t.Errorf("it is believed %+v, was %+v", is, was)
	}
	if after, err := s.State(t.Context(), url); err != nil || !strings.Contains(after.Memory, "of another part") {
		t.Errorf("the memory's other part is lost: %q, %v", after.Memory, err)
	}
}

// schedule set changes the schedule of some known URLs or of all with a prefix, and reports an
// invalid schedule or URL.
func TestScheduleSetChangesIt(t *testing.T) {
	store, url := scheduled(t)
	set := func(want forecast.Set, args ...string) {
		t.Helper()
		got := jsonLines[forecast.Set](t, must(t, append([]string{"schedule", "set", "--json", store}, args...)...))
		if len(got) != 1 || got[0] != want {
			t.Errorf("set %v: %+v, want %+v", args, got, want)
		}
	}
	of := func() (o forecast.Outlook) {
		t.Helper()
		if err := json.Unmarshal([]byte(must(t, "schedule", url, store, "--json")), &o); err != nil {
			t.Fatal(err)
		}
		return o
	}
	was := of()
	set(forecast.Set{Set: 1}, url, "--every", "36h")
	if o := of(); o.Policy != "fixed" || o.Every != "36h0m0s" || o.Next.Sub(o.Last) != 36*time.Hour || o.Budget != "" {
		t.Errorf("%+v", o)
	}
	set(forecast.Set{AsWas: 1}, url, "--every", "36h")
	if out := must(t, "schedule", "set", url, store, "--every", "36h"); out != "0 URLs: schedule set; 1 URL: as it was\n" {
		t.Errorf("%q", out)
	}
	set(forecast.Set{Set: 1}, "--prefix", "https://news.", "--budget", "7/day", "--max", "20d")
	if o := of(); o.Policy != schedule.Default || o.Budget != "7/day" || o.ChangesEvery != was.ChangesEvery || o.Due.After(time.Now()) {
		t.Errorf("%+v, was %+v", o, was)
	}
	set(forecast.Set{Set: 1}, url, "--never")
	if o := of(); !o.Next.IsZero() || o.Why != "it is not visited again" {
		t.Errorf("%+v", o)
	}
	for _, tc := range []struct {
		want string
		args []string
	}{
		{"name URLs, or all that begin alike with --prefix", []string{"--every", "1h"}},
		{"name URLs, or all that begin alike with --prefix", []string{url, "--prefix", url, "--every", "1h"}},
		{"write when they are visited", []string{url}},
		{"write one of both", []string{url, "--never", "--every", "1h"}},
		{"write one of both", []string{url, "--budget", "5/day", "--every", "1h"}},
		{"min: ", []string{url, "--budget", "5/day", "--min", "soon"}},
		{"plat up https://none.test/ --every 24h", []string{"https://none.test/", "--every", "1h"}},
		{"no URL of the archive begins with news.test", []string{"--prefix", "news.test", "--every", "1h"}},
	} {
		if r := command(t, append([]string{"schedule", "set", store}, tc.args...)...); r.code == app.ExitOK || !strings.Contains(r.err, tc.want) {
			t.Errorf("set %v: exit %d, %q; want %q", tc.args, r.code, r.err, tc.want)
		}
	}
}

// The hours in which a page has news are found, and become its schedule.
func TestSchedulePlanChoosesHours(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	s := sqlitetest.OpenAt(t, path, sqlite.Options{})
	defer s.Close()
	const url = "https://news.test/"
	store := "--store=sqlite:" + path
	page := storagetest.NewPage(url, 1)
	at := time.Now().UTC().Truncate(24 * time.Hour).Add(-8*24*time.Hour + 10*time.Minute)
	if _, err := s.Enlist(t.Context(), []plat.Job{{URL: url, Due: at, Plan: plat.Plan{Schedule: plat.Schedule{Every: time.Hour}}}}, storage.Join); err != nil {
		t.Fatal(err)
	}
	var err error
	for i := range 8 * 24 {
		v := plat.Visit{URL: url, Time: at, Outcome: plat.OutcomeUnchanged, Status: 200, Settles: at, Next: at.Add(time.Hour)}
		if hour := i % 24; i == 0 || hour == 7 || hour == 8 || hour == 17 {
			c := page.Next()
			c.Version.Taken, v.Version, v.Outcome = at, c.Version.N, plat.OutcomeChanged
			c.Visit = v
			_, err = s.Commit(t.Context(), c)
		} else {
			err = s.Record(t.Context(), v, 1)
		}
		if err != nil {
			t.Fatal(err)
		}
		at = at.Add(time.Hour)
	}
	out := must(t, "schedule", "plan", url, store, "--visits", "3")
	for _, want := range []string{"8 periods of 24 slots of 1h; 100 % of the slots were visited", "its changes repeat", "visits (UTC): 07:10, 08:10, 17:10", "--apply makes this its schedule", "plan-dp ·······▲▲········▲······"} {
		if !strings.Contains(out, want) {
			t.Errorf("without %q:\n%s", want, out)
		}
	}
	must(t, "schedule", "plan", url, store, "--visits", "3", "--apply", "--json")
	st, err := s.State(t.Context(), url)
	if want := (plat.Schedule{Policy: "plan", Every: time.Hour, Slots: "24:7,8,17+600s"}); err != nil || st.Schedule != want {
		t.Errorf("%+v, %v", st.Schedule, err)
	}
	if out := must(t, "schedule", url, store); !strings.Contains(out, "plan, slots 24:7,8,17+600s of 1h") || !strings.Contains(out, "in chosen slots") {
		t.Errorf("%s", out)
	}
	for want, args := range map[string][]string{
		"3 are needed":               {url, "--period", "7d"},
		"2 to 1000 times its --slot": {url, "--period", "90m"},
		"to the number of slots":     {url, "--visits", "25"},
		"plat enqueue":               {"https://none.test/"},
	} {
		if r := command(t, append([]string{"schedule", "plan", store}, args...)...); r.code == app.ExitOK || !strings.Contains(r.err, want) {
			t.Errorf("plan %v: exit %d, %q; want %q", args, r.code, r.err, want)
		}
	}
}
