package crawler

import (
	"context"
	"errors"
	"iter"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"plat/plat"
	"plat/storage"
)

// failsFor fails all calls for one crawl.
type failsFor struct {
	Store
	id string
}

func (f failsFor) Asked(ctx context.Context, id string, after int, readings bool) iter.Seq2[*plat.CrawlPage, error] {
	if id == f.id {
		return func(yield func(*plat.CrawlPage, error) bool) { yield(nil, errors.New("disk on fire")) }
	}
	return f.Store.Asked(ctx, id, after, readings)
}

func TestOneCrawlsErrorStopsNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rng(11)
		w := newWorld(t, newWeb(r, 60))
		named := func(id string) func(*plat.Crawl) { return func(c *plat.Crawl) { c.ID = id } }
		first, bad, good := w.begin(named("aaa")), w.begin(named("bbb")), w.begin(named("ccc"))
		w.edit(bad.ID, func(c *plat.Crawl) { c.Scope = "include=(" + strings.Repeat("长", 3000) })
		defer w.run(w.steerer(failsFor{w.store, first.ID}))()
		defer w.keepWorking(r)()
		w.until("the end of the good one", func() bool { return w.state(good.ID) == plat.CrawlIsDone })
		if c := w.crawl(bad.ID); c.State != plat.CrawlPaused || c.Reason == "" || len([]rune(c.Reason)) > storage.MaxErrorText {
			t.Errorf("a scope that cannot be read: %s, %.100q", c.State, c.Reason)
		}
		if w.state(first.ID) != plat.CrawlRuns {
			t.Errorf("a crawl that cannot be read is %s", w.state(first.ID))
		}
	})
}

// slow takes long to read the pages of one crawl.
type slow struct {
	Store
	id    string
	begun chan struct{} // one for each time
	leave chan struct{}
}

func (s slow) Asked(ctx context.Context, id string, after int, readings bool) iter.Seq2[*plat.CrawlPage, error] {
	if id == s.id && readings {
		s.begun <- struct{}{}
		select {
		case <-s.leave:
		case <-ctx.Done():
		}
	}
	return s.Store.Asked(ctx, id, after, readings)
}

// While a crawl is restored, as after each label, the remaining crawls continue; changes made
// meanwhile take effect afterwards.
func TestOthersGoOnWhileACrawlIsRestored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rng(14)
		w := newWorld(t, newWeb(r, 60))
		named := func(id string) func(*plat.Crawl) { return func(c *plat.Crawl) { c.ID = id } }
		big, other := w.begin(named("aaa")), w.begin(named("bbb"))
		gate := slow{w.store, big.ID, make(chan struct{}, 100), make(chan struct{})}
		defer w.run(w.steerer(gate))()
		defer w.keepWorking(r)()
		<-gate.begun
		time.Sleep(time.Minute)
		if n := len(w.pages(other.ID)); n > 0 {
			t.Errorf("two are restored at once: the second has asked for %d pages", n)
		}
		gate.leave <- struct{}{}
		w.until("some pages of both", func() bool { return len(w.pages(big.ID)) > 5 && len(w.pages(other.ID)) > 5 })
		w.edit(big.ID, func(c *plat.Crawl) { Label(c, time.Now(), PageLabel{seedURL, "no"}) })
		<-gate.begun
		asked := len(w.pages(big.ID))
		w.until("the end of the other", func() bool { return w.state(other.ID) == plat.CrawlIsDone })
		if n := len(w.pages(big.ID)); n != asked || w.state(big.ID) != plat.CrawlRuns {
			t.Errorf("while it was restored it asked for %d pages, and is %s", n-asked, w.state(big.ID))
		}
		w.edit(big.ID, func(c *plat.Crawl) { c.State = plat.CrawlPaused })
		gate.leave <- struct{}{}
		time.Sleep(time.Minute)
		if n := len(w.pages(big.ID)); n != asked {
			t.Errorf("it was stopped while it was restored, and asked for %d pages then", n-asked)
		}
	})
}

func TestTopicsThatCannotBeCompiledPause(t *testing.T) {
	for topic, want := range map[string]string{
		"topics:\n  - id: x\n    description: a\n":                          "no words",
		"topics:\n  - id: x\n    positive:\n      - url: https://a.test/\n": "archive it first",
		"topics: {": "yaml",
	} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, web{})
			crawl := w.begin(func(c *plat.Crawl) { c.Topic = topic })
			stop := w.run(w.steerer(w.store))
			defer stop()
			w.until("the pause", func() bool { return w.state(crawl.ID) != plat.CrawlRuns })
			if c := w.crawl(crawl.ID); c.State != plat.CrawlPaused || !strings.Contains(c.Reason, want) {
				t.Errorf("%q: %s, %q", topic, c.State, c.Reason)
			}
		})
	}
}
