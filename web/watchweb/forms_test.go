package watchweb_test

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"plat/plat"
	"plat/storage"
	"plat/storage/sqlite/sqlitetest"
	"plat/storage/storagetest"
)

func newPage(u string) *storagetest.Page { return storagetest.NewPage(u, 7) }

func TestASubscriptionIsMadeChangedPausedAndRemovedByForms(t *testing.T) {
	store := sqlitetest.Open(t)
	if err := store.PutChannel(t.Context(), &plat.Channel{Name: "team", URL: "https://hooks.test/$SECRET"}); err != nil {
		t.Fatal(err)
	}
	s := serve(store)
	w := post(s, "/watch/add", url.Values{"url": {"HTTPS://News.test/#x"}, "title": {" The Notice "}, "every": {"6h"}, "budget": {""}, "match": {"harbour\r\npier\r\n"}, "except": {""},
		"kinds": {"new", "changed"}, "labels": {""}, "depth": {"1"}, "group": {"Papers"}, "tags": {"work, music,work"}, "digest": {"daily 07:30"}, "tell": {"team"}})
	if w.Code != 303 {
		t.Fatalf("adding is %d %s", w.Code, w.Body)
	}
	sub := all(t, store)[0]
	if sub.URL != "https://news.test/" || sub.Title != "The Notice" || !slices.Equal(sub.Match, []string{"harbour", "pier"}) || len(sub.Kinds) != 2 || !slices.Equal(sub.Tags, []string{"music", "work"}) ||
		sub.Digest != "daily 07:30" || !slices.Equal(sub.Tell, []string{"team"}) || w.Header().Get("Location") != "/watch/"+sub.ID {
		t.Errorf("added is %+v", sub.Subscription)
	}
	if st, err := store.State(t.Context(), sub.URL); err != nil || st.Schedule.Every != 6*time.Hour || st.Due.IsZero() {
		t.Errorf("its page is visited as %+v, %v", st.Schedule, err)
	}
	to := "/watch/" + sub.ID
	page := get(s, to).Body.String()
	shows(t, page, "The Notice", `value="6h"`, "harbour\npier", `name="kinds" value="changed" checked`, `value="music, work"`, "daily 07:30", `name="tell" value="team" checked`)
	if strings.Contains(page, "SECRET") || strings.Contains(page, "hooks.test") {
		t.Error("the page has a channel's URL")
	}
	if w := post(s, to+"/edit", url.Values{"title": {"Another"}, "every": {"6h"}, "tags": {""}, "depth": {"1"}}); w.Code != 303 {
		t.Errorf("changing is %d %s", w.Code, w.Body)
	}
	sub = all(t, store)[0]
	if sub.Title != "Another" || len(sub.Tags)+len(sub.Match)+len(sub.Kinds)+len(sub.Tell) > 0 || sub.URL != "https://news.test/" {
		t.Errorf("changed is %+v", sub.Subscription)
	}
	for _, do := range []string{"pause", "resume"} {
		if w := post(s, to+"/pause", url.Values{"do": {do}}); w.Code != 303 || all(t, store)[0].Paused != (do == "pause") {
			t.Errorf("%s is %d", do, w.Code)
		}
	}
	shows(t, get(s, to+"/remove").Body.String(), "Remove <bdi>Another</bdi>?", `method="post"`)
	if len(all(t, store)) != 1 {
		t.Error("asking removes")
	}
	if w := post(s, to+"/remove", nil); w.Code != 303 || len(all(t, store)) != 0 {
		t.Errorf("removing is %d", w.Code)
	}
	if w := get(s, to); w.Code != 404 {
		t.Errorf("what was removed is %d", w.Code)
	}
}

func TestWhatAFormGetsWrongIsSaid(t *testing.T) {
	store := sqlitetest.Open(t)
	s := serve(store)
	for text, form := range map[string]url.Values{
		"has no scheme":               {"url": {"news.test"}},
		"only http and https":         {"url": {"file:///etc/passwd"}},
		"it is empty":                 {},
		"is not a regular expression": {"url": {"https://a.test/"}, "match": {"("}},
		"kind &#34;old&#34;":          {"url": {"https://a.test/"}, "kinds": {"old"}},
		"label &#34;mian&#34;":        {"url": {"https://a.test/"}, "labels": {"mian"}},
		"bad times of a digest":       {"url": {"https://a.test/"}, "digest": {"noon"}},
		"depth 9":                     {"url": {"https://a.test/"}, "depth": {"9"}},
		"there is no field":           {"url": {"https://a.test/"}, "id": {"a"}},
		"every":                       {"url": {"https://a.test/"}, "every": {"now and then"}},
		"the limit is 65536":          {"url": {"https://a.test/"}, "title": {strings.Repeat("x", 70_000)}},
		"choose a block":              nil,
	} {
		target := "/watch/add"
		if form == nil {
			target, form = "/watch/pick", url.Values{"url": {"https://a.test/"}}
		}
		if w := post(s, target, form); w.Code != 400 || !strings.Contains(w.Body.String(), text) {
			t.Errorf("%.200v: %d, and not %q: %.3000s", form, w.Code, text, w.Body)
		}
	}
	if w := post(s, "/watch/add", url.Values{"title": {strings.Repeat("x", 2<<20)}}); w.Code != 413 {
		t.Errorf("a title of 2 MB: %d", w.Code)
	}
	if n := len(all(t, store)); n > 0 {
		t.Errorf("%d are stored", n)
	}
}

