package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"plat/cmd/plat/app"
	"plat/plat"
	"plat/storage/sqlite"
	"plat/storage/sqlite/sqlitetest"
)

// crawlState is the output of plat focus new, label, stop, resume and rm.
type crawlState struct{ ID, Name, State string }

// crawlStatus is the output of plat focus status.
type crawlStatus struct {
	ID, Name, State, Reason, Order string
	Pages, Labels                  int
	Seeds                          []string
	Report                         *struct {
		Terms  []string
		Counts map[string]int
		Curve  []struct{ Pages, Belong int }
		Sites  []struct {
			Host          string
			Pages, Belong int
		}
		Waiting []struct {
			URL, From string
			Score     float64
		}
		Left []string
	}
}

func TestFocusedCrawlsAreBegunChangedAndRemoved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	store := "--store=sqlite:" + path
	birds := jsonLines[crawlState](t, must(t, "focus", "new", "--about", "bird migration", "--name", "birds", "https://a.test/?utm_source=x", store, "--json"))[0]
	stars := jsonLines[crawlState](t, must(t, "focus", "new", "--topic", "天文学", "--pages", "50", "--order", "bfs", "--every", "7d", "https://a.test/", store, "--json"))[0]
	if birds.State != "running" || birds.Name != "birds" || stars.Name == "" || len(birds.ID) < 5 {
		t.Fatalf("begun: %+v, %+v", birds, stars)
	}
	got := jsonLines[crawlStatus](t, must(t, "focus", "status", birds.ID[:6], store, "--json"))
	if len(got) != 1 || got[0].Seeds[0] != "https://a.test/" || got[0].Pages != 1000 || got[0].Order != "blocks" || got[0].Report != nil {
		t.Errorf("status: %+v", got)
	}
	if out := must(t, "focus", "status", "birds", store); !strings.Contains(out, "plat focus run") {
		t.Errorf("a crawl that has not begun: %s", out)
	}
	if out := must(t, "focus", "status", store); !strings.Contains(out, birds.ID) || !strings.Contains(out, stars.ID) {
		t.Errorf("status of all: %s", out)
	}
	for _, step := range []struct {
		args  []string
		state string
	}{
		{[]string{"stop", "BIRDS"}, "paused"},
		{[]string{"resume", birds.ID, "--pages", "70"}, "running"},
		{[]string{"label", "birds", "yes", "https://a.test/one", "https://a.test/two"}, "running"},
		{[]string{"label", "birds", "none", "https://a.test/two"}, "running"},
	} {
		r := command(t, append(append([]string{"focus"}, step.args...), store, "--json")...)
		got := jsonLines[crawlState](t, r.out)
		if r.code != app.ExitOK || len(got) != 1 || got[0] != (crawlState{birds.ID, "birds", step.state}) {
			t.Errorf("%v: exit %d, %+v", step.args, r.code, got)
		}
	}
	if got := jsonLines[crawlStatus](t, must(t, "focus", "status", "birds", store, "--json"))[0]; got.Pages != 70 || got.Labels != 1 {
		t.Errorf("changed to %+v", got)
	}
	if r := command(t, "focus", "resume", "birds", "--pages", "99999999999", store); r.code != app.ExitUsage || !strings.Contains(r.err, "write at most") {
		t.Errorf("too many pages: exit %d, %s", r.code, r.err)
	}
	must(t, "focus", "resume", "birds", "--pages", "0", "--per-host", "9", store)
	if got := jsonLines[crawlStatus](t, must(t, "focus", "status", "birds", store, "--json"))[0]; got.Pages != 0 {
		t.Errorf("resumed without a limit: %+v", got)
	}
	doneStays(t, path, stars.ID)
	if out := must(t, "focus", "rm", "birds", stars.ID, store, "--json"); strings.Count(out, `"state":"removed"`) != 2 {
		t.Errorf("rm: %s", out)
	}
	if out := must(t, "focus", "status", store); strings.Contains(out, birds.ID) || !strings.Contains(out, "plat focus new") {
		t.Errorf("after rm: %s", out)
	}
}

