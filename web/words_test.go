package web

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/net/html"

	"plat/diff/rules"
	"plat/focus"
	"plat/focus/crawler"
	"plat/plat"
	"plat/storage"
	"plat/storage/sqlite"
	"plat/storage/sqlite/sqlitetest"
)

// raw lists the characters that no answer has as they are. It is written here again, and not taken from package
// excerpt, so that one forgotten there is missed.
func raw(r rune) bool {
	switch {
	case r == '\t', r == '\n':
		return false
	case r < 0x20, r >= 0x7f && r <= 0x9f, r == 0x061c, r == 0x200e, r == 0x200f, r >= 0x2028 && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
		return true
	}
	return r == 0xfeff || r >= 0xfff9 && r <= 0xfffb || r >= 0xe0000 && r <= 0xe007f
}

// sign is in all texts of the archive of hostile, so that a test sees that they are in an answer.
const sign = "Zq"

// evil is a text with every character that raw lists, but for C0 and DEL that HTML and forms change.
var evil = func() string {
	b := []byte(sign)
	for r := range rune(0xe0080) {
		if raw(r) && (r >= 0x20 || r == 0x1b || r == 0x08) && (r < 0xe0000 || r > 0xe007a || r == 0xe0041) {
			b = utf8.AppendRune(b, r)
		}
	}
	return string(append(b, " "+sign...))
}()

// wrong is evil and bytes that are not UTF-8: a surrogate and a part of a character.
var wrong = evil + "\xed\xa0\xbd \xe2\x80"

const evilURL = "http://zq.test/page"

