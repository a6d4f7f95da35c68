package web

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"plat/plat"
	"plat/queue/forecast"
	"plat/queue/schedule"
	"plat/storage"
	"plat/storage/sqlite"
	"plat/storage/storagetest"
)

// scheduled is a page with a schedule that is visited every 17 hours, the last time four hours
// ago. Of seven visits the first four find a change, the next three do not; one in forty fails.
func scheduled(t testing.TB, store *sqlite.Store, url string, s plat.Schedule, visits int) {
	t.Helper()
	at := time.Now().Add(-4*time.Hour - time.Duration(visits-1)*17*time.Hour).UTC().Truncate(time.Millisecond)
	job := plat.Job{URL: url, Due: at, Plan: plat.Plan{Schedule: s}}
	if _, err := store.Enlist(t.Context(), []plat.Job{job}, storage.Join); err != nil {
		t.Fatal(err)
	}
	page := storagetest.NewPage(url, 7)
	version := 0
	for i := range visits {
		st, err := store.State(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		memory, _ := plat.DecodeMemory(st.Memory)
		v := schedule.Visit{State: st, Due: st.Due, Time: at, Memory: memory.Policy, Outcome: plat.OutcomeUnchanged}
		if i%7 < 6 { // the feed tells of all changes, and is wrong twice for each four
			v.State.Signal = plat.Signal{Modified: at.Add(-time.Hour), Source: plat.SignalFeed}
		}
		switch {
		case i%40 == 39:
			v.Outcome = plat.OutcomeTimeout
		case i%7 < 4:
			v.Outcome = plat.OutcomeChanged
			v.Changes.Blocks = []plat.Change{{Kind: plat.Content}}
			version++
		}
		next := schedule.Decide(&v)
		visit := plat.Visit{URL: url, Time: at, Outcome: v.Outcome, Version: version, Memory: plat.Memory{Policy: next.Memory}.Encode(), Settles: st.Due, Next: at.Add(17 * time.Hour)}
		if !v.Outcome.Failed() {
			visit.Status = 200
		}
		if v.Outcome == plat.OutcomeChanged {
			c := page.Next()
			if c.Version.Taken = at; version > 1 {
				c.Version.Changes = map[plat.Kind]int{plat.Content: 1}
			} else {
				visit.Outcome = plat.OutcomeNew
			}
			c.Visit = visit
			_, err = store.Commit(t.Context(), c)
		} else {
			err = store.Record(t.Context(), visit, 1000)
		}
		if err != nil {
			t.Fatal(err)
		}
		at = at.Add(17 * time.Hour)
	}
}

const hourly = "https://news.test/front"

func TestTheScheduleIsAnswered(t *testing.T) {
	store := made(t)
	scheduled(t, store, hourly, plat.Schedule{Budget: "10/day"}, 120)
	c := newContract(t, New(Options{Store: store, Queue: frontier(t, store)}))
	var s scheduleInfo
	w := c.ask(t, "GET", apiRoot+"/schedule"+param("url", hourly), "", "")
	if err := json.Unmarshal(w.Body.Bytes(), &s); err != nil || w.Code != 200 {
		t.Fatalf("%d %s %v", w.Code, w.Body, err)
	}
	if s.Policy != schedule.Default || s.Budget != "10/day" || s.ChangesEvery < .2 || s.ChangesEvery > 3 || s.Chance <= 0 || s.Chance >= 1 ||
		s.Due.IsZero() || s.Next.IsZero() || !strings.HasPrefix(s.Why, "116 visits") {
		t.Errorf("%.1000s", w.Body)
	}
	if s.Counts != (forecast.Counts{Visits: 120, First: 1, News: 66, Nothing: 50, Failed: 3}) || len(s.Visits) != maxLatest || s.Visits[maxLatest-1].Result != forecast.Failed || s.Visits[0].Time.After(s.Visits[1].Time) {
		t.Errorf("visits are %+v, %d listed, the last %+v", s.Counts, len(s.Visits), s.Visits[len(s.Visits)-1])
	}
	if len(s.Sources) != 1 || s.Sources[0].Source != plat.SignalFeed || s.Sources[0].Recall != 1 || s.Sources[0].False < .3 || s.Sources[0].False > .36 {
		t.Errorf("sources are %+v", s.Sources)
	}
	if len(s.Blocks) != maxRates || s.Blocks[0].Changed < s.Blocks[9].Changed || s.Blocks[9].Changed < 1 || s.Blocks[0].Of > 67 {
		t.Errorf("blocks are %+v", s.Blocks)
	}
	for _, tc := range []struct {
		target string
		code   int
		want   string
	}{
		{"/schedule" + param("url", "http://c.test/gone"), 200, `"chance":0,"last":"2026-01-01T00:00:00Z","why":"it is not visited again","counts":{"visits":1,"first":1,"news":0,"nothing":0,"failed":0}`},
		{"/schedule" + param("url", "http://h5.test/"), 200, `"why":"it waits for its first visit","counts":{"visits":0,"first":0,"news":0,"nothing":0,"failed":0},"blocks":[]`},
		{"/schedule" + param("url", "http://none.test/"), 404, "not in this archive"},
		{"/spent" + param("host", "news.test"), 200, `{"host":"news.test","days":30,"urls":1,"partial":false,"visits":43,"first":0,"news":23,"nothing":18,"failed":2}`},
		{"/spent" + param("host", "NEWS.test", "days", "1"), 200, `"urls":1,"partial":false,"visits":2,"first":0,`},
		{"/spent" + param("host", "none.test"), 200, `"urls":0,"partial":false,"visits":0`},
		{"/spent" + param("host", "news.test", "days", "0"), 400, "from 1 to 366"},
		{"/spent", 400, "host is missing"},
	} {
		if w := c.ask(t, "GET", apiRoot+tc.target, "", ""); w.Code != tc.code || !strings.Contains(w.Body.String(), tc.want) {
			t.Errorf("GET %s = %d %s; want %d, %s", tc.target, w.Code, w.Body, tc.code, tc.want)
		}
	}
}

func TestThePagesSayWhenItIsVisitedAgain(t *testing.T) {
	store := made(t)
	scheduled(t, store, hourly, plat.Schedule{Every: 17 * time.Hour}, 30)
	scheduled(t, store, "https://told.test/", plat.Schedule{Budget: "1/day"}, 30)
	s := New(Options{Store: store})
	for target, want := range map[string][]string{
		"/url" + param("url", hourly): {"It is visited every 17 hours.", "fixed, every 17h", `<a href="#again">Next visit</a>`, `aria-label="30 visits from `, "news: 18; nothing new: 12; failed: 0",
			`<text x="0%" y="108" text-anchor="start">`, "Blocks that change most", "of 17 versions"},
		"/url" + param("url", long):                 {"It is not visited again.", "90 visits", "<dd>never</dd>"},
		"/url" + param("url", "http://c.test/gone"): {"one visit, 2026-01-01 00:00:00; news: 1; nothing new: 0"},
		"/url" + param("url", "https://told.test/"): {"Sources that announce changes on its site", `<th scope="row">feed</th><td>100 %`},
		"/urls" + param("host", "news.test"):        {"30 visits of 1 URL in the last 30 days", "<b>18</b>"},
	} {
		w := get(s, "GET", target, "Accept", "text/html")
		for _, text := range want {
			if w.Code != 200 || !strings.Contains(w.Body.String(), text) {
				t.Errorf("GET %s = %d without %q", target, w.Code, text)
			}
		}
	}
	if w := get(s, "GET", "/urls"+param("prefix", "https://news.test/")); strings.Contains(w.Body.String(), "in the last 30 days") {
		t.Error("visits are counted of URLs that are not a host's")
	}
}

// Without the shared parameters of a fleet, the forecast uses those of the last visit.
func TestTheScheduleIsAnsweredWithoutRedis(t *testing.T) {
	store := made(t)
	scheduled(t, store, hourly, plat.Schedule{Budget: "10/day"}, 10)
	q := frontier(t, store)
	q.Close()
	s := New(Options{Store: store, Queue: q})
	for _, target := range []string{"/url", apiRoot + "/schedule"} {
		if w := get(s, "GET", target+param("url", hourly)); w.Code != 200 || !strings.Contains(w.Body.String(), "visits say that") {
			t.Errorf("GET %s = %d %.300s", target, w.Code, w.Body)
		}
	}
}

func TestThePictureOfVisitsIsSeen(t *testing.T) {
	a := newArchiver(t, 1280)
	scheduled(t, a.store, hourly, plat.Schedule{Budget: "1/day"}, 90)
	for i := range 5 {
		scheduled(t, a.store, fmt.Sprint("https://news.test/", i), plat.Schedule{Every: 17 * time.Hour}, 20+20*i)
	}
	srv := shown(t, a, Options{})
	e := newEye(t, srv.URL)
	for _, w := range []struct {
		name          string
		width, height int64
		dark          bool
	}{{"", 1280, 900, false}, {"-dark", 1280, 900, true}, {"-phone", 360, 740, false}} {
		e.window(w.width, w.height, 1)
		e.dark(w.dark)
		for name, path := range map[string]string{"outlook": "/url" + param("url", hourly), "outlook-site": "/urls" + param("host", "news.test")} {
			e.open(path)
			if wide := see[int](e, `document.scrollingElement.scrollWidth`); wide > int(w.width) {
				t.Errorf("%s at %d px is %d px wide", path, w.width, wide)
			}
			e.keep(name + w.name)
			e.quiet(path)
		}
		e.open("/url" + param("url", hourly))
		if n := see[int](e, `[...document.querySelectorAll('.lanes .mark')].filter((m) => m.getBoundingClientRect().width > 1 && getComputedStyle(m).fill != 'rgb(0, 0, 0)').length`); n < 60 {
			t.Errorf("at %d px %d marks can be seen", w.width, n)
		}
	}
	// The keyboard walks over the visits that found something.
	see[bool](e, `document.querySelector('.lanes a').focus(), true`)
	e.press("ArrowRight")
	if got := see[string](e, `document.activeElement.getAttribute('href')`); !strings.HasSuffix(got, "version=2") {
		t.Errorf("the arrow leads to %s", got)
	}
}