// A crawl that is done is not made to wait by stopping it.
func doneStays(t *testing.T, path, id string) {
	t.Helper()
	s := sqlitetest.OpenAt(t, path, sqlite.Options{})
	c, err := s.Crawl(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	c.State, c.Reason = plat.CrawlIsDone, "no links are left"
	if err := s.PutCrawl(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	s.Close()
	store := "--store=sqlite:" + path
	must(t, "focus", "stop", id, store)
	if got := jsonLines[crawlStatus](t, must(t, "focus", "status", id, store, "--json"))[0]; got.State != "done" || got.Reason != "no links are left" {
		t.Errorf("a crawl that was done is %s (%s) after it was stopped", got.State, got.Reason)
	}
}

// Each error gives the next step.
func TestErrorsOfFocusedCrawls(t *testing.T) {
	store := "--store=sqlite:" + filepath.Join(t.TempDir(), "a.db")
	for range 2 {
		must(t, "focus", "new", "-q", "--about", "bird migration", "--name", "twins", "https://a.test/", store)
	}
	for _, tc := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"status", "nobody"}, app.ExitError, "plat focus status lists all"},
		{[]string{"why", "nobody", "https://a.test/"}, app.ExitError, "plat focus status lists all"},
		{[]string{"export", "nobody"}, app.ExitError, "plat focus status lists all"},
		{[]string{"stop", "nobody"}, app.ExitError, "plat focus status lists all"},
		{[]string{"rm", "nobody"}, app.ExitError, "plat focus status lists all"},
		{[]string{"label", "nobody", "yes", "https://a.test/"}, app.ExitError, "plat focus status lists all"},
		{[]string{"stop", "twins"}, app.ExitError, "names 2 focused crawls: write one of"},
		{[]string{"label", "twins", "maybe", "https://a.test/"}, app.ExitUsage, "write yes, no or none"},
		{[]string{"label", "twins", "yes", "news"}, app.ExitUsage, "https://news"},
		{[]string{"resume", "twins", "--pages", "-5"}, app.ExitUsage, "write 0 or more"},
		{[]string{"resume", "twins", "--per-host", "-5"}, app.ExitUsage, "write 0 or more"},
		{[]string{"new", "--about", "birds", "--pages", "99999999999", "https://a.test/"}, app.ExitUsage, "write at most 1000000000"},
		{[]string{"new", "--about", "birds", "--per-host", "99999999999", "https://a.test/"}, app.ExitUsage, "write at most 1000000000"},
		{[]string{"new", "https://a.test/"}, app.ExitUsage, "--about WORDS"},
		{[]string{"new", "--about", "", "https://a.test/"}, app.ExitUsage, "--about WORDS"},
		{[]string{"new", "--about", "?!", "https://a.test/"}, app.ExitUsage, "add a name, terms or a positive example"},
		{[]string{"new", "--about", "birds", "--topic", "Q95", "https://a.test/"}, app.ExitUsage, "leave out --topic"},
		{[]string{"new", "--about", "birds", "--order", "random", "https://a.test/"}, app.ExitUsage, "write one of blocks, bfs"},
		{[]string{"new", "--about", "birds", "--least", "2", "https://a.test/"}, app.ExitUsage, "up to 1"},
		{[]string{"new", "--about", "birds", "--pages", "-1", "https://a.test/"}, app.ExitUsage, "write 0 or more"},
		{[]string{"new", "--about", "birds", "--scope", "galaxy", "https://a.test/"}, app.ExitUsage, "host"},
		{[]string{"new", "--about", "birds", "news"}, app.ExitUsage, "https://news"},
		{[]string{"new", "--about", "birds"}, app.ExitUsage, "see plat focus new --help"},
		{[]string{"new", "--topic", "no such topic", "https://a.test/"}, app.ExitUsage, "no such topic"},
		{[]string{"new", "--file", "/none.yaml", "https://a.test/"}, app.ExitUsage, "--file"},
		{[]string{"new", "--about", "of the and", "https://a.test/"}, app.ExitUsage, "use different words"},
		{[]string{"propose", "--about", "birds", "--limit", "-1"}, app.ExitUsage, "write 1 or more"},
		{[]string{"propose", "--about", "birds", "--limit", "0"}, app.ExitUsage, "write 1 or more"},
		{[]string{"topics", "no such topic"}, app.ExitUsage, "no such topic"},
	} {
		r := command(t, append(append([]string{"focus"}, tc.args...), store)...)
		if r.code != tc.code || !strings.Contains(r.err, tc.want) || strings.Count(r.err, "\n") > 2 {
			t.Errorf("focus %q: exit %d, %q; want %d, %q", tc.args, r.code, r.err, tc.code, tc.want)
		}
	}
}

