package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/mmcdole/gofeed"

	"plat/plat"
	"plat/storage/sqlite/sqlitetest"
	"plat/storage/storagetest"
	"plat/watch/feed/feedtest"
	"plat/web/api"
)

// read requests a feed.
func read(t testing.TB, s http.Handler, format string, pairs ...string) *gofeed.Feed {
	t.Helper()
	w := get(s, "GET", "/feed/"+format+param(pairs...))
	if w.Code != 200 {
		t.Fatalf("%v = %d %.300s", pairs, w.Code, w.Body)
	}
	return feedtest.Parse(t, w.Body.Bytes())
}

func TestAllFormatsHaveTheSameItems(t *testing.T) {
	s := New(Options{Store: made(t)})
	atom, rss, json := read(t, s, "atom", "url", long), read(t, s, "rss", "url", long), read(t, s, "json", "url", long)
	if len(atom.Items) != api.DefaultLimit || atom.Title == "" || atom.FeedLink != here+"/feed/atom"+param("url", long) || atom.Link != here+"/url"+param("url", long) {
		t.Fatalf("%d items of %q, %s, %s", len(atom.Items), atom.Title, atom.FeedLink, atom.Link)
	}
	for _, other := range []*gofeed.Feed{rss, json} {
		if len(other.Items) != len(atom.Items) || other.Title != atom.Title || other.Link != atom.Link {
			t.Fatalf("%s has %d items of %q", other.FeedType, len(other.Items), other.Title)
		}
		for i, it := range other.Items {
			a := atom.Items[i]
			text := it.Content + it.Description
			if it.GUID != a.GUID || it.Title != a.Title || it.Link != a.Link || text != a.Content || !it.PublishedParsed.Equal(*a.PublishedParsed) || !slices.Equal(it.Categories, a.Categories) {
				t.Errorf("%s has another item %d: %v, %v", other.FeedType, i, it, a)
			}
		}
	}
	seen := map[string]bool{}
	for _, it := range atom.Items {
		if seen[it.GUID] || it.GUID == "" || it.Title == "" || it.Content == "" {
			t.Errorf("an item is %+v", it)
		}
		seen[it.GUID] = true
		if link, err := url.Parse(it.Link); err != nil || link.Path != "/diff" || link.Query().Get("url") != long {
			t.Errorf("the item leads to %s", it.Link)
		}
	}
	if !slices.IsSortedFunc(atom.Items, func(a, b *gofeed.Item) int { return b.PublishedParsed.Compare(*a.PublishedParsed) }) {
		t.Error("the items are not latest first")
	}
}

// Items keep their id and content when the feed grows, and ids are unique.
func TestItemsAreStable(t *testing.T) {
	store := made(t)
	page := storagetest.NewPage("http://a.test/growing", 5)
	grow(t, store, page, 10)
	known := map[string]string{}
	for range 10 {
		grow(t, store, page, 1)
		// A new server has an empty cache.
		for _, it := range read(t, New(Options{Store: store}), "atom", "url", page.URL, "limit", "500", "all", "true").Items {
			text := it.Title + it.Content + it.Published
			if was, ok := known[it.GUID]; ok && was != text {
				t.Errorf("%s was\n%s\nand is\n%s", it.GUID, was, text)
			}
			known[it.GUID] = text
		}
	}
	if len(known) < 20 {
		t.Errorf("there were only %d items", len(known))
	}
}