// hostile is an archive with evil in every text, of a page at evilURL with two versions and one at an address
// with evil in it, a subscription "sub", a crawl "crawl", failed URLs, a channel and rules.
func hostile(t *testing.T) *sqlite.Store {
	t.Helper()
	store := sqlitetest.Open(t)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	at := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	odd := "http://zq.test/" + evil
	for _, u := range []string{evilURL, odd} {
		for n := 1; n <= 3; n++ {
			must(commitEvil(t, store, u, n, at))
		}
	}
	must(store.Record(t.Context(), plat.Visit{URL: evilURL, Time: at.Add(time.Hour * 100), Outcome: plat.OutcomeTimeout, Error: wrong}, 0))
	_, err := store.Enlist(t.Context(), []plat.Job{{URL: odd + "dead", Due: at}}, storage.Join)
	must(err)
	must(store.Record(t.Context(), plat.Visit{URL: odd + "dead", Time: at, Outcome: plat.OutcomeTimeout, Error: wrong, Settles: at}, 0))
	for _, r := range []rules.Rule{{URL: evilURL, Text: evil}, {URL: "*" + evil, Block: 3}} {
		name, text := r.Note()
		must(store.SetNote(t.Context(), name, text))
	}

	sub := &plat.Subscription{ID: "sub", URL: evilURL, Title: evil, Tags: []string{evil}, Group: evil, Match: []string{evil}, Except: []string{evil + "x"}, Tell: []string{evil}, Labels: []plat.Label{plat.LabelMain}, Blocks: []int32{1, 9}, Made: at}
	must(store.Subscribe(t.Context(), sub))
	for _, id := range []string{"odd", "other", "last"} {
		must(store.Subscribe(t.Context(), &plat.Subscription{ID: id, URL: odd, Title: evil, Group: evil, Tags: []string{evil}, Made: at}))
	}
	e := &storage.Examination{ID: "sub", Was: map[string]int{}, Following: plat.Following{Broken: evil, Since: at, Pages: []plat.FollowedPage{{URL: evilURL, Depth: 1, Examined: 1}}, Entries: 10}}
	for n, kind := range []plat.ItemKind{plat.ItemNew, plat.ItemChanged, plat.ItemRemoved, plat.ItemText} {
		e.Items = append(e.Items, plat.Item{ID: fmt.Sprint("sub", n), Subscription: "sub", Kind: kind, Title: evil, URL: "http://zq.test/?" + evil, Excerpt: "Before: " + evil + "\n" + evil, Page: evilURL, Version: 2, Lineage: 1, Seen: time.Now().Add(-26 * time.Hour), Dated: at})
	}
	must(store.Examined(t.Context(), e))
	must(store.PutChannel(t.Context(), &plat.Channel{Name: evil, URL: "mailto:a@b.test"}))

	w := crawler.Settings{Crawl: plat.Crawl{ID: "crawl", Name: evil, State: plat.CrawlRuns, Made: at, Seeds: []string{evilURL, odd}}, About: "migration of birds " + evil}
	must(w.Fill())
	w.Crawl.Reason = evil
	must(store.PutCrawl(t.Context(), &w.Crawl))
	must(store.PutCrawl(t.Context(), &plat.Crawl{ID: "last", Name: evil, State: plat.CrawlPaused, Reason: evil, Made: at}))
	reading := (&focus.Page{URL: evilURL, Words: []focus.Term{focus.TermOf("bird"), focus.TermOf("migrat")}, Links: []focus.Link{{URL: odd, Text: evil, Heading: -1}}}).Encode()
	pages := []plat.CrawlPage{{Crawl: "crawl", N: 1, URL: evilURL, Score: .5, Asked: at}, {Crawl: "crawl", N: 2, URL: odd, From: evilURL, Score: .5, Asked: at}}
	_, err = store.Ask(t.Context(), pages)
	must(err)
	pages[0].Visited, pages[0].Outcome, pages[0].Relevance, pages[0].Version, pages[0].Title, pages[0].Reading = at, plat.OutcomeNew, .9, 1, evil, reading
	must(store.Answer(t.Context(), &pages[0]))
	report, err := json.Marshal(crawler.Report{Time: at, Terms: []string{evil}, Counts: focus.Counts{Asked: 2, Pages: 1, Belong: 1}, Curve: []crawler.Point{{Pages: 1, Belong: 1}}, Sites: []crawler.Site{{Host: evil, Pages: 1, Belong: 1}},
		Waiting: []focus.Asked{{URL: odd, Score: .6, From: evil}}, Missing: []string{evil}, Left: []string{evil}, Oldest: []crawler.Pending{{URL: odd, Asked: at}}})
	must(err)
	must(store.PutReport(t.Context(), "crawl", report))
	must(store.Index(t.Context(), nil))
	return store
}

