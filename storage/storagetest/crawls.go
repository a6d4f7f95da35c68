package storagetest

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"plat/plat"
	"plat/storage"
)

// crawlOf returns a crawl with all fields.
func crawlOf(id string) *plat.Crawl {
	return &plat.Crawl{ID: id, Name: "Weather 天气", Topic: "topics:\n- name: storms & gales\n", Seeds: []string{"https://a.test/?a&b", "https://b.test/词"}, Order: "best", Pages: 5000, PerHost: 100,
		Least: 0.25, Keep: true, Near: "wordnet,/é", Scope: "any exclude=<\\.zip>$", Revisit: plat.Schedule{Policy: "blocks", Every: 90 * time.Minute, Min: time.Minute, Jitter: 0.5},
		Labels: []plat.CrawlLabel{{URL: "https://a.test/1", Belongs: true, Time: day}, {URL: "https://a.test/2"}}, State: plat.CrawlPaused, Reason: "by hand", Made: day, Resumed: 70}
}

// crawlPage returns the n-th page of a crawl, without an answer.
func crawlPage(crawl string, n int) plat.CrawlPage {
	return plat.CrawlPage{Crawl: crawl, N: n, URL: fmt.Sprint("https://a.test/", n), Score: 1 / float64(n), From: "https://a.test/", Asked: day.Add(time.Duration(n) * time.Second)}
}

// answered returns a page with an answer.
func answered(p plat.CrawlPage, o plat.Outcome, reading string) plat.CrawlPage {
	p.Visited, p.Outcome, p.Relevance, p.Version, p.Title = p.Asked.Add(time.Minute), o, 0.7, p.N, fmt.Sprint("Page 页 ", p.N)
	if reading != "" {
		p.Reading = []byte(reading)
	}
	return p
}

func withoutReading(p plat.CrawlPage) plat.CrawlPage {
	p.Reading = nil
	return p
}