func TestTopicsArePrinted(t *testing.T) {
	type one struct {
		ID, Parent string
		Names      map[string]string
		Terms      map[string][]string
	}
	all := jsonLines[one](t, must(t, "focus", "topics", "--json"))
	some := jsonLines[one](t, must(t, "focus", "topics", "天文学", "--json"))
	if len(all) < 100 || len(some) == 0 || some[0].Names["zh"] != "天文学" && !strings.Contains(some[0].Names["zh"], "天文学") || len(some[0].Terms["zh"]) == 0 {
		t.Errorf("%d topics; %+v", len(all), some)
	}
	if out := must(t, "focus", "topics"); !strings.Contains(out, "天文学") || !strings.Contains(out, "English") {
		t.Errorf("topics: %.300s", out)
	}
}

// aviary is a site on which the pages about birds are linked from unrelated pages only.
func aviary(t *testing.T) (s *httptest.Server, visits func(path string) int) {
	var mu sync.Mutex
	seen := map[string]int{}
	body := func(title, text string, links ...string) string {
		var b strings.Builder
		fmt.Fprintf(&b, `<!doctype html><html lang="en"><head><title>%[1]s</title></head><body><h1>%[1]s</h1>`, title)
		fmt.Fprintf(&b, "<p>%s.</p><p>", text)
		for i := range 150 { // as on real pages, most words are unrelated to the topic
			fmt.Fprintf(&b, "%c%s%c ", 'a'+i%26, title[:3], 'a'+i*7/10%26)
		}
		b.WriteString("</p>")
		for _, l := range links {
			fmt.Fprintf(&b, `<p><a href="%s">%s</a></p>`, l, strings.ReplaceAll(strings.Trim(l, "/"), "-", " "))
		}
		return b.String() + "</body></html>"
	}
	const birds = "In autumn warblers and storks migrate; ringing of birds shows their migration routes and stopover sites"
	pages := map[string]string{
		"/":                body("Town", "The town has a market, a bridge and offices for taxes", "/sports", "/council"),
		"/sports":          body("Sports", "The team won its match and the trainer was glad of the goals", "/bird-ringing", "/scores", "/lost"),
		"/council":         body("Council", "The council met and spoke of roads, budgets and parking", "/scores"),
		"/scores":          body("Scores", "Two to one, three to nil, a draw and a late goal in extra time"),
		"/bird-ringing":    body("Ringing of birds", birds, "/stork-migration", "/warblers", "/council"),
		"/stork-migration": body("Migration of storks", birds),
		"/warblers":        body("Migration of warblers", birds, "/?utm_source=x"),
	}
	s = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		seen[r.URL.Path]++
		mu.Unlock()
		p, ok := pages[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, p)
	}))
	t.Cleanup(s.Close)
	return s, func(path string) int {
		mu.Lock()
		defer mu.Unlock()
		return seen[path]
	}
}

