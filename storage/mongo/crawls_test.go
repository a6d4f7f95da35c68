package mongo

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"plat/plat"
	"plat/storage"
)

// crawled returns a store with a crawl, a page and a report.
func crawled(t *testing.T) *Store {
	t.Helper()
	s := open(t, Options{})
	if err := s.PutCrawl(t.Context(), &plat.Crawl{ID: "c", State: plat.CrawlRuns, Revisit: plat.Schedule{Every: time.Hour}}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Ask(t.Context(), []plat.CrawlPage{{Crawl: "c", N: 1, URL: "https://a.test/"}}); err != nil {
		t.Fatal(err)
	}
	if err := s.PutReport(t.Context(), "c", []byte("{}")); err != nil {
		t.Fatal(err)
	}
	return s
}

// MongoDB accepts the documents of the largest valid crawls: with the most labels, and with the
// longest URLs.
func TestALargestCrawlIsADocument(t *testing.T) {
	const most = 16 << 20
	for _, url := range []int{1, 86, storage.MaxItemURL} {
		c := &plat.Crawl{ID: strings.Repeat("c", 64), State: plat.CrawlRuns, Topic: strings.Repeat("x", storage.MaxCrawlTopic)}
		for range storage.MaxCrawlSeeds {
			c.Seeds = append(c.Seeds, "s")
		}
		label := plat.CrawlLabel{URL: strings.Repeat("x", url), Belongs: true, Time: time.Now()}
		for len(c.Labels) < min(storage.MaxCrawlLabels, (storage.MaxCrawl-storage.MaxCrawlTopic-100-49*storage.MaxCrawlSeeds)/(48+url)) {
			c.Labels = append(c.Labels, label)
		}
		if err := storage.CheckCrawl(c); err != nil {
			t.Fatal(err)
		}
		d, err := crawlDocOf(c)
		if err != nil {
			t.Fatal(err)
		}
		b, err := bson.Marshal(d)
		if err != nil || len(b) > most {
			t.Errorf("%d labels of %d bytes: the document has %d bytes, %v; the limit is %d", len(c.Labels), url, len(b), err, most)
		}
		t.Logf("%d labels of %d bytes: %d bytes", len(c.Labels), url, len(b))
	}
}

// An interrupted removal is hidden, and the next call completes it.
func TestACrawlThatIsGoneIsNotFound(t *testing.T) {
	for name, next := range map[string]func(*Store) error{
		"RemoveCrawl":                 func(s *Store) error { return s.RemoveCrawl(t.Context(), "c") },
		"a write that comes too late": func(s *Store) error { return ignoreNotFound(s.stillExists(t.Context(), "c")) },
		"GC": func(s *Store) error {
			_, err := s.GC(t.Context(), time.Now())
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := crawled(t)
			if _, err := s.crawls.UpdateOne(t.Context(), byID("c"), bson.D{{Key: "$set", Value: bson.D{{Key: "gone", Value: true}, {Key: "rev", Value: -1}}}}); err != nil {
				t.Fatal(err)
			}
			if r, err := s.Verify(t.Context(), nil); err != nil || r.BrokenTotal != 0 || r.Unreferenced != 1 {
				t.Errorf("Verify = %+v, %v; want one unreferenced page", r, err)
			}
			_, asked := s.AskedFor(t.Context(), "c", "https://a.test/")
			_, asking := s.Ask(t.Context(), []plat.CrawlPage{{Crawl: "c", N: 2, URL: "https://b.test/"}})
			for what, err := range map[string]error{"AskedFor": asked, "Ask": asking} {
				if !errors.Is(err, plat.ErrNotFound) {
					t.Errorf("%s = %v", what, err)
				}
			}
			if r, err := s.Report(t.Context(), "c"); err != nil || r != nil {
				t.Errorf("Report = %q, %v", r, err)
			}
			if err := next(s); err != nil {
				t.Fatal(err)
			}
			for _, c := range []*mongo.Collection{s.crawls, s.crawlPages, s.crawlReports} {
				if n := count(t, c); n != 0 {
					t.Errorf("%d documents of %s are left", n, c.Name())
				}
			}
		})
	}
}

