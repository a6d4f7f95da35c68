package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"plat/cmd/plat/app"
	"plat/focus"
	"plat/focus/crawler"
	"plat/plat"
	"plat/storage/sqlite"
	"plat/storage/sqlite/sqlitetest"
)

// hostile is a text that would overwrite the content of a terminal.
const hostile = "Birds\x1b[2J\u202e"

// birdCrawl is an archive with a crawl that has requested four pages: one is relevant, one
// is a second URL of it, one shows readers a different text, one has no result yet. A link waits.
func birdCrawl(t *testing.T) (flag string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.db")
	s := sqlitetest.OpenAt(t, path, sqlite.Options{})
	defer s.Close()
	day := time.Date(2026, 5, 1, 6, 0, 0, 0, time.UTC)
	w := crawler.Settings{About: "migration of birds", Crawl: plat.Crawl{ID: "birds", Name: hostile, Seeds: []string{"https://s.test/"}, State: plat.CrawlPaused, Reason: hostile, Made: day, PerHost: 20, Keep: true}}
	if err := w.Fill(); err != nil {
		t.Fatal(err)
	}
	if err := s.PutCrawl(t.Context(), &w.Crawl); err != nil {
		t.Fatal(err)
	}
	reading := func(u, words string, links ...string) []byte {
		p := &focus.Page{URL: u}
		for word := range strings.FieldsSeq(words) {
			p.Words = append(p.Words, focus.TermOf(word))
		}
		for _, to := range links {
			p.Links = append(p.Links, focus.Link{URL: to, Heading: -1})
		}
		return p.Encode()
	}
	pages := []plat.CrawlPage{
		{URL: "https://s.test/", Outcome: plat.OutcomeNew, Relevance: .8, Version: 1, Title: hostile, Reading: reading("https://s.test/", "bird migrat", "https://s.test/old", "https://two.test/", "https://down.test/", "https://s.test/waits")},
		{URL: "https://s.test/old", Outcome: plat.OutcomeNew, Relevance: .8, Version: 1, Title: "Old", Reading: reading("https://s.test/", "bird migrat")},
		{URL: "https://two.test/", Outcome: plat.OutcomeCloaked, Relevance: .1, Title: "Two", Reading: reading("https://two.test/", "casino")},
		{URL: "https://down.test/"},
	}
	for i := range pages {
		p := &pages[i]
		p.Crawl, p.N, p.Score, p.Asked = "birds", i+1, .25, day.Add(time.Duration(i)*time.Minute)
	}
	if _, err := s.Ask(t.Context(), pages); err != nil {
		t.Fatal(err)
	}
	for i := range pages[:3] {
		pages[i].Visited = pages[i].Asked.Add(time.Second)
		if err := s.Answer(t.Context(), &pages[i]); err != nil {
			t.Fatal(err)
		}
	}
	report, err := json.Marshal(crawler.Report{Time: day, Terms: []string{hostile}, Counts: focus.Counts{Asked: 4, Pages: 2, Belong: 1, Waiting: 1}, Curve: []crawler.Point{{Pages: 2, Belong: 1}},
		Sites: []crawler.Site{{Host: "s.test", Pages: 1, Belong: 1}}, Pending: 1, Oldest: []crawler.Pending{{URL: "https://down.test/", Asked: day}}, Missing: []string{"https://example.test/" + hostile},
		Left: []string{"two.test" + hostile}, Waiting: []focus.Asked{{URL: "https://s.test/waits", Score: .42}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.PutReport(t.Context(), "birds", report); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Enlist(t.Context(), []plat.Job{{URL: "https://down.test/", Due: day}}, 0); err != nil {
		t.Fatal(err)
	}
	if err := s.Record(t.Context(), plat.Visit{URL: "https://down.test/", Time: day.Add(time.Hour), Outcome: plat.OutcomeUnreachable, Error: "no such host"}, 0); err != nil {
		t.Fatal(err)
	}
	return "--store=sqlite:" + path
}

// Text from pages and users reaches the terminal without control characters.
func TestFocusedCrawlsAreShownClean(t *testing.T) {
	store := birdCrawl(t)
	for _, args := range [][]string{{"status"}, {"status", "birds"}, {"export", "birds", "--all"}, {"why", "birds", "https://s.test/"}, {"stop", "birds"}, {"label", "birds", "yes", "https://s.test/"}, {"resume", "birds"}, {"rm", "birds"}} {
		if out := must(t, append(append([]string{"focus"}, args...), store)...); strings.ContainsAny(out, "\x1b\u202e") || out == "" {
			t.Errorf("%v: %q", args, out)
		}
	}
}

func TestWhatTheStatusOfACrawlSays(t *testing.T) {
	store := birdCrawl(t)
	out := must(t, "focus", "status", "birds", store)
	for _, want := range []string{"looks for migration of birds", "order blocks, scope any, any number of pages, 20 of one host, belonging from 0.50, all pages kept", "1 of 2 pages on topic (50 %), 0 without a page, 1 link waiting, 1 under way",
		"not in the archive, and are left out: https://example.test/", "unreachable   https://down.test/", "0.42  https://s.test/waits"} {
		if !strings.Contains(out, want) {
			t.Errorf("the status does not say %q:\n%s", want, out)
		}
	}
	if strings.Contains(out, "not counted yet") {
		t.Errorf("nobody has said anything:\n%s", out)
	}
	must(t, "focus", "label", "birds", "no", "https://s.test/", store)
	if out := must(t, "focus", "status", "birds", store); !strings.Contains(out, "not counted yet") {
		t.Errorf("what people say waits:\n%s", out)
	}
}

func TestWhyAPageIsExplained(t *testing.T) {
	store := birdCrawl(t)
	must(t, "focus", "label", "birds", "no", "https://s.test/old", store)
	for u, want := range map[string][]string{
		"https://s.test/":      {"page 1 that was asked for, expected 0.25", "URLs that the crawl began with", "relevance 0.80: it belongs to the topic"},
		"https://s.test/old":   {"linked from https://s.test/ (relevance 0.80", "people say no: it does not belong to the topic"},
		"https://two.test/":    {"readers get a different text than crawlers", "relevance 0.10: it does not belong"},
		"https://s.test/waits": {"waiting", "expected 0.", "linked from https://s.test/"},
		"https://down.test/":   {"asked", "page 4 that was asked for"},
	} {
		out := must(t, "focus", "why", "birds", u, store)
		for _, w := range want {
			if !strings.Contains(out, w) {
				t.Errorf("why %s does not say %q:\n%s", u, w, out)
			}
		}
		if seed := strings.Contains(out, "began with"); seed != (u == "https://s.test/") {
			t.Errorf("why %s: a seed: %t\n%s", u, seed, out)
		}
	}
}

// Labels of pages that a crawl has never requested cause a warning.
func TestLabelsOfUnknownPagesAreNamed(t *testing.T) {
	store := birdCrawl(t)
	r := command(t, "focus", "label", "birds", "yes", "https://s.test/", "https://never.test/", store)
	if r.code != app.ExitOK || strings.Count(r.err, "\n") != 1 || !strings.Contains(r.err, "https://never.test/ is not one of its pages yet") {
		t.Errorf("exit %d, %q", r.code, r.err)
	}
	if r := command(t, "focus", "label", "birds", "none", "https://never.test/", store); r.code != app.ExitOK || r.err != "" {
		t.Errorf("taking it back: exit %d, %q", r.code, r.err)
	}
}

// --near is accepted with any value, and changes nothing but a line on standard error.
func TestNearHasNoEffect(t *testing.T) {
	store := "--store=sqlite:" + filepath.Join(t.TempDir(), "a.db")
	r := command(t, "focus", "new", "--json", "--about", "bird migration", "--name", "birds", "--near", "archive,/none/vectors.txt", "https://a.test/", store)
	if r.code != app.ExitOK || !json.Valid([]byte(r.out)) || strings.Count(r.err, "\n") != 1 || !strings.Contains(r.err, "--near has been deprecated, it has no effect") {
		t.Errorf("exit %d, %q, %q", r.code, r.out, r.err)
	}
	var st struct{ Near string }
	if err := json.Unmarshal([]byte(must(t, "focus", "status", "birds", store, "--json")), &st); err != nil || st.Near != "" {
		t.Errorf("near words of %q, %v", st.Near, err)
	}
	if out := must(t, "focus", "new", "--help"); strings.Contains(out, "--near") {
		t.Errorf("help names --near:\n%s", out)
	}
}

// A new crawl is visited by a different command, and the output names it.
func TestWhoBeginsACrawlIsToldWhatVisitsIt(t *testing.T) {
	store := "--store=sqlite:" + filepath.Join(t.TempDir(), "a.db")
	for _, tc := range []struct {
		flags []string
		told  bool
	}{{nil, true}, {[]string{"-q"}, false}, {[]string{"--json"}, false}} {
		r := command(t, append([]string{"focus", "new", "--about", "bird migration", "https://a.test/", store}, tc.flags...)...)
		if r.code != app.ExitOK || strings.Contains(r.err, "plat focus run") != tc.told || !tc.told && r.err != "" {
			t.Errorf("%v: exit %d, %q", tc.flags, r.code, r.err)
		}
	}
	if out := must(t, "focus", "--help"); !strings.Contains(out, "plat focus COMMAND") {
		t.Errorf("usage of plat focus:\n%s", out)
	}
}