// focusRun runs focused crawls until they are done.
func focusRun(t *testing.T, store string, ports string, flags ...string) {
	t.Helper()
	cmd, _, errs := process(t, append([]string{"focus", "run", "-q", store, "--redis-listen", freeAddr(t), "--listen", freeAddr(t), "--delay", "10ms", "--retry-delay", "100ms",
		"--attempts", "2", "--allow-private", "127.0.0.0/8", "--allow-port", ports, "--no-dns", "--sitemaps=false", "--log-level=warn"}, flags...)...)
	timer := time.AfterFunc(2*time.Minute, func() { cmd.Process.Kill() })
	defer timer.Stop()
	cmd.Wait() // the exit code is checked next
	if code := cmd.ProcessState.ExitCode(); code != app.ExitOK {
		t.Fatalf("focus run: exit %d, %s", code, errs)
	}
	if l := left(t, cmd.Process.Pid); len(l) > 0 {
		t.Errorf("left behind: %v", l)
	}
}

// A focused crawl runs from its beginning to its end, and is explained.
func TestAFocusedCrawlFindsPagesBehindOthers(t *testing.T) {
	t.Parallel()
	needChrome(t)
	site, visits := aviary(t)
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(site.URL, "http://"))
	store := "--store=sqlite:" + filepath.Join(t.TempDir(), "a.db")
	run := func() { t.Helper(); focusRun(t, store, port) }
	must(t, "focus", "new", "-q", "--about", "bird migration: ringing of birds, storks, warblers, stopover sites", "--name", "birds", site.URL+"/", store)
	run()
	st := jsonLines[crawlStatus](t, must(t, "focus", "status", "birds", store, "--json"))[0]
	if st.State != "done" || st.Reason != "no links are left" || st.Report == nil || st.Report.Counts["pages"] != 7 || st.Report.Counts["belong"] != 3 || st.Report.Counts["missing"] != 1 ||
		len(st.Report.Sites) != 1 || len(st.Report.Terms) == 0 || len(st.Report.Curve) == 0 {
		t.Fatalf("status: %+v %+v", st, st.Report)
	}
	if out := must(t, "focus", "status", "birds", store); !strings.Contains(out, "3 of 7 pages on topic (43 %), 1 without a page") {
		t.Errorf("status:\n%s", out)
	}
	type exported struct {
		N                   int
		URL, Title, Outcome string
		From                string
		Relevance, Expected float64
		Version             int
	}
	found := jsonLines[exported](t, must(t, "focus", "export", "birds", store, "--json"))
	all := jsonLines[exported](t, must(t, "focus", "export", "birds", "--all", store, "--json"))
	for _, p := range found {
		if p.Version != 1 || p.Relevance < .5 || p.Outcome != "new" || p.Title == "" || p.From == "" {
			t.Errorf("%+v", p)
		}
	}
	if len(found) != 3 || len(all) != 8 || all[0].URL != site.URL+"/" {
		t.Errorf("exported %d, of all %d", len(found), len(all))
	}
	if out := must(t, "focus", "export", "birds", store); !strings.Contains(out, "Migration of storks") || strings.Contains(out, "council") {
		t.Errorf("export:\n%s", out)
	}
	explained(t, site.URL, store)
	if versions := must(t, "versions", site.URL+"/stork-migration", store, "--json"); strings.Count(versions, "\n") != 1 {
		t.Errorf("versions: %s", versions)
	}
	if r := command(t, "versions", site.URL+"/council", store); r.code == app.ExitOK {
		t.Errorf("a page that does not belong has versions: %s", r.out)
	}
	// It is done: going on visits nothing twice. Labels are heeded.
	must(t, "focus", "label", "birds", "yes", site.URL+"/scores", store)
	must(t, "focus", "resume", "birds", store)
	run()
	st = jsonLines[crawlStatus](t, must(t, "focus", "status", "birds", store, "--json"))[0]
	if st.State != "done" || st.Report.Counts["belong"] < 4 || visits("/council") != 1 || visits("/stork-migration") != 1 {
		t.Errorf("after a label: %+v; visits %d and %d", st.Report, visits("/council"), visits("/stork-migration"))
	}
	must(t, "verify", store)
}

