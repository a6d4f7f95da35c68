package focusweb_test

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	nethtml "golang.org/x/net/html"

	"plat/focus"
	"plat/focus/crawler"
	"plat/plat"
	"plat/storage/sqlite/sqlitetest"
)

// shows fails if a page does not have texts.
func shows(t *testing.T, page string, texts ...string) {
	t.Helper()
	for _, want := range texts {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not have %q:\n%.8000s", want, page)
		}
	}
}

// lacks fails if a page has texts.
func lacks(t *testing.T, page string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if strings.Contains(page, text) {
			t.Errorf("the page has %q:\n%.8000s", text, page)
		}
	}
}

func TestCrawlsAreListedTheLatestFirst(t *testing.T) {
	store := birds(t)
	begin(t, store, plat.Crawl{ID: "new", Name: "Bridges", State: plat.CrawlPaused, Made: day0.AddDate(0, 0, 1)})
	s := serve(store)
	page := get(s, "/focus").Body.String()
	shows(t, page, "2 crawls", `<a href="/focus/birds"><bdi>Birds</bdi></a>`, "60 %", "1,234", "running", "paused", `<a href="/focus" aria-current="page">Focus</a>`,
		`name="about"`, `<option value="TP">`, "自动化", `name="urls"`, `name="pages" type="number" min="0" value="1000"`, `name="per_host"`)
	if strings.Index(page, "Bridges") > strings.Index(page, "Birds") {
		t.Error("the crawl that was begun last is not the first")
	}
	shows(t, get(s, "/").Body.String(), `<a href="/focus">Focus</a>`)
	for i := range 120 {
		begin(t, store, plat.Crawl{ID: fmt.Sprintf("c%03d", i), Made: day0.AddDate(0, 0, -1-i)})
	}
	row := regexp.MustCompile(`<th scope="row"><a href="/focus/`)
	first, second := get(s, "/focus").Body.String(), get(s, "/focus?from=100").Body.String()
	if n, m := len(row.FindAllString(first, -1)), len(row.FindAllString(second, -1)); n != 100 || m != 22 {
		t.Errorf("122 crawls are on pages of %d and %d", n, m)
	}
	shows(t, first, `rel="next" href="/focus?from=100"`)
	for _, bad := range []string{"?from=-1", "?from=x", "?limt=1"} {
		if w := get(s, "/focus"+bad); w.Code != 400 {
			t.Errorf("%s: %d", bad, w.Code)
		}
	}
	shows(t, get(serve(sqlitetest.Open(t)), "/focus").Body.String(), "No focused crawls yet")
}

func TestThePageOfACrawlHasWhatItFound(t *testing.T) {
	s := serve(birds(t))
	page := get(s, "/focus/birds").Body.String()
	shows(t, page, "<bdi>Birds</bdi>", "running", "at most 100 pages", "20 of one host", "60 %", "1,234", "https://example.test/missing",
		`<svg viewBox="0 0 420 230" role="img" aria-label="3 of 5 pages on topic">`, `<polyline class="line" points="46,190 `, `<bdi class="chip">migrat</bdi>`,
		"on topic (3)", "not on topic (2)", "/version?url=https%3a%2f%2fs.test%2fbest&amp;version=1", `href="/focus/birds/why?url=https%3A%2F%2Fs.test%2Fwaits"`, "0.61",
		`<rect class="all" width="100" height="6"/><rect width="0" height="6"/>`, `<meta http-equiv="refresh" content="10">`, `href="/focus/birds?from=0&amp;still=true"`, `name="do" value="stop"`, "https://t.test/x?a=1&amp;b=2")
	best, third, start := strings.Index(page, "The best"), strings.Index(page, "t.test/x"), strings.Index(page, "<bdi>Start</bdi>")
	if best < 0 || best > third || third > start {
		t.Errorf("the most relevant page is not the first: %d, %d, %d", best, third, start)
	}
	lacks(t, page, "A shop", "near miss", "s.test/gone", "s.test/later")
	others := get(s, "/focus/birds?show=others").Body.String()
	shows(t, others, "A shop", "A near miss", `href="https://shop.test/near" rel="noreferrer noopener external"`, `name="show" value="others"`)
	lacks(t, others, "The best", "s.test/gone")
	if strings.Index(others, "A near miss") > strings.Index(others, "A shop") {
		t.Error("of what does not belong the nearest is not the first")
	}
	still := get(s, "/focus/birds?still=true").Body.String()
	lacks(t, still, "http-equiv")
	shows(t, still, "Refresh this page periodically", `name="still" value="true"`)
	for target, code := range map[string]int{"/focus/none": 404, "/focus/bi%2Frds": 404, "/focus/..%2f": 404, "/focus/" + strings.Repeat("x", 5000): 404, "/focus/birds?show=all": 400, "/focus/birds?from=-1": 400, "/focus/birds?still=1": 400,
		"/focus/birds?x=1": 400, "/focus/none/why?url=https://s.test/": 404, "/focus/birds/why": 400, "/focus/birds/why?url=s.test": 400, "/focus/none/remove": 404} {
		if w := get(s, target); w.Code != code {
			t.Errorf("%.60s is %d, want %d", target, w.Code, code)
		}
	}
}

