package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"plat/focus"
	"plat/focus/crawler"
	"plat/plat"
	"plat/storage"
	"plat/web/api"
)

// reading is the stored reading of a page with words and links.
func reading(u, words string, links ...string) []byte {
	p := &focus.Page{URL: u}
	for _, w := range strings.Fields(words) {
		p.Words = append(p.Words, focus.TermOf(w))
	}
	for _, to := range links {
		p.Links = append(p.Links, focus.Link{URL: to, Text: "more", Heading: -1})
	}
	return p.Encode()
}

// crawled adds a focused crawl that has asked for seven pages: the seed and three more belong, one
// does not, one is gone, and one is not visited yet.
func crawled(t testing.TB, store storage.Store, id string) {
	t.Helper()
	w := crawler.Settings{Crawl: plat.Crawl{ID: id, Name: "Crawl " + id, Seeds: []string{"https://s.test/"}, Pages: 100, State: plat.CrawlRuns, Made: utc(2026, time.May, 1, 0, 0, 0)}, About: "migration of birds"}
	if err := w.Fill(); err != nil {
		t.Fatal(err)
	}
	if err := store.PutCrawl(t.Context(), &w.Crawl); err != nil {
		t.Fatal(err)
	}
	var asked []plat.CrawlPage
	links := []string{}
	for n := range 7 {
		u := "https://s.test/"
		if n > 0 {
			u = fmt.Sprintf("https://s.test/%d", n)
			links = append(links, u)
		}
		asked = append(asked, plat.CrawlPage{Crawl: id, N: n + 1, URL: u, Score: .5, Asked: utc(2026, time.May, 2, 0, n, 0)})
		if n > 0 {
			asked[n].From = "https://s.test/"
		}
	}
	if _, err := store.Ask(t.Context(), asked); err != nil {
		t.Fatal(err)
	}
	for n := range 6 {
		p := asked[n]
		p.Visited, p.Outcome, p.Relevance, p.Title = p.Asked.Add(time.Second), plat.OutcomeNew, .9-float64(n)/10, fmt.Sprint("Title ", n)
		p.Version, p.Reading = 1, reading(p.URL, "bird migrat bird ring")
		switch n {
		case 0:
			p.Reading = reading(p.URL, "bird migrat", append(links, "https://s.test/waits")...)
		case 4:
			p.Relevance, p.Version, p.Reading = .1, 0, reading(p.URL, "shop price")
		case 5:
			p.Outcome, p.Version, p.Relevance, p.Reading = plat.OutcomeGone, 0, 0, nil
		}
		if err := store.Answer(t.Context(), &p); err != nil {
			t.Fatal(err)
		}
	}
	report, err := json.Marshal(crawler.Report{Time: utc(2026, time.May, 2, 1, 0, 0), Terms: []string{"bird", "migrat"}, Counts: focus.Counts{Asked: 7, Pages: 5, Belong: 4, Missing: 1, Waiting: 1, Targets: 8},
		Curve: []crawler.Point{{Pages: 1, Belong: 1}, {Pages: 5, Belong: 4}}, Sites: []crawler.Site{{Host: "s.test", Pages: 5, Belong: 4}}, Waiting: []focus.Asked{{URL: "https://s.test/waits", Score: .6, From: "https://s.test/"}},
		Assessor: []byte("SECRET of workers")})
	if err != nil {
		t.Fatal(err)
	}
	if err := store.PutReport(t.Context(), id, report); err != nil {
		t.Fatal(err)
	}
}

