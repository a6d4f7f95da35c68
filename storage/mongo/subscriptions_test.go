package mongo

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"plat/plat"
	"plat/storage"
)

// followed returns a store with a subscription to a page.
func followed(t *testing.T) *Store {
	t.Helper()
	s := open(t, Options{})
	const url = "https://a.test/"
	seen := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	err := errors.Join(s.Subscribe(t.Context(), &plat.Subscription{ID: "s", URL: url}),
		s.Examined(t.Context(), &storage.Examination{ID: "s", Following: plat.Following{Pages: []plat.FollowedPage{{URL: url, Depth: 1, Examined: 1, Memory: []byte("memory")}}},
			Items:    []plat.Item{{ID: "i", Subscription: "s", Kind: plat.ItemNew, Page: url, Version: 1, Seen: seen}},
			Messages: []plat.Message{{ID: "m", Channel: "mail", Subscription: "s", Made: seen, Due: seen}}}))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func count(t *testing.T, c *mongo.Collection) int64 {
	t.Helper()
	n, err := c.CountDocuments(t.Context(), bson.D{})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// An interrupted examination leaves unreferenced memories.
func TestGCRemovesOnlyOldMemoriesThatNothingRefersTo(t *testing.T) {
	s := followed(t)
	now := time.Now()
	for id, written := range map[string]time.Time{"old:1": now.Add(-2 * time.Hour), "new:1": now} {
		if _, err := s.memories.InsertOne(t.Context(), memoryDoc{ID: id, Subscription: "s", Data: []byte("x"), Written: written}); err != nil {
			t.Fatal(err)
		}
	}
	for _, x := range []struct {
		before time.Duration
		left   int64
	}{{-3 * time.Hour, 3}, {-time.Hour, 2}, {time.Hour, 1}} {
		if _, err := s.GC(t.Context(), now.Add(x.before)); err != nil {
			t.Fatal(err)
		}
		if sub, err := s.Subscription(t.Context(), "s"); err != nil || string(sub.Pages[0].Memory) != "memory" {
			t.Fatalf("after GC: %+v, %v", sub, err)
		}
		if n := count(t, s.memories); n != x.left {
			t.Errorf("%d memories are left, want %d", n, x.left)
		}
	}
}

// An interrupted removal is hidden, and the next call completes it.
func TestASubscriptionThatIsGoneIsNotFound(t *testing.T) {
	for name, next := range map[string]func(*Store) error{
		"Unsubscribe": func(s *Store) error { return s.Unsubscribe(t.Context(), "s") },
		"GC": func(s *Store) error {
			_, err := s.GC(t.Context(), time.Now())
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := followed(t)
			if _, err := s.subscriptions.UpdateOne(t.Context(), bson.D{{Key: "_id", Value: "s"}}, bson.D{{Key: "$set", Value: bson.D{{Key: "gone", Value: true}}}}); err != nil {
				t.Fatal(err)
			}
			_, err := s.Subscription(t.Context(), "s")
			for what, err := range map[string]error{"Subscription": err, "Read": s.Read(t.Context(), "s", time.Now()), "Examined": s.Examined(t.Context(), &storage.Examination{ID: "s"})} {
				if !errors.Is(err, plat.ErrNotFound) {
					t.Errorf("%s = %v", what, err)
				}
			}
			for sub, err := range s.Subscriptions(t.Context(), storage.Which{}) {
				t.Errorf("Subscriptions yields %+v, %v", sub, err)
			}
			if err := next(s); err != nil {
				t.Fatal(err)
			}
			for _, c := range []*mongo.Collection{s.subscriptions, s.memories, s.items, s.messages} {
				if n := count(t, c); n != 0 {
					t.Errorf("%d documents of %s are left", n, c.Name())
				}
			}
		})
	}
}

func TestVerifyFindsAMissingMemory(t *testing.T) {
	s := followed(t)
	if _, err := s.memories.DeleteMany(t.Context(), bson.D{}); err != nil {
		t.Fatal(err)
	}
	if r, err := s.Verify(t.Context(), nil); err != nil || r.BrokenTotal != 1 || !strings.Contains(r.Broken[0], "the memory of a page is missing") {
		t.Errorf("Verify = %+v, %v", r, err)
	}
}

// A message that a second process has stored again after it was sent is not taken.
func TestAMessageThatWasSentIsNotTaken(t *testing.T) {
	s := followed(t)
	if err := s.PutChannel(t.Context(), &plat.Channel{Name: "mail"}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.sent.InsertOne(t.Context(), sentDoc{"m", time.Now()}); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Take(t.Context(), time.Now(), time.Minute, 9); err != nil || len(got) != 0 {
		t.Errorf("Take = %+v, %v", got, err)
	}
	if n := count(t, s.messages); n != 0 {
		t.Errorf("%d messages are left", n)
	}
}

// Items of more subscriptions than the server merges are in order too, page by page.
func TestItemsOfManySubscriptions(t *testing.T) {
	s := open(t, Options{})
	var subs, items []any
	for i := range maxMerged + 1 {
		subs = append(subs, subscriptionDoc{ID: fmt.Sprintf("s%04d", i), Rev: 1, URL: "https://a.test/", Tags: []string{"all"}})
	}
	seen := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i, of := range []string{"s0000", "s1000", "other", "s0500"} {
		items = append(items, itemDoc{ID: fmt.Sprintf("i%d", i), Subscription: of, Kind: string(plat.ItemNew), Page: "https://a.test/", Version: 1, Seen: seen.Add(time.Duration(i) * time.Hour)})
	}
	if err := errors.Join(s.insertNew(t.Context(), s.subscriptions, subs), s.insertNew(t.Context(), s.items, items)); err != nil {
		t.Fatal(err)
	}
	read := func(q storage.ItemQuery) (ids []string) {
		t.Helper()
		q.Of = storage.Which{Tag: "all"}
		for i, err := range s.Items(t.Context(), q) {
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, i.ID)
		}
		return ids
	}
	for want, q := range map[string]storage.ItemQuery{
		"i3 i1 i0": {},
		"i3":       {Limit: 1},
		"i1 i0":    {After: storage.ItemPlace{Seen: seen.Add(3 * time.Hour), ID: "i3"}},
		"i1":       {IDs: []string{"i2", "i1", "i1", "none"}},
	} {
		if got := strings.Join(read(q), " "); got != want {
			t.Errorf("items of %+v: %s, want %s", q, got, want)
		}
	}
}

// examinationOf is the first examination of the subscription s, by a name.
func examinationOf(name string) *storage.Examination {
	return &storage.Examination{ID: "s", Following: plat.Following{Pages: []plat.FollowedPage{{URL: "https://a.test/", Depth: 1, Examined: 1, Memory: []byte(name)}}},
		Items: []plat.Item{{ID: "i " + name, Subscription: "s", Kind: plat.ItemNew, Page: "https://a.test/", Version: 1, Seen: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}}}
}

// A subscription is changed while it is not known whether a change of it is stored: both changes are there.
func TestAnInterruptedChangeOfASubscription(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		do   func(s *Store) error
		done func(s *storage.Subscribed) bool
	}{
		"Read": {func(s *Store) error { return s.Read(t.Context(), "s", at) }, func(s *storage.Subscribed) bool { return s.ReadTo.Equal(at) }},
		"Subscribe": {func(s *Store) error {
			return s.Subscribe(t.Context(), &plat.Subscription{ID: "s", URL: "https://a.test/", Group: "mine"})
		}, func(s *storage.Subscribed) bool { return s.Group == "mine" }},
		"Subscribe to another page": {func(s *Store) error {
			return s.Subscribe(t.Context(), &plat.Subscription{ID: "s", URL: "https://b.test/"})
		},
			func(s *storage.Subscribed) bool { return s.URL == "https://b.test/" && len(s.Pages) == 0 }},
	} {
		for _, how := range []failure{refuses, cutBefore, cutAfter, applied} {
			rs, s, other := behindFailures(t)
			if err := errors.Join(other.Subscribe(t.Context(), &plat.Subscription{ID: "s", URL: "https://a.test/"}), other.Examined(t.Context(), examinationOf("first"))); err != nil {
				t.Fatal(err)
			}
			met := rs.failOnce("update", "subscriptions", how, func() {
				if err := other.changeSubscription(t.Context(), "s", func(d *subscriptionDoc, _ bool) error { d.Entries = 7; return nil }); err != nil {
					t.Error(err)
				}
			})
			if err := c.do(s); err != nil || !met() {
				t.Errorf("%s, %s: %v, met %v", name, how, err, met())
			}
			got, err := other.Subscription(t.Context(), "s")
			if err != nil || !c.done(got) || got.Entries != 7 {
				t.Errorf("%s, %s: the subscription is %+v, %v", name, how, got, err)
			} else if n := count(t, other.memories); n != int64(len(got.Pages)) {
				t.Errorf("%s, %s: there are %d memories of %d pages", name, how, n, len(got.Pages))
			}
		}
	}
}