func TestACrawlThatHasNotBegunOrIsDoneSaysSo(t *testing.T) {
	store := sqlitetest.Open(t)
	begin(t, store, plat.Crawl{ID: "new"})
	begin(t, store, plat.Crawl{ID: "done", State: plat.CrawlIsDone, Reason: "100 pages were visited"})
	s := serve(store)
	page := get(s, "/focus/new").Body.String()
	shows(t, page, "It has not begun", "No pages yet", "migration of birds")
	lacks(t, page, "<polyline")
	page = get(s, "/focus/done").Body.String()
	shows(t, page, "100 pages were visited", `name="do" value="resume"`)
	lacks(t, page, "http-equiv", `value="stop"`)
}

func TestThePagesShownAreTheBestOfManyInParts(t *testing.T) {
	store := sqlitetest.Open(t)
	begin(t, store, plat.Crawl{ID: "many"})
	var pages []plat.CrawlPage
	for n := range 3000 { // the best are spread over all
		pages = append(pages, visited(fmt.Sprintf("https://m.test/%d", n), "", .5+float64(n*7919%3000)/6000))
	}
	found(t, store, "many", pages...)
	s := serve(store)
	relevance := regexp.MustCompile(`<td class="n">(0\.\d\d|1\.00)</td>`)
	next := regexp.MustCompile(`<a rel="next" href="([^"]+)"`)
	var got []float64
	for to := "/focus/many"; to != ""; {
		page := get(s, to).Body.String()
		for _, m := range relevance.FindAllStringSubmatch(page, -1) {
			x, err := strconv.ParseFloat(m[1], 64)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, x)
		}
		shows(t, page, "on topic (3,000)")
		if to = ""; next.MatchString(page) {
			to = nethtml.UnescapeString(next.FindStringSubmatch(page)[1])
		}
	}
	want := math.Round(100*(.5+2800./6000)) / 100
	if len(got) != 200 || !slices.IsSortedFunc(got, func(a, b float64) int { return cmp.Compare(b, a) }) || got[199] != want {
		t.Errorf("%d pages, the last of %v, want 200 and %v: %v", len(got), got[len(got)-1], want, got)
	}
}

