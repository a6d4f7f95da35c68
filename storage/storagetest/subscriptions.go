package storagetest

import (
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"plat/plat"
	"plat/storage"
)

// follower is a store that also stores subscriptions and messages.
type follower interface {
	storage.Store
	storage.Subscriptions
	storage.Outbox
}

func followerOf(t testing.TB, s storage.Store) follower {
	t.Helper()
	f, ok := s.(follower)
	if !ok {
		t.Fatalf("%T keeps no subscriptions", s)
	}
	return f
}

// subscriptionTo returns a subscription with all fields.
func subscriptionTo(id, url string) *plat.Subscription {
	return &plat.Subscription{ID: id, URL: url, Title: "News 新闻", Depth: 2, Blocks: []int32{3, 7}, Muted: []int32{9}, Labels: []plat.Label{plat.LabelMain},
		Kinds: []plat.ItemKind{plat.ItemNew, plat.ItemText}, Match: []string{"storm|gale"}, Except: []string{"sport"}, Group: "press", Tags: []string{"local", "weather"},
		Feeds: []string{"https://a.test/feed.atom"}, Tell: []string{"mail", "phone"}, Digest: "daily 08:00", Made: day}
}

func subscribe(t testing.TB, f follower, all ...*plat.Subscription) {
	t.Helper()
	for _, s := range all {
		if err := f.Subscribe(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
}

func subscription(t testing.TB, f follower, id string) *storage.Subscribed {
	t.Helper()
	s, err := f.Subscription(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// itemOf returns an item seen some minutes after day.
func itemOf(sub, id string, minute int) plat.Item {
	return plat.Item{ID: id, Subscription: sub, Kind: plat.ItemNew, Title: "Title of " + id, URL: "https://a.test/" + id, Excerpt: "Words, 词", Dated: day.Add(-time.Hour),
		Page: "https://a.test/", Version: minute, Lineage: 3, Seen: day.Add(time.Duration(minute) * time.Minute)}
}

func messageTo(channel, sub, id string, minute int, items ...string) plat.Message {
	made := day.Add(time.Duration(minute) * time.Minute)
	return plat.Message{ID: id, Channel: channel, Subscription: sub, Items: items, Made: made, Due: made}
}

// pageAt returns a page that was examined up to a version.
func pageAt(url string, depth, n int, memory string) plat.FollowedPage {
	p := plat.FollowedPage{URL: url, Depth: depth, Examined: n}
	if memory != "" {
		p.Memory = []byte(memory)
	}
	return p
}

// examination returns an examination of a subscription in its stored state.
func examination(t testing.TB, f follower, id string, pages []plat.FollowedPage, items ...plat.Item) *storage.Examination {
	t.Helper()
	e := &storage.Examination{ID: id, Was: map[string]int{}, Following: plat.Following{Pages: pages, Since: day, Entries: 5}, Items: items}
	for _, p := range subscription(t, f, id).Pages {
		e.Was[p.URL] = p.Examined
	}
	return e
}

func examined(t testing.TB, f follower, e *storage.Examination) {
	t.Helper()
	if err := f.Examined(t.Context(), e); err != nil {
		t.Fatal(err)
	}
}

// idsOf returns the IDs of a sequence, joined by blanks.
func idsOf[T any](t testing.TB, seq iter.Seq2[*T, error]) string {
	t.Helper()
	var ids []string
	for _, x := range collect(t, seq) {
		switch x := any(x).(type) {
		case *plat.Item:
			ids = append(ids, x.ID)
		case *storage.Subscribed:
			ids = append(ids, x.ID)
		}
	}
	return strings.Join(ids, " ")
}

// counts fails the test if the counts of a subscription's items differ.
func counts(t testing.TB, f follower, id string, items, unread int, latest time.Time) {
	t.Helper()
	for _, s := range append(collect(t, f.Subscriptions(t.Context(), storage.Which{IDs: []string{id}})), subscription(t, f, id)) {
		if s.Items != items || s.Unread != unread || !s.Latest.Equal(latest) {
			t.Errorf("subscription %s has %d items, %d unread, latest %s; want %d, %d, %s", id, s.Items, s.Unread, s.Latest, items, unread, latest)
		}
	}
}

func testSubscriptions(t *testing.T, open func(testing.TB) storage.Store, size int) {
	t.Run("what is not there is ErrNotFound", func(t *testing.T) {
		f := followerOf(t, open(t))
		_, err := f.Subscription(t.Context(), "none")
		for name, err := range map[string]error{
			"Subscription": err,
			"Unsubscribe":  f.Unsubscribe(t.Context(), "none"),
			"Examined":     f.Examined(t.Context(), &storage.Examination{ID: "none"}),
			"Read":         f.Read(t.Context(), "none", day),
		} {
			if !errors.Is(err, plat.ErrNotFound) {
				t.Errorf("%s = %v, want plat.ErrNotFound", name, err)
			}
		}
		if got := idsOf(t, f.Subscriptions(t.Context(), storage.Which{})) + idsOf(t, f.Behind(t.Context(), 0)) + idsOf(t, f.Items(t.Context(), storage.ItemQuery{})); got != "" {
			t.Errorf("an empty store yields %s", got)
		}
	})
	t.Run("a subscription is returned as stored, and replaced by its ID", func(t *testing.T) { testSubscribe(t, followerOf(t, open(t))) })
	t.Run("Following is kept, unless URL or depth change what is followed", func(t *testing.T) { testFollowing(t, followerOf(t, open(t))) })
	t.Run("Unsubscribe removes items and messages, of this subscription only", func(t *testing.T) { testUnsubscribe(t, followerOf(t, open(t))) })
	t.Run("Subscriptions yields those that are selected, by ID, without memories", func(t *testing.T) { testWhich(t, followerOf(t, open(t)), size) })
	t.Run("Behind yields subscriptions of pages with new versions", func(t *testing.T) { testBehind(t, followerOf(t, open(t))) })
	t.Run("Examined stores pages, memories, items and messages", func(t *testing.T) { testExamined(t, followerOf(t, open(t))) })
	t.Run("what is stored already is left as it is, and counts once", func(t *testing.T) { testExaminedTwice(t, followerOf(t, open(t))) })
	t.Run("an examination of what was examined meanwhile is ErrConflict", func(t *testing.T) { testExaminedMeanwhile(t, followerOf(t, open(t))) })
	t.Run("Read counts what is unread, in both directions", func(t *testing.T) { testRead(t, followerOf(t, open(t))) })
	t.Run("Items yields what is selected, latest first", func(t *testing.T) { testItems(t, followerOf(t, open(t)), size) })
	t.Run("what exceeds the limits is refused, and nothing is stored", func(t *testing.T) { testLimits(t, followerOf(t, open(t))) })
	t.Run("gc leaves subscriptions alone", func(t *testing.T) { testSubscriptionsAfterGC(t, followerOf(t, open(t))) })
	t.Run("several at once lose no item", func(t *testing.T) {
		f := followerOf(t, open(t))
		TogetherFollowed(t, f, f)
	})
}

func testSubscribe(t *testing.T, f follower) {
	const url = "https://a.test/"
	want := subscriptionTo("s1", url)
	want.Made = day.Add(300 * time.Microsecond)
	subscribe(t, f, want, &plat.Subscription{ID: "s2", URL: url})
	want.Made = day
	if got := subscription(t, f, "s1"); !reflect.DeepEqual(&got.Subscription, want) || !reflect.DeepEqual(got.Following, plat.Following{}) {
		t.Errorf("Subscription = %+v, want %+v", got, want)
	}
	if got := subscription(t, f, "s2"); !reflect.DeepEqual(got.Subscription, plat.Subscription{ID: "s2", URL: url}) {
		t.Errorf("Subscription = %+v", got)
	}
	want.Title, want.Tags, want.Group, want.Paused = "", []string{"other"}, "", true
	subscribe(t, f, want)
	all := collect(t, f.Subscriptions(t.Context(), storage.Which{}))
	if len(all) != 2 || !reflect.DeepEqual(&all[0].Subscription, want) {
		t.Errorf("Subscriptions = %+v, want %+v first", all, want)
	}
	if got := idsOf(t, f.Subscriptions(t.Context(), storage.Which{Tag: "local"})); got != "" {
		t.Errorf("the tag of before finds %s", got)
	}
	clean(t, f)
}

func testFollowing(t *testing.T, f follower) {
	const url = "https://a.test/"
	s := &plat.Subscription{ID: "s", URL: url}
	subscribe(t, f, s)
	e := examination(t, f, "s", []plat.FollowedPage{pageAt(url, 1, 4, "\x00\xff memory")}, itemOf("s", "i1", 1))
	e.Following.Broken = "challenge"
	e.Following.Items, e.Following.Unread, e.Following.Latest, e.Following.ReadTo = 90, 80, day, day // the store's own
	examined(t, f, e)
	want := plat.Following{Pages: e.Following.Pages, Broken: "challenge", Since: day, Items: 1, Latest: day.Add(time.Minute), Unread: 1, Entries: 5}
	s.Title, s.Depth = "another", 1 // 0 counts as 1
	subscribe(t, f, s)
	if got := subscription(t, f, "s"); !reflect.DeepEqual(got.Following, want) {
		t.Errorf("Following = %+v, want %+v", got.Following, want)
	}
	for _, change := range []func(){func() { s.Depth = 3 }, func() { s.URL = "https://b.test/" }} {
		examined(t, f, examination(t, f, "s", []plat.FollowedPage{pageAt(s.URL, 1, 4, "memory")}))
		change()
		subscribe(t, f, s)
		got := subscription(t, f, "s")
		if len(got.Pages) != 0 || got.Items != 1 || got.Unread != 1 {
			t.Errorf("Following = %+v, want no pages and one item", got.Following)
		}
	}
	// Items that are already stored are not reported again.
	again := itemOf("s", "i1", 9)
	again.Title = "another title"
	examined(t, f, examination(t, f, "s", []plat.FollowedPage{pageAt(s.URL, 1, 9, "")}, again))
	if got := collect(t, f.Items(t.Context(), storage.ItemQuery{})); len(got) != 1 || got[0].Title != "Title of i1" {
		t.Errorf("Items = %+v", got)
	}
	counts(t, f, "s", 1, 1, day.Add(time.Minute))
	clean(t, f)
}

func testUnsubscribe(t *testing.T, f follower) {
	const url = "https://a.test/"
	for _, id := range []string{"s1", "s2"} {
		subscribe(t, f, subscriptionTo(id, url))
		e := examination(t, f, id, []plat.FollowedPage{pageAt(url, 1, 1, "memory")}, itemOf(id, id+"-i", 1))
		e.Messages = []plat.Message{messageTo("mail", id, id+"-m", 1, id+"-i")}
		examined(t, f, e)
	}
	digest := messageTo("mail", "", "digest", 2, "s1-i", "s2-i")
	if err := f.Post(t.Context(), []plat.Message{digest}); err != nil {
		t.Fatal(err)
	}
	if err := f.Unsubscribe(t.Context(), "s1"); err != nil {
		t.Fatal(err)
	}
	if err := f.Unsubscribe(t.Context(), "s1"); !errors.Is(err, plat.ErrNotFound) {
		t.Errorf("Unsubscribe again = %v, want plat.ErrNotFound", err)
	}
	if got := idsOf(t, f.Subscriptions(t.Context(), storage.Which{})); got != "s2" {
		t.Errorf("Subscriptions yields %q", got)
	}
	if got := idsOf(t, f.Items(t.Context(), storage.ItemQuery{})); got != "s2-i" {
		t.Errorf("Items yields %q", got)
	}
	if b, err := f.Backlogs(t.Context()); err != nil || b["mail"].Messages != 2 {
		t.Errorf("Backlogs = %+v, %v; want the message of s2 and the digest", b, err)
	}
	subscribe(t, f, subscriptionTo("s1", url)) // no data of the previous one is left
	if got := subscription(t, f, "s1"); !reflect.DeepEqual(got.Following, plat.Following{}) {
		t.Errorf("Following = %+v", got.Following)
	}
	clean(t, f)
}

func testWhich(t *testing.T, f follower, size int) {
	want := map[string][]string{}
	n := max(300, 2*size) // more than a store reads in one batch
	for i := range n {
		s := &plat.Subscription{ID: fmt.Sprintf("s%04d", (i*7)%n), URL: fmt.Sprintf("https://a.test/%d", i%5), Depth: 2}
		want["all"] = append(want["all"], s.ID)
		if i%3 == 0 {
			s.Group, want["group"] = "press", append(want["group"], s.ID)
		}
		if i%4 == 0 {
			s.Tags, want["tag"] = []string{"x", "y"}, append(want["tag"], s.ID)
		}
		if i%5 == 2 {
			want["url"] = append(want["url"], s.ID)
		}
		if i%3 == 0 && i%4 == 0 && i%5 == 2 {
			want["each"] = append(want["each"], s.ID)
		}
		subscribe(t, f, s)
	}
	examined(t, f, examination(t, f, "s0007", []plat.FollowedPage{pageAt("https://a.test/1", 1, 3, "memory"), pageAt("https://a.test/x", 2, 0, "")}))
	for name, w := range map[string]storage.Which{
		"all": {}, "group": {Group: "press"}, "tag": {Tag: "y"}, "url": {URL: "https://a.test/2"}, "ids": {IDs: []string{"s0009", "none", "s0003"}},
		"each": {Group: "press", Tag: "x", URL: "https://a.test/2", IDs: want["all"]}, "none": {Group: "pres"},
	} {
		want["ids"] = []string{"s0003", "s0009"}
		slices.Sort(want[name])
		if got := idsOf(t, f.Subscriptions(t.Context(), w)); got != strings.Join(want[name], " ") {
			t.Errorf("%s: Subscriptions yields %s, want %s", name, got, want[name])
		}
	}
	for s, err := range f.Subscriptions(t.Context(), storage.Which{IDs: []string{"s0007"}}) { // the loop may call any method
		if pages := []plat.FollowedPage{pageAt("https://a.test/1", 1, 3, ""), pageAt("https://a.test/x", 2, 0, "")}; err != nil || !reflect.DeepEqual(s.Pages, pages) {
			t.Errorf("Subscriptions yields the pages %+v, %v; want %+v", s.Pages, err, pages)
		}
		if err := f.Unsubscribe(t.Context(), s.ID); err != nil {
			t.Error(err)
		}
	}
}

func testSubscriptionsAfterGC(t *testing.T, f follower) {
	const url = "https://a.test/"
	subscribe(t, f, subscriptionTo("s", url))
	pages := []plat.FollowedPage{pageAt(url, 1, 1, "memory")}
	e := examination(t, f, "s", pages, itemOf("s", "i", 1))
	e.Messages = []plat.Message{messageTo("mail", "s", "m", 1, "i")}
	examined(t, f, e)
	was := subscription(t, f, "s")
	if _, err := f.GC(t.Context(), time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if is := subscription(t, f, "s"); !reflect.DeepEqual(is, was) {
		t.Errorf("after GC it is %+v, want %+v", is, was)
	}
	b, err := f.Backlogs(t.Context())
	if got := idsOf(t, f.Items(t.Context(), storage.ItemQuery{})); got != "i" || err != nil || b["mail"].Messages != 1 {
		t.Errorf("after GC there are the items %q and the messages %+v, %v", got, b, err)
	}
	clean(t, f)
}
