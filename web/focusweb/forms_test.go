package focusweb_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"plat/focus/crawler"
	"plat/plat"
	"plat/storage/sqlite"
	"plat/storage/sqlite/sqlitetest"
	"plat/storage/storagetest"
)

func TestACrawlIsBegunStoppedTaughtAndRemovedByForms(t *testing.T) {
	store := sqlitetest.Open(t)
	s := serve(store)
	w := post(s, "/focus/begin", url.Values{"about": {"  lighthouses and their keepers "}, "topic": {""}, "urls": {"HTTPS://Light.test/#x\r\n\r\nhttps://tower.test/a\r\n"}, "name": {""}, "pages": {""}, "per_host": {"7"}})
	if w.Code != 303 {
		t.Fatalf("beginning is %d %s", w.Code, w.Body)
	}
	c := crawls(t, store)[0]
	if w.Header().Get("Location") != "/focus/"+c.ID || c.Name != "lighthouses and their keepers" || fmt.Sprint(c.Seeds) != "[https://light.test/ https://tower.test/a]" || c.Pages != 1000 || c.PerHost != 7 || c.State != plat.CrawlRuns || !strings.Contains(c.Topic, "lighthouses") {
		t.Errorf("begun is %+v", c)
	}
	if w := post(s, "/focus/begin", url.Values{"about": {""}, "topic": {"TP"}, "urls": {"https://a.test/"}, "name": {"Machines"}, "pages": {"0"}, "per_host": {"0"}}); w.Code != 303 {
		t.Errorf("beginning with a topic is %d %s", w.Code, w.Body)
	}
	all := url.Values{"about": {"harbours"}, "topic": {""}, "urls": {"https://a.test/"}, "name": {"All"}, "pages": {"5"}, "per_host": {"4"}, "order": {"rw"}, "scope": {"host"}, "least": {"0.4"}, "keep": {"true"}, "every": {"7d"}}
	if w := post(s, "/focus/begin", all); w.Code != 303 {
		t.Fatalf("beginning with everything is %d %s", w.Code, w.Body)
	} else if c, err := store.Crawl(t.Context(), strings.TrimPrefix(w.Header().Get("Location"), "/focus/")); err != nil || c.Order != "rw" || c.Scope != "host" || c.Least != .4 || !c.Keep || c.Revisit.Every != 7*24*time.Hour {
		t.Errorf("begun with everything is %+v, %v", c, err)
	} else {
		shows(t, get(s, "/focus/"+c.ID).Body.String(), "Looks for: <bdi>harbours</bdi>. Order rw, scope <bdi>host</bdi>; pages belong from relevance 0.40, versions of other pages are stored too.")
		if err := store.RemoveCrawl(t.Context(), c.ID); err != nil {
			t.Fatal(err)
		}
	}
	to := "/focus/" + c.ID
	found(t, store, c.ID, visited("https://light.test/", "Home", .3))
	shows(t, get(s, to+"?show=others").Body.String(), `name="url" value="https://light.test/"`, `name="belongs" value="yes"`, `name="belongs" value="no"`)
	for _, x := range []struct {
		said  string
		label string
		show  string // where the page is then
	}{{"yes", "[true]", ""}, {"no", "[false]", "?show=others"}, {"none", "[]", "?show=others"}} {
		w := post(s, to+"/label", url.Values{"url": {"https://light.test/"}, "belongs": {x.said}, "show": {"others"}, "from": {"0"}, "still": {"true"}})
		if w.Code != 303 || w.Header().Get("Location") != to+"?from=0&show=others&still=true#pages" {
			t.Errorf("%s is %d %v", x.said, w.Code, w.Header())
		}
		now, err := store.Crawl(t.Context(), c.ID)
		if err != nil {
			t.Fatal(err)
		}
		labels := []bool{}
		for _, l := range now.Labels {
			labels = append(labels, l.Belongs)
		}
		if fmt.Sprint(labels) != x.label {
			t.Errorf("after %s the labels are %v, want %s", x.said, labels, x.label)
		}
		page := get(s, to+x.show).Body.String()
		shows(t, page, "<bdi>Home</bdi>")
		if pressed := strings.Contains(page, `aria-pressed="true">`+x.said+"<"); pressed != (x.said != "none") {
			t.Errorf("after %s the button is pressed: %v", x.said, pressed)
		}
	}
	for do, want := range map[string]plat.CrawlState{"stop": plat.CrawlPaused, "resume": plat.CrawlRuns} {
		form := url.Values{"do": {do}}
		if do == "resume" {
			form.Set("pages", "5000")
		}
		if w := post(s, to+"/state", form); w.Code != 303 {
			t.Errorf("%s is %d", do, w.Code)
		}
		if now, err := store.Crawl(t.Context(), c.ID); err != nil || now.State != want || do == "resume" && now.Pages != 5000 {
			t.Errorf("after %s it is %+v, %v", do, now, err)
		}
	}
	const reason = "no links are left"
	if _, err := crawler.Change(t.Context(), store, c.ID, func(c *plat.Crawl) error { c.State, c.Reason = plat.CrawlIsDone, reason; return nil }); err != nil {
		t.Fatal(err)
	}
	for _, stop := range []func() *httptest.ResponseRecorder{
		func() *httptest.ResponseRecorder { return post(s, to+"/state", url.Values{"do": {"stop"}}) },
		func() *httptest.ResponseRecorder { return ask(s, "POST", "/api/v1"+to+"/state", `{"state":"paused"}`) },
	} {
		if w := stop(); w.Code >= 400 {
			t.Errorf("stopping what is done is %d %s", w.Code, w.Body)
		}
		if now, err := store.Crawl(t.Context(), c.ID); err != nil || now.State != plat.CrawlIsDone || now.Reason != reason {
			t.Errorf("what is done is %+v after it was stopped, %v", now, err)
		}
	}
	if w := post(s, to+"/state", url.Values{"do": {"resume"}, "pages": {""}, "per_host": {"30"}}); w.Code != 303 {
		t.Errorf("resuming is %d %s", w.Code, w.Body)
	}
	if now, err := store.Crawl(t.Context(), c.ID); err != nil || now.State != plat.CrawlRuns || now.PerHost != 30 || now.Pages != 5000 || now.Resumed != 1 {
		t.Errorf("resumed is %+v, %v", now, err)
	}
	shows(t, get(s, to+"/remove").Body.String(), "Remove <bdi>lighthouses and their keepers</bdi>?", `method="post"`)
	if len(crawls(t, store)) != 2 {
		t.Error("asking removes")
	}
	if w := post(s, to+"/remove", nil); w.Code != 303 || len(crawls(t, store)) != 1 {
		t.Errorf("removing is %d", w.Code)
	}
	if w := get(s, to); w.Code != 404 {
		t.Errorf("what was removed is %d", w.Code)
	}
}

