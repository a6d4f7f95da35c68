package watchweb_test

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	nethtml "golang.org/x/net/html"

	"plat/plat"
	"plat/storage"
	"plat/storage/sqlite/sqlitetest"
	"plat/watch"
	"plat/watch/view"
)

// shows fails if a page does not have texts.
func shows(t *testing.T, page string, texts ...string) {
	t.Helper()
	for _, want := range texts {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not have %q:\n%.6000s", want, page)
		}
	}
}

func TestSubscriptionsAreListedSortedAndFiltered(t *testing.T) {
	store := news(t)
	subscribe(t, store, plat.Subscription{ID: "c", URL: "https://c.test/", Title: "Broken", Tags: []string{"work"}})
	find(t, store, "c", "the list of 12 entries is gone")
	subscribe(t, store, plat.Subscription{ID: "d", URL: "https://d.test/", Title: "Asleep", Paused: true})
	s := serve(store)
	shows(t, get(s, "/watch").Body.String(), "The Notice", "https://b.test/", "the list of 12 entries is gone", "4 subscriptions", "65 unread items", `href="/watch/feed.atom?id=a"`)
	order := regexp.MustCompile(`<a href="/watch/([a-d])"><bdi>`)
	for _, x := range []struct{ query, want string }{
		{"", "d c b a"}, {"?sort=unread", "a b d c"}, {"?sort=latest", "a b d c"}, {"?sort=state", "c d b a"}, {"?tag=work", "c a"}, {"?group=Papers", "a"},
		{"?state=broken", "c"}, {"?state=paused", "d"}, {"?state=ok", "b a"}, {"?q=notice", "a"}, {"?q=B.TEST", "b"}, {"?q=none", ""}, {"?group=&tag=&state=&q=&sort=title", "d c b a"},
	} {
		w := get(s, "/watch"+x.query)
		var got []string
		for _, m := range order.FindAllStringSubmatch(w.Body.String(), -1) {
			got = append(got, m[1])
		}
		want := strings.Fields(x.want)
		if x.query == "" || strings.Contains(x.query, "title") { // by title; that of b is its URL
			want = []string{"d", "c", "b", "a"}
		}
		if w.Code != 200 || !slices.Equal(got, want) {
			t.Errorf("%s: %d %v, want %v", x.query, w.Code, got, want)
		}
	}
	for _, bad := range []string{"?sort=size", "?state=bad", "?from=-1", "?limt=1"} {
		if w := get(s, "/watch"+bad); w.Code != 400 {
			t.Errorf("%s: %d", bad, w.Code)
		}
	}
}

// ids are the items of a page, in order.
func ids(page string) (all []string) {
	for _, m := range regexp.MustCompile(`<li id="i-([^"]+)"`).FindAllStringSubmatch(page, -1) {
		all = append(all, m[1])
	}
	return all
}

func TestItemsArePagedToTheirEnd(t *testing.T) {
	s := serve(news(t))
	next := regexp.MustCompile(`<a rel="next" href="([^"]+)"`)
	for first, want := range map[string]int{"/watch/items": 65, "/watch/items?unread=true": 65, "/watch/items?tag=work": 60, "/watch/items?group=Papers": 60, "/watch/items?id=b": 5, "/watch/a": 60} {
		var got []string
		for to := first; to != ""; {
			w := get(s, to)
			if w.Code != 200 {
				t.Fatalf("%s: %d %.300s", to, w.Code, w.Body)
			}
			got = append(got, ids(w.Body.String())...)
			if to = ""; next.MatchString(w.Body.String()) {
				to = nethtml.UnescapeString(next.FindStringSubmatch(w.Body.String())[1])
			}
		}
		known := map[string]bool{}
		for _, id := range got {
			known[id] = true
		}
		if len(got) != want || len(known) != want {
			t.Errorf("%s has %d items, %d of them different, want %d", first, len(got), len(known), want)
		}
	}
	if w := get(s, "/watch/items?id=none"); w.Code != 404 {
		t.Errorf("items of a subscription that there is not: %d", w.Code)
	}
	if w := get(s, "/watch/items?after=x"); w.Code != 400 {
		t.Errorf("items after a place that there is not: %d", w.Code)
	}
}

