package workers_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"plat/fixtures"
	"plat/focus"
	"plat/plat"
	"plat/queue/schedule"
	"plat/storage"
	"plat/storage/storagetest"
	"plat/workers"
)

// judge assesses pages by their URL: pages with "bird" belong, and for the crawl fish those with "fish".
type judge struct {
	*town
	mu      sync.Mutex
	keep    bool
	silent  int  // how often it has no report yet; guarded by mu
	turns   bool // it judges the other way after the first look
	removed bool // the crawl is removed between a look and the answer; guarded by mu
	looks   int  // guarded by mu
	n       map[string]int

	cloaks bool // readers are shown other text
}

func (j *judge) Check(_ context.Context, _, _ string, judge func(*focus.Page) (focus.Result, error), _ func() error) (*focus.Page, focus.Result, error) {
	if !j.cloaks {
		return nil, focus.Result{}, nil
	}
	shown := &focus.Page{URL: "http://casino.test/"}
	r, err := judge(shown)
	return shown, r, err
}

func (j *judge) Waits(ctx context.Context, crawl, url string) (bool, error) {
	p, err := j.store.AskedFor(ctx, crawl, url)
	if errors.Is(err, plat.ErrNotFound) {
		return false, nil
	}
	return err == nil && (p.Visited.IsZero() || p.Outcome.Failed()), err
}

func (j *judge) Answered(ctx context.Context, crawl, url string) (*plat.CrawlPage, error) {
	p, err := j.store.AskedFor(ctx, crawl, url)
	if errors.Is(err, plat.ErrNotFound) || err == nil && (p.Visited.IsZero() || p.Outcome.Failed()) {
		return nil, nil
	}
	return p, err
}

func (j *judge) Assess(ctx context.Context, crawl string, p *focus.Page) (focus.Result, bool, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.looks++
	if j.silent > 0 {
		j.silent--
		return focus.Result{}, false, errors.New("no report yet")
	}
	if _, err := j.store.Crawl(ctx, crawl); err != nil {
		return focus.Result{}, false, err
	}
	if j.removed {
		if err := j.store.RemoveCrawl(ctx, crawl); err != nil {
			return focus.Result{}, false, err
		}
	}
	if strings.Contains(p.URL, crawl) != (j.turns && j.looks > 1) {
		return focus.Result{Relevance: .9, Belongs: true}, true, nil
	}
	return focus.Result{Relevance: .1}, j.keep, nil
}

func (j *judge) Answer(ctx context.Context, p *plat.CrawlPage) error { return j.store.Answer(ctx, p) }

// newJudge begins the crawls bird and fish.
func newJudge(t *testing.T) *judge {
	t.Helper()
	j := &judge{town: newTown(t, nil), n: map[string]int{}}
	for _, id := range []string{"bird", "fish"} {
		if err := j.store.PutCrawl(t.Context(), &plat.Crawl{ID: id, State: plat.CrawlRuns}); err != nil {
			t.Fatal(err)
		}
	}
	return j
}

func (j *judge) crew(o workers.CrewOptions) *workers.Crew { return j.crewOn(j.store, o) }

func (j *judge) crewOn(s storage.Store, o workers.CrewOptions) *workers.Crew {
	return workers.NewCrew(workers.New(j, s, describer(j.t), workers.Options{Planner: schedule.Planner{Policy: j.policy}, Focus: workers.Focus{Crawls: j, Cloaking: j}}), j.queue, s, j, o)
}

// ask has a crawl ask for pages.
func (j *judge) ask(c *workers.Crew, crawl string, s plat.Schedule, urls ...string) {
	j.t.Helper()
	var pages []plat.CrawlPage
	var jobs []plat.Job
	for _, u := range urls {
		j.n[crawl]++
		pages = append(pages, plat.CrawlPage{Crawl: crawl, N: j.n[crawl], URL: u, Asked: time.Now()})
		jobs = append(jobs, plat.Job{URL: u, Priority: .5, Plan: plat.Plan{Depth: 1, Focus: crawl, Schedule: s}})
	}
	if _, err := j.store.Ask(j.t.Context(), pages); err != nil {
		j.t.Fatal(err)
	}
	if refused, err := c.Ask(j.t.Context(), jobs); err != nil || len(refused) > 0 {
		j.t.Fatalf("refused %v, %v", refused, err)
	}
}