func TestWhatAFormGetsWrongIsSaid(t *testing.T) {
	store := birds(t)
	s := serve(store)
	before := text(t, store)
	for _, x := range []struct {
		target, want string
		form         url.Values
		code         int
	}{
		{"/focus/begin", "name a URL to begin with", url.Values{"about": {"birds"}}, 400},
		{"/focus/begin", "describe the topic in words", url.Values{"urls": {"https://a.test/"}}, 400},
		{"/focus/begin", "not both", url.Values{"about": {"birds"}, "topic": {"TP"}, "urls": {"https://a.test/"}}, 400},
		{"/focus/begin", "no topic has the ID", url.Values{"topic": {"<b>"}, "urls": {"https://a.test/"}}, 400},
		{"/focus/begin", "has no scheme", url.Values{"about": {"birds"}, "urls": {"https://a.test/\nb.test"}}, 400},
		{"/focus/begin", "only http and https", url.Values{"about": {"birds"}, "urls": {"file:///etc/passwd"}}, 400},
		{"/focus/begin", "write a number, 0 or more", url.Values{"about": {"birds"}, "urls": {"https://a.test/"}, "pages": {"many"}}, 400},
		{"/focus/begin", "write a number, 0 or more", url.Values{"about": {"birds"}, "urls": {"https://a.test/"}, "per_host": {"-1"}}, 400},
		{"/focus/begin", "write one of blocks", url.Values{"about": {"birds"}, "urls": {"https://a.test/"}, "order": {"best"}}, 400},
		{"/focus/begin", "up to 1", url.Values{"about": {"birds"}, "urls": {"https://a.test/"}, "least": {"much"}}, 400},
		{"/focus/begin", "up to 1", url.Values{"about": {"birds"}, "urls": {"https://a.test/"}, "least": {"0"}}, 400},
		{"/focus/begin", "up to 1", url.Values{"about": {"birds"}, "urls": {"https://a.test/"}, "least": {"NaN"}}, 400},
		{"/focus/begin", "", url.Values{"about": {"birds"}, "urls": {"https://a.test/"}, "scope": {"include=("}}, 400},
		{"/focus/begin", "", url.Values{"about": {"birds"}, "urls": {"https://a.test/"}, "every": {"soon"}}, 400},
		{"/focus/begin", "there is no field", url.Values{"about": {"birds"}, "urls": {"https://a.test/"}, "id": {"x"}}, 400},
		{"/focus/begin", "cannot begin", url.Values{"about": {strings.Repeat("birds ", 10_000)}, "urls": {"https://a.test/"}}, 400},
		{"/focus/begin", "cannot begin", url.Values{"about": {"birds"}, "urls": {strings.Repeat("https://a.test/\n", 10_001)}}, 400},
		{"/focus/begin", "too large", url.Values{"about": {strings.Repeat("birds ", 1<<18)}}, 413},
		{"/focus/birds/label", "write yes, no or none", url.Values{"url": {"https://s.test/"}, "belongs": {"maybe"}}, 400},
		{"/focus/birds/label", "has no scheme", url.Values{"url": {"s.test"}, "belongs": {"yes"}}, 400},
		{"/focus/birds/label", "write a number", url.Values{"url": {"https://s.test/"}, "belongs": {"yes"}, "from": {"x"}}, 400},
		{"/focus/none/label", "there is no focused crawl", url.Values{"url": {"https://s.test/"}, "belongs": {"yes"}}, 404},
		{"/focus/birds/state", "write stop or resume", url.Values{"do": {"end"}}, 400},
		{"/focus/birds/state", "at most", url.Values{"do": {"resume"}, "pages": {"9999999999"}}, 400},
		{"/focus/birds/state", "it has visited 5; write more", url.Values{"do": {"resume"}, "pages": {"4"}}, 400},
		{"/focus/birds/state", "write a number", url.Values{"do": {"resume"}, "per_host": {"x"}}, 400},
		{"/focus/none/state", "there is no focused crawl", url.Values{"do": {"stop"}}, 404},
		{"/focus/none/state", "there is no focused crawl", url.Values{"do": {"resume"}}, 404},
		{"/focus/none/remove", "there is no focused crawl", nil, 404},
		{"/focus/birds/remove", "there is no field", url.Values{"x": {"1"}}, 400},
	} {
		if w := post(s, x.target, x.form); w.Code != x.code || !strings.Contains(w.Body.String(), x.want) {
			t.Errorf("%s %.100v: %d, want %d and %q: %.3000s", x.target, x.form, w.Code, x.code, x.want, w.Body)
		}
	}
	if after := text(t, store); after != before {
		t.Errorf("it was\n%s\nand is\n%s", before, after)
	}
}