// commitEvil stores a version of a page: of its two blocks the first changes, the second appears with the second version.
func commitEvil(t *testing.T, store *sqlite.Store, u string, n int, at time.Time) error {
	content := func(text string) []byte {
		return fmt.Appendf(nil, `<p title="%[1]s%[3]d" lang="%[1]s">%[2]s <a href="http://zq.test/?%[1]s%[3]d">link %[1]s</a><img src="/%[1]s%[3]d.png" alt="%[1]s"></p>`, evil, text, n)
	}
	layout := plat.Layout{Slots: []int32{0}}
	v := &plat.Version{
		URL: u, N: n, Taken: at.Add(time.Duration(n) * time.Hour), Layout: layout.Sum(), Level: 3, Profile: evil, Lineages: 2,
		Capture: plat.Capture{FinalURL: u, Status: 200, ContentType: "text/html; " + evil, Title: wrong, Language: evil, Browser: evil, Width: 1280, Height: 1024, PageBytes: 1000, Header: [][2]string{{"X-" + evil, evil}}},
		Meta:    map[string]string{"author": evil, evil: evil}, Article: &plat.Article{Kind: plat.KindArticle, Title: evil, Authors: []string{evil}, Date: "2026-05-01"},
		Blocks: []plat.Block{{Parent: -1, Run: 1, Slot: -1, Tag: "html", Box: plat.Rect{W: 1280, H: 1024}}},
	}
	for i, text := range []string{fmt.Sprintf("%s version %d %s", evil, n, wrong), fmt.Sprintf("two %s", evil)}[:min(n, 2)] {
		c := content(text)
		v.Blocks = append(v.Blocks, plat.Block{Path: []int32{int32(i)}, Run: 1, Level: 1, Tag: "p", Pos: int32(i), Box: plat.Rect{Y: float32(i * 100), W: 1280, H: 100}, Hash: plat.HashOf(c), Content: c, Text: text,
			Topic: wrong, Explanation: evil, Label: plat.LabelMain, Lineage: int32(i + 1), TextLen: 100, FontSize: 16})
	}
	if n > 1 {
		v.Changes = map[plat.Kind]int{plat.Content: 1}
		v.SelfChanges = []plat.SelfChange{{Lineage: 1, Kind: plat.Content, Why: evil}}
	}
	css := fmt.Appendf(nil, "p { order: %d }", n)
	c := &storage.Commit{Version: v, Layout: layout, Visit: plat.Visit{URL: u, Time: v.Taken, Outcome: plat.OutcomeChanged, Version: n, Status: 200, Error: wrong},
		Resources: []plat.Resource{{URL: "http://zq.test/style.css", Type: "text/css", Status: 200, Size: int64(len(css)), Hash: plat.HashOf(css), Data: css}, {URL: "http://zq.test/" + evil + ".png", Type: "image/png" + evil, Left: plat.OmitLarge}}}
	v.Resources = plat.ManifestOf(c.Resources).Sum()
	_, err := store.Commit(t.Context(), c)
	return err
}

// asIs are the paths that answer with the bytes of archived pages and files, and why: a page is restored and
// replayed as it was, in an origin and a window of its own, and files are sent as they came.
var asIs = map[string]string{
	"/api/v1/page":                    "restores a page byte for byte, as a download",
	"/api/v1/resource/{hash}":         "a file byte for byte, as a download",
	"/api/v1/picture/{hash}":          "a picture",
	"/frame":                          "the replay of a page, in an opaque origin",
	"/web/":                           "the replay of a page, in an opaque origin",
	"/asset/{key}/{manifest}/{entry}": "a file of a replay",
}

// filled are values for the parts of paths and for parameters. A route with a name that is not here fails
// the test, as one whose POST or PATCH has no body below.
var filled = map[string][]string{
	"name": {evil},
	"url":  {evilURL}, "version": {"2"}, "old": {"1"}, "new": {"2"}, "lineage": {"1"}, "from": {"0"}, "limit": {"5"}, "cursor": {""}, "after": {""}, "text": {"true"}, "all": {"true"},
	"host": {"zq.test"}, "prefix": {"http://zq.test/"}, "site": {"zq.test"}, "label": {"main"}, "labels": {"main"}, "kinds": {"content"}, "topic": {""}, "since": {"2020-01-01"}, "until": {"2040-01-01"}, "head": {""}, "by": {"age"}, "inner": {"1"}, "plan": {"1"},
	"q": {"version"}, "now": {""}, "gone": {""}, "standing": {""}, "days": {"9"}, "filter": {""}, "filterout": {""}, "token": {""}, "id": {""}, "tag": {evil}, "group": {evil}, "state": {""}, "sort": {"state"}, "unread": {""},
	"base": {evilURL}, "period": {"daily 00:00"}, "at": {""}, "show": {""}, "still": {"true"}, "belongs": {""}, "every": {""}, "budget": {""}, "check": {"true"}, "stop": {"true"},
}