// told returns the answer of a crawl for a page.
func (j *judge) told(crawl, url string) string {
	j.t.Helper()
	p, err := j.store.AskedFor(j.t.Context(), crawl, url)
	if err != nil {
		return err.Error()
	}
	if p.Visited.IsZero() {
		return "nothing"
	}
	text := fmt.Sprintf("%s %d", p.Outcome, p.Version)
	if len(p.Reading) > 0 {
		text += fmt.Sprintf(" %.1f", p.Relevance)
		if _, err := focus.DecodePage(p.Reading); err != nil || p.Title == "" {
			j.t.Errorf("%s: title %q, reading %v", url, p.Title, err)
		}
	}
	return text
}

// stored describes the archived page of a URL.
func (j *judge) stored(url string) string {
	j.t.Helper()
	st, _ := j.state(url)
	text := fmt.Sprintf("%s %d", st.Outcome, st.Head)
	if !st.Due.IsZero() {
		text += " due"
	}
	if !st.Dead.IsZero() {
		text += " dead"
	}
	return text
}

func (j *judge) want(crawl, url, told, stored string) {
	j.t.Helper()
	if got := j.told(crawl, url); got != told {
		j.t.Errorf("%s: the crawl %s was told %q, want %q", url, crawl, got, told)
	}
	if got := j.stored(url); got != stored {
		j.t.Errorf("%s: the archive has %q, want %q", url, got, stored)
	}
}

const (
	birdPage  = "http://a.test/bird"
	otherPage = "http://b.test/other"
)

func TestPagesThatBelongAreStored(t *testing.T) {
	j := newJudge(t)
	c := j.crew(quick)
	j.ask(c, "bird", plat.Schedule{}, birdPage, otherPage)
	j.work(c)
	j.want("bird", birdPage, "new 1 0.9", "new 1")
	j.want("bird", otherPage, "off-topic 0 0.1", "off-topic 0")
	j.work(j.crew(quick))
	if j.seen[birdPage] != 1 || j.seen[otherPage] != 1 {
		t.Errorf("rendered %v", j.seen)
	}
	if r, err := j.store.Verify(t.Context(), nil); err != nil || r.BrokenTotal > 0 {
		t.Errorf("verify: %v, %v", r.Broken, err)
	}
}

func TestACrawlMayKeepAll(t *testing.T) {
	j := newJudge(t)
	j.keep = true
	c := j.crew(quick)
	j.ask(c, "bird", plat.Schedule{}, otherPage)
	j.work(c)
	j.want("bird", otherPage, "new 1 0.1", "new 1")
}

// Readers see a different page than the browser: no version of it is stored, even by a crawl that keeps all pages.
func TestPagesThatCloakAreNotKept(t *testing.T) {
	for _, keep := range []bool{false, true} {
		j := newJudge(t)
		j.keep, j.cloaks = keep, true
		c := j.crew(quick)
		j.ask(c, "bird", plat.Schedule{}, birdPage)
		j.work(c)
		j.want("bird", birdPage, "cloaked 0 0.1", "cloaked 0")
	}
	j := newJudge(t)
	j.cloaks = true
	c := j.crew(quick)
	j.enqueue(plat.Job{URL: birdPage}) // a user wants it
	j.ask(c, "bird", plat.Schedule{}, birdPage)
	j.work(c)
	j.want("bird", birdPage, "cloaked 0 0.1", "new 1")
}

// A page that a user has asked for, or that has versions, keeps them.
func TestPagesOfOthersAreStored(t *testing.T) {
	for name, plan := range map[string]plat.Plan{"a seed": {}, "a link of a plain crawl": {Depth: 2, Scope: "host"}} {
		j := newJudge(t)
		c := j.crew(quick)
		j.enqueue(plat.Job{URL: otherPage, Plan: plan})
		j.ask(c, "bird", plat.Schedule{}, otherPage)
		j.work(c)
		if t.Log(name); j.seen[otherPage] != 1 {
			t.Errorf("rendered %v", j.seen)
		}
		j.want("bird", otherPage, "new 1 0.1", "new 1")
	}
	j := newJudge(t)
	first := fixtures.Snapshot(t, "site-1")
	j.show = func(string) *plat.Snapshot { return first }
	j.enqueue(plat.Job{URL: otherPage}, plat.Job{URL: birdPage})
	j.work(j.crew(quick))
	c := j.crew(quick)
	second := fixtures.Snapshot(t, "site-2")
	j.show = func(u string) *plat.Snapshot {
		if u == birdPage {
			return second
		}
		return first
	}
	j.ask(c, "bird", plat.Schedule{}, otherPage, birdPage)
	j.work(c)
	j.want("bird", otherPage, "unchanged 1 0.1", "unchanged 1")
	j.want("bird", birdPage, "changed 2 0.9", "changed 2")
}

