package storagetest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
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
		Tell: []string{"mail", "phone"}, Digest: "daily 08:00", Made: day}
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

func testBehind(t *testing.T, f follower) {
	const url = "https://a.test/"
	history(t, f, url, 1, 2)
	p := NewPage("https://b.test/", 2)
	commit(t, f, p.Next())
	enlist(t, f, plat.Job{URL: "https://c.test/", Due: day})
	paused := subscriptionTo("s4", url)
	paused.Paused = true
	subscribe(t, f, subscriptionTo("s1", url), subscriptionTo("s2", "https://c.test/"), subscriptionTo("s3", "https://d.test/unknown"), paused, subscriptionTo("s5", url))
	behind := func(want string) {
		t.Helper()
		if got := idsOf(t, f.Behind(t.Context(), 0)); got != want {
			t.Errorf("Behind yields %q, want %q", got, want)
		}
	}
	behind("s1 s5")
	if got := idsOf(t, f.Behind(t.Context(), 1)); got != "s1" {
		t.Errorf("Behind yields %q, at most one", got)
	}
	pages := []plat.FollowedPage{pageAt(url, 1, 1, "one"), pageAt("https://b.test/", 2, 1, "two"), pageAt("https://d.test/unknown", 2, 0, "")}
	examined(t, f, examination(t, f, "s5", pages))
	examined(t, f, examination(t, f, "s1", []plat.FollowedPage{pageAt(url, 1, 2, "one")}))
	behind("s5") // of version 2
	for _, s := range collect(t, f.Behind(t.Context(), 9)) {
		if !reflect.DeepEqual(s.Pages, pages) {
			t.Errorf("Behind yields the pages %+v, want %+v with their memories", s.Pages, pages)
		}
	}
	pages[0].Examined = 2
	examined(t, f, examination(t, f, "s5", pages))
	behind("")
	commit(t, f, p.Next())
	behind("s5")
	commit(t, f, NewPage("https://c.test/", 3).Next())
	behind("s2 s5")
}

func testExamined(t *testing.T, f follower) {
	const url = "https://a.test/"
	subscribe(t, f, subscriptionTo("s", url))
	whole, bare := itemOf("s", "i1", 1), plat.Item{ID: "i2", Subscription: "s", Kind: plat.ItemText, Page: url, Version: 1, Seen: day}
	pages := []plat.FollowedPage{pageAt(url, 1, 1, "one"), pageAt("https://a.test/x", 2, 3, strings.Repeat("two", 1000)), pageAt("https://a.test/y", 2, 0, "")}
	e := examination(t, f, "s", pages, whole, bare)
	e.Messages = []plat.Message{messageTo("mail", "s", "m1", 1, "i1", "i2")}
	examined(t, f, e)
	if got := subscription(t, f, "s"); !reflect.DeepEqual(got.Pages, pages) {
		t.Errorf("Pages = %+v, want %+v", got.Pages, pages)
	}
	if got, want := collect(t, f.Items(t.Context(), storage.ItemQuery{})), []*plat.Item{&whole, &bare}; !reflect.DeepEqual(got, want) {
		t.Errorf("Items = %+v, want %+v", got, want)
	}
	counts(t, f, "s", 2, 2, whole.Seen)
	// A different order, one page removed, one added, one with a new memory and one without
	// a memory.
	pages = []plat.FollowedPage{pageAt(url, 1, 2, ""), pageAt("https://a.test/z", 2, 1, "new"), pageAt("https://a.test/x", 2, 4, strings.Repeat("two", 1000))}
	examined(t, f, examination(t, f, "s", pages))
	if got := subscription(t, f, "s"); !reflect.DeepEqual(got.Pages, pages) {
		t.Errorf("Pages = %+v, want %+v", got.Pages, pages)
	}
	clean(t, f)
}

