package storagetest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"

	"plat/plat"
	"plat/storage"
)

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
	c, err := s.Crawl(ctx, "c")
	if err == nil && c.State != plat.CrawlRuns {
		c.State = plat.CrawlRuns
		err = s.PutCrawl(ctx, c)
	}
	if err != nil {
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
	was, err := s.Crawl(t.Context(), "c")
	if err != nil {
		t.Fatal(err)
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
		is, err := s.Crawl(t.Context(), "c")
		if err != nil || (is.Revision == was.Revision) != (was.State == plat.CrawlRuns) {
			t.Errorf("Crawl = %+v after %+v, %v", is, was, err)
		}
		want := crawlOf("c")
		want.Revision, want.State = is.Revision, plat.CrawlRuns
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