// A subscription is read, or examined, while it is not known whether an examination of it is stored.
func TestAnInterruptedExaminationThatIsFollowed(t *testing.T) {
	t.Parallel()
	read := func(s *Store) error { return s.Read(t.Context(), "s", time.Now()) }
	examine := func(s *Store) error { return s.Examined(t.Context(), examinationOf("theirs")) }
	for _, c := range []struct {
		how    failure
		next   func(s *Store) error
		stored bool
		memory string
	}{
		{cutAfter, read, true, "mine"}, {applied, read, true, "mine"}, {cutBefore, read, true, "mine"}, {refuses, examine, false, "theirs"}, {cutBefore, examine, false, "theirs"},
	} {
		rs, s, other := behindFailures(t)
		if err := other.Subscribe(t.Context(), &plat.Subscription{ID: "s", URL: "https://a.test/"}); err != nil {
			t.Fatal(err)
		}
		met := rs.failOnce("update", "subscriptions", c.how, func() {
			if err := c.next(other); err != nil {
				t.Error(err)
			}
		})
		if err := s.Examined(t.Context(), examinationOf("mine")); c.stored != (err == nil) || !c.stored && !errors.Is(err, plat.ErrConflict) || !met() {
			t.Errorf("%s: Examined = %v, met %v", c.how, err, met())
		}
		got, err := other.Subscription(t.Context(), "s")
		if err != nil || len(got.Pages) != 1 || string(got.Pages[0].Memory) != c.memory {
			t.Errorf("%s: the subscription is %+v, %v", c.how, got, err)
		}
		if n := count(t, other.memories); n != 1 {
			t.Errorf("%s: there are %d memories", c.how, n)
		}
	}
}