func testExaminedTwice(t *testing.T, f follower) {
	const url = "https://a.test/"
	subscribe(t, f, subscriptionTo("s", url), subscriptionTo("other", url))
	if err := f.PutChannel(t.Context(), &plat.Channel{Name: "mail"}); err != nil {
		t.Fatal(err)
	}
	e := examination(t, f, "s", []plat.FollowedPage{pageAt(url, 1, 1, "")}, itemOf("s", "i1", 1), itemOf("s", "i2", 2), itemOf("s", "i2", 3))
	e.Messages = []plat.Message{messageTo("mail", "s", "m1", 1, "i1"), messageTo("mail", "s", "m2", 2, "i2"), messageTo("mail", "s", "m2", 2, "i2")}
	examined(t, f, e)
	if err := f.Sent(t.Context(), "m1", after(1)); err != nil {
		t.Fatal(err)
	}
	for n := 2; n < 5; n++ {
		e := examination(t, f, "s", []plat.FollowedPage{pageAt(url, 1, n, "")}, itemOf("s", "i1", n), itemOf("s", "i2", n))
		e.Messages = []plat.Message{messageTo("mail", "s", "m1", n, "x"), messageTo("mail", "s", "m2", n, "x")}
		examined(t, f, e)
	}
	counts(t, f, "s", 2, 2, day.Add(2*time.Minute))
	got, err := f.Take(t.Context(), after(9), time.Hour, 9)
	if err != nil || len(got) != 1 || got[0].ID != "m2" || !slices.Equal(got[0].Items, []string{"i2"}) || !got[0].Made.Equal(day.Add(2*time.Minute)) {
		t.Errorf("Take = %+v, %v; want m2 as it was, and not m1, which was sent", got, err)
	}
	clean(t, f)
}

func testExaminedMeanwhile(t *testing.T, f follower) {
	const url = "https://a.test/"
	s := subscriptionTo("s", url)
	subscribe(t, f, s)
	conflict := func(what string, e *storage.Examination) {
		t.Helper()
		was := subscription(t, f, "s")
		if err := f.Examined(t.Context(), e); !errors.Is(err, plat.ErrConflict) {
			t.Errorf("%s: Examined = %v, want plat.ErrConflict", what, err)
		}
		if is := subscription(t, f, "s"); !reflect.DeepEqual(is, was) {
			t.Errorf("%s: it is %+v, want %+v as before", what, is, was)
		}
	}
	first := examination(t, f, "s", []plat.FollowedPage{pageAt(url, 1, 1, "one"), pageAt("https://a.test/x", 2, 1, "")})
	examined(t, f, first)
	conflict("the same again", first)
	second := examination(t, f, "s", []plat.FollowedPage{pageAt(url, 1, 2, "two")})
	delete(second.Was, "https://a.test/x")
	conflict("a page is missing", second)
	second = examination(t, f, "s", []plat.FollowedPage{pageAt(url, 1, 2, "two")})
	second.Was["https://a.test/y"] = 0
	conflict("a page too much", second)
	second = examination(t, f, "s", []plat.FollowedPage{pageAt(url, 1, 2, "two")})
	second.Was[url] = 0
	conflict("another version", second)
	// It was not examined before, so only its pages show its URL and depth.
	late := &storage.Examination{ID: "s", Following: plat.Following{Pages: first.Following.Pages}}
	s.Depth = 1
	subscribe(t, f, s)
	conflict("a lesser depth", late)
	s.Depth, s.URL = 2, "https://b.test/"
	subscribe(t, f, s)
	conflict("another URL", late)
	clean(t, f)
}

