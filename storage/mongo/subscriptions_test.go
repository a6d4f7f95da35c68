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