func ignoreNotFound(err error) error {
	if errors.Is(err, plat.ErrNotFound) {
		return nil
	}
	return err
}

// If a process dies that stores pages while a second one removes their crawl, the pages may
// remain.
func TestGCRemovesPagesOfCrawlsThatDoNotExist(t *testing.T) {
	s := crawled(t)
	if _, err := s.crawlPages.InsertOne(t.Context(), crawlPageDoc{ID: crawlPageID("old", "https://a.test/"), Crawl: "old", N: 1, URL: "https://a.test/"}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.crawlReports.InsertOne(t.Context(), crawlReportDoc{"older", []byte("{}")}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.GC(t.Context(), time.Now()); err != nil {
		t.Fatal(err)
	}
	if n, m := count(t, s.crawlPages), count(t, s.crawlReports); n != 1 || m != 1 {
		t.Errorf("%d pages and %d reports are left, want those of the crawl that exists", n, m)
	}
}

func TestVerifyFindsDamagedCrawls(t *testing.T) {
	for name, damage := range map[string]func(*testing.T, *Store) error{
		"revisit": func(t *testing.T, s *Store) error {
			_, err := s.crawls.UpdateOne(t.Context(), byID("c"), bson.D{{Key: "$set", Value: bson.D{{Key: "revisit.every", Value: "soon"}}}})
			return err
		},
		"which has a different _id": func(t *testing.T, s *Store) error {
			_, err := s.crawlPages.UpdateOne(t.Context(), bson.D{}, bson.D{{Key: "$set", Value: bson.D{{Key: "url", Value: "https://b.test/"}}}})
			return err
		},
		"cannot be read": func(t *testing.T, s *Store) error {
			_, err := s.crawlPages.UpdateOne(t.Context(), bson.D{}, bson.D{{Key: "$set", Value: bson.D{{Key: "n", Value: "first"}}}})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := crawled(t)
			if err := damage(t, s); err != nil {
				t.Fatal(err)
			}
			if r, err := s.Verify(t.Context(), nil); err != nil || r.BrokenTotal != 1 || !strings.Contains(r.Broken[0], name) {
				t.Errorf("Verify = %+v, %v", r, err)
			}
		})
	}
}

// A forgotten page has no words in crawls: each of them loses its reading, and keeps that it asked for the page.
func TestForgetRemovesReadings(t *testing.T) {
	s := open(t, Options{})
	fill(t, s)
	const url, kept = "https://news.example/weather", "https://news.example/"
	for _, crawl := range []string{"a", "b"} {
		if err := s.PutCrawl(t.Context(), &plat.Crawl{ID: crawl, State: plat.CrawlRuns}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Ask(t.Context(), []plat.CrawlPage{{Crawl: crawl, N: 1, URL: url}, {Crawl: crawl, N: 2, URL: kept}}); err != nil {
			t.Fatal(err)
		}
		for n, url := range []string{url, kept} {
			if err := s.Answer(t.Context(), &plat.CrawlPage{Crawl: crawl, N: n + 1, URL: url, Visited: now, Outcome: plat.OutcomeNew, Relevance: 0.5, Version: 1, Title: "Gale", Reading: []byte("words")}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := s.Forget(t.Context(), url, storage.Cut{}, false); err != nil {
		t.Fatal(err)
	}
	for _, crawl := range []string{"a", "b"} {
		p, err := s.AskedFor(t.Context(), crawl, url)
		if err != nil || p.Title != "" || len(p.Reading) > 0 || p.Relevance != 0.5 {
			t.Errorf("the forgotten page in the crawl %s: %+v, %v", crawl, p, err)
		}
		p, err = s.AskedFor(t.Context(), crawl, kept)
		if err != nil || p.Title != "Gale" || string(p.Reading) != "words" {
			t.Errorf("a different page in the crawl %s: %+v, %v", crawl, p, err)
		}
	}
}

// Two processes ask for the same pages, and it is not known which pages one of them has stored: each page belongs to one process.
func TestAnInterruptedAskSharesNoPage(t *testing.T) {
	t.Parallel()
	pages := func(n int) (all []plat.CrawlPage) {
		for i := range n {
			all = append(all, plat.CrawlPage{Crawl: "c", N: 2 + i, URL: fmt.Sprintf("https://a.test/%d", 2+i), Score: 0.5, Asked: time.Now()})
		}
		return all
	}
	for _, how := range []failure{refuses, cutBefore, cutAfter, cutHalf, applied, appliedHalf} {
		for theirs := range 5 {
			rs, s, other := behindFailures(t)
			if err := other.PutCrawl(t.Context(), &plat.Crawl{ID: "c", State: plat.CrawlRuns}); err != nil {
				t.Fatal(err)
			}
			var got []string
			met := rs.failOnce("insert", "crawl_pages", how, func() {
				var err error
				if got, err = other.Ask(t.Context(), pages(theirs)); err != nil {
					t.Error(err)
				}
			})
			own, err := s.Ask(t.Context(), pages(4))
			if err != nil || !met() {
				t.Fatalf("Ask = %v, met %v", err, met())
			}
			if all := slices.Sorted(slices.Values(slices.Concat(own, got))); len(all) != 4 || len(slices.Compact(all)) != 4 || !slices.IsSorted(own) {
				t.Errorf("%s: one process has %q, the other %q, want each page once", how, own, got)
			}
		}
	}
}

// A crawl is given up on while the answer of its visit is refused, or not known to be stored: the answer supersedes that.
func TestAnInterruptedAnswerSupersedes(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	for _, how := range []failure{refuses, cutBefore, cutAfter, applied} {
		for theirs, want := range map[plat.Outcome]plat.Outcome{plat.OutcomeTimeout: plat.OutcomeNew, plat.OutcomeUnchanged: ""} {
			rs, s, other := behindFailures(t)
			if err := other.PutCrawl(t.Context(), &plat.Crawl{ID: "c", State: plat.CrawlRuns}); err != nil {
				t.Fatal(err)
			}
			if _, err := other.Ask(t.Context(), []plat.CrawlPage{{Crawl: "c", N: 1, URL: "https://a.test/"}}); err != nil {
				t.Fatal(err)
			}
			answer := func(s *Store, o plat.Outcome) error {
				return s.Answer(t.Context(), &plat.CrawlPage{Crawl: "c", URL: "https://a.test/", Visited: at, Outcome: o})
			}
			met := rs.failOnce("update", "crawl_pages", how, func() {
				if err := answer(other, theirs); err != nil {
					t.Error(err)
				}
			})
			if err := answer(s, plat.OutcomeNew); err != nil || !met() {
				t.Errorf("%s: Answer = %v, met %v", how, err, met())
			}
			if want == "" { // the first that is stored
				if want = theirs; how == cutAfter || how == applied {
					want = plat.OutcomeNew
				}
			}
			if p, err := other.AskedFor(t.Context(), "c", "https://a.test/"); err != nil || p.Outcome != want {
				t.Errorf("%s beside %s: the answer is %+v, %v, want %s", how, theirs, p, err, want)
			}
		}
	}
}

// It is not known whether a crawl was stored, and another process has changed the crawl of this ID since: the call tells of
// the interruption, and claims neither.
func TestAnInterruptedPutOfACrawlThatWasChanged(t *testing.T) {
	t.Parallel()
	for command, was := range map[string]bool{"insert": false, "update": true} {
		rs, s, other := behindFailures(t)
		c := &plat.Crawl{ID: "c", State: plat.CrawlRuns}
		if was {
			if err := other.PutCrawl(t.Context(), c); err != nil {
				t.Fatal(err)
			}
		}
		rev := c.Revision
		met := rs.failOnce(command, "crawls", cutAfter, func() {
			is, err := other.Crawl(t.Context(), "c")
			if err == nil {
				is.Name = "changed"
				err = other.PutCrawl(t.Context(), is)
			}
			if err != nil {
				t.Error(err)
			}
		})
		if err := s.PutCrawl(t.Context(), c); err == nil || errors.Is(err, plat.ErrConflict) || !isUnknown(err) || c.Revision != rev || !met() {
			t.Errorf("%s: PutCrawl = %v, revision %d, met %v", command, err, c.Revision, met())
		}
	}
}