func testRead(t *testing.T, f follower) {
	const url = "https://a.test/"
	subscribe(t, f, subscriptionTo("s", url), subscriptionTo("other", url))
	examined(t, f, examination(t, f, "other", []plat.FollowedPage{pageAt(url, 1, 1, "")}, itemOf("other", "o", 5)))
	examined(t, f, examination(t, f, "s", []plat.FollowedPage{pageAt(url, 1, 1, "")}, itemOf("s", "i1", 1), itemOf("s", "i2", 2), itemOf("s", "i3", 3)))
	for _, x := range []struct{ minute, unread int }{{2, 1}, {1, 2}, {0, 3}, {3, 0}, {2, 1}} {
		to := day.Add(time.Duration(x.minute) * time.Minute)
		for range 2 {
			if err := f.Read(t.Context(), "s", to); err != nil {
				t.Fatal(err)
			}
			counts(t, f, "s", 3, x.unread, day.Add(3*time.Minute))
		}
		if got := subscription(t, f, "s").ReadTo; !got.Equal(to) {
			t.Errorf("ReadTo = %s, want %s", got, to)
		}
	}
	// One item that was seen before that time, and one after it.
	examined(t, f, examination(t, f, "s", []plat.FollowedPage{pageAt(url, 1, 2, "")}, itemOf("s", "i0", 0), itemOf("s", "i4", 4)))
	counts(t, f, "s", 5, 2, day.Add(4*time.Minute))
	if err := f.Read(t.Context(), "s", time.Time{}); err != nil { // nothing
		t.Fatal(err)
	}
	counts(t, f, "s", 5, 5, day.Add(4*time.Minute))
	counts(t, f, "other", 1, 1, day.Add(5*time.Minute))
	clean(t, f)
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

func testItems(t *testing.T, f follower, size int) {
	var all []plat.Item
	of := map[string]*plat.Subscription{}
	for i := range 6 {
		s := &plat.Subscription{ID: fmt.Sprintf("s%d", i), URL: fmt.Sprintf("https://a.test/%d", i%3)}
		if i%2 == 0 {
			s.Group = "press"
		}
		if i < 3 {
			s.Tags = []string{"x"}
		}
		subscribe(t, f, s)
		of[s.ID] = s
		var items []plat.Item
		for k := range max(20, size/5) {
			minute := (k*7 + i) % 50 // several have the same time
			items = append(items, itemOf(s.ID, fmt.Sprintf("i%d-%d", k%4, i*1000+k), minute))
		}
		if i != 5 { // this one has no items
			examined(t, f, examination(t, f, s.ID, []plat.FollowedPage{pageAt(s.URL, 1, 1, "")}, items...))
			all = append(all, items...)
		}
	}
	slices.SortFunc(all, func(a, b plat.Item) int { return storage.PlaceOf(&a).Compare(storage.PlaceOf(&b)) })
	minute := func(n int) time.Time { return day.Add(time.Duration(n) * time.Minute) }
	third := storage.PlaceOf(&all[len(all)/3])
	for name, q := range map[string]storage.ItemQuery{
		"all": {Limit: 10_000}, "one": {Of: storage.Which{IDs: []string{"s3"}}}, "group": {Of: storage.Which{Group: "press"}, Limit: 1000}, "tag": {Of: storage.Which{Tag: "x"}, Limit: 7},
		"URL": {Of: storage.Which{URL: "https://a.test/1"}}, "none": {Of: storage.Which{Tag: "y"}}, "empty": {Of: storage.Which{IDs: []string{"s5"}}}, "default limit": {},
		"several":              {Of: storage.Which{Group: "press", Tag: "x"}, Since: minute(10), Until: minute(30), Limit: 1000},
		"since":                {Since: minute(40), Limit: 1000},
		"until":                {Until: minute(10), Limit: 1000},
		"IDs":                  {IDs: []string{all[9].ID, "none", all[3].ID, all[40].ID}},
		"IDs of":               {IDs: []string{all[9].ID, all[3].ID, all[40].ID}, Of: storage.Which{Group: "press"}, Limit: 2},
		"after":                {After: third, Limit: 1000},
		"after of":             {After: third, Of: storage.Which{Tag: "x"}, Until: minute(48), Limit: 30},
		"after, until earlier": {After: third, Until: minute(5), Of: storage.Which{Group: "press"}, Limit: 1000},
		"IDs after":            {After: third, IDs: []string{all[0].ID, all[len(all)-1].ID, third.ID}},
	} {
		matches := func(i *plat.Item) bool {
			s := of[i.Subscription]
			switch {
			case len(q.Of.IDs) > 0 && !slices.Contains(q.Of.IDs, s.ID), q.Of.URL != "" && s.URL != q.Of.URL, q.Of.Group != "" && s.Group != q.Of.Group,
				q.Of.Tag != "" && !slices.Contains(s.Tags, q.Of.Tag), len(q.IDs) > 0 && !slices.Contains(q.IDs, i.ID),
				!q.Since.IsZero() && i.Seen.Before(q.Since), !q.Until.IsZero() && !i.Seen.Before(q.Until),
				q.After.ID != "" && storage.PlaceOf(i).Compare(q.After) <= 0:
				return false
			}
			return true
		}
		var want []string
		for i := range all {
			if matches(&all[i]) && len(want) < q.Most() {
				want = append(want, all[i].ID)
			}
		}
		if got := idsOf(t, f.Items(t.Context(), q)); got != strings.Join(want, " ") {
			t.Errorf("%s: Items yields\n%s, want\n%s", name, got, strings.Join(want, " "))
		}
	}
	// Page by page, and the loop may call any method.
	var got []string
	for q := (storage.ItemQuery{Limit: 9, Of: storage.Which{Tag: "x"}}); ; {
		n := 0
		for i, err := range f.Items(t.Context(), q) {
			if err != nil {
				t.Fatal(err)
			}
			if n == 3 {
				if err := f.Read(t.Context(), i.Subscription, i.Seen); err != nil {
					t.Fatal(err)
				}
			}
			got, q.After = append(got, i.ID), storage.PlaceOf(i)
			n++
		}
		if n < 9 {
			break
		}
	}
	if want := idsOf(t, f.Items(t.Context(), storage.ItemQuery{Limit: 10_000, Of: storage.Which{Tag: "x"}})); strings.Join(got, " ") != want {
		t.Errorf("page by page Items yields\n%s, want\n%s", strings.Join(got, " "), want)
	}
	clean(t, f)
}

func testLimits(t *testing.T, f follower) {
	const url = "https://a.test/"
	subscribe(t, f, &plat.Subscription{ID: "s", URL: url})
	for name, change := range map[string]func(*plat.Subscription){
		"no ID":         func(s *plat.Subscription) { s.ID = "" },
		"ID of a path":  func(s *plat.Subscription) { s.ID = "a/b" },
		"no URL":        func(s *plat.Subscription) { s.URL = "" },
		"long URL":      func(s *plat.Subscription) { s.URL += strings.Repeat("x", storage.MaxItemURL) },
		"long title":    func(s *plat.Subscription) { s.Title = strings.Repeat("x", 1<<20) },
		"many tags":     func(s *plat.Subscription) { s.Tags = slices.Repeat([]string{"tag"}, 10_000) },
		"many blocks":   func(s *plat.Subscription) { s.Blocks = make([]int32, 10_000) },
		"depth":         func(s *plat.Subscription) { s.Depth = -1 },
		"invalid UTF-8": func(s *plat.Subscription) { s.Match = []string{"\xff"} },
	} {
		s := subscriptionTo("new", url)
		change(s)
		if err := f.Subscribe(t.Context(), s); err == nil || len(err.Error()) > 1000 {
			t.Errorf("%s: Subscribe = %v", name, err)
		}
	}
	most := subscriptionTo("new", url)
	most.Title = strings.Repeat("x", storage.MaxSubscription-300)
	subscribe(t, f, most)
	if err := f.Unsubscribe(t.Context(), "new"); err != nil {
		t.Fatal(err)
	}

	for name, change := range map[string]func(*storage.Examination){
		"long title":         func(e *storage.Examination) { e.Items[0].Title = strings.Repeat("语", storage.MaxItemTitle+1) },
		"long excerpt":       func(e *storage.Examination) { e.Items[0].Excerpt = strings.Repeat("语", storage.MaxItemExcerpt+1) },
		"long URL":           func(e *storage.Examination) { e.Items[0].URL = strings.Repeat("x", storage.MaxItemURL+1) },
		"invalid UTF-8":      func(e *storage.Examination) { e.Items[0].Excerpt = "\xff" },
		"no ID":              func(e *storage.Examination) { e.Items[0].ID = "" },
		"long ID":            func(e *storage.Examination) { e.Items[0].ID = strings.Repeat("x", storage.MaxID+1) },
		"no kind":            func(e *storage.Examination) { e.Items[0].Kind = "" },
		"no time":            func(e *storage.Examination) { e.Items[0].Seen = time.Time{} },
		"no page":            func(e *storage.Examination) { e.Items[0].Page = "" },
		"item of another":    func(e *storage.Examination) { e.Items[0].Subscription = "other" },
		"large memory":       func(e *storage.Examination) { e.Following.Pages[0].Memory = make([]byte, storage.MaxPageMemory+1) },
		"page twice":         func(e *storage.Examination) { e.Following.Pages = append(e.Following.Pages, e.Following.Pages[0]) },
		"page without depth": func(e *storage.Examination) { e.Following.Pages[0].Depth = 0 },
		"many pages": func(e *storage.Examination) {
			for i := range storage.MaxPages {
				e.Following.Pages = append(e.Following.Pages, pageAt(fmt.Sprint(url, i), 1, 1, ""))
			}
		},
		"long URLs of pages": func(e *storage.Examination) {
			for i := range storage.MaxPageURLs/10_000 + 1 {
				e.Following.Pages = append(e.Following.Pages, pageAt(fmt.Sprint(url, strings.Repeat("x", 10_000), i), 1, 1, ""))
			}
		},
		"message without channel": func(e *storage.Examination) { e.Messages[0].Channel = "" },
		"message without times":   func(e *storage.Examination) { e.Messages[0].Due = time.Time{} },
		"message of many items": func(e *storage.Examination) {
			e.Messages[0].Items = slices.Repeat([]string{strings.Repeat("x", 100)}, 50_000)
		},
	} {
		e := examination(t, f, "s", []plat.FollowedPage{pageAt(url, 1, 1, "")}, itemOf("s", "i", 1))
		e.Messages = []plat.Message{messageTo("mail", "s", "m", 1, "i")}
		change(e)
		if err := f.Examined(t.Context(), e); err == nil || errors.Is(err, plat.ErrConflict) || len(err.Error()) > 1500 {
			t.Errorf("%s: Examined = %v", name, err)
		}
	}
	if b, err := f.Backlogs(t.Context()); err != nil || len(b) != 0 {
		t.Errorf("Backlogs = %v, %v", b, err)
	}
	if got := idsOf(t, f.Items(t.Context(), storage.ItemQuery{})); got != "" {
		t.Errorf("Items yields %s", got)
	}
	i := itemOf("s", strings.Repeat("x", storage.MaxID), 1)
	i.Title, i.Excerpt, i.URL = strings.Repeat("语", storage.MaxItemTitle), strings.Repeat("语", storage.MaxItemExcerpt), strings.Repeat("x", storage.MaxItemURL)
	page := pageAt(url, 1, 1, strings.Repeat("\x00\xff", storage.MaxPageMemory/2))
	examined(t, f, examination(t, f, "s", []plat.FollowedPage{page}, i))
	if got := collect(t, f.Items(t.Context(), storage.ItemQuery{})); len(got) != 1 || !reflect.DeepEqual(*got[0], i) {
		t.Error("the largest item is not returned as stored")
	}
	if got := subscription(t, f, "s").Pages; len(got) != 1 || !reflect.DeepEqual(got[0], page) {
		t.Error("the largest memory is not returned as stored")
	}
	for name, c := range map[string]*plat.Channel{"no name": {}, "long": {Name: "x", URL: strings.Repeat("x", storage.MaxChannel+1)}, "invalid UTF-8": {Name: "x", URL: "\xff"}} {
		if err := f.PutChannel(t.Context(), c); err == nil {
			t.Errorf("%s: PutChannel succeeds", name)
		}
	}
	if err := f.Post(t.Context(), []plat.Message{messageTo("mail", "s", "m", 1), messageTo("mail", "s/", "m2", 1)}); err == nil {
		t.Error("Post of a message of an invalid subscription succeeds")
	}
}

// TogetherFollowed checks that processes which examine, read and subscribe concurrently do not
// lose data. a and b are the same empty archive, opened by two processes.
func TogetherFollowed(t *testing.T, a, b storage.Store) {
	const url, rounds = "https://a.test/", 8
	first := followerOf(t, a)
	subscribe(t, first, subscriptionTo("s", url))
	var all sync.WaitGroup
	for k, s := range []storage.Store{a, b, a} {
		f := followerOf(t, s)
		all.Go(func() {
			for done := 0; done < rounds; {
				was, err := f.Subscription(t.Context(), "s")
				if err != nil {
					t.Error(err)
					return
				}
				n := 0
				e := &storage.Examination{ID: "s", Was: map[string]int{}}
				for _, p := range was.Pages {
					e.Was[p.URL], n = p.Examined, p.Examined
					if string(p.Memory) != fmt.Sprint("memory ", n) {
						t.Errorf("the memory of version %d is %q", n, p.Memory)
					}
				}
				e.Following.Pages = []plat.FollowedPage{pageAt(url, 1, n+1, fmt.Sprint("memory ", n+1))}
				e.Items = []plat.Item{itemOf("s", fmt.Sprint("version-", n+1), n+1), itemOf("s", fmt.Sprintf("of-%d-%d", k, done), 100+n)}
				e.Messages = []plat.Message{messageTo("mail", "s", fmt.Sprint("m", n+1), n+1)}
				switch err := f.Examined(t.Context(), e); {
				case err == nil:
					done++
				case !errors.Is(err, plat.ErrConflict):
					t.Error(err)
					return
				}
			}
		})
	}
	for i, s := range []storage.Store{a, b} {
		f := followerOf(t, s)
		all.Go(func() {
			for k := range rounds {
				if err := f.Read(t.Context(), "s", day.Add(time.Duration(k)*time.Minute)); err != nil {
					t.Error(err)
				}
				sub := subscriptionTo("s", url)
				sub.Title = fmt.Sprint(i, k)
				if err := f.Subscribe(t.Context(), sub); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if t.Failed() {
		return
	}
	got := subscription(t, first, "s")
	items := collect(t, first.Items(t.Context(), storage.ItemQuery{Limit: 10_000}))
	have := map[string]bool{}
	unread := 0
	for _, i := range items {
		have[i.ID] = true
		if i.Seen.After(got.ReadTo) {
			unread++
		}
	}
	for n := range 3 * rounds {
		if id := fmt.Sprint("version-", n+1); !have[id] {
			t.Errorf("the item %s is lost", id)
		}
	}
	if len(got.Pages) != 1 || got.Pages[0].Examined != 3*rounds || got.Items != len(items) || got.Items != 6*rounds || got.Unread != unread || !got.Latest.Equal(items[0].Seen) {
		t.Errorf("it is %+v; there are %d items, %d unread, want %d", got.Following, len(items), unread, 6*rounds)
	}
	if b, err := first.Backlogs(t.Context()); err != nil || b["mail"].Messages != 3*rounds {
		t.Errorf("Backlogs = %v, %v", b, err)
	}
	clean(t, first)
}

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
