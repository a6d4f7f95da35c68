package storagetest

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"plat/plat"
	"plat/storage"
)

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
	if c, err := a.Crawl(t.Context(), "c"); err != nil || c.Pages != crawlOf("c").Pages+3*rounds {
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