func TestAnswersAboutFocusedCrawlsKeepTheContract(t *testing.T) {
	store := made(t)
	crawled(t, store, "birds")
	crawled(t, store, "bridges")
	c := newContract(t, New(Options{Store: store, Drop: []string{"utm"}}))
	const js = "application/json"
	for _, x := range []struct {
		method, target, media, body string
		code                        int
		want                        string // in the answer
	}{
		{"GET", "", "", "", 200, `"counts":{"asked":7,"pages":5,"belong":4,`},
		{"GET", "?limit=1", "", "", 200, `"next":"/api/v1/focus?cursor=`},
		{"GET", "?limit=0", "", "", 400, "write a number"},
		{"GET", "/birds", "", "", 200, `"waiting":[{"url":"https://s.test/waits","score":0.6,"from":"https://s.test/"}]`},
		{"GET", "/none", "", "", 404, "there is no focused crawl"},
		{"GET", "/" + strings.Repeat("x", 2000), "", "", 404, "there is no focused crawl"},
		{"GET", "/birds/pages", "", "", 200, `"n":7,"url":"https://s.test/6","relevance":0,"belongs":false,"expected":0.5,"from":"https://s.test/","version":0}],"next":null`},
		{"GET", "/birds/pages?limit=2", "", "", 200, `"next":"/api/v1/focus/birds/pages?after=2\u0026limit=2"`},
		{"GET", "/birds/pages?belongs=true&limit=2&after=1", "", "", 200, `"next":"/api/v1/focus/birds/pages?after=3\u0026belongs=true\u0026limit=2"`},
		{"GET", "/birds/pages?belongs=true&limit=2&after=2", "", "", 200, `"version":1,"visited":"2026-05-02T00:03:01Z"}],"next":null}`},
		{"GET", "/birds/pages?belongs=false", "", "", 200, `{"items":[{"n":5,"url":"https://s.test/4"`},
		{"GET", "/birds/pages?belongs=maybe", "", "", 400, "true or false"},
		{"GET", "/birds/pages?after=-1", "", "", 400, "write a number"},
		{"GET", "/birds/pages?limit=501", "", "", 400, "write a number"},
		{"GET", "/none/pages", "", "", 404, "there is no focused crawl"},
		{"GET", "/birds/why?url=https://s.test/2", "", "", 200, `"state":"visited"`},
		{"GET", "/birds/why?url=https://s.test/waits", "", "", 200, `"state":"waiting"`},
		{"GET", "/birds/why?url=https://s.test/waits", "", "", 200, `"links":[{"page":"https://s.test/"`},
		{"GET", "/birds/why?url=https://s.test/5", "", "", 200, `"outcome":"gone"`},
		{"GET", "/birds/why?url=https://none.test/", "", "", 200, `"state":"unknown"`},
		{"GET", "/birds/why", "", "", 400, "url is missing"},
		{"GET", "/none/why?url=https://s.test/", "", "", 404, "there is no focused crawl"},
		{"POST", "", js, `{"about":"lighthouses","urls":["HTTPS://New.test/?utm=1#x"],"pages":50,"per_host":5,"order":"rw","least":0.4,"keep":true,"scope":"host","every":"24h"}`, 201, `"topic":"lighthouses","order":"rw","pages":50,"per_host":5,"least":0.4,"keep":true,"scope":"host","made":"`},
		{"POST", "", js, `{"topic":"TP","urls":["https://new.test/"],"name":"Computing"}`, 201, `"order":"blocks","pages":1000,"per_host":0,"least":0.5,"keep":false,"scope":"any"`},
		{"POST", "", js, `{"about":"lighthouses"}`, 400, "name a URL to begin with"},
		{"POST", "", js, `{"urls":["https://new.test/"]}`, 400, "describe the topic in words"},
		{"POST", "", js, `{"about":"x","topic":"TP","urls":["https://new.test/"]}`, 400, "not both"},
		{"POST", "", js, `{"topic":"nonsense","urls":["https://new.test/"]}`, 400, "no topic has the ID or the name"},
		{"POST", "", js, `{"about":"the of and","urls":["https://new.test/"]}`, 400, "cannot begin"},
		{"POST", "", js, `{"about":"lighthouses","urls":["ftp://new.test/"]}`, 400, "only http and https"},
		{"POST", "", js, `{"about":"lighthouses","urls":["https://new.test/"],"pages":-1}`, 400, "write 0 or more"},
		{"POST", "", js, `{"about":"lighthouses","urls":["https://new.test/"],"pages":2000000000}`, 400, "at most"},
		{"POST", "", js, `{"about":"lighthouses","urls":["https://new.test/"],"least":1.5}`, 400, "least 1.5"},
		{"POST", "", js, `{"about":"lighthouses","urls":["https://new.test/"],"order":"random"}`, 400, "write one of blocks"},
		{"POST", "", js, `{"about":"lighthouses","urls":["https://new.test/"],"scope":"include=("}`, 400, ""},
		{"POST", "", js, `{"about":"lighthouses","urls":["https://new.test/"],"every":"soon"}`, 400, ""},
		{"POST", "", js, `{"about":"lighthouses","urls":["https://new.test/"],"name":"` + strings.Repeat("x", 200_000) + `"}`, 400, "cannot begin"},
		{"POST", "", js, `{"about":"lighthouses","urls":["https://new.test/"],"id":"mine"}`, 400, "unknown field"},
		{"POST", "", js, `{"about":"` + strings.Repeat("x ", 1<<20) + `"}`, 413, "too large"},
		{"POST", "", js, `[]`, 400, ""},
		{"POST", "/birds/labels", js, `[{"url":"HTTPS://S.test/4","belongs":"yes"},{"url":"https://s.test/1","belongs":"no"}]`, 200, `"labels":2,"unheeded":true,"report"`},
		{"POST", "/birds/labels", js, `[{"url":"https://never.test/","belongs":"no"},{"url":"https://s.test/1","belongs":"no"}]`, 200, `"unknown":["https://never.test/"]`},
		{"POST", "/birds/labels", js, `[{"url":"https://never.test/","belongs":"none"}]`, 200, `"labels":2,"unheeded":true,"report"`},
		{"GET", "/birds/pages?belongs=true&after=4", "", "", 200, `"belongs":true,"label":"yes"`},
		{"GET", "/birds/pages?belongs=false", "", "", 200, `"n":2,"url":"https://s.test/1","title":"Title 1","relevance":0,"belongs":false,"label":"no"`},
		{"GET", "/birds/why?url=https://s.test/4", "", "", 200, `"belongs":true`},
		{"GET", "/birds/why?url=https://s.test/4", "", "", 200, `"label":"yes"`},
		{"GET", "/birds/why?url=https://s.test/", "", "", 200, `"seed":true`},
		{"POST", "/birds/labels", js, `[{"url":"https://s.test/4","belongs":"none"}]`, 200, `"labels":1`},
		{"POST", "/birds/labels", js, `[{"url":"https://s.test/4","belongs":"maybe"}]`, 400, "yes, no or none"},
		{"POST", "/birds/labels", js, `[{"url":"s.test","belongs":"yes"}]`, 400, "has no scheme"},
		{"POST", "/birds/labels", js, `[]`, 400, "send 1 to 1000"},
		{"POST", "/birds/labels", js, "[" + strings.Repeat(`{"url":"https://s.test/","belongs":"yes"},`, 1000) + `{"url":"https://s.test/","belongs":"yes"}]`, 400, "send 1 to 1000"},
		{"POST", "/birds/labels", js, `[{"url":"https://s.test/","belongs":"yes","n":1}]`, 400, "unknown field"},
		{"POST", "/none/labels", js, `[{"url":"https://s.test/","belongs":"yes"}]`, 404, "there is no focused crawl"},
		{"POST", "/birds/state", js, `{"state":"paused"}`, 200, `"state":"paused"`},
		{"POST", "/birds/state", js, `{"state":"running","pages":300}`, 200, `"pages":300`},
		{"POST", "/birds/state", js, `{"state":"running","pages":0,"per_host":7}`, 200, `"pages":0`},
		{"POST", "/birds/state", js, `{"state":"running","pages":4}`, 400, "it has visited 5; write more"},
		{"POST", "/birds/state", js, `{"state":"running","per_host":2000000000}`, 400, "at most"},
		{"POST", "/birds/state", js, `{"state":"done"}`, 400, "write running or paused"},
		{"POST", "/birds/state", js, `{"state":"running","pages":-1}`, 400, "0 is no limit"},
		{"POST", "/none/state", js, `{"state":"paused"}`, 404, "there is no focused crawl"},
		{"DELETE", "/birds", "", "", 204, ""},
		{"DELETE", "/birds", "", "", 404, "there is no focused crawl"},
		{"GET", "/birds", "", "", 404, ""},
	} {
		w := c.ask(t, x.method, apiRoot+"/focus"+x.target, x.media, x.body)
		if w.Code != x.code || !strings.Contains(w.Body.String(), x.want) {
			t.Errorf("%s %.100s %.100s = %d %.800s; want %d, %s", x.method, x.target, x.body, w.Code, w.Body, x.code, x.want)
		}
		if strings.Contains(w.Body.String(), "assessor") {
			t.Errorf("%s %.100s tells what is for workers: %.300s", x.method, x.target, w.Body)
		}
	}
}