func TestItemsAreAsAReaderWouldLikeThem(t *testing.T) {
	store := sqlitetest.Open(t)
	dated := item("a", 2)
	dated.Dated = time.Date(2026, 4, 30, 0, 0, 0, 0, time.UTC)
	dated.Excerpt = "First line.\n\n  Second  line.\nThird line.\nFourth line."
	changed := item("a", 30)
	changed.Kind, changed.Excerpt = plat.ItemChanged, "Before: Open on Monday\nOpen on Friday"
	subscribe(t, store, plat.Subscription{ID: "a", URL: "https://news.test/", Title: "The Notice"}, dated, changed)
	page := get(serve(store), "/watch/items").Body.String()
	shows(t, page, "Friday, 1 May 2026", "Saturday, 2 May 2026", `<a href="https://a.test/2" rel="noreferrer noopener external"><bdi>Item 2 of a</bdi></a>`, "First line.", "Third line.",
		"dated <time datetime=\"2026-04-30\">", "<del><bdi>Open on Monday</bdi></del>", "Open on Friday", "/version?url=https%3A%2F%2Fnews.test%2F&amp;version=3#b-3", "/diff?new=31&amp;url=https%3A%2F%2Fnews.test%2F")
	if strings.Contains(page, "Fourth line") {
		t.Error("all of an excerpt is shown")
	}
	if got := ids(page); !slices.Equal(got, []string{"a-0030", "a-0002"}) {
		t.Errorf("the items are %v", got)
	}
}

