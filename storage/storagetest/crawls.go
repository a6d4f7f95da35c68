package storagetest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
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
		if want.Revision != 1 || bare.Revision != 1 {
			t.Errorf("the revisions are %d and %d, want 1", want.Revision, bare.Revision)
		}
		want.Made, want.Labels[0].Time = day, day.Add(time.Hour)
		hasCrawl(t, s, want)
		hasCrawl(t, s, bare)
		want.Name, want.Seeds, want.Labels, want.Revisit, want.Keep, want.State = "", nil, nil, plat.Schedule{}, false, plat.CrawlIsDone
		putCrawl(t, s, want)
		if want.Revision != 2 {
			t.Errorf("the revision is %d, want 2", want.Revision)
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
		putCrawl(t, s, c)
		for _, rev := range []int{0, 1, 3} {
			late := crawlOf("c")
			late.Revision, late.Name = rev, "late"
			if err := s.PutCrawl(t.Context(), late); !errors.Is(err, plat.ErrConflict) || late.Revision != rev {
				t.Errorf("PutCrawl of revision %d = %v, revision %d; want plat.ErrConflict: it is 2", rev, err, late.Revision)
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

func testCrawlPages(t *testing.T, open func(testing.TB) storage.Store, size int) {
	t.Run("pages are returned as asked for and answered, by N", func(t *testing.T) {
		s := open(t)
		putCrawl(t, s, crawlOf("c"), crawlOf("other"))
		seed, whole, bare := plat.CrawlPage{Crawl: "c", N: 7, URL: "https://seed.test/"}, crawlPage("c", 2), crawlPage("c", 90)
		exact := whole
		whole.Asked = whole.Asked.Add(300 * time.Microsecond)
		ask(t, s, seed, whole, bare) // in any order, with gaps
		ask(t, s)
		ask(t, s, crawlPage("other", 2))
		hasPages(t, s, "c", exact, seed, bare)
		first, last := answered(exact, plat.OutcomeChanged, "\x28\xb5\x2f\xfd\x00\xff any bytes"), answered(bare, plat.OutcomeGone, "")
		last.Relevance, last.Version, last.Title = 0, 0, ""
		late := first
		late.Visited = late.Visited.Add(300 * time.Microsecond)
		late.N, late.Score, late.From, late.Asked = 0, 0, "", time.Time{} // not part of the answer
		putAnswers(t, s, late, last)
		hasPages(t, s, "c", first, seed, last)
		hasPages(t, s, "other", crawlPage("other", 2))
		clean(t, s)
	})

	t.Run("Asked yields those after a place, and the loop may call any method", func(t *testing.T) {
		s := open(t)
		putCrawl(t, s, crawlOf("c"))
		n := max(300, 2*size) // more than a store reads in one batch
		var pages []plat.CrawlPage
		for i := range n {
			pages = append(pages, crawlPage("c", i+1))
		}
		ask(t, s, pages[n/2:]...)
		ask(t, s, pages...)
		for _, after := range []int{-1, 0, 17, n - 1, n, n + 1} {
			got := collect(t, s.Asked(t.Context(), "c", after, false))
			if want := n - max(0, min(after, n)); len(got) != want || want > 0 && (got[0].N != max(0, after)+1 || got[want-1].N != n) {
				t.Errorf("after %d there are %d, want %d", after, len(got), want)
			}
		}
		for p, err := range s.Asked(t.Context(), "c", n-3, false) {
			if err != nil {
				t.Fatal(err)
			}
			a := answered(*p, plat.OutcomeNew, "reading")
			putAnswers(t, s, a)
			if one, err := s.AskedFor(t.Context(), "c", p.URL); err != nil || !reflect.DeepEqual(one, &a) {
				t.Errorf("AskedFor = %+v, %v; want %+v", one, err, a)
			}
		}
	})

	t.Run("large readings are returned, in order", func(t *testing.T) {
		s := open(t)
		putCrawl(t, s, crawlOf("c"))
		var want []plat.CrawlPage
		for n := range 4 { // more than a store reads in one batch
			p := crawlPage("c", n+1)
			ask(t, s, p)
			want = append(want, answered(p, plat.OutcomeNew, strings.Repeat("\x00\xff", storage.MaxCrawlReading/2)))
			putAnswers(t, s, want[n])
		}
		hasPages(t, s, "c", want...)
	})

	t.Run("what is asked for again is left as it is", func(t *testing.T) {
		s := open(t)
		putCrawl(t, s, crawlOf("c"))
		first, second := crawlPage("c", 1), crawlPage("c", 2)
		ask(t, s, first)
		done := answered(first, plat.OutcomeNew, "reading")
		putAnswers(t, s, done)
		again := first
		again.Score, again.From, again.Asked = 0, "https://z.test/", day.Add(time.Hour)
		ask(t, s, again, second, second)
		hasPages(t, s, "c", done, second)
	})

	t.Run("a page that several ask for at once is stored by one of them", func(t *testing.T) {
		s := open(t)
		putCrawl(t, s, crawlOf("c"))
		for round := range 10 {
			three := []plat.CrawlPage{crawlPage("c", 3*round+2), crawlPage("c", 3*round+1), crawlPage("c", 3*round+3)}
			var all sync.WaitGroup
			var mu sync.Mutex
			by := map[string]int{} // guarded by mu
			for k := range 6 {
				all.Go(func() {
					stored, err := s.Ask(t.Context(), three[:1+k/2])
					if err != nil {
						t.Error(err)
					}
					mu.Lock()
					defer mu.Unlock()
					for _, u := range stored {
						by[u]++
					}
				})
			}
			all.Wait()
			for _, p := range three {
				if by[p.URL] != 1 {
					t.Errorf("of six that ask at once, %d have stored page %d", by[p.URL], p.N)
				}
			}
		}
		some := []plat.CrawlPage{crawlPage("c", 32), crawlPage("c", 30), crawlPage("c", 31)}
		if stored, err := s.Ask(t.Context(), some); err != nil || !slices.Equal(stored, []string{some[2].URL, some[0].URL}) {
			t.Errorf("Ask = %q, %v; want pages 31 and 32: 30 was there", stored, err)
		}
	})

	t.Run("an N or URL that was asked for with another is ErrConflict", func(t *testing.T) {
		s := open(t)
		putCrawl(t, s, crawlOf("c"), crawlOf("other"))
		first, second := crawlPage("c", 1), crawlPage("c", 2)
		ask(t, s, first, second)
		ask(t, s, crawlPage("other", 3), plat.CrawlPage{Crawl: "other", N: 1, URL: second.URL}) // independent for each crawl
		for name, p := range map[string]plat.CrawlPage{
			"N":    {Crawl: "c", N: 2, URL: "https://new.test/"},
			"URL":  {Crawl: "c", N: 9, URL: first.URL},
			"both": {Crawl: "c", N: 1, URL: second.URL},
		} {
			if _, err := s.Ask(t.Context(), []plat.CrawlPage{p}); !errors.Is(err, plat.ErrConflict) {
				t.Errorf("%s: Ask = %v, want plat.ErrConflict", name, err)
			}
			if _, err := s.Ask(t.Context(), []plat.CrawlPage{crawlPage("c", 5), p}); !errors.Is(err, plat.ErrConflict) {
				t.Errorf("%s: Ask with another page = %v, want plat.ErrConflict", name, err)
			}
		}
		hasPages(t, s, "c", first, second)
	})

	t.Run("only a success replaces a failure", func(t *testing.T) {
		for _, tc := range []struct {
			first, then plat.Outcome
			replaced    bool
		}{
			{plat.OutcomeNew, plat.OutcomeChanged, false},
			{plat.OutcomeNew, plat.OutcomeTimeout, false},
			{plat.OutcomeTimeout, plat.OutcomeGone, false},
			{plat.OutcomeTimeout, plat.OutcomeUnchanged, true},
		} {
			s := open(t)
			putCrawl(t, s, crawlOf("c"))
			p := crawlPage("c", 1)
			ask(t, s, p)
			want, then := answered(p, tc.first, "first"), answered(p, tc.then, "")
			then.Visited, then.Relevance, then.Version, then.Title = day.Add(time.Hour), 0, 0, ""
			putAnswers(t, s, want, then)
			if tc.replaced {
				want = then
			}
			hasPages(t, s, "c", want)
		}
	})

	t.Run("of processes that ask for one crawl at once all but one fail", func(t *testing.T) {
		s := open(t)
		TogetherCrawled(t, s, s)
	})
}

// TogetherCrawled checks that processes which concurrently change a crawl, request its pages
// and answer them do not overwrite data. a and b are the same empty archive, opened by two
// processes.
func TogetherCrawled(t *testing.T, a, b storage.Store) {
	const rounds = 8
	putCrawl(t, a, crawlOf("c"))
	var all sync.WaitGroup
	var mu sync.Mutex
	won := map[int]string{} // URL by N; guarded by mu
	for k, s := range []storage.Store{a, b, a} {
		all.Go(func() {
			for done := 0; done < rounds; {
				n := len(collect(t, s.Asked(t.Context(), "c", 0, false)))
				p := crawlPage("c", n+1)
				p.URL = fmt.Sprintf("https://a.test/%d-%d", k, n)
				shared := crawlPage("c", n+2)
				_, err := s.Ask(t.Context(), []plat.CrawlPage{p, shared})
				if err == nil {
					mu.Lock()
					won[p.N], won[shared.N] = p.URL, shared.URL
					mu.Unlock()
					err = errors.Join(s.Answer(t.Context(), new(answered(p, plat.OutcomeNew, "reading"))), s.Answer(t.Context(), new(answered(shared, plat.OutcomeTimeout, ""))))
					done++
				}
				if err != nil && !errors.Is(err, plat.ErrConflict) {
					t.Error(err)
					return
				}
			}
		})
		all.Go(func() {
			for done := 0; done < rounds; {
				c, err := s.Crawl(t.Context(), "c")
				if err == nil {
					c.Pages++
					err = s.PutCrawl(t.Context(), c)
				}
				switch {
				case err == nil:
					done++
				case !errors.Is(err, plat.ErrConflict):
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	if t.Failed() {
		return
	}
	if c, err := a.Crawl(t.Context(), "c"); err != nil || c.Pages != crawlOf("c").Pages+3*rounds || c.Revision != 3*rounds+1 {
		t.Errorf("Crawl = %+v, %v; a change is lost", c, err)
	}
	pages := collect(t, a.Asked(t.Context(), "c", 0, true))
	for i, p := range pages {
		if p.N != i+1 || won[p.N] != "" && (p.URL != won[p.N] || p.Visited.IsZero()) {
			t.Errorf("page %d is %+v, want that of %s", i+1, p, won[p.N])
		}
	}
	if len(pages) < 6*rounds {
		t.Errorf("there are %d pages, want %d", len(pages), 6*rounds)
	}
	clean(t, a)
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

// The crash cases of focused crawls: a change, pages and answers, then the removal.

func readyToCrawl(t testing.TB, s storage.Store) string {
	putCrawl(t, s, crawlOf("c"))
	ask(t, s, crawlPage("c", 1), crawlPage("c", 2))
	putAnswers(t, s, answered(crawlPage("c", 1), plat.OutcomeTimeout, ""))
	if err := s.PutReport(t.Context(), "c", []byte(`"old"`)); err != nil {
		t.Fatal(err)
	}
	return ""
}

// crawlDoomed continues the crawl of readyToCrawl. It skips a change that is already stored.
func crawlDoomed(ctx context.Context, s storage.Store) error {
	c := crawlOf("c")
	c.Revision, c.State = 1, plat.CrawlRuns
	if err := s.PutCrawl(ctx, c); err != nil && !errors.Is(err, plat.ErrConflict) {
		return err
	}
	if _, err := s.Ask(ctx, []plat.CrawlPage{crawlPage("c", 2), crawlPage("c", 3), crawlPage("c", 4)}); err != nil {
		return err
	}
	for n := range 3 {
		if err := s.Answer(ctx, new(answered(crawlPage("c", n+1), plat.OutcomeNew, fmt.Sprint("reading ", n+1)))); err != nil {
			return err
		}
	}
	return s.PutReport(ctx, "c", []byte(`"new"`))
}

func afterCrawl(t testing.TB, s storage.Store, _ string) {
	clean(t, s)
	c, err := s.Crawl(t.Context(), "c")
	if err != nil || (c.Revision == 2) != (c.State == plat.CrawlRuns) {
		t.Fatalf("Crawl = %+v, %v", c, err)
	}
	for i, p := range collect(t, s.Asked(t.Context(), "c", 0, true)) {
		bare, failed, whole := crawlPage("c", i+1), answered(crawlPage("c", i+1), plat.OutcomeTimeout, ""), answered(crawlPage("c", i+1), plat.OutcomeNew, fmt.Sprint("reading ", i+1))
		if !reflect.DeepEqual(p, &bare) && !reflect.DeepEqual(p, &failed) && !reflect.DeepEqual(p, &whole) {
			t.Errorf("page %d is half written: %+v", i+1, p)
		}
	}
	for range 2 {
		if err := crawlDoomed(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		want := crawlOf("c")
		want.Revision, want.State = 2, plat.CrawlRuns
		hasCrawl(t, s, want)
		hasPages(t, s, "c", answered(crawlPage("c", 1), plat.OutcomeNew, "reading 1"), answered(crawlPage("c", 2), plat.OutcomeNew, "reading 2"),
			answered(crawlPage("c", 3), plat.OutcomeNew, "reading 3"), crawlPage("c", 4))
		if r, err := s.Report(t.Context(), "c"); err != nil || string(r) != `"new"` {
			t.Errorf("Report = %q, %v", r, err)
		}
	}
	clean(t, s)
}

// removeCrawlDoomed removes the crawl of readyToCrawl.
func removeCrawlDoomed(ctx context.Context, s storage.Store) error {
	return s.RemoveCrawl(ctx, "c")
}

func afterRemoveCrawl(t testing.TB, s storage.Store, _ string) {
	clean(t, s)
	if _, err := s.Crawl(t.Context(), "c"); err == nil { // nothing was written: the whole crawl exists
		hasPages(t, s, "c", answered(crawlPage("c", 1), plat.OutcomeTimeout, ""), crawlPage("c", 2))
	} else {
		hasNothing(t, s, "c", "https://a.test/2")
	}
	if err := removeCrawlDoomed(t.Context(), s); err != nil && !errors.Is(err, plat.ErrNotFound) {
		t.Fatal(err)
	}
	hasNothing(t, s, "c", "https://a.test/2")
	c := crawlOf("c")
	putCrawl(t, s, c)
	hasCrawl(t, s, c)
	hasPages(t, s, "c")
	if r, err := s.Report(t.Context(), "c"); err != nil || r != nil {
		t.Errorf("Report = %q, %v", r, err)
	}
	if r := clean(t, s); r.Unreferenced != 0 {
		t.Errorf("%d are unreferenced", r.Unreferenced)
	}
}