// Two processes store a new subscription, and one of them examines it: the other one does not remove what it has found.
func TestSubscribeRemovesNoDataOfASubscription(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"delete", "insert"} {
		rs, s, other := behindFailures(t)
		sub := plat.Subscription{ID: "s", URL: "https://a.test/"}
		theirs := func() {
			if err := errors.Join(other.Subscribe(t.Context(), new(sub)), other.Examined(t.Context(), examinationOf("theirs"))); err != nil {
				t.Error(err)
			}
		}
		done := false
		rs.fail = func(name, _ string) failure {
			if !done && name == command {
				done = true
				theirs()
			}
			return works
		}
		if err := s.Subscribe(t.Context(), new(sub)); err != nil {
			t.Fatal(err)
		}
		if !done { // nothing is deleted
			theirs()
		}
		if got, err := other.Subscription(t.Context(), "s"); err != nil || got.Items != 1 || string(got.Pages[0].Memory) != "theirs" {
			t.Errorf("the subscription is %+v, %v", got, err)
		}
		if n := count(t, other.items); n != 1 {
			t.Errorf("%d items", n)
		}
	}
}

// A subscription, or a crawl, is removed and stored again while it is not known whether it was removed: the new one stays.
func TestAnInterruptedRemovalLeavesWhatIsStoredAgain(t *testing.T) {
	t.Parallel()
	for _, how := range []failure{cutAfter, applied, cutBefore, refuses} {
		rs, s, other := behindFailures(t)
		subscribe := func() error {
			return errors.Join(other.Subscribe(t.Context(), &plat.Subscription{ID: "s", URL: "https://a.test/"}), other.Examined(t.Context(), examinationOf("its")))
		}
		crawl := func() error { return other.PutCrawl(t.Context(), &plat.Crawl{ID: "c", State: plat.CrawlRuns}) }
		if err := errors.Join(subscribe(), crawl()); err != nil {
			t.Fatal(err)
		}
		met := rs.failOnce("update", "subscriptions", how, func() {
			if err := errors.Join(other.Unsubscribe(t.Context(), "s"), subscribe()); err != nil {
				t.Error(err)
			}
		})
		if err := s.Unsubscribe(t.Context(), "s"); err != nil && !isUnknown(err) || !met() {
			t.Errorf("%s: Unsubscribe = %v, met %v", how, err, met())
		}
		if got, err := other.Subscription(t.Context(), "s"); err != nil || got.Items != 1 || count(t, other.items) != 1 {
			t.Errorf("%s: the new subscription is %+v, %v", how, got, err)
		}
		met = rs.failOnce("update", "crawls", how, func() {
			if err := errors.Join(other.RemoveCrawl(t.Context(), "c"), crawl()); err != nil {
				t.Error(err)
			}
		})
		if err := s.RemoveCrawl(t.Context(), "c"); err != nil && !isUnknown(err) || !met() {
			t.Errorf("%s: RemoveCrawl = %v, met %v", how, err, met())
		}
		if _, err := other.Crawl(t.Context(), "c"); err != nil {
			t.Errorf("%s: the new crawl: %v", how, err)
		}
	}
}