// Texts of pages are shown as text, whatever they are, on all pages.
func TestHostileTextsAreShownAsText(t *testing.T) {
	const script = `<script>alert(1)</script><img src=x onerror=alert(1)>"'` + "`"
	store := sqlitetest.Open(t)
	v := grow(t, store, "https://evil.test/", 2)
	bad := func(n int, title, u string) plat.Item {
		it := item("evil", n)
		it.Title, it.URL, it.Excerpt = title, u, "Before: "+script+"\n"+script
		it.Kind = plat.ItemChanged
		return it
	}
	page := newPage("https://title.test/")
	c := page.Next()
	c.Version.Capture.Title = strings.Repeat("<b>\u202e\x00", 170_000)
	if _, err := store.Commit(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	subscribe(t, store, plat.Subscription{ID: "title", URL: "https://title.test/"})
	long := strings.Repeat("x", 999)
	subscribe(t, store, plat.Subscription{ID: "evil", URL: "https://evil.test/", Title: script + "\u202eoverride" + strings.Repeat("y", 50_000), Group: script, Tags: []string{script},
		Match: []string{"<textarea></textarea><script>"}, Digest: "daily 07:00", Tell: []string{script}, Blocks: []int32{v.Blocks[1].Lineage}},
		bad(1, script, "javascript:alert(1)"), bad(2, "\u202egnp.exe\u2066\x00\x1b[31m", "data:text/html,x"), bad(3, long, "https://evil.test/\"><script>"), bad(4, "", ""), bad(5, strings.Repeat("\U0001F468\u200d", 400), "//evil.test/"))
	s := serve(store)
	at := url.QueryEscape(day0.Add(48 * time.Hour).Format(time.RFC3339))
	for _, path := range []string{"/watch", "/watch/items", "/watch/evil", "/watch/evil/pick", "/watch/evil/test", "/watch/evil/remove", "/watch/title", "/watch/title/pick", "/watch/digest?at=" + at, "/watch?q=" + url.QueryEscape(script), "/watch/items?tag=" + url.QueryEscape(script)} {
		w := get(s, path)
		page := w.Body.String()
		if w.Code != 200 {
			t.Errorf("%s: %d %.300s", path, w.Code, page)
			continue
		}
		for _, r := range "\u202e\u2066\x1b\x00" {
			if strings.ContainsRune(page, r) {
				t.Errorf("%s has the character %U", path, r)
			}
		}
		doc, err := nethtml.Parse(strings.NewReader(page))
		if err != nil {
			t.Fatal(err)
		}
		for n := range doc.Descendants() {
			if n.Type != nethtml.ElementNode {
				continue
			}
			if n.Data == "script" && (n.FirstChild != nil || len(n.Attr) != 2) {
				t.Errorf("%s has a script", path)
			}
			for _, a := range n.Attr {
				value := strings.ToLower(strings.TrimSpace(a.Val))
				if strings.HasPrefix(a.Key, "on") || a.Key == "style" || (a.Key == "href" || a.Key == "src" || a.Key == "action") && (strings.HasPrefix(value, "javascript:") || strings.HasPrefix(value, "data:") || strings.HasPrefix(value, "//")) {
					t.Errorf("%s has <%s %s=%q>", path, n.Data, a.Key, a.Val)
				}
				if a.Key == "src" && !strings.HasPrefix(value, "/static/") && !strings.HasPrefix(value, "/watch/") {
					t.Errorf("%s loads %s", path, a.Val)
				}
			}
		}
		if len(page) > 200_000 {
			t.Errorf("%s has %d bytes", path, len(page))
		}
	}
}

func TestTheStateIsToldInWords(t *testing.T) {
	store := sqlitetest.Open(t)
	for i, o := range []plat.Outcome{plat.OutcomeUnreachable, plat.OutcomeBlocked} {
		u := fmt.Sprintf("https://h%d.test/", i)
		subscribe(t, store, plat.Subscription{ID: fmt.Sprint("s", i), URL: u})
		if err := store.Record(t.Context(), plat.Visit{URL: u, Time: day0, Outcome: o}, 0); err != nil {
			t.Fatal(err)
		}
	}
	s := serve(store)
	shows(t, get(s, "/watch").Body.String(), "the last visit failed: the server cannot be reached", "the last visit failed: it refuses visitors")
	shows(t, get(s, "/watch/s0").Body.String(), "No items can be found now:", "the server cannot be reached")
}

func TestAPageHasItsLetterOrItsIcon(t *testing.T) {
	store := sqlitetest.Open(t)
	subscribe(t, store, plat.Subscription{ID: "a", URL: "https://www.news.test/"})
	s := serve(store)
	w := get(s, "/watch/a/icon")
	if w.Code != 200 || w.Header().Get("Content-Type") != "image/svg+xml" || !strings.Contains(w.Body.String(), ">N</text>") || !strings.Contains(w.Header().Get("Content-Security-Policy"), "sandbox") {
		t.Errorf("the letter is %d %v %s", w.Code, w.Header(), w.Body)
	}
	page := newPage("https://icon.test/")
	c := page.Next()
	data := []byte("\x89PNG an icon")
	c.Resources = []plat.Resource{{URL: "https://icon.test/a.svg", Type: "image/svg+xml", Status: 200, Size: 3, Hash: plat.HashOf([]byte("svg")), Data: []byte("svg")},
		{URL: "https://icon.test/favicon-32.png?v=2", Type: "image/png", Status: 200, Size: int64(len(data)), Hash: plat.HashOf(data), Data: data}}
	c.Version.Resources = plat.ManifestOf(c.Resources).Sum()
	if _, err := store.Commit(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	subscribe(t, store, plat.Subscription{ID: "i", URL: "https://icon.test/"})
	if w := get(s, "/watch/i/icon"); w.Header().Get("Content-Type") != "image/png" || w.Body.String() != string(data) {
		t.Errorf("the icon is %v %q", w.Header(), w.Body)
	}
}

// The present digest begins with what is unread since the last one; earlier ones do not.
func TestADigestShowsWhatIsUnreadSoFar(t *testing.T) {
	store := sqlitetest.Open(t)
	now := time.Now().UTC().Truncate(time.Millisecond)
	it := item("a", 1)
	it.Seen = now
	subscribe(t, store, plat.Subscription{ID: "a", URL: "https://a.test/", Tags: []string{"work"}}, it)
	s := serve(store)
	shows(t, get(s, "/watch/digest").Body.String(), "Unread so far", "Item 1 of a")
	shows(t, get(s, "/watch/digest?tag=work").Body.String(), "Unread so far")
	for _, none := range []string{"?tag=home", "?at=" + url.QueryEscape(now.Add(-time.Hour).Format(time.RFC3339))} {
		if page := get(s, "/watch/digest"+none).Body.String(); strings.Contains(page, "Unread so far") {
			t.Errorf("%s shows it too", none)
		}
	}
	if err := store.Read(t.Context(), "a", now); err != nil {
		t.Fatal(err)
	}
	if page := get(s, "/watch/digest").Body.String(); strings.Contains(page, "Unread so far") {
		t.Error("read items are unread so far")
	}
}

func TestADigestIsOfItsPeriod(t *testing.T) {
	s := serve(news(t))
	at := day0.Add(30 * time.Hour) // 2 May, 12:00
	page := get(s, "/watch/digest?period=daily&at="+url.QueryEscape(at.Format(time.RFC3339))).Body.String()
	shows(t, page, "26 new on 2 pages", "The Notice", "2026-05-02 07:00:00", `rel="prev"`, "Papers")
	if got := ids(page); len(got) != 26 || slices.Contains(got, "a-0025") || !slices.Contains(got, "a-0024") || !slices.Contains(got, "b-0020") {
		t.Errorf("the digest has %v", got)
	}
	shows(t, get(s, "/watch/digest?period=weekly&tag=work&at="+url.QueryEscape(at.AddDate(0, 0, 7).Format(time.RFC3339))).Body.String(), "60 new on 1 page")
	for _, bad := range []string{"period=never", "at=never", "id=none"} {
		if w := get(s, "/watch/digest?"+bad); w.Code != 400 && w.Code != 404 {
			t.Errorf("%s: %d", bad, w.Code)
		}
	}
}

// A subscription that can tell nothing offers the picture, and each list that was passed over.
func TestASubscriptionWithoutAListOffersWhatToWatch(t *testing.T) {
	store := sqlitetest.Open(t)
	const content = `<main><p>The mill stands beside the wharf.</p><ul><li><a href="/1">Lost dog</a></li><li><a href="/2">Choir sings</a></li></ul></main>`
	const head = "<html><head></head><body>"
	layout := plat.Layout{HTML: []byte(head + "</body></html>"), Slots: []int32{int32(len(head))}}
	v := &plat.Version{URL: "https://a.test/", N: 1, Taken: day0, Layout: layout.Sum(), Lineages: 2, Capture: plat.Capture{FinalURL: "https://a.test/", Status: 200},
		Blocks: []plat.Block{{Parent: -1, Slot: -1, Run: 1, Lineage: 1}, {Level: 1, Slot: 0, Run: 1, Path: []int32{0}, Tag: "main", Lineage: 2, Label: plat.LabelMain, Content: []byte(content), Hash: plat.HashOf([]byte(content))}}}
	if _, err := store.Commit(t.Context(), &storage.Commit{Version: v, Layout: layout, Visit: plat.Visit{URL: v.URL, Time: day0, Outcome: plat.OutcomeNew, Version: 1, Status: 200}}); err != nil {
		t.Fatal(err)
	}
	subscribe(t, store, plat.Subscription{ID: "a", URL: v.URL})
	find(t, store, "a", watch.NoList)
	s := serve(store)
	shows(t, get(s, "/watch").Body.String(), "choose what to watch")
	shows(t, get(s, "/watch?state=choose").Body.String(), `href="/watch/a"`)
	shows(t, get(s, "/watch/a").Body.String(), "Choose what to watch:", view.Sought(watch.NoList), `href="/watch/a/pick"`, `name="block" value="2"`, "Lost dog", "Choir sings", "they are only 2, and 5 links make a list")
	if w := post(s, "/watch/a/pick", url.Values{"block": {"2"}}); w.Code != 303 {
		t.Fatalf("pick: %d %s", w.Code, w.Body)
	}
	if sub, err := store.Subscription(t.Context(), "a"); err != nil || !slices.Equal(sub.Blocks, []int32{2}) {
		t.Errorf("chosen %v, %v", sub.Blocks, err)
	}
}

func TestAFailingFeedIsShownWithItsErrorAndSinceWhen(t *testing.T) {
	store := news(t)
	const feed = "https://a.test/feed"
	subscribe(t, store, plat.Subscription{ID: "f", URL: "https://f.test/", Title: "Fed", Feeds: []string{feed}}, item("f", 1))
	if err := store.Record(t.Context(), plat.Visit{URL: feed, Time: day0, Outcome: plat.OutcomeHTTPError, Status: 500, Error: "the server answered <b>500</b>"}, 0); err != nil {
		t.Fatal(err)
	}
	s := serve(store)
	shows(t, get(s, "/watch/f").Body.String(), "The feed", feed, "fails since", "2026-05-01", "the server answered &lt;b&gt;500")
	shows(t, get(s, "/watch").Body.String(), "a feed fails: the server answered &lt;b&gt;500")
	shows(t, get(s, "/api/v1/watch/f").Body.String(), `"faults"`, `"since"`, feed)
	if page := get(s, "/watch/a").Body.String(); strings.Contains(page, "fails since") {
		t.Error("a subscription without faults has some")
	}
}