func TestFeedParametersSelectItems(t *testing.T) {
	s := New(Options{Store: made(t)})
	items := func(pairs ...string) []*gofeed.Item {
		t.Helper()
		return read(t, s, "json", append([]string{"url", long, "limit", "500"}, pairs...)...).Items
	}
	all := items("kinds", "added,removed,content,moved,format,volatile,advertisement", "labels", strings.Join(labelNames(), ","))
	usual := items()
	var kinds []string
	for _, it := range all {
		kinds = append(kinds, it.Categories[0])
	}
	for _, it := range usual {
		if slices.Contains([]string{"volatile", "advertisement"}, it.Categories[0]) || it.Categories[1] == "advertisement" {
			t.Errorf("without being asked for there is %v", it.Categories)
		}
	}
	if len(usual) == 0 || len(usual) >= len(all) {
		t.Errorf("%d items are usual, of %d", len(usual), len(all))
	}
	advertised := slices.ContainsFunc(all, func(it *gofeed.Item) bool { return it.Categories[0] == "advertisement" })
	if got := items("kinds", "advertisement"); !advertised || len(got) == 0 {
		t.Errorf("%d advertisements of %v", len(got), kinds)
	}
	for _, it := range items("kinds", "added") {
		if it.Categories[0] != "added" || !strings.HasPrefix(it.Title, "New: ") {
			t.Errorf("not added, but %q", it.Title)
		}
	}
	for _, it := range items("labels", "main") {
		if it.Categories[1] != "main" {
			t.Errorf("not main, but %q", it.Categories)
		}
	}
	with, out := items("filter", "(?i)北京|download"), items("filterout", "(?i)北京|download")
	if len(with) == 0 || len(out) == 0 || len(with)+len(out) != len(usual) {
		t.Errorf("%d with, %d without, %d in all", len(with), len(out), len(usual))
	}
	if got := items("limit", "3"); len(got) > 500 || len(read(t, s, "rss", "url", long, "limit", "3").Items) != 3 {
		t.Error("limit is ignored")
	}
	for _, bad := range [][]string{{"filter", "("}, {"filter", strings.Repeat("a", maxPattern+1)}, {"kinds", "new"}, {"labels", "x"}, {"lineage", "x"}, {"limit", "0"}, {"since", "2026"}} {
		if w := get(s, "GET", "/feed/atom"+param(append([]string{"url", long}, bad...)...)); w.Code != 400 {
			t.Errorf("%v: %d", bad, w.Code)
		}
	}
	if w := get(s, "GET", "/feed/atom"+param("url", "http://none.test/")); w.Code != 404 {
		t.Errorf("a feed of what is not there: %d", w.Code)
	}
	if f := read(t, s, "atom", "url", "http://c.test/gone"); len(f.Items) != 0 {
		t.Errorf("a feed of what has no version: %v", f.Items)
	}
}

func labelNames() []string {
	var names []string
	for _, l := range plat.Labels {
		names = append(names, string(l))
	}
	return names
}