func TestPagesOfACrawlAreListedToTheirEnd(t *testing.T) {
	store := made(t)
	crawled(t, store, "birds")
	c := newContract(t, New(Options{Store: store}))
	ask := func(target string) *httptest.ResponseRecorder { return c.ask(t, "GET", target, "", "") }
	for query, want := range map[string]int{"?limit=3": 7, "?limit=1&belongs=true": 4, "?limit=1&belongs=false": 2, "?limit=7": 7} {
		if got := walk(t, ask, apiRoot+"/focus/birds/pages"+query); len(got) != want {
			t.Errorf("%s has %d pages, want %d: %v", query, len(got), want, got)
		}
	}
}

func TestMistakesAboutFocusedCrawlsAreProblemDocuments(t *testing.T) {
	store := made(t)
	crawled(t, store, "birds")
	s := New(Options{Store: store})
	for _, r := range s.focused.Routes() {
		if !strings.HasPrefix(r.Path, apiRoot) {
			continue
		}
		path := strings.ReplaceAll(r.Path, "{id}", "birds")
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

func TestPagesOfFocusedCrawlsFitAndAreAccessible(t *testing.T) {
	axe := axe(t)
	a, _ := sample(t)
	crawled(t, a.store, "birds")
	if err := a.store.PutCrawl(t.Context(), &plat.Crawl{ID: "new", Name: "New", State: plat.CrawlPaused, Made: utc(2026, time.May, 2, 0, 0, 0)}); err != nil {
		t.Fatal(err)
	}
	srv := shown(t, a, Options{})
	e := newEye(t, srv.URL)
	for name, path := range map[string]string{"focus": "/focus", "focus-one": "/focus/birds?still=true", "focus-others": "/focus/birds?show=others&still=true", "focus-new": "/focus/new", "focus-why": "/focus/birds/why?url=https://s.test/2", "focus-remove": "/focus/birds/remove"} {
		for _, dark := range []bool{false, true} {
			e.dark(dark)
			e.window(1280, 900, 1)
			e.open(path)
			e.usable(axe, fmt.Sprintf("%s (dark %v)", name, dark))
		}
		for _, width := range []int64{1280, 360} {
			e.window(width, 900, 1)
			e.open(path)
			if wide := see[int](e, `document.scrollingElement.scrollWidth`); wide > int(width) {
				t.Errorf("%s at %d px is %d px wide, so that one has to scroll sideways", path, width, wide)
			}
			e.keep(fmt.Sprint(name, "-", width))
			e.quiet(path)
		}
	}
}
