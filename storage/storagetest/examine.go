package storagetest

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"plat/plat"
	"plat/storage"
)

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