// The feed of a block is the part of the page's feed about that block.
func TestABlockFeedIsPartOfThePageFeed(t *testing.T) {
	s := New(Options{Store: made(t)})
	parts := map[string][]string{}
	for _, it := range read(t, s, "json", "url", long, "limit", "500").Items {
		lineage, _, _ := strings.Cut(strings.TrimPrefix(it.GUID, long+"#plat-"), "/")
		parts[lineage] = append(parts[lineage], it.GUID)
	}
	several := 0
	for lineage, want := range parts {
		var got []string
		for _, it := range read(t, s, "json", "url", long, "limit", "500", "lineage", lineage).Items {
			got = append(got, it.GUID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("block %s: %v; want %v", lineage, got, want)
		}
		if len(want) > 1 {
			several++
		}
	}
	if several < 5 {
		t.Errorf("only %d blocks changed more than once", several)
	}
}

func TestChangesAreMarked(t *testing.T) {
	store := sqlitetest.Open(t)
	p := storagetest.NewPage("http://a.test/", 3)
	p.Add([]byte("<p>Low &lt;tide&gt; at ten in the morning by the old harbour wall</p>"), "Tides", plat.LabelMain)
	grow(t, store, p, 1)
	c := p.Next()
	for i := range c.Version.Blocks {
		if b := &c.Version.Blocks[i]; b.Topic == "Tides " {
			b.Content = []byte("<p>Low &lt;tide&gt; at <b>eleven</b> in the morning by the old harbour wall</p>")
			b.Base, b.Hash = b.Hash, plat.HashOf(b.Content)
		}
	}
	if _, err := store.Commit(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	items := read(t, New(Options{Store: store}), "atom", "url", p.URL, "filter", "Tides").Items
	if len(items) != 1 || items[0].Title != "Changed: Tides" || !strings.Contains(items[0].Content, "&lt;tide&gt; at<del> ten</del><ins> eleven</ins> in the") {
		t.Errorf("%d items, %+v", len(items), items)
	}
}

func TestAPrivateFeedIsReadWithItsToken(t *testing.T) {
	s := New(Options{Store: made(t), Token: "secret"})
	for query, code := range map[string]int{"": 401, "&token=wrong": 401, "&token=secret": 200} {
		w := get(s, "GET", "/feed/rss"+param("url", long)+query)
		if w.Code != code {
			t.Errorf("%s: %d", query, w.Code)
		}
		if strings.Contains(w.Body.String(), "secret") {
			t.Error("the feed tells its token")
		}
	}
	if w := get(s, "GET", "/api/v1/sites?token=secret"); w.Code != 401 {
		t.Errorf("the token in the address of the API: %d", w.Code)
	}
}

// Every request for a feed is answered in time: filtering costs time linear in
// the text.
func FuzzFeedFilters(f *testing.F) {
	f.Add("(a*)*b", "[", "added", "main", "1")
	f.Add("(?i)x{1000}", "^$", "volatile,", ",", "500")
	s := New(Options{Store: made(f)})
	f.Fuzz(func(t *testing.T, filter, filterout, kinds, labels, limit string) {
		w := get(s, "GET", "/feed/atom"+param("url", "http://a.test/short?a=1&b=%22", "filter", filter, "filterout", filterout, "kinds", kinds, "labels", labels, "limit", limit))
		if w.Code != 200 && w.Code != 400 {
			t.Fatalf("%d %.200s", w.Code, w.Body)
		}
		if w.Code == 200 {
			feedtest.Parse(t, w.Body.Bytes())
		}
	})
}

// Cursors are untrusted: each yields a page of the list or a client error.
func FuzzCursors(f *testing.F) {
	f.Add(api.CursorOf(struct{ URL string }{long}))
	f.Add(api.CursorOf(struct{ Offset int }{-5}))
	f.Add(api.CursorOf(struct{ Index int }{1 << 40}))
	f.Add(api.CursorOf(struct{ Version, Given int }{-1, -1}))
	f.Add(api.CursorOf(struct{ MS int64 }{1 << 62}))
	f.Add("e30")
	s := New(Options{Store: made(f)})
	f.Fuzz(func(t *testing.T, cursor string) {
		for path, query := range lists {
			target := apiRoot + path + query + "&limit=2&cursor=" + url.QueryEscape(cursor)
			w := get(s, "GET", target)
			if w.Code != 200 && w.Code != 400 && w.Code != 404 {
				t.Fatalf("%s: %d %.200s", path, w.Code, w.Body)
			}
		}
	})
}

// A version without changes of the selected kinds is not compared. The test
// uses a version whose changes are only counted as volatile.
func TestAFeedSkipsVersionsWithoutRelevantChanges(t *testing.T) {
	store := sqlitetest.Open(t)
	p := storagetest.NewPage("http://a.test/", 3)
	for range 5 {
		c := p.Next()
		c.Version.Changes = map[plat.Kind]int{plat.Volatile: 1}
		if c.Version.N == 3 {
			c.Version.Changes = map[plat.Kind]int{plat.Content: 1}
		}
		if _, err := store.Commit(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	items := read(t, New(Options{Store: store}), "atom", "url", p.URL).Items
	for _, it := range items {
		if !strings.Contains(it.GUID, "/3") {
			t.Errorf("there is an item %s", it.GUID)
		}
	}
	if len(items) == 0 {
		t.Error("there is no item of version 3")
	}
}