func TestAnExplanationSaysWhatWasKnown(t *testing.T) {
	s := serve(birds(t))
	page := get(s, "/focus/birds/why?url=https://s.test/best").Body.String()
	shows(t, page, "https://s.test/best", "visited: <bdi>The best</bdi>", "Page 2 that was asked for; expected then: 0.50", "belongs to the topic", `href="/focus/birds/why?url=https%3A%2F%2Fs.test%2F"`, "migrat", "Words of the topic on the page", "<title>Why – Birds – plat</title>")
	shows(t, get(s, "/focus/birds/why?url=https://s.test/waits").Body.String(), "waiting.", "Expected:")
	shows(t, get(s, "/focus/birds/why?url=https://s.test/").Body.String(), "It is one of the URLs that the crawl began with.")
	shows(t, get(s, "/focus/birds/why?url=https://s.test/gone").Body.String(), "There was no page: gone")
	shows(t, get(s, "/focus/birds/why?url=https://none.test/").Body.String(), "The crawl has seen no link to it.")
}

// Texts of pages are shown as text, whatever they are, on all pages.
func TestHostileTextsAreShownAsText(t *testing.T) {
	const script = `<script>alert(1)</script><img src=x onerror=alert(1)>"'` + "`"
	const forged = "\u202egnp.exe\u2066\x00\x1b[31m"
	store := sqlitetest.Open(t)
	begin(t, store, plat.Crawl{ID: "evil", Name: script + "\u202eoverride" + strings.Repeat("y", 900), Reason: script + "\u202e\x1b", Seeds: []string{"javascript:alert(1)", "https://evil.test/\"><script>\u202e"}})
	bad := []plat.CrawlPage{
		visited("javascript:alert(1)", script, .9), visited("data:text/html,<script>alert(1)</script>", forged, .8), visited("https://evil.test/\"><script>\u202e", strings.Repeat("<b>\u202e", 240), .7),
		visited("//evil.test/", "", .6), visited("https://evil.test/"+strings.Repeat("x", 3000), strings.Repeat("\U0001F468\u200d", 400), .55), visited("https://evil.test/no", script, .1)}
	for i := range bad {
		bad[i].From = "javascript:alert(2)"
		bad[i].Reading = reading(bad[i].URL, "bird", "javascript:alert(3)", "https://evil.test/\"><script>\u202e")
		if i != 4 {
			bad[i].Version = 0
		}
	}
	found(t, store, "evil", bad...)
	report(t, store, "evil", crawler.Report{Time: day0, Terms: []string{script, forged}, Counts: focus.Counts{Pages: 2, Belong: 1}, Curve: []crawler.Point{{Pages: 2, Belong: 1}}, Sites: []crawler.Site{{Host: script + forged, Pages: 1, Belong: 1}},
		Waiting: []focus.Asked{{URL: "javascript:alert(1)", Score: 7, From: script}, {URL: forged, From: forged}}, Missing: []string{script + forged}})
	s := serve(store)
	for _, path := range []string{"/focus", "/focus/evil", "/focus/evil?show=others", "/focus/evil/remove", "/focus/evil/why?url=" + url.QueryEscape("https://evil.test/no"), "/focus/evil/why?url=" + url.QueryEscape("https://evil.test/\"><script>")} {
		w := get(s, path)
		page := w.Body.String()
		if w.Code != 200 {
			t.Errorf("%s: %d %.300s", path, w.Code, page)
			continue
		}
		inert(t, path, page)
		if len(page) > 200_000 {
			t.Errorf("%s has %d bytes", path, len(page))
		}
	}
}

// inert fails if a page contains scripts, links to addresses outside the web, or forged content.
// Hidden fields and addresses are percent-encoded or returned as they came.
func inert(t *testing.T, path, page string) {
	t.Helper()
	doc, err := nethtml.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for n := range doc.Descendants() {
		if n.Type == nethtml.TextNode && strings.ContainsAny(n.Data, "\u202e\u2066\x1b\x00") {
			t.Errorf("%s shows %q", path, n.Data)
		}
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
			if a.Key == "src" && !strings.HasPrefix(value, "/static/") {
				t.Errorf("%s loads %s", path, a.Val)
			}
			if a.Key != "value" && strings.ContainsAny(a.Val, "\u202e\u2066\x1b\x00") {
				t.Errorf("%s has %s=%q", path, a.Key, a.Val)
			}
		}
	}
}