// changes are all requests that change something.
var changes = []struct {
	method, path, body string
	form               url.Values // instead of the body
}{
	{"POST", "/focus/begin", "", url.Values{"about": {"birds"}, "urls": {"https://a.test/"}}},
	{"POST", "/focus/birds/label", "", url.Values{"url": {"https://s.test/"}, "belongs": {"yes"}}},
	{"POST", "/focus/birds/state", "", url.Values{"do": {"stop"}}},
	{"POST", "/focus/birds/remove", "", url.Values{}},
	{"POST", "/api/v1/focus", `{"about":"birds","urls":["https://a.test/"]}`, nil},
	{"POST", "/api/v1/focus/birds/labels", `[{"url":"https://s.test/","belongs":"yes"}]`, nil},
	{"POST", "/api/v1/focus/birds/state", `{"state":"paused"}`, nil},
	{"DELETE", "/api/v1/focus/birds", "", nil},
}

// Every address that changes something refuses GET, and POST from other sites.
func TestNothingIsChangedByGetOrByOthers(t *testing.T) {
	store := birds(t)
	s := serve(store)
	before := text(t, store)
	for _, x := range changes {
		for _, site := range []string{"cross-site", "same-site"} {
			w := ask(s, x.method, x.path, x.body, "Sec-Fetch-Site", site)
			if x.form != nil {
				w = post(s, x.path, x.form, "Sec-Fetch-Site", site)
			}
			if w.Code != 403 {
				t.Errorf("%s %s from %s is %d", x.method, x.path, site, w.Code)
			}
		}
		get(s, x.path+"?"+x.form.Encode())
		get(s, x.path)
	}
	if after := text(t, store); after != before {
		t.Errorf("it was\n%s\nand is\n%s", before, after)
	}
}

