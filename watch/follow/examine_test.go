package follow_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"plat/fixtures"
	"plat/plat"
	"plat/segment/label"
	"plat/storage"
	"plat/storage/sqlite/sqlitetest"
	"plat/watch/follow"
	"plat/workers"
)

// snapshots renders stored pages, in order.
type snapshots []*plat.Snapshot

func (s *snapshots) Render(_ context.Context, u string, _ func(*plat.Snapshot) plat.Attachments) (*plat.Snapshot, error) {
	next := *(*s)[0]
	*s = (*s)[1:]
	next.URL, next.FinalURL, next.Status = u, u, 200
	return &next, nil
}

// Examining several versions at once gives the same items as examining each when it is stored.
func TestVersionsExaminedAtOnceHaveTheirOwnItems(t *testing.T) {
	const u = "http://news.test/"
	describer, err := label.New(label.Options{})
	if err != nil {
		t.Fatal(err)
	}
	found := func(eachTime bool) (items []string) {
		store := sqlitetest.Open(t)
		begin := time.Date(2026, 1, 1, 8, 0, 0, 0, time.UTC)
		s := &plat.Subscription{ID: "a", URL: u, Kinds: []plat.ItemKind{plat.ItemNew, plat.ItemRemoved}, Made: begin.Add(-time.Hour)}
		if err := store.Subscribe(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		follower := &follow.Follower{Store: store, Log: slog.New(slog.DiscardHandler)}
		var pages snapshots
		for day, name := range []string{"site-1", "site-2"} {
			p := fixtures.Snapshot(t, name)
			p.Taken = begin.AddDate(0, 0, day)
			pages = append(pages, p)
		}
		w := workers.New(&pages, store, describer, workers.Options{})
		for i := range 2 {
			if _, err := w.Visit(t.Context(), plat.Job{URL: u}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(2 * time.Millisecond) // visits within one millisecond count as one
			if eachTime || i == 1 {
				if _, err := follower.Once(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
		}
		for it, err := range store.Items(t.Context(), storage.ItemQuery{}) {
			if err != nil {
				t.Fatal(err)
			}
			items = append(items, fmt.Sprint(it.ID, " ", it.Kind, " ", it.Title))
		}
		return items
	}
	each, atOnce := found(true), found(false)
	if !slices.Equal(each, atOnce) || len(each) != 13 {
		t.Errorf("one by one they are %d\n%q,\nat once %d\n%q", len(each), each, len(atOnce), atOnce)
	}
}
