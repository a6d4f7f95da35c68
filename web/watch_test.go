package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"plat/plat"
	"plat/storage"
	"plat/web/api"
)

// subscribed adds three subscriptions with ten items each.
func subscribed(t testing.TB, store storage.Store) {
	t.Helper()
	for _, id := range []string{"a", "b", "c"} {
		s := &plat.Subscription{ID: id, URL: "https://" + id + ".test/", Title: "Site " + id, Tags: []string{"work"}, Group: "Papers", Made: utc(2026, time.May, 1, 0, 0, 0)}
		if err := store.Subscribe(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		e := &storage.Examination{ID: id, Was: map[string]int{}, Following: plat.Following{Pages: []plat.FollowedPage{{URL: s.URL, Depth: 1, Examined: 1}}, Entries: 10}}
		for n := range 10 {
			e.Items = append(e.Items, plat.Item{ID: fmt.Sprint(id, n), Subscription: id, Kind: plat.ItemNew, Title: fmt.Sprint("Item ", n), URL: s.URL + fmt.Sprint(n), Excerpt: "text",
				Page: s.URL, Version: 1, Lineage: 2, Seen: utc(2026, time.May, 2+n/3, 0, 0, 0), Dated: utc(2026, time.May, 1, 0, 0, 0)})
		}
		if err := store.Examined(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.PutChannel(t.Context(), &plat.Channel{Name: "team", URL: "https://hooks.test/$SECRET"}); err != nil {
		t.Fatal(err)
	}
}

func TestAnswersAboutSubscriptionsKeepTheContract(t *testing.T) {
	store := made(t)
	subscribed(t, store)
	c := newContract(t, New(Options{Store: store, Channels: true}))
	const opml = `<opml version="2.0"><body><outline text="A" htmlUrl="https://x.test/"/><outline text="again" htmlUrl="https://a.test/"/><outline text="none"/></body></opml>`
	for _, x := range []struct {
		method, target, media, body string
		code                        int
		want                        string // in the answer
	}{
		{"GET", "", "", "", 200, `"id":"a"`},
		{"GET", "?tag=work&group=Papers&limit=2", "", "", 200, `"next":"/api/v1/watch?cursor=`},
		{"GET", "?url=HTTPS://b.test", "", "", 200, `{"items":[{"id":"b"`},
		{"GET", "?url=b.test", "", "", 400, "has no scheme"},
		{"GET", "?tag=none", "", "", 200, `"items":[]`},
		{"GET", "/a", "", "", 200, `"entries":10,"items":10,"unread":10`},
		{"GET", "/none", "", "", 404, "there is no subscription"},
		{"GET", "/items?id=a&limit=3", "", "", 200, `"title":"Item 9"`},
		{"GET", "/items?since=2026-05-03&until=2026-05-04&tag=work&unread=true", "", "", 200, `"seen":"2026-05-03T00:00:00Z"`},
		{"GET", "/items?id=none", "", "", 404, "there is no subscription"},
		{"GET", "/items?since=yesterday", "", "", 400, "write a date"},
		{"GET", "/export", "", "", 200, "/watch/feed.atom?id=a"},
		{"GET", "/channels", "", "", 200, `{"items":[{"name":"team","waiting":0}],"next":null}`},
		{"POST", "", "application/json", `{"url":"https://New.test/x#y","title":"N","match":["a|b"],"kinds":["new","text"],"blocks":[3,5],"tags":["z","a"],"every":"6h","digest":"daily 07:30"}`, 201, `"schedule":{`},
		{"POST", "", "application/json", `{"url":"https://new.test/"}`, 201, `"every":"1h0m0s"`},
		{"POST", "", "application/json", `{"url":"ftp://new.test/"}`, 400, "only http and https"},
		{"POST", "", "application/json", `{"url":"https://new.test/","match":["("]}`, 400, "regular expression"},
		{"POST", "", "application/json", `{"url":"https://new.test/","match":["(a|b|c){1000}"]}`, 400, "it is too large"},
		{"POST", "", "application/json", `{"url":5}`, 400, `\"url\" is a number; write a text`},
		{"POST", "", "application/json", `{"url":"https://new.test/","digest":"noon"}`, 400, "bad times"},
		{"POST", "", "application/json", `{"url":"https://new.test/","every":"soon"}`, 400, ""},
		{"POST", "", "application/json", `{"url":"https://new.test/","id":"mine"}`, 400, "unknown field"},
		{"POST", "", "application/json", `{"title":"none"}`, 400, "write the url"},
		{"POST", "", "application/json", `[]`, 400, ""},
		{"POST", "", "application/json", `{"url":"https://new.test/","title":"` + strings.Repeat("x", 1<<20) + `"}`, 413, "too large"},
		{"PATCH", "/a", "application/json", `{"title":"Another","paused":true,"tags":[],"every":"2h"}`, 200, `"paused":true`},
		{"PATCH", "/a", "application/json", `{"url":"https://z.test/"}`, 400, "cannot change"},
		{"PATCH", "/a", "application/json", `{"depth":4}`, 400, "depth 4"},
		{"PATCH", "/none", "application/json", `{}`, 404, ""},
		{"POST", "/read", "application/json", `{"tag":"work"}`, 200, `{"read":2}`},
		{"POST", "/read", "application/json", `{"id":"none"}`, 404, ""},
		{"POST", "/import?check=true", "text/x-opml", opml, 200, `{"format":"OPML","added":1,"known":1,"check":true,"omissions":[{`},
		{"POST", "/import?tag=in&every=12h", "text/x-opml", opml, 200, `"added":1,"known":1,"check":false`},
		{"POST", "/import?tag=in", "text/x-opml", opml, 200, `"added":0,"known":2,"check":false`},
		{"POST", "/import", "text/plain", "https://y.test/\nnonsense\n", 200, `"added":1`},
		{"POST", "/import", "text/x-opml", "<html>", 400, ""},
		{"POST", "/import?every=soon", "text/plain", "https://y.test/", 400, ""},
		{"POST", "/channels", "application/json", `{"name":"me","url":"smtp://mail.b.test/?from=plat@b.test&to=me@b.test"}`, 204, ""},
		{"POST", "/channels", "application/json", `{"name":"me","url":"mailto:me@b.test"}`, 400, "scheme"},
		{"POST", "/channels", "application/json", `{"name":"me/too","url":"https://b.test/#unsigned"}`, 400, "letters, digits"},
		{"POST", "/channels", "application/json", `{"name":"","url":"mailto:me@b.test"}`, 400, ""},
		{"POST", "/channels", "application/json", `{"name":"me","url":" Command:/bin/sh?-c"}`, 403, "over HTTP"},
		{"POST", "/channels", "application/json", `{"name":"me","url":"https://evil.test/?$file:/etc/passwd"}`, 403, "over HTTP"},
		{"DELETE", "/channels/me", "", "", 204, ""},
		{"DELETE", "/channels/me", "", "", 404, "there is no channel"},
		{"DELETE", "/a", "", "", 204, ""},
		{"DELETE", "/a", "", "", 404, "there is no subscription"},
	} {
		w := c.ask(t, x.method, apiRoot+"/watch"+x.target, x.media, x.body)
		if w.Code != x.code || !strings.Contains(w.Body.String(), x.want) {
			t.Errorf("%s %s %.100s = %d %.500s; want %d, %s", x.method, x.target, x.body, w.Code, w.Body, x.code, x.want)
		}
		if strings.Contains(w.Body.String(), "SECRET") {
			t.Errorf("%s %s tells a secret: %s", x.method, x.target, w.Body)
		}
	}
	for _, target := range []string{"/watch/feed.atom?tag=work", "/watch/feed.rss?limit=3", "/watch/feed.json?id=b", "/watch/digest.atom", "/watch/digest.rss?period=weekly", "/watch/digest.json?period=hourly", "/watch/opml?group=Papers"} {
		if w := c.ask(t, "GET", target, "", ""); w.Code != 200 {
			t.Errorf("GET %s = %d %.300s", target, w.Code, w.Body)
		}
	}
	if st, err := store.State(t.Context(), "https://x.test/"); err != nil || st.Schedule.Every != 12*time.Hour {
		t.Errorf("an imported page is visited every %v, %v", st.Schedule.Every, err)
	}
}

func TestChannelsAreChangedOnlyWhereTheOperatorAllowsIt(t *testing.T) {
	store := made(t)
	subscribed(t, store)
	c := newContract(t, New(Options{Store: store}))
	for _, x := range [][3]string{{"POST", "/channels", `{"name":"me","url":"mailto:me@b.test"}`}, {"DELETE", "/channels/team", ""}} {
		media := ""
		if x[2] != "" {
			media = "application/json"
		}
		if w := c.ask(t, x[0], apiRoot+"/watch"+x[1], media, x[2]); w.Code != 403 || !strings.Contains(w.Body.String(), "plat watch channel") {
			t.Errorf("%s %s = %d %s", x[0], x[1], w.Code, w.Body)
		}
	}
	if w := c.ask(t, "GET", apiRoot+"/watch/channels", "", ""); !strings.Contains(w.Body.String(), "team") {
		t.Error("the channel is gone")
	}
}

// Items that come while a list is read take nothing away from it and repeat nothing.
func TestItemsArePagedWhileOthersCome(t *testing.T) {
	store := made(t)
	subscribed(t, store)
	s := New(Options{Store: store})
	next, n, more := apiRoot+"/watch/items?limit=7", 0, 100
	known := map[string]bool{}
	for next != "" {
		w := get(s, "GET", next)
		var page struct {
			Items []struct{ ID string }
			Next  *string
		}
		if err := json.Unmarshal(w.Body.Bytes(), &page); err != nil {
			t.Fatalf("%s: %v", w.Body, err)
		}
		for _, it := range page.Items {
			known[it.ID] = true
			n++
		}
		if next = ""; page.Next != nil {
			next = *page.Next
		}
		sub, err := store.Subscription(t.Context(), "b")
		if err != nil {
			t.Fatal(err)
		}
		e := &storage.Examination{ID: "b", Was: map[string]int{sub.URL: sub.Pages[0].Examined}, Following: plat.Following{Pages: []plat.FollowedPage{{URL: sub.URL, Depth: 1, Examined: sub.Pages[0].Examined + 1}}}}
		e.Items = []plat.Item{{ID: fmt.Sprint("more", more), Subscription: "b", Kind: plat.ItemNew, Page: sub.URL, Version: 2, Seen: utc(2026, time.June, 1, 0, more, 0)}}
		if err := store.Examined(t.Context(), e); err != nil {
			t.Fatal(err)
		}
		more++
	}
	if n != 30 || len(known) != 30 {
		t.Errorf("%d items, %d different, want 30", n, len(known))
	}
}

func TestMistakesAboutSubscriptionsAreProblemDocuments(t *testing.T) {
	store := made(t)
	subscribed(t, store)
	s := New(Options{Store: store})
	for _, r := range s.watched.Routes() {
		if !strings.HasPrefix(r.Path, apiRoot) && !strings.HasPrefix(r.Path, "/watch/feed.") {
			continue
		}
		path := strings.NewReplacer("{id}", "a", "{name}", "team").Replace(r.Path)
		for _, x := range []struct {
			method, query string
			code          int
		}{{r.Method, "?limt=1", 400}, {"PUT", "", 405}} {
			w := get(s, x.method, path+x.query, "Accept", "text/html")
			var p api.Problem
			if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Code != x.code || p.Status != x.code || w.Header().Get("Content-Type") != "application/problem+json" {
				t.Errorf("%s %s%s = %d %v %.200s", x.method, path, x.query, w.Code, w.Header(), w.Body)
			}
			if x.code == http.StatusMethodNotAllowed && !strings.Contains(w.Header().Get("Allow"), r.Method) {
				t.Errorf("%s allows %q", path, w.Header().Get("Allow"))
			}
		}
	}
}
