package subscribe

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"plat/plat"
)

func read(raw string) (*Result, error) { return Read(context.Background(), strings.NewReader(raw)) }

func mustRead(t testing.TB, raw string) *Result {
	t.Helper()
	r, err := read(raw)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// omitted returns the omissions, one on each line.
func omitted(r *Result) string {
	var b strings.Builder
	for _, o := range r.Omissions {
		fmt.Fprintln(&b, o)
	}
	return b.String()
}

func check(t *testing.T, r *Result, format string, want []plat.Subscription, omissions ...string) {
	t.Helper()
	if r.Format != format {
		t.Errorf("the format is %q, want %q", r.Format, format)
	}
	if !reflect.DeepEqual(r.Subscriptions, want) {
		t.Errorf("subscriptions are\n%+v\nwant\n%+v", r.Subscriptions, want)
	}
	text := omitted(r)
	for _, part := range omissions {
		if !strings.Contains(text, part) {
			t.Errorf("omissions are\n%s\nwithout %q", text, part)
		}
	}
	if len(r.Omissions) != len(omissions) {
		t.Errorf("omissions are %d:\n%s", len(r.Omissions), text)
	}
}

func TestAListOfURLs(t *testing.T) {
	r := mustRead(t, "\ufeff# my pages\r\nhttps://a.test/?utm_source=x\r\n\r\nHTTPS://B.test news, tides , news  # the harbour\nc.test/x\nhttps://user:secret@d.test/\nftp://u:secret@e.test/\nhttps://a.test/ again\nhttps://f.test/ ['1f0b9ff2-3f05-4f49-b8a5-0d5a0ccf0d60']\nhttps://g.test/ []\n")
	check(t, r, "list of URLs", []plat.Subscription{
		{URL: "https://a.test/", Tags: []string{"again"}},
		{URL: "https://b.test/", Tags: []string{"news", "tides"}},
		{URL: "https://f.test/"}, {URL: "https://g.test/"},
	}, `line 5: bad URL: "c.test/x" has no scheme; write "https://c.test/x"`, "line 6: bad URL", "line 7: bad URL", "line 8: it is in the file already", "line 9: tags: they are numbers")
	if strings.Contains(omitted(r), "secret") {
		t.Errorf("omissions tell a password:\n%s", omitted(r))
	}
}

// Tags of lists are kept, in each form, or what becomes of them is said.
func TestTagsOfAListOfURLs(t *testing.T) {
	const uuid = "1f0b9ff2-3f05-4f49-b8a5-0d5a0ccf0d60"
	for _, tc := range []struct {
		line    string
		tags    []string
		omitted string
	}{
		{"https://a.test/ news, work", []string{"news", "work"}, ""}, {"https://a.test/\tmill street", []string{"mill street"}, ""}, {"https://a.test/ | work", []string{"work"}, ""},
		{"https://a.test/ #news #work", []string{"news", "work"}, ""}, {"https://a.test/ #news, #work", []string{"news", "work"}, ""}, {"https://a.test/ # of the mill", nil, ""}, {"https://a.test/ news #old name", []string{"news"}, ""},
		{"https://a.test/ ['news', 'work']", []string{"news", "work"}, ""}, {`https://a.test/ ["news"]`, []string{"news"}, ""}, {"https://a.test/ [news, work]", []string{"news", "work"}, ""}, {"https://a.test/ []", nil, ""},
		{"https://a.test/ ['" + uuid + "']", nil, "tags: they are numbers"}, {"https://a.test/ ['" + uuid + "', 'work']", []string{"work"}, "tags: they are numbers"}, {"https://a.test/ [1, 2]", nil, "tags: they are numbers"},
		{"https://a.test/x,news", nil, "tags: what follows the comma is part of the URL"}, {"https://a.test/;news", nil, "tags: what follows the comma"}, {"https://a.test/a,1500,00.html", nil, ""},
	} {
		r := mustRead(t, tc.line+"\n")
		if len(r.Subscriptions) != 1 || !slices.Equal(r.Subscriptions[0].Tags, tc.tags) || !strings.Contains(omitted(r), tc.omitted) || (tc.omitted == "") != (len(r.Omissions) == 0) {
			t.Errorf("%s: %+v, omitted %s", tc.line, r.Subscriptions, omitted(r))
		}
	}
}

func TestAListThatEndsItsLinesInCR(t *testing.T) {
	r := mustRead(t, "https://a.test/\rhttps://b.test/caf\xe9\r\nhttps://c.test/ news\r{\"url\": 5}\r")
	check(t, r, "JSON Lines", []plat.Subscription{{URL: "https://a.test/"}, {URL: "https://c.test/", Tags: []string{"news"}}},
		"line 2: it has bytes that are not UTF-8", "line 4")
	r = mustRead(t, "https://a.test/\n{\"url\" 5}\n{}\n")
	if text := omitted(r); strings.Contains(text, "json:") || strings.Contains(text, "Go value") {
		t.Errorf("what is wrong is not said in words: %s", text)
	}
}

func TestLoginsAreNotShown(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "x": "x", "https://u:p@a.test/": "…@a.test/", "u:p@a": "…@a", "a@b@c": "…@c", `bad URL: "ftp://u:p@b/x@y" no`: `bad URL: "…@b/…@y" no`,
		"https://u:p@": "…@", "a//b//u:p@c": "a//…@c", "@": "…@", "x y@z w@": "x …@z …@",
	} {
		if got := withoutLogin(text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}

func TestJSONLines(t *testing.T) {
	r := mustRead(t, `# comment
{"url": "https://a.test/", "title": "A", "group": "News", "tags": ["x", "b"], "match": ["tide(s)?"], "except": "a)|(b", "depth": 2, "paused": true}
{"url": "https://b.test/", "depth": 9, "color": "red"}
{"url": 
{"url": "https://c.test/", "tag": "one, two"}
`)
	check(t, r, "JSON Lines", []plat.Subscription{
		{URL: "https://a.test/", Title: "A", Group: "News", Tags: []string{"b", "x"}, Match: []string{"tide(s)?"}, Depth: 2, Paused: true},
		{URL: "https://b.test/"},
		{URL: "https://c.test/", Tags: []string{"one", "two"}},
	}, `except: "a)|(b": not a regular expression`, "line 3: depth: it is 1 to 3", "line 3: color: plat does not know it", "line 4: it is not a JSON object")
}

func TestJSONLists(t *testing.T) {
	check(t, mustRead(t, `["https://a.test/", {"url": "https://b.test/"}, 5]`), "JSON list",
		[]plat.Subscription{{URL: "https://a.test/"}, {URL: "https://b.test/"}}, "entry 3: it is neither a URL")
	check(t, mustRead(t, ` {"url": "https://a.test/"}`), "JSON", []plat.Subscription{{URL: "https://a.test/"}})
}

func TestOPML(t *testing.T) {
	list := `<opml version="2.0"><body><outline text="G"><outline text="A" xmlUrl="https://a.test/feed" htmlUrl="https://a.test/" category="x"/></outline><outline text="none"/></body></opml>`
	check(t, mustRead(t, list), "OPML", []plat.Subscription{{URL: "https://a.test/", Title: "A", Group: "G", Tags: []string{"x"}, Feeds: []string{"https://a.test/feed"}}}, `outline "none": it has no htmlUrl`)
}

func TestTheTableOfChangedetection(t *testing.T) {
	r := mustRead(t, "uuid,url,title,last_error,last_checked,in_stock,price,currency\r\n1,https://a.test/,\"A, the \"\"first\"\"\",,1640995200,,,\r\n2,https://b.test/,'=1+1,False,,,,\r\n3,,x,,,,,\r\n")
	check(t, r, "table of URLs (CSV)", []plat.Subscription{{URL: "https://a.test/", Title: `A, the "first"`}, {URL: "https://b.test/", Title: "=1+1"}}, "line 4: bad URL")
}

const group, watched = "1f0b9ff2-3f05-4f49-b8a5-0d5a0ccf0d60", "cc0cfffa-f449-477b-83ea-0caafd1dc091"

// full is a watch with every possible field.
const full = `{"uuid": "` + watched + `", "url": "https://a.test/prices?x=1", "title": "Prices", "tags": ["` + group + `", "99999999-3f05-4f49-b8a5-0d5a0ccf0d60"], "tag": "",
"paused": true, "trigger_text": ["in stock (now)", "/pric(e|es)/i", "/^new/ms", "/(?<=x)y/", "/a/x", "", "in stock (now)"], "ignore_text": ["Cookies", "/\\d+ views/"],
"include_filters": ["#main > .price", "xpath://div[@id='x']"], "subtractive_selectors": ["footer"], "extract_text": ["x"], "text_should_not_be_present": ["gone"],
"time_between_check": {"weeks": null, "days": 1, "hours": "2", "minutes": null, "seconds": null}, "time_between_check_use_default": false,
"time_schedule_limit": {"enabled": true}, "notification_urls": ["mailto://me:hunter2@mail.test", "discord://123/hunter2", "hunter2"], "notification_muted": true,
"notification_body": "hunter2", "headers": {"Cookie": "hunter2"}, "body": "hunter2", "method": "POST", "proxy": "http://u:hunter2@p.test", "processor": "restock_diff",
"webdriver_js_execute_code": "hunter2", "browser_steps": [{"operation": "Enter text", "selector": "#p", "optional_value": "hunter2"}],
"filter_text_added": false, "filter_text_removed": true, "check_unique_lines": true, "last_checked": 1640995200, "previous_md5": "abc", "fetch_backend": "html_webdriver", "new_thing": {"a": "hunter2"}, "nothing": [], "history": {"1": "x"}}`

var fullOmissions = []string{
	`trigger_text: "/(?<=x)y/": not a regular expression of plat`, `trigger_text: "/a/x": plat's regular expressions have no flag 'x'`,
	`include_filters: "#main > .price": plat finds lists automatically`, `include_filters: "xpath://div[@id='x']"`, `subtractive_selectors: "footer"`,
	"extract_text: ", "text_should_not_be_present: ", "time_between_check: it was every 26h; set it with plat schedule set URL --every 26h", "time_schedule_limit: ", "notification_urls: 3 (another, discord, mailto): set channels by hand",
	"notification_muted: ", "notification_body: ", "headers: ", "body: plat visits", "method: ", "proxy: ", `processor: "restock_diff"`, "webdriver_js_execute_code: ", "browser_steps: ",
	"filter_text_added: ", "new_thing: plat does not know it", "tags: 1 of them have no name",
}

var fullSubscription = plat.Subscription{URL: "https://a.test/prices?x=1", Title: "Prices", Tags: []string{"Shops"}, Paused: true,
	Match: []string{`in stock \(now\)`, "pric(e|es)", "(?ms:^new)"}, Except: []string{"Cookies", `\d+ views`, "Advert"}}

// settings holds the settings of all watches, and of groups.
const settings = `"settings": {"headers": {"x": "hunter2"}, "requests": {}, "application": {"api_access_token": "hunter2", "password": "hunter2", "notification_urls": ["slack://hunter2"],
"global_ignore_text": ["Advert"], "global_subtractive_selectors": [".ad"], "tags": {"` + group + `": {"title": "Shops", "uuid": "` + group + `", "ignore_text": ["x"], "notification_urls": ["ntfy://hunter2"]}}}}`

var settingsOmissions = []string{"all subscriptions: notification_urls: 1 (slack)", `all subscriptions: global_subtractive_selectors: ".ad"`, `group "Shops": notification_urls: 1 (ntfy)`, `group "Shops": ignore_text`}

func TestTheIndexOfChangedetection(t *testing.T) {
	r := mustRead(t, `{"note": "hunter2", "watching": {"`+watched+`": `+full+`, "x": {"url": "https://t.test/{{ now }}"}, "y": {"url": "source:https://s.test/"}, "z": 5, "w": {"url": ""}}, `+settings+`}`)
	check(t, r, "url-watches.json of changedetection.io", []plat.Subscription{fullSubscription, {URL: "https://s.test/", Except: []string{"Advert"}}},
		slices.Concat(fullOmissions, settingsOmissions, []string{"its URL is a template", "source:", "w: bad URL: it is empty"})...)
	if strings.Contains(omitted(r), "hunter2") {
		t.Errorf("omissions tell a secret:\n%s", omitted(r))
	}
}

func TestTheListOfTheAPIOfChangedetection(t *testing.T) {
	r := mustRead(t, `{"095be615-a8ad-4c33-8e9c-c7612fbf6c9f": {"uuid": "095be615-a8ad-4c33-8e9c-c7612fbf6c9f", "url": "http://example.com", "title": "Example Website Monitor",
		"tag": "550e8400-e29b-41d4-a716-446655440000", "tags": ["550e8400-e29b-41d4-a716-446655440000"], "paused": false, "muted": true, "method": "GET", "fetch_backend": "html_requests", "last_checked": 1640995200, "last_changed": 1640995200},
		"7c9e6b8d-f2a1-4e5c-9d3b-8a7f6e4c2d1a": {"url": "https://news.example.org", "tags": {"x": {"title": "y"}}, "last_error": false, "viewed": true}}`)
	check(t, r, "list of the API of changedetection.io", []plat.Subscription{{URL: "http://example.com/", Title: "Example Website Monitor"}, {URL: "https://news.example.org/", Tags: []string{"x"}}},
		"tags: 2 of them have no name", "muted: no channels are set")
}

// zipped returns a zip file of names and contents.
func zipped(t testing.TB, files ...string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		w, err := z.Create(files[i])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, files[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestBackupsOfChangedetection(t *testing.T) {
	for name, backup := range map[string]string{
		"until 2025": zipped(t, "url-watches.json", `{"watching": {"`+watched+`": `+full+`}, `+settings+`}`, "secret.txt", "hunter2", "url-list.txt", "https://no.test/", watched+"/history.txt", "1,x"),
		"since 2026": zipped(t, "secret.txt", "hunter2", watched+"/watch.json", full, "changedetection.json", `{`+settings+`}`, watched+"/1.txt.br", "\x00", "broken/watch.json", "{", "null/watch.json", "null"),
		"groups in files": zipped(t, watched+"/watch.json", full, "changedetection.json", strings.Replace(`{`+settings+`}`, group, "other", 2), group+"/tag.json",
			`{"title": "Shops", "ignore_text": ["x"], "notification_urls": ["ntfy://hunter2"]}`),
	} {
		r := mustRead(t, backup)
		text := omitted(r)
		if r.Format != "backup of changedetection.io" || !reflect.DeepEqual(r.Subscriptions, []plat.Subscription{fullSubscription}) {
			t.Errorf("%s: %q has %+v", name, r.Format, r.Subscriptions)
		}
		for _, part := range slices.Concat(fullOmissions, settingsOmissions) {
			if !strings.Contains(text, part) {
				t.Errorf("%s: omissions are\n%s\nwithout %q", name, text, part)
			}
		}
		if strings.Contains(text, "hunter2") {
			t.Errorf("%s: omissions tell a secret:\n%s", name, text)
		}
		if name == "since 2026" && (!strings.Contains(text, "broken/watch.json: it is not a JSON object") || !strings.Contains(text, "null/watch.json")) {
			t.Errorf("%s: omissions are\n%s", name, text)
		}
	}
	r := mustRead(t, zipped(t, "url-list.txt", "https://a.test/\r\nhttps://b.test/\r\n"))
	check(t, r, "list of URLs", []plat.Subscription{{URL: "https://a.test/"}, {URL: "https://b.test/"}})
}

func TestAllIsPausedIfAllWasPaused(t *testing.T) {
	r := mustRead(t, `{"watching": {"x": {"url": "https://a.test/"}}, "settings": {"application": {"all_paused": true}}}`)
	if !r.Subscriptions[0].Paused {
		t.Error("the subscription is not paused")
	}
}

func TestOneURLWithOtherTextsIsAnotherSubscription(t *testing.T) {
	r := mustRead(t, `[{"url": "https://a.test/", "trigger_text": ["x"]}, {"url": "https://a.test/", "trigger_text": ["y"]}]`)
	if len(r.Subscriptions) != 2 || len(r.Omissions) != 0 {
		t.Errorf("subscriptions are %v", r.Subscriptions)
	}
}

func TestWhatCannotBeReadIsRefused(t *testing.T) {
	bomb := zipped(t, "url-watches.json", `{"watching": {"x": {"url": "https://a.test/", "title": "`+strings.Repeat("a", MaxBytes)+`"}}}`)
	var many []string
	for i := range 150 {
		many = append(many, fmt.Sprintf("%d/watch.json", i), `{"url": "`+strings.Repeat("a", maxRecord-20)+`"}`)
	}
	for name, tc := range map[string][2]string{
		"nothing":            {"", "no URL in it"},
		"blanks":             {" \n\n", "no URL in it"},
		"prose":              {"Dear Sir,\nplease", "the first of 2 lines without one is line 1: bad URL"},
		"binary":             {"\x7fELF\x00\x00", "no URL in it"},
		"a feed":             {"<?xml version='1.0'?><rss/>", "begins with <rss>"},
		"a web page":         {"<!DOCTYPE html><html>", "begins with <html>"},
		"broken JSON":        {`{"watching": {`, "not a JSON"},
		"other JSON":         {`{"a": {"b": 1}}`, "no URL in it"},
		"settings alone":     {`{` + settings + `}`, "only settings in it; give the backup"},
		"a broken zip":       {"PK\x03\x04xxxx", "cannot be opened"},
		"a zip of others":    {zipped(t, "a.txt", "https://a.test/"), "no URL in it"},
		"a file that bursts": {bomb, "x is longer than 1 MB; leave it out"},
		"many large files":   {zipped(t, many...), "more than 128 MB when it is unpacked"},
		"a file too long":    {strings.Repeat("#", MaxBytes+1), "longer than 32 MB; divide it"},
	} {
		_, err := read(tc[0])
		if !errors.Is(err, ErrUnknown) || !strings.Contains(err.Error(), tc[1]) || len(err.Error()) > 1500 {
			t.Errorf("%s: %.500v, want %q", name, err, tc[1])
		}
		if err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: the error tells a secret: %v", name, err)
		}
	}
}

// A zip file may list millions of files in a few bytes each.
func TestADirectoryWithoutEndIsRefused(t *testing.T) {
	const n = 400_000
	var b bytes.Buffer
	b.WriteString("PK\x03\x04")
	start := b.Len()
	header := make([]byte, 46+1)
	copy(header, "PK\x01\x02")
	binary.LittleEndian.PutUint16(header[28:], 1) // length of the name
	header[46] = 'x'
	for range n {
		b.Write(header)
	}
	size := b.Len() - start
	end := make([]byte, 22)
	copy(end, "PK\x05\x06")
	binary.LittleEndian.PutUint16(end[8:], n&0xffff)
	binary.LittleEndian.PutUint16(end[10:], n&0xffff)
	binary.LittleEndian.PutUint32(end[12:], uint32(size))
	binary.LittleEndian.PutUint32(end[16:], uint32(start))
	b.Write(end)
	if _, err := read(b.String()); !errors.Is(err, ErrUnknown) || !strings.Contains(err.Error(), "too many files") {
		t.Errorf("the error is %v", err)
	}
}

func TestNumbersAreLimited(t *testing.T) {
	var b strings.Builder
	for i := range MaxSubscriptions + 5 {
		fmt.Fprintf(&b, "https://a.test/%d\n", i)
	}
	r := mustRead(t, b.String())
	if len(r.Subscriptions) != MaxSubscriptions || len(r.Omissions) != 5 {
		t.Errorf("%d subscriptions, %d omissions", len(r.Subscriptions), len(r.Omissions))
	}
	r = mustRead(t, "https://a.test/\n"+strings.Repeat("x\n", maxOmissions+7))
	if len(r.Omissions) != maxOmissions || r.More != 7 {
		t.Errorf("%d omissions and %d more", len(r.Omissions), r.More)
	}
}

// For any input, subscriptions can be stored as they are, reports are printable lines, and
// subscriptions survive being written and read as JSON Lines.
func FuzzRead(f *testing.F) {
	f.Add([]byte("https://a.test/ x, y\n# c\n{\"url\": \"https://b.test/\"}"))
	f.Add([]byte(`{"watching": {"` + watched + `": ` + full + `}, ` + settings + `}`))
	f.Add([]byte(zipped(f, "url-watches.json", `{"watching": {"x": {"url": "https://a.test/"}}}`)))
	f.Add([]byte("url,title\nhttps://a.test/,\"x"))
	f.Add([]byte(`[{"url": "https://u:p@a.test/"}, "x", null]`))
	f.Add([]byte("<opml><body><outline xmlUrl='http://a.test'/></body></opml>"))
	f.Add([]byte("\xff\xfeh\x00t\x00t\x00p\x00:\x00/\x00/\x00a\x00"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, err := read(string(raw))
		if err != nil {
			if !errors.Is(err, ErrUnknown) || r != nil {
				t.Fatal(err)
			}
			return
		}
		for _, o := range r.Omissions {
			if s := o.String(); strings.ContainsAny(s, "\n\x1b\u202e") || !utf8.ValidString(s) || o.Where == "" && o.Reason == "" {
				t.Fatalf("%q", s)
			}
		}
		var lines strings.Builder
		for _, s := range r.Subscriptions {
			if u, err := plat.Canonical(s.URL, nil); err != nil || u != s.URL || s.Depth < 0 || s.Depth > 3 || !slices.IsSorted(s.Tags) {
				t.Fatalf("%+v", s)
			}
			for _, p := range slices.Concat(s.Match, s.Except) {
				if _, err := regexp.Compile("(?i)" + p); err != nil {
					t.Fatalf("%q: %v", p, err)
				}
			}
			m := map[string]any{"url": s.URL, "title": s.Title, "group": s.Group, "tags": s.Tags, "match": s.Match, "except": s.Except, "depth": s.Depth, "paused": s.Paused}
			b, err := json.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&lines, "%s\n", b)
		}
		if len(r.Subscriptions) < 2 {
			return
		}
		again := mustRead(t, lines.String())
		if !reflect.DeepEqual(again.Subscriptions, r.Subscriptions) {
			t.Fatalf("%+v became %+v", r.Subscriptions, again.Subscriptions)
		}
	})
}