func explained(t *testing.T, site, store string) {
	t.Helper()
	var why struct {
		URL, State, From, Title, Outcome string
		N                                int
		Relevance                        float64
		Belongs                          bool
		Links                            []struct{ Page string }
		Reasons, Words                   []struct{ Name string }
	}
	if err := json.Unmarshal([]byte(must(t, "focus", "why", "birds", site+"/bird-ringing", store, "--json")), &why); err != nil {
		t.Fatal(err)
	}
	if why.State != "visited" || why.From != site+"/sports" || !why.Belongs || why.Relevance < .5 || len(why.Links) == 0 || len(why.Words) == 0 || len(why.Reasons) == 0 || why.N < 2 {
		t.Errorf("why: %+v", why)
	}
	for url, want := range map[string]string{
		"/bird-ringing": "it belongs to the topic", "/council": "does not belong to the topic", "/lost": "there was no page: gone",
		"/": "URLs that the crawl began with", "/never": "the crawl has seen no link to it",
	} {
		if out := must(t, "focus", "why", "birds", site+url, store); !strings.Contains(out, want) {
			t.Errorf("why %s:\n%s", url, out)
		}
	}
}

// A site shows crawlers the topic and readers something else: a crawl under a browser's name sees
// the text for readers; under plat's name it detects the difference, names the site, and leaves
// it.
func TestASiteThatShowsCrawlersOtherText(t *testing.T) {
	t.Parallel()
	needChrome(t)
	honest, _ := aviary(t)
	const birds = "In autumn warblers and storks migrate; ringing of birds shows their migration routes and stopover sites."
	const casino = "Play roulette and poker in our casino tonight, win the jackpot, and double your first bonus at once."
	var asked atomic.Int32
	two := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		text, title, more := casino, "Casino", "games"
		if agent := r.UserAgent(); strings.Contains(agent, "plat/") || strings.Contains(agent, "bot") {
			text, title, more = birds, "Migration of birds", "birds"
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, `<!doctype html><html lang="en"><title>%s</title><h1>%[1]s</h1><p>%s</p>`, title, text)
		for i := range 40 {
			fmt.Fprintf(w, `<p>word%c%c <a href="/birds-%s-%d">%s</a></p>`, 'a'+i%26, 'a'+i*7/10%26, strings.Trim(r.URL.Path, "/"), i, more)
		}
	}))
	t.Cleanup(two.Close)
	port := func(s *httptest.Server) string {
		_, p, _ := net.SplitHostPort(strings.TrimPrefix(s.URL, "http://"))
		return p
	}
	for _, tc := range []struct {
		name  string
		flags []string
		left  bool
	}{{"as a browser", []string{"--stealth"}, false}, {"under plat's name", nil, true}, {"with another name", []string{"--user-agent", "somebot/1.0"}, true}} {
		t.Run(tc.name, func(t *testing.T) {
			store := "--store=sqlite:" + filepath.Join(t.TempDir(), "a.db")
			must(t, "focus", "new", "-q", "--about", "bird migration: ringing of birds, storks, warblers, stopover sites", "--name", "birds", "--pages", "20", honest.URL+"/", two.URL+"/birds", store)
			asked.Store(0)
			focusRun(t, store, port(honest)+","+port(two), tc.flags...)
			st := jsonLines[crawlStatus](t, must(t, "focus", "status", "birds", store, "--json"))[0]
			if st.State != "done" || st.Report.Counts["belong"] != 3 || (len(st.Report.Left) > 0) != tc.left {
				t.Errorf("status: %+v %+v", st, st.Report)
			}
			outcomes := map[string]int{}
			for _, p := range jsonLines[struct{ URL, Outcome string }](t, must(t, "focus", "export", "birds", "--all", store, "--json")) {
				if strings.HasPrefix(p.URL, two.URL) {
					outcomes[p.Outcome]++
				}
			}
			out := must(t, "focus", "status", "birds", store)
			switch {
			case !tc.left && (outcomes["off-topic"] == 0 || len(outcomes) != 1):
				t.Errorf("pages of the site: %v", outcomes)
			case tc.left && (outcomes["cloaked"] == 0 || outcomes["new"] > 0 || outcomes["cloaked"]+outcomes["off-topic"] > 5 || !strings.Contains(out, "readers are shown other text: "+strings.TrimPrefix(two.URL, "http://"))):
				t.Errorf("pages of the site: %v, status:\n%s", outcomes, out)
			}
			must(t, "verify", store)
			t.Logf("%v, %d requests", outcomes, asked.Load())
		})
	}
}

