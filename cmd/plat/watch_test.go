package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"plat/cmd/plat/app"
	"plat/fixtures"
	"plat/plat"
	"plat/storage"
	"plat/storage/sqlite"
	"plat/storage/sqlite/sqlitetest"
	"plat/watch"
	"plat/watch/opml"
	"plat/watch/view"
)

// A feed that is added to a subscription keeps the schedule that it has; another one has that of the page.
func TestAnAddedFeedKeepsItsSchedule(t *testing.T) {
	store := "--store=sqlite:" + filepath.Join(t.TempDir(), "a.db")
	must(t, "watch", "add", "https://a.test/", "--every", "12h", "-q", store)
	must(t, "watch", "add", "https://a.test/often.rss", "--every", "10m", "-q", store)
	must(t, "watch", "edit", "https://a.test/", "--feed", "https://a.test/often.rss", "--feed", "https://a.test/new.rss", "-q", store)
	out := must(t, "watch", "rm", "https://a.test/often.rss", "https://a.test/", store)
	for _, want := range []string{"every 10m: https://a.test/often.rss", "every 12h: https://a.test/new.rss", "every 12h: https://a.test/\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in %s", want, out)
		}
	}
}

// watch add names another subscription of the page, and the command that ends that one.
func TestASecondSubscriptionOfAPageIsNamed(t *testing.T) {
	store := "--store=sqlite:" + filepath.Join(t.TempDir(), "a.db")
	first := jsonLines[view.Subscription](t, must(t, "watch", "add", "https://a.test/news/", store, "--json"))[0]
	if r := command(t, "watch", "add", "https://a.test/news/?utm_source=x", "https://b.test/", store); r.code != 0 || strings.Count(r.err, "another subscription") != 1 || !strings.Contains(r.err, "plat watch rm "+first.ID) {
		t.Errorf("%d %s", r.code, r.err)
	}
	if r := command(t, "watch", "add", "https://a.test/news/", "-q", store); r.code != 0 || r.err != "" {
		t.Errorf("quiet: %d %s", r.code, r.err)
	}
}

// A subscription is made, found by its ID, the beginning of that or its URL, changed and ended.
func TestSubscriptionsAreMadeChangedAndEnded(t *testing.T) {
	store := "--store=sqlite:" + filepath.Join(t.TempDir(), "a.db")
	added := jsonLines[view.Subscription](t, must(t, "watch", "add", "https://a.test/news/?utm_source=x", "https://b.test/", "--tag", "work, home", "--match", "ferry", store, "--json"))
	if len(added) != 2 || added[0].URL != "https://a.test/news/" || added[0].State != "new" || added[0].Schedule.Every != time.Hour || len(added[0].Tags) != 2 {
		t.Fatalf("added %+v", added)
	}
	id := added[0].ID
	for _, name := range []string{id, id[:5], "https://a.test/news/"} {
		if out := must(t, "watch", "edit", name, "--title", "News", "--every", "6h", store, "--json"); !strings.Contains(out, `"title":"News"`) || !strings.Contains(out, `"every":"6h0m0s"`) {
			t.Errorf("edit %s: %s", name, out)
		}
	}
	if r := command(t, "watch", "edit", id, "--tell", "nobody", store); r.code != 0 || !strings.Contains(r.err, `no channel "nobody"`) {
		t.Errorf("a channel that there is not: %d %s", r.code, r.err)
	}
	must(t, "watch", "edit", id, "--tell", "", "--tag", "", "--pause", "--match", "x", "--match", "y", store)
	got := jsonLines[view.Subscription](t, must(t, "watch", "ls", store, "--json"))
	for _, s := range got {
		if s.ID == id && (s.State != "paused" || len(s.Tags) != 0 || len(s.Match) != 2 || s.Title != "News") {
			t.Errorf("changed to %+v", s)
		}
	}
	if got := jsonLines[view.Subscription](t, must(t, "watch", "ls", "--tag", "home", store, "--json")); len(got) != 1 || got[0].URL != "https://b.test/" {
		t.Errorf("with the tag home: %+v", got)
	}
	if out := must(t, "watch", "rm", "https://b.test/", store); !strings.Contains(out, "still visited every 1h: https://b.test/") || !strings.Contains(out, "plat schedule set URL --never") {
		t.Errorf("rm: %s", out)
	}
	must(t, "watch", "add", "-q", "https://b.test/", store)
	if out := must(t, "watch", "rm", "--stop", "https://b.test/", store); !strings.Contains(out, "no longer visited: https://b.test/") {
		t.Errorf("rm --stop of a page that an earlier subscription left: %s", out)
	}
	must(t, "watch", "add", "-q", "https://c.test/", store)
	if out := must(t, "watch", "rm", "--stop", "https://c.test/", store, "--json"); !strings.Contains(out, `"stopped":[{"url":"https://c.test/","schedule":{},"watched":false}]`) {
		t.Errorf("rm --stop: %s", out)
	}
	if out := must(t, "watch", "ls", store); strings.Contains(out, "b.test") || !strings.Contains(out, "paused") {
		t.Errorf("after rm: %s", out)
	}
	for want, args := range map[string][]string{
		"not a regular expression": {"watch", "add", "https://c.test/", "--match", "("},
		"kind":                     {"watch", "add", "https://c.test/", "--kinds", "newish"},
		"digest":                   {"watch", "add", "https://c.test/", "--digest", "noon"},
		"one page alone":           {"watch", "add", "https://c.test/", "--block", "3", "--depth", "2"},
		"write one of both":        {"watch", "edit", id, "--pause", "--resume"},
	} {
		if r := command(t, append(args, store)...); r.code != app.ExitUsage || !strings.Contains(r.err, want) {
			t.Errorf("%v: %d %s, want %q", args, r.code, r.err, want)
		}
	}
	if r := command(t, "watch", "rm", "nobody", store); r.code != app.ExitError || !strings.Contains(r.err, "plat watch ls") {
		t.Errorf("rm of none: %d %s", r.code, r.err)
	}
}

func TestItemsArePrintedAndRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	store := "--store=sqlite:" + path
	sub := jsonLines[view.Subscription](t, must(t, "watch", "add", "https://a.test/", store, "--json"))[0]
	s := sqlitetest.OpenAt(t, path, sqlite.Options{})
	now := time.Now().UTC().Truncate(time.Millisecond)
	e := &storage.Examination{ID: sub.ID, Following: plat.Following{Pages: []plat.FollowedPage{{URL: "https://a.test/", Depth: 1, Examined: 2}}, Broken: "the list of 9 entries is gone"}}
	for i, title := range []string{"Old \x1b[31mred\x1b[0m", "New one"} {
		e.Items = append(e.Items, plat.Item{
			ID: title[:3], Subscription: sub.ID, Kind: plat.ItemNew, Title: title, URL: "https://a.test/" + title[:3],
			Page: "https://a.test/", Version: i + 1, Seen: now.Add(time.Duration(i-1) * 48 * time.Hour),
		})
	}
	if err := s.Examined(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	s.Close()
	if out := must(t, "watch", "items", store); strings.Contains(out, "\x1b") || strings.Index(out, "New one") > strings.Index(out, "Old") {
		t.Errorf("items: %q", out)
	}
	if out := must(t, "watch", "items", store); !strings.Contains(out, "https://a.test/New  on https://a.test/\n") {
		t.Errorf("items do not name their page: %s", out)
	}
	must(t, "watch", "edit", sub.ID, "--title", "The Mill", "--tag", "work", store)
	if r := command(t, "watch", "edit", sub.ID, "--tell", "team,post", store); !strings.Contains(r.out, "The Mill  https://a.test/  [work]  tells post, team") {
		t.Errorf("ls: %s", r.out)
	}
	if got := jsonLines[view.Item](t, must(t, "watch", "items", "--since", "24h", store, "--json")); len(got) != 1 || got[0].Title != "New one" {
		t.Errorf("since a day: %+v", got)
	}
	if out := must(t, "watch", "ls", store); !strings.Contains(out, "9 entries is gone") {
		t.Errorf("ls says nothing of what is wrong: %s", out)
	}
	must(t, "watch", "read", "https://a.test/", store)
	if out := must(t, "watch", "items", "--unread", store); !strings.Contains(out, "no items") {
		t.Errorf("unread after all was read: %s", out)
	}
}