// Every address that changes something refuses GET, and POST from other sites.
func TestNothingIsChangedByGetOrByOthers(t *testing.T) {
	store := news(t)
	s := serve(store)
	before := fmt.Sprint(state(t, store))
	for _, x := range []struct {
		path string
		form url.Values
	}{
		{"/watch/add", url.Values{"url": {"https://c.test/"}}}, {"/watch/read", url.Values{"to": {"2030-01-01T00:00:00Z"}}}, {"/watch/a/edit", url.Values{"title": {"x"}}},
		{"/watch/a/pause", url.Values{"do": {"pause"}}}, {"/watch/a/remove", nil}, {"/watch/a/pick", url.Values{"block": {"1"}}}, {"/watch/pick", url.Values{"url": {"https://a.test/"}, "block": {"1"}}},
	} {
		for _, site := range []string{"cross-site", "same-site"} {
			if w := post(s, x.path, x.form, "Sec-Fetch-Site", site); w.Code != 403 {
				t.Errorf("POST %s from %s is %d", x.path, site, w.Code)
			}
		}
		get(s, x.path+"?"+x.form.Encode())
	}
	for _, x := range []struct{ method, path, body string }{
		{"POST", "/api/v1/watch", `{"url":"https://c.test/"}`}, {"PATCH", "/api/v1/watch/a", `{"title":"x"}`}, {"DELETE", "/api/v1/watch/a", ""}, {"POST", "/api/v1/watch/import", "https://c.test/"}, {"POST", "/api/v1/watch/read", "{}"},
	} {
		if w := ask(s, x.method, x.path, x.body, "Origin", "http://evil.test"); w.Code != 403 {
			t.Errorf("%s %s from another site is %d", x.method, x.path, w.Code)
		}
	}
	if after := fmt.Sprint(state(t, store)); after != before {
		t.Errorf("it was\n%s\nand is\n%s", before, after)
	}
}

// state returns all stored data of subscriptions.
func state(t *testing.T, store storage.Store) (text []string) {
	for _, s := range all(t, store) {
		text = append(text, fmt.Sprintf("%+v", *s))
	}
	return text
}

func TestItemsAreMarkedReadThatThePageCouldShow(t *testing.T) {
	store := news(t)
	s := serve(store)
	page := get(s, "/watch/items?tag=work").Body.String()
	to := regexp.MustCompile(`name="to" value="([^"]+)"`).FindStringSubmatch(page)
	if to == nil {
		t.Fatal(page)
	}
	if w := post(s, "/watch/read", url.Values{"tag": {"work"}, "to": {to[1]}, "back": {"items"}}); w.Code != 303 || w.Header().Get("Location") != "/watch/items?tag=work" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	for id, want := range map[string]int{"a": 0, "b": 5} {
		if sub, err := store.Subscription(t.Context(), id); err != nil || sub.Unread != want {
			t.Errorf("%s has %d unread, want %d", id, sub.Unread, want)
		}
	}
	if got := ids(get(s, "/watch/items?unread=true").Body.String()); len(got) != 5 {
		t.Errorf("unread are %v", got)
	}
	if w := post(s, "/watch/read", url.Values{"to": {"now"}}); w.Code != 400 {
		t.Errorf("a time that is none: %d", w.Code)
	}
}

