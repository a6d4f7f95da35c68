package storagetest

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"plat/plat"
	"plat/storage"
)

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
