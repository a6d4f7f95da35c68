package mongo

import (
	"errors"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"plat/plat"
	"plat/storage"
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
