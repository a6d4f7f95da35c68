package storagetest

import (
	"context"
	"errors"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"plat/plat"
	"plat/storage"
)

// The crash cases of subscriptions: an examination with everything, then the removal.

func readyToExamine(t testing.TB, s storage.Store) string {
	f := followerOf(t, s)
	subscribe(t, f, subscriptionTo("s", "https://a.test/"))
	commit(t, f, NewPage("https://a.test/", 1).Next())
	if err := f.PutChannel(t.Context(), &plat.Channel{Name: "mail"}); err != nil {
		t.Fatal(err)
	}
	first := examination(t, f, "s", []plat.FollowedPage{pageAt("https://a.test/", 1, 0, "none"), pageAt("https://a.test/x", 2, 7, "gone soon")}, itemOf("s", "i1", 1))
	first.Messages = []plat.Message{messageTo("mail", "s", "m1", 1, "i1")}
	examined(t, f, first)
	if err := f.Read(t.Context(), "s", day.Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	return ""
}

// examineDoomed stores an examination that was made in the state of readyToExamine.
func examineDoomed(ctx context.Context, s storage.Store) error {
	e := &storage.Examination{ID: "s", Was: map[string]int{"https://a.test/": 0, "https://a.test/x": 7},
		Following: plat.Following{Pages: []plat.FollowedPage{pageAt("https://a.test/", 1, 1, "one"), pageAt("https://a.test/y", 2, 0, "two")}, Since: day},
		Items:     []plat.Item{itemOf("s", "i1", 1), itemOf("s", "i2", 2), itemOf("s", "i3", 3)},
		Messages:  []plat.Message{messageTo("mail", "s", "m1", 1, "i1"), messageTo("mail", "s", "m2", 2, "i2", "i3")}}
	return s.(storage.Subscriptions).Examined(ctx, e)
}

func afterExamine(t testing.TB, s storage.Store, _ string) {
	f := followerOf(t, s)
	clean(t, f)
	got := subscription(t, f, "s") // all memories exist
	behind := idsOf(t, f.Behind(t.Context(), 0))
	switch old := len(got.Pages) == 2 && got.Pages[1].URL == "https://a.test/x"; {
	case old && behind != "s":
		t.Error("an interrupted examination is not repeated")
	case old && (string(got.Pages[0].Memory) != "none" || got.Items != 1 || got.Unread != 0):
		t.Errorf("the interrupted examination left %+v", got.Following)
	case !old && behind != "":
		t.Errorf("Behind yields %q", behind)
	}
	if err := examineDoomed(t.Context(), s); err != nil && !errors.Is(err, plat.ErrConflict) {
		t.Fatal(err)
	}
	got = subscription(t, f, "s")
	if want := []plat.FollowedPage{pageAt("https://a.test/", 1, 1, "one"), pageAt("https://a.test/y", 2, 0, "two")}; !reflect.DeepEqual(got.Pages, want) {
		t.Errorf("Pages = %+v, want %+v", got.Pages, want)
	}
	counts(t, f, "s", 3, 2, day.Add(3*time.Minute))
	if ids := idsOf(t, f.Items(t.Context(), storage.ItemQuery{})); ids != "i3 i2 i1" {
		t.Errorf("Items yields %q", ids)
	}
	drained(t, f, "m1", "m2")
	clean(t, f)
}

// unsubscribeDoomed removes the subscription of readyToExamine.
func unsubscribeDoomed(ctx context.Context, s storage.Store) error {
	return s.(storage.Subscriptions).Unsubscribe(ctx, "s")
}

func afterUnsubscribe(t testing.TB, s storage.Store, _ string) {
	f := followerOf(t, s)
	clean(t, f)
	if err := unsubscribeDoomed(t.Context(), s); err != nil && !errors.Is(err, plat.ErrNotFound) {
		t.Fatal(err)
	}
	if got := idsOf(t, f.Subscriptions(t.Context(), storage.Which{})) + idsOf(t, f.Items(t.Context(), storage.ItemQuery{})); got != "" {
		t.Errorf("there are still %q", got)
	}
	drained(t, f)
	subscribe(t, f, subscriptionTo("s", "https://a.test/"))
	if got := subscription(t, f, "s"); !reflect.DeepEqual(got.Following, plat.Following{}) {
		t.Errorf("Following = %+v", got.Following)
	}
	clean(t, f)
}

// sendDoomed takes the first message, sends it, and takes the next.
func sendDoomed(ctx context.Context, s storage.Store) error {
	f := s.(storage.Outbox)
	if err := f.Post(ctx, []plat.Message{messageTo("mail", "s", "m0", 0), messageTo("mail", "s", "m2", 2)}); err != nil {
		return err
	}
	got, err := f.Take(ctx, after(1), time.Minute, 9)
	for i := range got {
		if err == nil {
			err = f.Sent(ctx, got[i].ID, after(1))
		}
	}
	return err
}

func afterSend(t testing.TB, s storage.Store, _ string) {
	f := followerOf(t, s)
	clean(t, f)
	if err := sendDoomed(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	// m0 is not taken again if it was sent. Otherwise it may still be claimed.
	ids := emptied(t, f, after(5), 5)
	if all := strings.Join(ids, " "); !strings.HasSuffix("m0 m1 m2", all) || !strings.HasSuffix(all, "m2") {
		t.Errorf("taken are %q, want the rest of m0 m1 m2", all)
	}
	if err := f.Post(t.Context(), []plat.Message{messageTo("mail", "s", "m0", 0), messageTo("mail", "s", "m1", 0), messageTo("mail", "s", "m2", 2)}); err != nil {
		t.Fatal(err)
	}
	drained(t, f)
	clean(t, f)
}

// emptied takes and settles messages, one each hour, until the outbox is empty or most were
// taken, and returns their IDs.
func emptied(t testing.TB, f follower, now time.Time, most int) (ids []string) {
	t.Helper()
	for ; len(ids) < most; now = now.Add(time.Hour) {
		got, err := f.Take(t.Context(), now, time.Minute, 9)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) == 0 {
			break
		}
		for _, m := range got {
			ids = append(ids, m.ID)
			if err := f.Sent(t.Context(), m.ID, now); err != nil {
				t.Fatal(err)
			}
		}
	}
	return ids
}

// drained takes and settles all messages, and requires these IDs in order.
func drained(t testing.TB, f follower, want ...string) {
	t.Helper()
	ids := emptied(t, f, day.Add(1000*time.Hour), math.MaxInt)
	if !slices.Equal(ids, want) {
		t.Errorf("messages %q were stored, want %q", ids, want)
	}
	if b, err := f.Backlogs(t.Context()); err != nil || len(slices.Collect(maps.Keys(b))) != 0 {
		t.Errorf("Backlogs = %v, %v", b, err)
	}
}