// The test requests every route of the server, as its own table lists them, from an archive with
// hostile texts.
func TestNoAnswerHasCharactersThatHideOrReorderText(t *testing.T) {
	store := hostile(t)
	s := New(Options{Store: store, Queue: frontier(t, store), Take: evilTake(), Add: func(_ context.Context, jobs []plat.Job) (int, error) { return len(jobs), nil }, Segment: evilSegment(), Channels: true, Version: "v1", Ready: func() error { return errors.New(wrong) },
		Metrics: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, "m 1") })})
	seen, good := map[string]bool{}, map[string]bool{}
	failed := map[string]bool{}
	n := 0
	for _, x := range requests(t, s, store) {
		for _, accept := range []string{"text/html", "*/*"} {
			if x.removes && accept == "text/html" {
				continue
			}
			r := httptest.NewRequest(x.method, x.target, strings.NewReader(x.body))
			r.Header.Set("Accept", accept)
			if x.media != "" {
				r.Header.Set("Content-Type", x.media)
			}
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			n++
			route := x.method + " " + x.path
			seen[route] = seen[route] || strings.Contains(w.Body.String(), sign)
			good[route] = good[route] || w.Code < 400
			for name, values := range w.Header() {
				for _, v := range values {
					if i := strings.IndexFunc(v, func(r rune) bool { return r < ' ' || r > '~' }); i >= 0 {
						t.Errorf("%v: header %s: %.200q", x, name, v)
					}
				}
			}
			if asIs[x.path] != "" && w.Code == 200 && x.path != "/web/" || x.path == "/web/" && w.Header().Get("Memento-Datetime") != "" {
				continue
			}
			if why := unfit(w); why != "" && !failed[route+why[:min(len(why), 60)]] {
				failed[route+why[:min(len(why), 60)]] = true
				t.Errorf("%v = %d, %s: %s", x, w.Code, w.Header().Get("Content-Type"), why)
			}
		}
	}
	var without []string
	texts := 0
	for route := range seen {
		if !good[route] {
			without = append(without, route)
		}
		if seen[route] {
			texts++
		}
	}
	slices.Sort(without)
	// These need a key, a picture or a health that there is not, or have no answer but an error.
	if want := []string{"GET /api/", "GET /api/v1/picture/{hash}", "GET /asset/{key}/{manifest}/{entry}", "GET /mcp", "GET /readyz"}; !slices.Equal(without, want) {
		t.Errorf("answered by errors alone are %q; the test says nothing of them", without)
	}
	t.Logf("%d requests of %d routes; %d have texts of the archive", n, len(seen), texts)
	if texts < 60 {
		t.Errorf("texts of the archive are in the answers of %d routes alone: the test shows little", texts)
	}
}

// unfit returns why an answer is not fit to be shown; empty if it is.
func unfit(w *httptest.ResponseRecorder) string {
	body := w.Body.String()
	if !utf8.ValidString(body) {
		return "it is not UTF-8"
	}
	if i := strings.IndexFunc(body, raw); i >= 0 {
		return fmt.Sprintf("%U is in it: …%.100q", []rune(body[i:])[0], body[max(0, i-60):])
	}
	media, _, _ := strings.Cut(w.Header().Get("Content-Type"), ";")
	switch {
	case media == "application/feed+json":
		var v any
		if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil {
			return err.Error()
		}
		if s := fmt.Sprintf("%v", v); strings.ContainsFunc(s, raw) {
			return fmt.Sprintf("a reader shows %.200q", s[strings.IndexFunc(s, raw):])
		}
	case strings.HasSuffix(media, "json"):
		for d := json.NewDecoder(w.Body); ; {
			var v any
			if err := d.Decode(&v); err == io.EOF {
				break
			} else if err != nil {
				return err.Error()
			}
		}
	case strings.HasSuffix(media, "xml"), strings.HasSuffix(media, "opml"):
		for d := xml.NewDecoder(w.Body); ; {
			token, err := d.Token()
			if err == io.EOF {
				break
			} else if err != nil {
				return err.Error()
			}
			if s := fmt.Sprintf("%s", token); strings.ContainsFunc(s, raw) {
				return fmt.Sprintf("a reader shows %.200q", s)
			}
		}
	case media == "text/html":
		doc, err := html.Parse(bytes.NewReader(w.Body.Bytes()))
		if err != nil {
			return err.Error()
		}
		return shownBy(doc)
	}
	return ""
}

