package mongo

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"plat/plat"
	"plat/storage"
	"plat/storage/storagetest"
)

// revertedBy returns the document of an _id as it is now, to be put back as a failover does that reverts what follows.
func revertedBy(t *testing.T, c *mongo.Collection, id string) (revert func()) {
	t.Helper()
	was, err := c.FindOne(t.Context(), byID(id)).Raw()
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		if _, err := c.ReplaceOne(t.Context(), byID(id), was); err != nil {
			t.Error(err)
		}
	}
}

// A process has read a change that a failover then reverts: its own change does not replace the one that was made instead.
func TestARevertedChangeIsNotTheOneThatFollows(t *testing.T) {
	t.Parallel()
	ctx, at := t.Context(), time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	t.Run("of a crawl", func(t *testing.T) {
		s := crawled(t)
		revert := revertedBy(t, s.crawls, "c")
		c, err := s.Crawl(ctx, "c")
		if err != nil {
			t.Fatal(err)
		}
		c.State = plat.CrawlPaused
		if err := s.PutCrawl(ctx, c); err != nil {
			t.Fatal(err)
		}
		seen, err := s.Crawl(ctx, "c")
		if err != nil {
			t.Fatal(err)
		}
		revert()
		c, err = s.Crawl(ctx, "c")
		if err != nil {
			t.Fatal(err)
		}
		c.Labels = []plat.CrawlLabel{{URL: "https://a.test/", Belongs: true, Time: at}}
		if err := s.PutCrawl(ctx, c); err != nil {
			t.Fatal(err)
		}
		seen.State = plat.CrawlIsDone
		if err := s.PutCrawl(ctx, seen); !errors.Is(err, plat.ErrConflict) {
			t.Errorf("PutCrawl = %v, want plat.ErrConflict", err)
		}
		if c, err = s.Crawl(ctx, "c"); err != nil || len(c.Labels) != 1 {
			t.Errorf("the acknowledged label is lost: %+v, %v", c, err)
		}
	})
	t.Run("of a crawl that was removed", func(t *testing.T) {
		s := crawled(t)
		seen, err := s.Crawl(ctx, "c")
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(s.RemoveCrawl(ctx, "c"), s.PutCrawl(ctx, &plat.Crawl{ID: "c", State: plat.CrawlPaused})); err != nil {
			t.Fatal(err)
		}
		if err := s.PutCrawl(ctx, seen); !errors.Is(err, plat.ErrConflict) {
			t.Errorf("PutCrawl = %v, want plat.ErrConflict: it is a different crawl", err)
		}
	})
	t.Run("of a subscription", func(t *testing.T) {
		s := open(t, Options{})
		sub := &plat.Subscription{ID: "s", URL: "https://a.test/", Made: at}
		if err := s.Subscribe(ctx, sub); err != nil {
			t.Fatal(err)
		}
		revert := revertedBy(t, s.subscriptions, "s")
		if err := s.Read(ctx, "s", at); err != nil {
			t.Fatal(err)
		}
		tries := 0
		if err := s.changeSubscription(ctx, "s", func(d *subscriptionDoc, _ bool) error {
			if tries++; tries == 1 {
				revert()
				sub.Title = "of a user"
				if err := s.Subscribe(ctx, sub); err != nil {
					return err
				}
			}
			d.Entries = 3
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Subscription(ctx, "s"); err != nil || got.Title != "of a user" || got.Entries != 3 {
			t.Errorf("the subscription is %+v, %v; the acknowledged title is lost", got, err)
		}
	})
	t.Run("of a page of a crawl", func(t *testing.T) {
		s := crawled(t)
		id := crawlPageID("c", "https://a.test/")
		answer := func(o plat.Outcome) {
			if err := s.Answer(ctx, &plat.CrawlPage{Crawl: "c", URL: "https://a.test/", Visited: at, Outcome: o}); err != nil {
				t.Error(err)
			}
		}
		revert := revertedBy(t, s.crawlPages, id)
		answer(plat.OutcomeTimeout)
		var d crawlPageDoc
		if err := s.crawlPages.FindOne(ctx, byID(id)).Decode(&d); err != nil {
			t.Fatal(err)
		}
		revert()
		answer(plat.OutcomeNew)
		if done, err := s.replace(ctx, s.crawlPages, id, d.Rev, &d); err != nil || done {
			t.Errorf("the answer is replaced by one that was reverted: %v", err)
		}
	})
	t.Run("of a host", func(t *testing.T) {
		s := open(t, Options{})
		enlist := func(url string) {
			if _, err := s.Enlist(ctx, []plat.Job{{URL: url, Due: at, Priority: 0.5}}, storage.IfNew); err != nil {
				t.Fatal(err)
			}
		}
		enlist("https://a.test/1")
		id := hostKey("a.test")
		revert := revertedBy(t, s.hosts, id)
		enlist("https://a.test/2")
		seen, err := s.readHost(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		revert()
		enlist("https://a.test/3")
		if done, err := s.writeHost(ctx, seen, bson.D{{Key: "jobs", Value: seen.Jobs}}, nil); err != nil || done {
			t.Errorf("the counts of a host are replaced by reverted ones: %v", err)
		}
	})
}

// A URL is changed by another process while it is not known whether a change of it is stored: the call answers as if it had
// been known.
func TestAnInterruptedChangeThatIsFollowed(t *testing.T) {
	t.Parallel()
	const url = "https://a.test/"
	ctx, due := t.Context(), time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	enlist := func(s *Store) error {
		_, err := s.Enlist(ctx, []plat.Job{{URL: url, Due: due, Priority: 0.5}}, storage.IfNew)
		return err
	}
	visit := func(s *Store) error {
		return s.Record(ctx, plat.Visit{URL: url, Time: due.Add(time.Minute), Outcome: plat.OutcomeTimeout}, 0)
	}
	settle := func(s *Store) error {
		return s.Record(ctx, plat.Visit{URL: url, Time: due.Add(time.Minute), Outcome: plat.OutcomeUnchanged, Settles: due.Add(time.Hour)}, 0)
	}
	swap := func(was, memory string, want bool) func(s *Store) error {
		return func(s *Store) error {
			if swapped, err := s.SwapMemory(ctx, url, was, memory); err != nil || swapped != want {
				return fmt.Errorf("swapped = %v, %v", swapped, err)
			}
			return nil
		}
	}
	unkept := func(s *Store) error {
		return s.Record(ctx, plat.Visit{URL: url, Time: due, Outcome: plat.OutcomeFetched, Settles: due, Next: due.Add(time.Hour), Unkept: true}, 0)
	}
	giveUp := func(s *Store) error { return s.Defer(ctx, storage.Deferral{URL: url, Due: due, Attempts: 5}) }
	retry := func(s *Store) error {
		return s.Defer(ctx, storage.Deferral{URL: url, Due: due, At: due.Add(time.Hour), Attempts: 1})
	}
	for name, c := range map[string]struct {
		do, next func(s *Store) error
		settled  bool // by a job that is not that of the call
	}{
		"a memory, then a visit":            {swap("", "mine", true), visit, false},
		"a memory, then a job":              {swap("", "mine", true), retry, false},
		"an unkept visit, then a visit":     {unkept, visit, false},
		"an unkept visit, then a memory":    {unkept, swap("", "theirs", true), false},
		"an unkept visit, then a later job": {unkept, settle, true},
		"a dead job, then a visit":          {giveUp, visit, false},
		"a dead job, then a memory":         {giveUp, swap("", "theirs", true), false},
		"a dead job, then a later job":      {giveUp, settle, true},
		"a retry, then a visit":             {retry, visit, false},
	} {
		for _, how := range []failure{cutAfter, applied, cutBefore, refuses} {
			rs, s, other := behindFailures(t)
			if err := enlist(other); err != nil {
				t.Fatal(err)
			}
			met := rs.failOnce("update", "urls", how, func() {
				if err := c.next(other); err != nil {
					t.Errorf("%s: the other process: %v", name, err)
				}
			})
			if err := c.do(s); !met() || err != nil != c.settled || c.settled && !errors.Is(err, plat.ErrSettled) {
				t.Errorf("%s, %s: %v, met %v", name, how, err, met())
			}
			if r, err := other.Verify(ctx, nil); err != nil || r.BrokenTotal > 0 {
				t.Errorf("%s, %s: Verify = %+v, %v", name, how, r, err)
			}
		}
	}
	// A memory that another process has stored is not the own one.
	for _, how := range []failure{cutBefore, refuses} {
		rs, s, other := behindFailures(t)
		if err := enlist(other); err != nil {
			t.Fatal(err)
		}
		met := rs.failOnce("update", "urls", how, func() {
			if err := swap("", "theirs", true)(other); err != nil {
				t.Error(err)
			}
		})
		if err := swap("", "mine", false)(s); err != nil || !met() {
			t.Errorf("%s: %v, met %v", how, err, met())
		}
	}
}

// Forget tells how many versions it has removed, although another process has visited the page before the answer was known.
func TestAnInterruptedForgetTellsWhatItRemoves(t *testing.T) {
	t.Parallel()
	for _, how := range []failure{cutAfter, applied, cutBefore} {
		for cut, want := range map[storage.Cut]int{{KeepLast: 1}: 2, {}: 3} {
			rs, s, other := behindFailures(t)
			p := storagetest.NewPage("https://a.test/", 3)
			var last time.Time
			for range 3 {
				c := p.Next()
				if _, err := other.Commit(t.Context(), c); err != nil {
					t.Fatal(err)
				}
				last = c.Visit.Time
			}
			follow := func() {
				if err := other.Record(t.Context(), plat.Visit{URL: p.URL, Time: last.Add(time.Minute), Outcome: plat.OutcomeTimeout}, 0); err != nil {
					t.Error(err)
				}
			}
			n, write := 0, 2 // a part: the first one outdates the page
			if want == 3 {
				write = 1
			}
			rs.between = follow
			rs.fail = func(name, c string) failure {
				if name == "update" && c == "urls" {
					if n++; n == write {
						if how == cutBefore {
							follow()
						}
						return how
					}
				}
				return works
			}
			out, err := s.Forget(t.Context(), p.URL, cut, false)
			if err != nil || out.Versions != want || n < write {
				t.Errorf("%s: Forget = %+v, %v, want %d versions", how, out, err, want)
			}
			if r, err := other.Verify(t.Context(), nil); err != nil || r.BrokenTotal > 0 {
				t.Errorf("%s: Verify = %+v, %v", how, r, err)
			}
		}
	}
}