// A subscription that can tell nothing says so wherever it is met, with the next step.
func TestWhatCannotBeToldIsNamedWithTheNextStep(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	store := "--store=sqlite:" + path
	sub := jsonLines[view.Subscription](t, must(t, "watch", "add", "https://a.test/", store, "--json"))[0]
	if !strings.Contains(sub.Hint, "plat watch run") {
		t.Errorf("add --json: hint %q", sub.Hint)
	}
	if r := command(t, "watch", "add", "https://b.test/", store); r.code != 0 || !strings.Contains(r.err, "https://b.test/: not examined yet; plat watch run") {
		t.Errorf("add: %d %s", r.code, r.err)
	}
	must(t, "watch", "rm", "https://b.test/", store)
	if r := command(t, "watch", "items", store); r.out != "no items\n" || !strings.Contains(r.err, "https://a.test/: not examined yet; plat watch run") {
		t.Errorf("items: %s%s", r.out, r.err)
	}
	s := sqlitetest.OpenAt(t, path, sqlite.Options{})
	e := &storage.Examination{ID: sub.ID, Following: plat.Following{Pages: []plat.FollowedPage{{URL: "https://a.test/", Depth: 1, Examined: 1}}, Broken: watch.NoList}}
	if err := s.Examined(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	s.Close()
	got := jsonLines[view.Subscription](t, must(t, "watch", "ls", store, "--json"))
	if got[0].State != view.Choose || !strings.Contains(got[0].Hint, watch.NoList) || !strings.Contains(got[0].Hint, "plat watch test https://a.test/") {
		t.Errorf("ls --json: %+v", got[0])
	}
	for _, args := range [][]string{{"watch", "items"}, {"watch", "items", "--json"}, {"watch", "ls"}} {
		if r := command(t, append(args, store)...); r.code != 0 || !strings.Contains(r.err, view.Choose) || !strings.Contains(r.err, "plat watch edit "+sub.ID+" --block NUMBER") {
			t.Errorf("%v: %d %s%s", args, r.code, r.out, r.err)
		}
	}
	if r := command(t, "watch", "items", "-q", store); r.err != "" {
		t.Errorf("with -q: %s", r.err)
	}
	must(t, "watch", "edit", sub.ID, "--pause", store)
	if r := command(t, "watch", "items", store); r.err != "" {
		t.Errorf("a paused one: %s", r.err)
	}
}

// Items that were read do not count against the limit of those that were not.
func TestUnreadItemsAreFoundBehindOthers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	store := "--store=sqlite:" + path
	subs := jsonLines[view.Subscription](t, must(t, "watch", "add", "https://a.test/", "https://b.test/", store, "--json"))
	s := sqlitetest.OpenAt(t, path, sqlite.Options{})
	now := time.Now().UTC().Truncate(time.Millisecond)
	for i, sub := range subs {
		e := &storage.Examination{ID: sub.ID, Following: plat.Following{Pages: []plat.FollowedPage{{URL: sub.URL, Depth: 1, Examined: 2}}}}
		for n := range 5 {
			id := fmt.Sprintf("%d-%d", i, n)
			e.Items = append(e.Items, plat.Item{ID: id, Subscription: sub.ID, Kind: plat.ItemNew, Title: id, Page: sub.URL, Version: 2, Seen: now.Add(time.Duration(i-2) * time.Hour)})
		}
		if err := s.Examined(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	s.Close()
	must(t, "watch", "read", "https://b.test/", store)
	got := jsonLines[view.Item](t, must(t, "watch", "items", "--unread", "--limit", "3", store, "--json"))
	if len(got) != 3 || got[0].Title != "0-0" {
		t.Errorf("unread: %+v, want 3 of the first page", got)
	}
}

// A page may be in a list several times, with other texts to look for.
func TestAPageIsImportedOnceForEachCondition(t *testing.T) {
	dir := t.TempDir()
	store := "--store=sqlite:" + filepath.Join(dir, "a.db")
	list := filepath.Join(dir, "list.jsonl")
	if err := os.WriteFile(list, []byte(`{"url": "https://a.test/", "match": ["ferry"]}`+"\n"+`{"url": "https://a.test/", "match": ["pier"]}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"2 subscriptions added, 0 known", "0 subscriptions added, 2 known"} {
		if out := must(t, "watch", "import", list, store); !strings.Contains(out, want) {
			t.Errorf("%s; want %s", out, want)
		}
	}
}

// Lists of other programs are read, and their pages subscribed to once.
func TestListsComeInAndGoOut(t *testing.T) {
	dir := t.TempDir()
	store := "--store=sqlite:" + filepath.Join(dir, "a.db")
	list := filepath.Join(dir, "urls.txt")
	if err := os.WriteFile(list, []byte("# pages\nhttps://a.test/\nhttps://b.test/x?utm_source=y\nnot a url at all\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out := must(t, "watch", "import", list, "--tag", "in", store)
	if !strings.Contains(out, "2 subscriptions added") || !strings.Contains(out, "not imported") {
		t.Errorf("import: %s", out)
	}
	if out := must(t, "watch", "import", list, store); !strings.Contains(out, "0 subscriptions added, 2 known") {
		t.Errorf("import again: %s", out)
	}
	file := filepath.Join(dir, "out.opml")
	must(t, "watch", "export", "-o", file, store)
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	doc, err := opml.Read(f)
	if err != nil {
		t.Fatal(err)
	}
	if subs, refused := doc.Subscriptions(); len(subs) != 2 || len(refused) != 0 || subs[1].URL != "https://b.test/x" {
		t.Errorf("exported %+v, %+v", subs, refused)
	}
	other := "--store=sqlite:" + filepath.Join(dir, "b.db")
	if out := must(t, "watch", "import", file, other); !strings.Contains(out, "OPML: 2 subscriptions added") {
		t.Errorf("import of the export: %s", out)
	}
}

// Channels are never shown with their secrets.
func TestChannelsAreKeptWithoutShowingSecrets(t *testing.T) {
	store := "--store=sqlite:" + filepath.Join(t.TempDir(), "a.db")
	for name, url := range map[string]string{
		"hook":  "https://hooks.test/secret-path?token=hush#whsec_c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0",
		"mail":  "smtp://reader:hush@mail.test/?from=a@b.test&to=c@d.test",
		"named": "https://hooks.test/#$HOOK_SECRET",
	} {
		if out := must(t, "watch", "channel", "add", name, url, store, "--json"); strings.Contains(out, "hush") || strings.Contains(out, "secret-path") || strings.Contains(out, "c2Vj") {
			t.Errorf("add shows a secret: %s", out)
		}
	}
	out := must(t, "watch", "channel", "ls", store)
	if strings.Contains(out, "hush") || strings.Contains(out, "secret-path") || strings.Contains(out, "c2Vj") || !strings.Contains(out, "$HOOK_SECRET") {
		t.Errorf("ls: %s", out)
	}
	must(t, "watch", "channel", "rm", "hook", store)
	if r := command(t, "watch", "channel", "rm", "hook", store); r.code != app.ExitError {
		t.Errorf("rm of none: %+v", r)
	}
	for url, want := range map[string]string{"gopher://x.test/": "gopher", "https://x.test/": "#"} {
		if r := command(t, "watch", "channel", "add", "x", url, store); r.code != app.ExitUsage || !strings.Contains(r.err, want) {
			t.Errorf("%s: %d %s, want %q", url, r.code, r.err, want)
		}
	}
}

// A channel on a private address is reached only where that is allowed.
func TestAChannelIsTried(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	defer site.Close()
	store := "--store=sqlite:" + filepath.Join(t.TempDir(), "a.db")
	must(t, "watch", "channel", "add", "here", site.URL+"/webhook/plat/secret-part#unsigned", store)
	r := command(t, "watch", "channel", "test", "here", store)
	if r.code != app.ExitError || !strings.Contains(r.err, "loopback") || !strings.Contains(r.err, "if plat may go there, add 127.0.0.1/32 to the setting tell-private") || strings.Contains(r.err, "secret-part") {
		t.Errorf("a private address: %d %s", r.code, r.err)
	}
	r = command(t, "watch", "channel", "test", "here", store, "--tell-private", "127.0.0.0/8", "--json")
	var said struct {
		Sent  bool
		Error string
	}
	if err := json.Unmarshal([]byte(r.out), &said); err != nil || !said.Sent {
		t.Errorf("allowed: %s %v", r.out, err)
	}
}

// watch test shows the list of a page, and stores nothing.
func TestTheListOfAPageIsShown(t *testing.T) {
	t.Parallel()
	needChrome(t)
	site, err := fixtures.NewSite("site")
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(site)
	defer srv.Close()
	r := command(t, "watch", "test", srv.URL+"/", "--allow-private", "127.0.0.0/8", "--all")
	if r.code != 0 {
		t.Fatalf("%d %s", r.code, r.err)
	}
	for _, want := range []string{"11 articles", "all are headings, all are links", "The old crane stays", "/crane.html"} {
		if !strings.Contains(r.out, want) {
			t.Errorf("nothing of %q:\n%s", want, r.out)
		}
	}
	few := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `<!DOCTYPE html><title>Mill</title><main><h1>The mill</h1><p>The mill stands at the end of the street, beside the wharf.</p><ul><li><a href="/a">Lost dog</a></li><li><a href="/b">Choir sings</a></li></ul></main>`)
	}))
	defer few.Close()
	archive := "--store=sqlite:" + filepath.Join(t.TempDir(), "a.db")
	for _, tc := range []struct{ args, want []string }{
		{[]string{"watch", "test"}, []string{"choose what to watch", `2 entries, as "Lost dog", "Choir sings": `, "plat archive " + few.URL}},
		{[]string{"archive"}, nil},
		{[]string{"watch", "test"}, []string{"choose what to watch", "; --block ", "plat watch add " + few.URL}},
	} {
		r := command(t, append(tc.args, few.URL+"/", "--allow-private", "127.0.0.0/8", archive)...)
		for _, want := range tc.want {
			if r.code != 0 || !strings.Contains(r.out, want) {
				t.Errorf("%v: %d, nothing of %q:\n%s%s", tc.args, r.code, want, r.out, r.err)
			}
		}
	}
	if r := command(t, "watch", "add", few.URL+"/", archive); r.code != 0 || !strings.Contains(r.err, "choose what to watch") {
		t.Errorf("add of an archived page: %d %s", r.code, r.err)
	}
	if r := command(t, "watch", "test", srv.URL+"/nothing-here.html", "--allow-private", "127.0.0.0/8"); r.code == 0 || !strings.Contains(r.err, "404") {
		t.Errorf("a page that is not there: %d %s", r.code, r.err)
	}
}

// A site's own feed is held against the lists that are found.
func TestTheSitesFeedIsComparedWithItsLists(t *testing.T) {
	needChrome(t)
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `<!DOCTYPE html><title>News</title><link rel="alternate" type="application/atom+xml" href="/feed.xml"><link rel="alternate" type="application/rss+xml" href="/gone.xml"><main>`)
		for _, title := range []string{"Ferry strike ends", "Market opens again", "Seals on the breakwater"} {
			fmt.Fprintf(w, `<article><h2><a href="/%s">%s</a></h2><p>All about it, in a sentence of some length.</p></article>`, strings.ReplaceAll(title, " ", "-"), title)
		}
	})
	mux.HandleFunc("/feed.xml", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `<feed xmlns="http://www.w3.org/2005/Atom"><title>News</title><id>x</id><updated>2026-01-01T00:00:00Z</updated>
			<entry><title>FERRY strike ends!</title><id>1</id><link href="http://%[1]s/other"/></entry>
			<entry><title>Renamed</title><id>2</id><link href="http://%[1]s/Market-opens-again"/></entry>
			<entry><title>Not on the page</title><id>3</id><link href="http://%[1]s/not"/></entry></feed>`, r.Host)
	})
	srv := httptest.NewServer(mux)
	defer srv.Close()
	r := command(t, "watch", "test", srv.URL+"/", "--allow-private", "127.0.0.0/8")
	for _, want := range []string{"3 articles", "/feed.xml: 2 of its 3 entries are in these lists", "--feed " + srv.URL + "/feed.xml watches it", "/gone.xml: it cannot be read: the server answered with status 404"} {
		if r.code != 0 || !strings.Contains(r.out, want) {
			t.Errorf("%d, nothing of %q:\n%s%s", r.code, want, r.out, r.err)
		}
	}
}

// A feed that fails is in plat watch ls with its error, and since when.
func TestAFailingFeedIsListed(t *testing.T) {
	const feed = "https://a.test/feed"
	file := filepath.Join(t.TempDir(), "a.db")
	store := "--store=sqlite:" + file
	must(t, "watch", "add", "https://a.test/", "--feed", feed, "-q", store)
	s, err := sqlite.Open(file, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for n := range 2 {
		if err := s.Record(t.Context(), plat.Visit{URL: feed, Time: time.Date(2026, 5, 1+n, 6, 0, 0, 0, time.UTC), Outcome: plat.OutcomeHTTPError, Status: 500, Error: "the server answered with status 500"}, 0); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	out := must(t, "watch", "ls", "-q", store)
	for _, want := range []string{"a feed fails: ", "the feed " + feed + " fails since 2026-05-01 06:00:00: the server answered with status 500"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in %s", want, out)
		}
	}
	listed := jsonLines[view.Subscription](t, must(t, "watch", "ls", store, "--json"))
	if len(listed) != 1 || len(listed[0].Faults) != 1 || !listed[0].Faults[0].Feed || listed[0].Faults[0].Since.Day() != 1 || !strings.Contains(listed[0].Hint, "--feed") {
		t.Errorf("%+v", listed)
	}
}