func TestFailuresAreAnswered(t *testing.T) {
	j := newJudge(t)
	gone := *fixtures.Snapshot(t, "site-1")
	gone.Status = 404
	whole := fixtures.Snapshot(t, "site-1")
	var mu sync.Mutex
	failed := map[string]int{}
	j.show = func(u string) *plat.Snapshot {
		if strings.HasSuffix(u, "/gone") {
			return &gone
		}
		return whole
	}
	j.fails = func(u string) error {
		mu.Lock()
		defer mu.Unlock()
		failed[u]++
		if strings.HasSuffix(u, "/down") || strings.HasSuffix(u, "/shaky") && failed[u] < 3 {
			return &plat.VisitError{Outcome: plat.OutcomeUnreachable, Retry: true, Err: errors.New("no answer")}
		}
		return nil
	}
	c := j.crew(quick)
	j.ask(c, "bird", plat.Schedule{}, "http://a.test/bird/gone", "http://b.test/bird/down", "http://c.test/bird/shaky")
	j.work(c)
	j.want("bird", "http://a.test/bird/gone", "gone 0", "gone 0 dead")
	j.want("bird", "http://b.test/bird/down", "unreachable 0", "unreachable 0 dead")
	j.want("bird", "http://c.test/bird/shaky", "new 1 0.9", "new 1")
}

// A crawl that has published nothing yet assesses the page later: it is not lost.
func TestACrawlThatHasPublishedNothingIsAskedAgain(t *testing.T) {
	j := newJudge(t)
	j.silent = 2
	c := j.crew(quick)
	j.ask(c, "bird", plat.Schedule{}, birdPage)
	j.work(c)
	j.want("bird", birdPage, "new 1 0.9", "new 1")
	if j.looks != 3 {
		t.Errorf("asked %d times", j.looks)
	}
}

func TestAnotherAddressOfAPageIsAnswered(t *testing.T) {
	j := newJudge(t)
	j.enqueue(plat.Job{URL: birdPage})
	j.work(j.crew(quick))
	const old = birdPage + "/old"
	j.leads = map[string]string{old: birdPage}
	c := j.crew(quick)
	// Links of a plain crawl may be other addresses of a page; those of focused ones alone are not asked.
	j.enqueue(plat.Job{URL: old, Plan: plat.Plan{Depth: 2, Scope: "host"}})
	j.ask(c, "bird", plat.Schedule{}, old)
	j.work(c)
	j.want("bird", old, "alias 0", "alias 0")
}

func TestACrawlIsRemovedDuringAVisit(t *testing.T) {
	for _, during := range []bool{false, true} {
		j := newJudge(t)
		c := j.crew(quick)
		j.ask(c, "bird", plat.Schedule{}, birdPage)
		if j.removed = during; !during {
			if err := j.store.RemoveCrawl(t.Context(), "bird"); err != nil {
				t.Fatal(err)
			}
		}
		j.work(c)
		want := "off-topic 0" // no crawl wants it any more
		if during {
			want = "new 1"
		}
		if got := j.stored(birdPage); got != want || j.seen[birdPage] != 1 {
			t.Errorf("removed during the visit %t: %s after %d visits, want %s", during, got, j.seen[birdPage], want)
		}
	}
}

