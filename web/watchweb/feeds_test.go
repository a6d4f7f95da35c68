package watchweb_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mmcdole/gofeed"

	"plat/plat"
	"plat/storage/sqlite/sqlitetest"
	"plat/watch/feed"
	"plat/watch/feed/feedtest"
	"plat/watch/opml"
	"plat/web"
)

func readFeed(t *testing.T, h http.Handler, target string) *gofeed.Feed {
	t.Helper()
	w := ask(h, "GET", target, "")
	if w.Code != 200 {
		t.Fatalf("%s = %d %.300s", target, w.Code, w.Body)
	}
	return feedtest.Parse(t, w.Body.Bytes())
}

func TestFeedsHaveTheItemsOfASelectionInAllFormats(t *testing.T) {
	s := serve(news(t))
	for query, want := range map[string]int{"": 50, "?limit=500": 65, "?id=a&limit=60": 60, "?id=b": 5, "?tag=work&limit=3": 3, "?group=Papers&limit=100": 60, "?tag=none": 0} {
		atom := readFeed(t, s, "/watch/feed.atom"+query)
		if len(atom.Items) != want || atom.FeedLink != origin+"/watch/feed.atom"+sortedQuery(query) {
			t.Errorf("%s has %d items, %s; want %d", query, len(atom.Items), atom.FeedLink, want)
		}
		for _, format := range []string{"rss", "json"} {
			other := readFeed(t, s, "/watch/feed."+format+query)
			if len(other.Items) != want || other.Title != atom.Title || other.Link != atom.Link {
				t.Fatalf("%s%s has %d items, %q", format, query, len(other.Items), other.Title)
			}
			for i, it := range other.Items {
				if a := atom.Items[i]; it.GUID != a.GUID || it.Title != a.Title || it.Link != a.Link {
					t.Errorf("%s has another item %d: %v, %v", format, i, it, a)
				}
			}
		}
	}
	first := readFeed(t, s, "/watch/feed.atom?id=a").Items[0]
	if first.GUID != feed.URN("item", "a-0059") || first.Link != "https://a.test/59" || first.Title != "Item 59 of a" || !slices.Equal(first.Categories, []string{"work"}) {
		t.Errorf("the first item is %+v", first)
	}
	for query, code := range map[string]int{"?id=none": 404, "?limit=0": 400, "?url=x": 400} {
		if w := ask(s, "GET", "/watch/feed.rss"+query, ""); w.Code != code || w.Header().Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %d %v", query, w.Code, w.Header())
		}
	}
}

func sortedQuery(query string) string {
	q, _ := url.ParseQuery(strings.TrimPrefix(query, "?"))
	if len(q) == 0 {
		return ""
	}
	return "?" + q.Encode()
}