func TestBlocksAreChosenByAFormWithoutScript(t *testing.T) {
	store := sqlitetest.Open(t)
	v := grow(t, store, "https://a.test/", 2)
	subscribe(t, store, plat.Subscription{ID: "a", URL: "https://a.test/", Muted: []int32{9999}})
	s := serve(store)
	page := get(s, "/watch/a/pick").Body.String()
	leaf, parent := int32(0), int32(0)
	for i := range v.Blocks {
		b := &v.Blocks[i]
		if !b.Leaf() && b.Lineage > 0 && b.Parent >= 0 {
			parent = b.Lineage
		}
		if b.Leaf() {
			leaf = b.Lineage
		}
	}
	shows(t, page, fmt.Sprintf(`<input type="checkbox" name="block" value="%d">`, leaf), `name="mute" value="9999" checked`, `action="/watch/a/pick"`, `data-block="`)
	if parent > 0 {
		shows(t, page, fmt.Sprintf(`<input type="checkbox" name="block" value="%d">`, parent), "blocks, from")
	}
	if w := post(s, "/watch/a/pick", url.Values{"block": {fmt.Sprint(leaf), "1"}, "mute": {"9999"}}); w.Code != 303 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	sub, err := store.Subscription(t.Context(), "a")
	if err != nil || !slices.Equal(sub.Blocks, []int32{1, leaf}) || !slices.Equal(sub.Muted, []int32{9999}) {
		t.Errorf("chosen are %v, muted %v", sub.Blocks, sub.Muted)
	}
	shows(t, get(s, "/watch/a/pick").Body.String(), fmt.Sprintf(`<input type="checkbox" name="block" value="%d" checked>`, leaf))
	shows(t, get(s, "/watch/a").Body.String(), "watch-chosen", fmt.Sprintf("block #%d", leaf), "not in the last version")
	for _, bad := range []url.Values{{"block": {"0"}}, {"block": {"x"}}, {"mute": {"-1"}}, {"blocks": {"1"}}} {
		if w := post(s, "/watch/a/pick", bad); w.Code != 400 {
			t.Errorf("%v: %d", bad, w.Code)
		}
	}
	shows(t, get(s, "/watch/pick?url=https://a.test/").Body.String(), `name="url" value="https://a.test/"`, "Subscribe to the chosen blocks")
	if w := post(s, "/watch/pick", url.Values{"url": {"https://a.test/"}, "block": {fmt.Sprint(leaf)}}); w.Code != 303 || len(all(t, store)) != 2 {
		t.Errorf("subscribing to a block: %d %s", w.Code, w.Body)
	}
	if w := get(s, "/watch/pick?url=https://none.test/"); w.Code != 404 || !strings.Contains(w.Body.String(), "subscribe to it first") {
		t.Errorf("blocks of a page that was never visited: %d", w.Code)
	}
}

// The page for removing a subscription offers to end the visits that it has begun.
func TestRemovingMayEndTheVisits(t *testing.T) {
	store := sqlitetest.Open(t)
	s := serve(store)
	add := func(u string) string {
		t.Helper()
		w := post(s, "/watch/add", url.Values{"url": {u}})
		if w.Code != 303 {
			t.Fatalf("add: %d %s", w.Code, w.Body)
		}
		return w.Header().Get("Location")
	}
	due := func(u string) bool {
		t.Helper()
		st, err := store.State(t.Context(), u)
		if err != nil {
			t.Fatal(err)
		}
		return st.Schedule != (plat.Schedule{})
	}
	one := add("https://a.test/")
	shows(t, get(s, one+"/remove").Body.String(), `name="stop"`, "also end the visits that it has begun, of 1 page")
	if w := post(s, one+"/remove", url.Values{"stop": {"true"}}); w.Code != 303 || due("https://a.test/") {
		t.Errorf("with stop: %d %s", w.Code, w.Body)
	}
	if w := post(s, add("https://b.test/")+"/remove", url.Values{}); w.Code != 303 || !due("https://b.test/") {
		t.Errorf("without: %d", w.Code)
	}
	if w := ask(s, "DELETE", "/api/v1"+add("https://b.test/")+"?stop=true", ""); w.Code != 204 || due("https://b.test/") {
		t.Errorf("API: %d %s", w.Code, w.Body)
	}
	if w := ask(s, "DELETE", "/api/v1"+add("https://b.test/")+"?stop=maybe", ""); w.Code != 400 {
		t.Errorf("API with a wrong value: %d", w.Code)
	}
}

// Feeds that a subscription gets later are visited, as often as its page unless they have a schedule of their own.
func TestFeedsThatAreAddedLaterAreVisited(t *testing.T) {
	store := sqlitetest.Open(t)
	s := serve(store)
	w := post(s, "/watch/add", url.Values{"url": {"https://a.test/"}, "every": {"6h"}})
	if w.Code != 303 {
		t.Fatalf("add: %d %s", w.Code, w.Body)
	}
	to := "/api/v1" + w.Header().Get("Location")
	if w := ask(s, "PATCH", to, `{"feeds":["https://a.test/rss"],"title":"A"}`); w.Code != 200 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	if st, err := store.State(t.Context(), "https://a.test/rss"); err != nil || st.Schedule.Every != 6*time.Hour || st.Due.IsZero() || !st.Watched {
		t.Errorf("the feed is visited as %+v, %v", st.Plan, err)
	}
	if sub := all(t, store)[0]; !slices.Equal(sub.Feeds, []string{"https://a.test/rss"}) || sub.Title != "A" {
		t.Errorf("changed is %+v", sub.Subscription)
	}
	if w := ask(s, "PATCH", to, `{"feeds":["ftp://a.test/rss"]}`); w.Code != 400 {
		t.Errorf("a feed that cannot be visited: %d %s", w.Code, w.Body)
	}
}