func TestTwoCrawlsAskForAPage(t *testing.T) {
	j := newJudge(t)
	c := j.crew(quick)
	j.ask(c, "bird", plat.Schedule{}, birdPage, otherPage)
	j.ask(c, "fish", plat.Schedule{}, birdPage, otherPage)
	j.work(c)
	j.want("bird", birdPage, "new 1 0.9", "new 1")
	j.want("fish", birdPage, "new 1 0.1", "new 1")
	j.want("bird", otherPage, "off-topic 0 0.1", "off-topic 0")
	j.want("fish", otherPage, "off-topic 0 0.1", "off-topic 0")
	// The second crawl asks later: a page off topic for the first one is visited for it.
	const fish = "http://c.test/fish"
	c = j.crew(quick)
	j.ask(c, "bird", plat.Schedule{}, fish)
	j.work(c)
	j.want("bird", fish, "off-topic 0 0.1", "off-topic 0")
	c = j.crew(quick)
	j.ask(c, "fish", plat.Schedule{}, fish)
	j.work(c)
	j.want("bird", fish, "off-topic 0 0.1", "new 1")
	j.want("fish", fish, "new 1 0.9", "new 1")
}

// Pages that belong are visited again, by the schedule alone: no crawl receives an answer.
func TestPagesThatBelongAreVisitedAgain(t *testing.T) {
	j := newJudge(t)
	c := j.crew(quick)
	j.ask(c, "bird", plat.Schedule{Every: time.Hour}, birdPage, otherPage)
	j.work(c)
	j.want("bird", birdPage, "new 1 0.9", "new 1 due")
	j.want("bird", otherPage, "off-topic 0 0.1", "off-topic 0")
	st, _ := j.state(birdPage)
	if st.Due.Sub(st.Settled) < 59*time.Minute {
		t.Errorf("due %v after %v", st.Due, st.Settled)
	}
	looks := j.looks
	second := fixtures.Snapshot(t, "site-2")
	j.show = func(string) *plat.Snapshot { return second }
	if _, err := j.store.Enlist(t.Context(), []plat.Job{{URL: birdPage, Due: time.Now()}}, storage.Again); err != nil {
		t.Fatal(err)
	}
	j.work(j.crew(quick))
	j.want("bird", birdPage, "new 1 0.9", "changed 2 due")
	if j.looks != looks {
		t.Errorf("the crawl was asked %d times more", j.looks-looks)
	}
}

// failsOnce returns a store in which storing a visit fails once, before the visit is stored or after.
func failsOnce(s storage.Store, after bool) storage.Store {
	var mu sync.Mutex
	done := false
	return &storagetest.Fake{Store: s, Around: func(ctx context.Context, c storagetest.Call, do func(context.Context) error) error {
		if !c.Writes() {
			return do(ctx)
		}
		mu.Lock()
		defer mu.Unlock()
		if done {
			return do(ctx)
		}
		if done = true; after {
			if err := do(ctx); err != nil {
				return err
			}
		}
		return errFault
	}}
}

func TestACrashAfterTheAnswerIsHarmless(t *testing.T) {
	for i := range 4 {
		after := i%2 == 0
		for url, want := range map[string][2]string{birdPage: {"new 1 0.9", "new 1"}, otherPage: {"off-topic 0 0.1", "off-topic 0"}} {
			j := newJudge(t)
			j.turns = i >= 2 // the crawl learns from other pages before the visit is repeated
			c := j.crewOn(failsOnce(j.store, after), quick)
			j.ask(c, "bird", plat.Schedule{}, url)
			j.work(c)
			j.want("bird", url, want[0], want[1])
		}
	}
}

// Links of readings are canonical, as links of all pages: without tracking parameters. So is the page's own
// URL.
func TestReadingsHaveCanonicalURLs(t *testing.T) {
	j := newJudge(t)
	snap := page(t, "/one?utm_source=x", "/two#part")
	j.show = func(string) *plat.Snapshot { return snap }
	j.leads = map[string]string{birdPage: "http://A.test:80/bird/final?utm_source=y#top"}
	o := quick
	o.Drop = plat.TrackingParams
	c := j.crew(o)
	j.ask(c, "bird", plat.Schedule{}, birdPage)
	j.work(c)
	p, err := j.store.AskedFor(t.Context(), "bird", birdPage)
	if err != nil {
		t.Fatal(err)
	}
	read, err := focus.DecodePage(p.Reading)
	if err != nil || read.URL != "http://a.test/bird/final" {
		t.Fatalf("%q, %v", read.URL, err)
	}
	var urls []string
	for _, l := range read.Links {
		urls = append(urls, l.URL)
	}
	if !slices.Contains(urls, "http://a.test/one") || !slices.Contains(urls, "http://a.test/two") {
		t.Errorf("links %v", urls)
	}
}