// A feed is sent again only when its items or displayed settings change.
func TestAFeedIsSentWhenItIsAnother(t *testing.T) {
	store := news(t)
	s := serve(store)
	for _, target := range []string{"/watch/feed.atom", "/watch/feed.rss?tag=work", "/watch/feed.json?id=a", "/watch/digest.atom?period=daily&tag=work"} {
		tag := ""
		is := func(why string, code int) {
			t.Helper()
			w := ask(s, "GET", target, "", "If-None-Match", tag)
			if w.Code != code || w.Code == 304 && w.Body.Len() > 0 || w.Header().Get("ETag") == "" {
				t.Errorf("%s, %s: %d with %d bytes", target, why, w.Code, w.Body.Len())
			}
			if code == 200 {
				tag = w.Header().Get("ETag")
				if modified := w.Header().Get("Last-Modified"); modified == "" {
					t.Errorf("%s has no Last-Modified", target)
				} else if w := ask(s, "GET", target, "", "If-Modified-Since", modified); w.Code != 304 {
					t.Errorf("%s since %s: %d", target, modified, w.Code)
				}
			}
		}
		is("the first time", 200)
		is("unchanged", 304)
		n := len(items(t, s))
		find(t, store, "a", "", item("a", 100+n))
		is("with an item", 200)
		is("unchanged", 304)
		find(t, store, "a", "") // a look without news
		is("unchanged", 304)
		sub, err := store.Subscription(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		sub.Title += "!"
		if err := store.Subscribe(t.Context(), &sub.Subscription); err != nil {
			t.Fatal(err)
		}
		is("with another title", 200)
		is("unchanged", 304)
	}
}

// items are all items.
func items(t *testing.T, s http.Handler) []*gofeed.Item {
	return readFeed(t, s, "/watch/feed.atom?limit=500").Items
}

func TestPrivateFeedsAreReadWithTheirToken(t *testing.T) {
	const token = "a token of some length"
	s := web.New(web.Options{Store: news(t), Token: token})
	for _, path := range []string{"/watch/feed.atom?id=a", "/watch/digest.rss?period=daily", "/watch/opml?tag=work"} {
		if w := ask(s, "GET", path, ""); w.Code != 401 {
			t.Errorf("%s without a token: %d", path, w.Code)
		}
		w := ask(s, "GET", path+"&token="+url.QueryEscape(token), "")
		if w.Code != 200 || strings.Contains(w.Body.String(), "token") {
			t.Errorf("%s with its token: %d %.300s", path, w.Code, w.Body)
		}
		if w := ask(s, "GET", path+"&token=another", ""); w.Code != 401 {
			t.Errorf("%s with another token: %d", path, w.Code)
		}
	}
	for _, path := range []string{"/watch", "/watch/items", "/watch/a", "/api/v1/watch"} {
		if w := ask(s, "GET", path+"?token="+url.QueryEscape(token), ""); w.Code != 401 {
			t.Errorf("%s with the token in its address: %d", path, w.Code)
		}
	}
}

func TestAFeedOfDigestsHasOneOfEachPeriodWithItems(t *testing.T) {
	store := sqlitetest.Open(t)
	now := time.Now().UTC()
	var found []plat.Item
	for _, ago := range []int{1, 2, 2, 5, 90} {
		it := item("a", len(found))
		it.Seen = now.Add(-time.Duration(24*ago) * time.Hour).Truncate(time.Hour)
		found = append(found, it)
	}
	subscribe(t, store, plat.Subscription{ID: "a", URL: "https://a.test/", Title: "The Notice"}, found...)
	s := serve(store)
	atom := readFeed(t, s, "/watch/digest.atom?period=daily&limit=30")
	var titles []string
	for _, it := range atom.Items {
		titles = append(titles, it.Title)
	}
	if want := []string{"Daily digest: 1 new on 1 page", "Daily digest: 2 new on 1 page", "Daily digest: 1 new on 1 page"}; !slices.Equal(titles, want) {
		t.Errorf("the digests are %q", titles)
	}
	at, err := url.Parse(atom.Items[1].Link)
	if err != nil {
		t.Fatal(err)
	}
	shows(t, get(s, at.RequestURI()).Body.String(), "2 new on 1 page", "Item 1 of a", "Item 2 of a")
}

func TestTheListOfFeedsIsReadAgain(t *testing.T) {
	w := ask(serve(news(t)), "GET", "/watch/opml", "")
	if w.Code != 200 || w.Header().Get("Content-Type") != "text/x-opml; charset=utf-8" {
		t.Fatalf("%d %v", w.Code, w.Header())
	}
	d, err := opml.Read(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Outlines) != 2 || d.Outlines[0].Title != "Papers" || d.Outlines[0].Outlines[0].Feed != origin+"/watch/feed.atom?id=a" || d.Outlines[1].Page != "https://b.test/" {
		t.Errorf("the list is %+v", d.Outlines)
	}
}

// However long items are, a feed is not longer than readers take.
func TestAFeedHasItsLimit(t *testing.T) {
	store := sqlitetest.Open(t)
	var found []plat.Item
	for n := range 500 {
		it := item("a", n)
		it.Excerpt = strings.Repeat("<&\u0301", 3000)
		it.Title = fmt.Sprint(n, strings.Repeat("<b>", 300))
		found = append(found, it)
	}
	subscribe(t, store, plat.Subscription{ID: "a", URL: "https://a.test/"}, found...)
	for _, format := range []string{"atom", "rss", "json"} {
		w := ask(serve(store), "GET", "/watch/feed."+format+"?limit=500", "")
		if w.Code != 200 || w.Body.Len() > feed.MaxBytes || w.Body.Len() < feed.MaxBytes/4 {
			t.Errorf("%s: %d with %d bytes", format, w.Code, w.Body.Len())
		}
	}
}