func putCrawl(t testing.TB, s storage.Crawls, all ...*plat.Crawl) {
	t.Helper()
	for _, c := range all {
		if err := s.PutCrawl(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
}

func ask(t testing.TB, s storage.Crawls, pages ...plat.CrawlPage) {
	t.Helper()
	if _, err := s.Ask(t.Context(), pages); err != nil {
		t.Fatal(err)
	}
}

func putAnswers(t testing.TB, s storage.Crawls, pages ...plat.CrawlPage) {
	t.Helper()
	for i := range pages {
		if err := s.Answer(t.Context(), &pages[i]); err != nil {
			t.Fatal(err)
		}
	}
}

// hasCrawl fails the test if the stored crawl differs.
func hasCrawl(t testing.TB, s storage.Crawls, want *plat.Crawl) {
	t.Helper()
	if got, err := s.Crawl(t.Context(), want.ID); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("Crawl = %+v, %v; want %+v", got, err, want)
	}
}

// hasPages fails the test if the pages of a crawl differ, read in every way.
func hasPages(t testing.TB, s storage.Crawls, crawl string, want ...plat.CrawlPage) {
	t.Helper()
	got, bare := collect(t, s.Asked(t.Context(), crawl, 0, true)), collect(t, s.Asked(t.Context(), crawl, 0, false))
	if len(got) != len(want) || len(bare) != len(want) {
		t.Fatalf("the crawl %s has %d pages, without readings %d; want %d", crawl, len(got), len(bare), len(want))
	}
	var urls []string
	var answers []*plat.CrawlPage
	for i := range want {
		w := &want[i]
		one, err := s.AskedFor(t.Context(), crawl, w.URL)
		if err != nil || !reflect.DeepEqual(one, w) || !reflect.DeepEqual(got[i], w) {
			t.Errorf("page %d is %+v, by its URL %+v, %v; want %+v", w.N, got[i], one, err, w)
		}
		if short := withoutReading(*w); !reflect.DeepEqual(bare[i], &short) {
			t.Errorf("without readings page %d is %+v, want %+v", w.N, bare[i], short)
		}
		if urls = append(urls, w.URL); !w.Visited.IsZero() {
			answers = append(answers, w)
		}
	}
	slices.Reverse(urls) // their order does not matter
	urls = append(urls, "https://unknown.test/", "https://unknown.test/")
	urls = append(urls, urls...)
	if all, err := s.Answers(t.Context(), crawl, urls); err != nil || len(all) != len(answers) || len(all) > 0 && !reflect.DeepEqual(all, answers) {
		t.Errorf("Answers = %+v, %v; want %+v", all, err, answers)
	}
}

// hasNothing fails the test if a crawl, or any data of it, is found.
func hasNothing(t testing.TB, s storage.Crawls, id string, urls ...string) {
	t.Helper()
	_, crawl := s.Crawl(t.Context(), id)
	for what, err := range map[string]error{"Crawl": crawl, "PutReport": s.PutReport(t.Context(), id, []byte("{}"))} {
		if !errors.Is(err, plat.ErrNotFound) {
			t.Errorf("%s = %v, want plat.ErrNotFound", what, err)
		}
	}
	for c, err := range s.Crawls(t.Context()) {
		if err != nil || c.ID == id {
			t.Errorf("Crawls yields %+v, %v", c, err)
		}
	}
	hasPages(t, s, id)
	for _, url := range append(urls, "https://a.test/1") {
		_, asked := s.AskedFor(t.Context(), id, url)
		p := answered(plat.CrawlPage{Crawl: id, URL: url}, plat.OutcomeNew, "reading")
		p.Visited = day
		_, asking := s.Ask(t.Context(), []plat.CrawlPage{{Crawl: id, N: 1, URL: url}})
		for what, err := range map[string]error{"AskedFor": asked, "Answer": s.Answer(t.Context(), &p), "Ask": asking} {
			if !errors.Is(err, plat.ErrNotFound) {
				t.Errorf("%s of %s = %v, want plat.ErrNotFound", what, url, err)
			}
		}
		if got, err := s.Answers(t.Context(), id, []string{url}); err != nil || len(got) != 0 {
			t.Errorf("Answers = %+v, %v", got, err)
		}
	}
	if r, err := s.Report(t.Context(), id); err != nil || r != nil {
		t.Errorf("Report = %q, %v", r, err)
	}
}

func testCrawls(t *testing.T, open func(testing.TB) storage.Store, size int) {
	t.Run("what is not there is ErrNotFound", func(t *testing.T) {
		s := open(t)
		hasNothing(t, s, "none")
		if err := s.RemoveCrawl(t.Context(), "none"); !errors.Is(err, plat.ErrNotFound) {
			t.Errorf("RemoveCrawl = %v, want plat.ErrNotFound", err)
		}
	})

	t.Run("a crawl is returned as stored, with the next revision", func(t *testing.T) {
		s := open(t)
		want, bare := crawlOf("c1"), &plat.Crawl{ID: "c2", State: plat.CrawlRuns}
		want.Made, want.Labels[0].Time = day.Add(300*time.Microsecond), day.Add(time.Hour+300*time.Microsecond)
		putCrawl(t, s, want, bare)
		first := want.Revision
		if first < 1 || bare.Revision < 1 {
			t.Errorf("the revisions are %d and %d, want at least 1", first, bare.Revision)
		}
		want.Made, want.Labels[0].Time = day, day.Add(time.Hour)
		hasCrawl(t, s, want)
		hasCrawl(t, s, bare)
		want.Name, want.Seeds, want.Labels, want.Revisit, want.Keep, want.State = "", nil, nil, plat.Schedule{}, false, plat.CrawlIsDone
		putCrawl(t, s, want)
		if want.Revision <= first {
			t.Errorf("the revision is %d after %d", want.Revision, first)
		}
		hasCrawl(t, s, want)
		clean(t, s)
	})

	t.Run("a change of another revision is ErrConflict", func(t *testing.T) {
		s := open(t)
		c := crawlOf("c")
		c.Revision = 1
		if err := s.PutCrawl(t.Context(), c); !errors.Is(err, plat.ErrConflict) || c.Revision != 1 {
			t.Errorf("PutCrawl of revision 1 of a crawl that is not there = %v, revision %d; want plat.ErrConflict", err, c.Revision)
		}
		c.Revision = 0
		putCrawl(t, s, c)
		first := c.Revision
		putCrawl(t, s, c)
		for _, rev := range []int{0, first, c.Revision + 1} {
			late := crawlOf("c")
			late.Revision, late.Name = rev, "late"
			if err := s.PutCrawl(t.Context(), late); !errors.Is(err, plat.ErrConflict) || late.Revision != rev {
				t.Errorf("PutCrawl of revision %d = %v, revision %d; want plat.ErrConflict: it is %d", rev, err, late.Revision, c.Revision)
			}
		}
		hasCrawl(t, s, c)
	})

	t.Run("Crawls yields all by ID, and the loop may call any method", func(t *testing.T) {
		s := open(t)
		var want []string
		n := max(20, 2*size)
		for i := range n {
			c := crawlOf(fmt.Sprintf("c%04d", (i*7)%n))
			putCrawl(t, s, c)
			want = append(want, c.ID)
		}
		slices.Sort(want)
		var got []string
		for c, err := range s.Crawls(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, c.ID)
			if len(got) == 3 {
				if err := s.RemoveCrawl(t.Context(), want[7]); err != nil {
					t.Fatal(err)
				}
				putCrawl(t, s, c)
			}
		}
		if rest := slices.Delete(slices.Clone(want), 7, 8); !slices.Equal(got, want) && !slices.Equal(got, rest) {
			t.Errorf("Crawls yields %s", got)
		}
	})

	t.Run("RemoveCrawl removes pages and report, of this crawl only", func(t *testing.T) {
		s := open(t)
		for _, id := range []string{"c1", "c2"} {
			putCrawl(t, s, crawlOf(id))
			ask(t, s, crawlPage(id, 1), crawlPage(id, 2))
			putAnswers(t, s, answered(crawlPage(id, 1), plat.OutcomeNew, "reading of "+id))
			if err := s.PutReport(t.Context(), id, []byte(`{"of":"`+id+`"}`)); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.RemoveCrawl(t.Context(), "c1"); err != nil {
			t.Fatal(err)
		}
		hasNothing(t, s, "c1", "https://a.test/2")
		if err := s.RemoveCrawl(t.Context(), "c1"); !errors.Is(err, plat.ErrNotFound) {
			t.Errorf("RemoveCrawl again = %v, want plat.ErrNotFound", err)
		}
		hasPages(t, s, "c2", answered(crawlPage("c2", 1), plat.OutcomeNew, "reading of c2"), crawlPage("c2", 2))
		if r, err := s.Report(t.Context(), "c2"); err != nil || string(r) != `{"of":"c2"}` {
			t.Errorf("Report = %q, %v", r, err)
		}
		putCrawl(t, s, crawlOf("c1")) // no data of the previous one is left
		hasPages(t, s, "c1")
		if r, err := s.Report(t.Context(), "c1"); err != nil || r != nil {
			t.Errorf("Report = %q, %v", r, err)
		}
		clean(t, s)
	})

	t.Run("the last report wins", func(t *testing.T) {
		s := open(t)
		putCrawl(t, s, crawlOf("c"))
		if r, err := s.Report(t.Context(), "c"); err != nil || r != nil {
			t.Errorf("Report = %q, %v; want none", r, err)
		}
		for _, want := range []string{`{"n": 1}`, `[2,"词"]`} {
			if err := s.PutReport(t.Context(), "c", []byte(want)); err != nil {
				t.Fatal(err)
			}
			if r, err := s.Report(t.Context(), "c"); err != nil || string(r) != want {
				t.Errorf("Report = %q, %v; want %q", r, err, want)
			}
		}
	})

	t.Run("what exceeds the limits is refused, and nothing is stored", func(t *testing.T) { testCrawlLimits(t, open(t), size) })

	t.Run("gc leaves crawls alone", func(t *testing.T) {
		s := open(t)
		c := crawlOf("c")
		putCrawl(t, s, c)
		ask(t, s, crawlPage("c", 1), crawlPage("c", 2))
		putAnswers(t, s, answered(crawlPage("c", 2), plat.OutcomeNew, "reading"))
		if err := s.PutReport(t.Context(), "c", []byte("{}")); err != nil {
			t.Fatal(err)
		}
		if r := clean(t, s); r.Unreferenced != 0 {
			t.Errorf("%d are unreferenced", r.Unreferenced)
		}
		if _, err := s.GC(t.Context(), time.Now().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		hasCrawl(t, s, c)
		hasPages(t, s, "c", crawlPage("c", 1), answered(crawlPage("c", 2), plat.OutcomeNew, "reading"))
		if r, err := s.Report(t.Context(), "c"); err != nil || string(r) != "{}" {
			t.Errorf("Report = %q, %v", r, err)
		}
	})
}

func testCrawlLimits(t *testing.T, s storage.Store, size int) {
	const url = "https://a.test/"
	long := strings.Repeat("x", storage.MaxItemURL+1)
	for name, change := range map[string]func(*plat.Crawl){
		"no ID":          func(c *plat.Crawl) { c.ID = "" },
		"ID of a path":   func(c *plat.Crawl) { c.ID = "a/b" },
		"long name":      func(c *plat.Crawl) { c.Name = strings.Repeat("语", storage.MaxItemTitle+1) },
		"long topic":     func(c *plat.Crawl) { c.Topic = strings.Repeat("x", storage.MaxCrawlTopic+1) },
		"many seeds":     func(c *plat.Crawl) { c.Seeds = slices.Repeat([]string{url}, storage.MaxCrawlSeeds+1) },
		"long seed":      func(c *plat.Crawl) { c.Seeds = []string{long} },
		"empty seed":     func(c *plat.Crawl) { c.Seeds = []string{""} },
		"long scope":     func(c *plat.Crawl) { c.Scope = long },
		"pages":          func(c *plat.Crawl) { c.Pages = -1 },
		"resumed":        func(c *plat.Crawl) { c.Resumed = -1 },
		"pages of hosts": func(c *plat.Crawl) { c.PerHost = -1 },
		"no relevance":   func(c *plat.Crawl) { c.Least = math.NaN() },
		"relevance":      func(c *plat.Crawl) { c.Least = 1.5 },
		"schedule":       func(c *plat.Crawl) { c.Revisit.Jitter = math.NaN() },
		"no state":       func(c *plat.Crawl) { c.State = "" },
		"long reason":    func(c *plat.Crawl) { c.Reason = strings.Repeat("x", storage.MaxErrorText+1) },
		"revision":       func(c *plat.Crawl) { c.Revision = -1 },
		"invalid UTF-8":  func(c *plat.Crawl) { c.Topic = "\xff" },
		"long label":     func(c *plat.Crawl) { c.Labels[0].URL = long },
		"many labels": func(c *plat.Crawl) {
			c.Labels = slices.Repeat([]plat.CrawlLabel{{URL: url}}, storage.MaxCrawlLabels+1)
		},
		"large labels": func(c *plat.Crawl) {
			c.Labels = slices.Repeat([]plat.CrawlLabel{{URL: long[1:]}}, storage.MaxCrawl/storage.MaxItemURL)
		},
	} {
		c := crawlOf("new")
		change(c)
		if err := s.PutCrawl(t.Context(), c); err == nil || errors.Is(err, plat.ErrConflict) || len(err.Error()) > 1000 {
			t.Errorf("%s: PutCrawl = %v", name, err)
		}
	}
	hasNothing(t, s, "new")

	c := crawlOf("c")
	putCrawl(t, s, c)
	for name, change := range map[string]func(*plat.CrawlPage){
		"no URL": func(p *plat.CrawlPage) { p.URL = "" }, "long URL": func(p *plat.CrawlPage) { p.URL = long }, "long From": func(p *plat.CrawlPage) { p.From = long },
		"invalid UTF-8": func(p *plat.CrawlPage) { p.URL = "\xff" }, "no place": func(p *plat.CrawlPage) { p.N = 0 },
		"no score": func(p *plat.CrawlPage) { p.Score = math.NaN() }, "score": func(p *plat.CrawlPage) { p.Score = -0.1 },
		"another crawl": func(p *plat.CrawlPage) { p.Crawl = "other" }, "no crawl": func(p *plat.CrawlPage) { p.Crawl = "" },
		"place of another": func(p *plat.CrawlPage) { p.N = 1 }, "URL of another": func(p *plat.CrawlPage) { p.URL = crawlPage("c", 1).URL },
	} {
		p := crawlPage("c", 2)
		change(&p)
		if _, err := s.Ask(t.Context(), []plat.CrawlPage{crawlPage("c", 1), p}); err == nil || errors.Is(err, plat.ErrConflict) || len(err.Error()) > 1000 {
			t.Errorf("%s: Ask = %v", name, err)
		}
	}
	hasPages(t, s, "c")
	ask(t, s, crawlPage("c", 1))
	for name, change := range map[string]func(*plat.CrawlPage){
		"not visited": func(p *plat.CrawlPage) { p.Visited = time.Time{} }, "no outcome": func(p *plat.CrawlPage) { p.Outcome = "" },
		"no relevance": func(p *plat.CrawlPage) { p.Relevance = math.NaN() }, "relevance": func(p *plat.CrawlPage) { p.Relevance = 2 },
		"version": func(p *plat.CrawlPage) { p.Version = -1 }, "long title": func(p *plat.CrawlPage) { p.Title = strings.Repeat("语", storage.MaxItemTitle+1) },
		"large reading": func(p *plat.CrawlPage) { p.Reading = make([]byte, storage.MaxCrawlReading+1) },
	} {
		p := answered(crawlPage("c", 1), plat.OutcomeNew, "reading")
		change(&p)
		if err := s.Answer(t.Context(), &p); err == nil || errors.Is(err, plat.ErrNotFound) || len(err.Error()) > 1000 {
			t.Errorf("%s: Answer = %v", name, err)
		}
	}
	hasPages(t, s, "c", crawlPage("c", 1))
	for name, report := range map[string]string{"large": `"` + strings.Repeat("x", storage.MaxCrawlReport) + `"`, "empty": "", "cut off": `{"a":`} {
		if err := s.PutReport(t.Context(), "c", []byte(report)); err == nil || errors.Is(err, plat.ErrNotFound) {
			t.Errorf("%s: PutReport = %v", name, err)
		}
	}

	// The largest valid values.
	c.Name, c.Topic, c.Reason = strings.Repeat("语", storage.MaxItemTitle), strings.Repeat("x", storage.MaxCrawlTopic), strings.Repeat("x", storage.MaxErrorText)
	c.Seeds, c.Labels = nil, nil
	for i := range storage.MaxCrawlSeeds {
		c.Seeds = append(c.Seeds, fmt.Sprintf("https://seeds.test/%076d", i))
	}
	labels := storage.MaxCrawlLabels
	if size < 100 { // a slow server takes long for many; a separate test checks that they fit
		labels = 1000
	}
	for i := range labels {
		c.Labels = append(c.Labels, plat.CrawlLabel{URL: fmt.Sprintf("https://labels.test/%060d", i), Belongs: i%2 == 0, Time: day})
	}
	putCrawl(t, s, c)
	if got, err := s.Crawl(t.Context(), "c"); err != nil || !reflect.DeepEqual(got, c) {
		t.Errorf("the largest crawl is not returned as stored: %v", err)
	}
	p := crawlPage("c", math.MaxInt32)
	p.URL, p.From = long[1:], long[1:]
	ask(t, s, p)
	p = answered(p, plat.OutcomeNew, strings.Repeat("\x00\xff", storage.MaxCrawlReading/2))
	p.Title = strings.Repeat("语", storage.MaxItemTitle)
	putAnswers(t, s, p)
	hasPages(t, s, "c", crawlPage("c", 1), p)
	report := `"` + strings.Repeat("x", storage.MaxCrawlReport-2) + `"`
	if err := s.PutReport(t.Context(), "c", []byte(report)); err != nil {
		t.Error(err)
	}
	if r, err := s.Report(t.Context(), "c"); err != nil || string(r) != report {
		t.Errorf("the largest report is not returned as stored: %v", err)
	}
}