// shownBy returns which texts of a page are hostile when it is parsed, or are not isolated from plat's own words;
// empty if all are well.
func shownBy(doc *html.Node) string {
	var all []string
	for n := range doc.Descendants() {
		for _, a := range n.Attr {
			if strings.ContainsFunc(a.Val, raw) && !(n.Data == "input" || n.Data == "option") {
				all = append(all, fmt.Sprintf("<%s %s=%.100q", n.Data, a.Key, a.Val))
			}
		}
		if n.Type != html.TextNode || n.Parent.Data == "textarea" {
			continue
		}
		if strings.ContainsFunc(n.Data, raw) {
			all = append(all, fmt.Sprintf("text %.200q", n.Data))
		}
		if strings.Contains(n.Data, sign) && !isolated(n) {
			all = append(all, fmt.Sprintf("text beside others: %.100q in <%s>", n.Data, n.Parent.Data))
		}
	}
	return strings.Join(all, "\n")
}

// blockTags are elements that begin a paragraph of their own, with a direction of its own.
var blockTags = strings.Fields("p h1 h2 h3 li td th dt dd div section ul ol summary figcaption legend option title text label fieldset body main form nav")

// isolated reports whether a text is in a bdi, in an element whose direction is its own, or alone in its paragraph.
func isolated(n *html.Node) bool {
	for p := n.Parent; p != nil; p = p.Parent {
		if slices.ContainsFunc(p.Attr, func(a html.Attribute) bool { return a.Key == "dir" && a.Val == "auto" }) {
			return true
		}
		if p.Data == "bdi" || p.Data == "title" || p.Data == "option" || p.Data == "text" {
			return true
		}
		if slices.Contains(blockTags, p.Data) {
			return strings.TrimSpace(textOf(p)) == strings.TrimSpace(n.Data)
		}
	}
	return false
}

// textOf is the text of an element without that of paragraphs in it.
func textOf(n *html.Node) string {
	var b strings.Builder
	for c := range n.ChildNodes() {
		switch {
		case c.Type == html.TextNode:
			b.WriteString(c.Data)
		case c.Type == html.ElementNode && !slices.Contains(blockTags, c.Data) && c.Data != "svg":
			b.WriteString(textOf(c))
		}
	}
	return b.String()
}

func TestProgramsReadTheValuesOfThePages(t *testing.T) {
	s := New(Options{Store: hostile(t)})
	var version struct {
		Language string
		Tree     []struct {
			Children []struct{ Explanation string }
		}
	}
	w := get(s, "GET", "/api/v1/version?url="+url.QueryEscape(evilURL))
	if err := json.Unmarshal(w.Body.Bytes(), &version); err != nil || version.Language != evil {
		t.Errorf("%v, the language is %q of %.400s", err, version.Language, w.Body)
	}
	var subs struct {
		Items []struct{ ID, Title, Group string }
	}
	w = get(s, "GET", "/api/v1/watch?group="+url.QueryEscape(evil))
	if err := json.Unmarshal(w.Body.Bytes(), &subs); err != nil || len(subs.Items) == 0 || subs.Items[0].Title != evil || subs.Items[0].Group != evil {
		t.Errorf("%v, %q", err, subs.Items)
	}
}

func TestRestoredAndReplayedPagesStayAsTheyWere(t *testing.T) {
	s := New(Options{Store: hostile(t)})
	for _, path := range []string{"/api/v1/page?version=2&url=" + evilURL, "/web/20260501020000id_/" + evilURL, "/web/20260501020000/" + evilURL, "/frame?version=2&url=" + evilURL} {
		if w := get(s, "GET", path); w.Code != 200 || !strings.Contains(w.Body.String(), evil) {
			t.Errorf("%s = %d %.300q", path, w.Code, w.Body)
		}
	}
}