// The page of a crawl counts as many pages as it lists, after all labels and later results.
func TestThePageOfACrawlCountsWhatItLists(t *testing.T) {
	store := birds(t)
	s := serve(store)
	counts := func(on, pages, share string) {
		t.Helper()
		shows(t, get(s, "/focus/birds").Body.String(), "<dt>on topic</dt><dd>"+on+"</dd>", "<dt>pages visited</dt><dd>"+pages+"</dd>", "<dd>"+share+"</dd>", "on topic ("+on+")")
	}
	counts("3", "5", "60 %")
	if w := post(s, "/focus/birds/label", url.Values{"url": {"https://s.test/best"}, "belongs": {"no"}}); w.Code != 303 {
		t.Fatal(w.Code)
	}
	counts("2", "5", "40 %")
	shows(t, get(s, "/focus/birds").Body.String(), "Later labels count for these pages only so far")
	shows(t, get(s, "/focus/birds?show=others").Body.String(), "The best")
	// The crawl rejudges the shop by its words, and finds that the near miss is a second URL of it.
	judged := make([]byte, 8)
	binary.LittleEndian.PutUint16(judged[4:], 1<<15|14_745)
	binary.LittleEndian.PutUint16(judged[6:], 1<<14|14_745)
	report(t, store, "birds", crawler.Report{Time: day0, Counts: focus.Counts{Pages: 4, Belong: 3}, Judged: judged, Heeds: "them"})
	counts("3", "4", "75 %")
	page := get(s, "/focus/birds").Body.String()
	shows(t, page, "A shop", `<td class="n">0.90</td>`)
	for _, path := range []string{"/focus/birds", "/focus/birds?show=others"} {
		lacks(t, get(s, path).Body.String(), "A near miss")
	}
	if got := ask(s, "GET", "/api/v1/focus/birds/pages?belongs=true", "").Body.String(); strings.Count(got, `"n":`) != 3 || !strings.Contains(got, `"title":"A shop","relevance":0.9,"belongs":true`) {
		t.Errorf("pages: %s", got)
	}
	if got := ask(s, "GET", "/api/v1/focus/birds/pages", "").Body.String(); !strings.Contains(got, `"title":"A near miss","relevance":0.9,"belongs":false,"same":true`) {
		t.Errorf("pages: %s", got)
	}
}

func TestWhatIsUnderWayIsShown(t *testing.T) {
	store := birds(t)
	report(t, store, "birds", crawler.Report{Time: day0, Pending: 7, Oldest: []crawler.Pending{{URL: "https://s.test/later", Asked: day0}}})
	if _, err := store.Enlist(t.Context(), []plat.Job{{URL: "https://s.test/later", Due: day0}}, 0); err != nil {
		t.Fatal(err)
	}
	if err := store.Record(t.Context(), plat.Visit{URL: "https://s.test/later", Time: day0.AddDate(0, 0, 1), Outcome: plat.OutcomeUnreachable, Error: "no such host"}, 0); err != nil {
		t.Fatal(err)
	}
	shows(t, get(serve(store), "/focus/birds").Body.String(), "<dt>under way</dt><dd>7</dd>", "Under way longest", "<bdi>https://s.test/later</bdi>", "<td>unreachable</td>")
}

// If the topic of a crawl has become unreadable, its explanations report the reason.
func TestWhyOfACrawlThatCannotBeRead(t *testing.T) {
	store := sqlitetest.Open(t)
	c := plat.Crawl{ID: "unread", State: plat.CrawlRuns, Made: day0, Seeds: []string{"https://s.test/"}, Topic: "topics: {"}
	if err := store.PutCrawl(t.Context(), &c); err != nil {
		t.Fatal(err)
	}
	w := get(serve(store), "/focus/unread/why?url=https://s.test/")
	if w.Code != 409 || !strings.Contains(w.Body.String(), "yaml") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