func TestAServerThatOnlyReadsHasNoFormsAndRefusesChanges(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	store := sqlitetest.OpenAt(t, path, sqlite.Options{})
	begin(t, store, plat.Crawl{ID: "birds", Name: "Birds"})
	found(t, store, "birds", visited("https://s.test/", "Start", .9))
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	store = sqlitetest.OpenAt(t, path, sqlite.Options{ReadOnly: true})
	s := serve(store)
	for _, target := range []string{"/focus", "/focus/birds", "/focus/birds/remove"} {
		w := get(s, target)
		if w.Code != 200 || strings.Contains(w.Body.String(), `method="post"`) {
			t.Errorf("%s is %d, and has a form", target, w.Code)
		}
	}
	shows(t, get(s, "/focus").Body.String(), "This server only reads the archive")
	shows(t, get(s, "/focus/birds").Body.String(), "<bdi>Start</bdi>")
	for _, x := range changes {
		w := ask(s, x.method, x.path, x.body)
		if x.form != nil {
			w = post(s, x.path, x.form)
		}
		if w.Code != 403 || !strings.Contains(w.Body.String(), "only reads the archive; use plat focus") {
			t.Errorf("%s %s is %d %.300s", x.method, x.path, w.Code, w.Body)
		}
	}
}

func TestOnePageIsExplainedAtATimeAndNobodyWaitsForWhoIsGone(t *testing.T) {
	// Who goes through a crawl with its readings is held up.
	entered, leave := make(chan struct{}, 10), make(chan struct{})
	g := &storagetest.Fake{Store: birds(t), Around: func(ctx context.Context, c storagetest.Call, do func(context.Context) error) error {
		if c.Readings {
			entered <- struct{}{}
			select {
			case <-leave:
			case <-ctx.Done():
			}
		}
		return do(ctx)
	}}
	s := serve(g)
	const why = "/api/v1/focus/birds/why?url=https://s.test/best"
	done := make(chan *httptest.ResponseRecorder, 3)
	for range 3 {
		go func() { done <- ask(s, "GET", why, "") }()
	}
	for range 3 {
		<-entered
		select {
		case <-entered:
			t.Fatal("two are explained at a time")
		case <-time.After(100 * time.Millisecond): // enough time for a second explanation to begin
		}
		leave <- struct{}{}
	}
	for range 3 {
		if w := <-done; w.Code != 200 || !strings.Contains(w.Body.String(), `"state":"visited"`) {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	}
	// A client leaves while its request waits for the running explanation.
	go func() { done <- ask(s, "GET", why, "") }()
	<-entered
	waits, cancel := context.WithCancel(t.Context())
	left := make(chan struct{})
	go func() {
		s.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", why, nil).WithContext(waits))
		close(left)
	}()
	time.AfterFunc(300*time.Millisecond, cancel) // it waits by then
	select {
	case <-left:
	case <-time.After(10 * time.Second):
		t.Error("who is gone waits on")
	}
	leave <- struct{}{}
	<-done
	// Of two that ask one goes away: the other is explained then.
	ctx, goAway := context.WithCancel(t.Context())
	gone := make(chan struct{})
	go func() {
		r := httptest.NewRequest("GET", why, nil).WithContext(ctx)
		s.ServeHTTP(httptest.NewRecorder(), r)
		close(gone)
	}()
	<-entered
	go func() { done <- ask(s, "GET", why, "") }()
	goAway()
	<-gone
	<-entered
	leave <- struct{}{}
	select {
	case w := <-done:
		if w.Code != 200 {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	case <-time.After(20 * time.Second):
		t.Error("it waits for one that is gone")
	}
}