// Without a crawl that runs, run says so.
func TestFocusRunWithoutACrawl(t *testing.T) {
	needChrome(t)
	r := command(t, "focus", "run", "--store=sqlite:"+filepath.Join(t.TempDir(), "a.db"), "--redis-listen", freeAddr(t), "--listen", freeAddr(t), "--log-level=error")
	if r.code != app.ExitOK || !strings.Contains(r.err, "plat focus new") {
		t.Errorf("exit %d, %q", r.code, r.err)
	}
}

// proposed is the output of plat focus propose.
type proposed struct {
	URL, Source, Title string
	Block              int32
	Words              []string
	Score              float64
}

func TestPagesToBeginWithAreProposed(t *testing.T) {
	store := madeUp(t)
	must(t, "search", "river", store) // it is indexed
	engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/search" || r.URL.Query().Get("q") != "the river, a flood" {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		fmt.Fprint(w, `{"results": [{"url": "https://found.test/?utm_source=x", "title": "Found"}, {"url": "ftp://other.test/"}]}`)
	}))
	t.Cleanup(engine.Close)
	got := jsonLines[proposed](t, must(t, "focus", "propose", "--about", "the river, a flood", "--searxng", engine.URL, store, "--json"))
	if len(got) < 2 {
		t.Fatalf("proposed: %+v", got)
	}
	first, last := got[0], got[len(got)-1]
	if first.Source != "archive" || !strings.HasPrefix(first.URL, "http://news.test/") || first.Block == 0 || len(first.Words) == 0 || first.Score <= 0 {
		t.Errorf("of the archive: %+v", first)
	}
	if last.Source != "searxng" || last.URL != "https://found.test/" || last.Title != "Found" {
		t.Errorf("of the search engine: %+v", last)
	}
	if out := must(t, "focus", "propose", "--about", "zymurgy", store); !strings.Contains(out, "begin with URLs that you know") {
		t.Errorf("nothing is proposed: %q", out)
	}
	if out := must(t, "focus", "propose", "--about", "river", store); !strings.Contains(out, "http://news.test/") {
		t.Errorf("proposed: %q", out)
	}
	if n := must(t, "focus", "propose", "--about", "river", "--limit", "1", store, "--json"); strings.Count(n, "\n") != 1 {
		t.Errorf("limited to one: %s", n)
	}
}

// A search engine is reached wherever the user says that it is, but does not lead plat elsewhere.
func TestASearchEngineDoesNotLeadElsewhere(t *testing.T) {
	store := madeUp(t)
	must(t, "search", "river", store) // it is indexed
	reached := 0
	inside := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		reached++
		fmt.Fprint(w, `{"results": [{"url": "https://found.test/"}]}`)
	}))
	defer inside.Close()
	engine := httptest.NewServer(http.RedirectHandler(inside.URL+"/search", http.StatusFound))
	defer engine.Close()
	r := command(t, "focus", "propose", "--about", "river", "--searxng", engine.URL, store)
	if r.code != app.ExitError || !strings.Contains(r.err, "redirects are not followed; give the URL of the target") || reached != 0 {
		t.Errorf("it ends with %d, %q; the server inside is asked %d times", r.code, r.err, reached)
	}
}
