package importer

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"plat/plat"
)

// record is a record of a WARC file without compression.
func record(kind, uri, date, fields, block string) string {
	return fmt.Sprintf("WARC/1.0\r\nWARC-Type: %s\r\nWARC-Target-URI: %s\r\nWARC-Date: %s\r\n%sContent-Length: %d\r\n\r\n%s\r\n\r\n", kind, uri, date, fields, len(block), block)
}

func response(kind, body string) string {
	return "HTTP/1.1 200 OK\r\nContent-Type: " + kind + "\r\n\r\n" + body
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func open(t *testing.T, o Options, paths ...string) *Library {
	t.Helper()
	l, err := Open(t.Context(), paths, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

// captures are "URL time" of all captures of a library.
func captures(l *Library) (all []string) {
	for _, c := range l.Captures() {
		all = append(all, c.URL+" "+c.At.Format("2006-01-02T15:04"))
	}
	return all
}

// asOf returns the library as of a time.
func asOf(l *Library, at time.Time) dated { return dated{l: l, at: at.UnixMilli()} }

// ask returns the status and the body that a library answers with as of a time.
func ask(t *testing.T, l *Library, url, at string) string {
	t.Helper()
	when, err := time.Parse("2006-01-02", at)
	if err != nil {
		t.Fatal(err)
	}
	resp := asOf(l, when).Answer(t.Context(), "GET", url, http.Header{})
	if resp == nil {
		return "none"
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(resp.StatusCode, " ", string(body))
}

const (
	day1 = "2024-03-01T00:00:00Z"
	day5 = "2024-03-05T00:00:00Z"
	day9 = "2024-03-09T00:00:00Z"
)

func TestALibraryAnswersAsOfATime(t *testing.T) {
	digest := "WARC-Payload-Digest: sha1:ONE\r\n"
	l := open(t, Options{}, write(t, "a.warc",
		record("response", "http://a.test/?v=1&_=1709287200123", day1, digest, response("text/css", "one"))+
			record("response", "http://a.test/x", day1, "", response("text/css", "first"))+
			record("response", "http://a.test/x", day9, "", response("text/css", "last"))+
			record("revisit", "http://a.test/y", day5, digest, "HTTP/1.1 200 OK\r\n\r\n")+
			record("revisit", "http://a.test/z", day5, "WARC-Refers-To-Target-URI: http://a.test/x\r\nWARC-Refers-To-Date: "+day9+"\r\n", "")+
			record("revisit", "http://a.test/lost", day5, "WARC-Payload-Digest: sha1:LOST\r\n", "")+
			record("resource", "http://a.test/r", day1, "Content-Type: text/css\r\n", "resource")))
	for _, tc := range []struct{ url, at, want string }{
		{"http://a.test/x", "2024-02-01", "200 first"},
		{"http://a.test/x", "2024-03-04", "200 first"},
		{"http://a.test/x", "2024-03-06", "200 last"},
		{"http://a.test/x", "2025-01-01", "200 last"},
		{"https://a.test/x#part", "2025-01-01", "200 last"},
		{"http://a.test/?v=1", "2024-03-01", "200 one"},
		{"http://a.test/?v=1&_=1999999999999", "2024-03-01", "200 one"},
		{"http://a.test/?v=2", "2024-03-01", "none"},
		{"http://a.test/y", "2024-03-01", "200 one"},
		{"http://a.test/z", "2024-03-01", "200 last"},
		{"http://a.test/lost", "2024-03-01", "none"},
		{"http://a.test/r", "2024-03-01", "200 resource"},
		{"http://b.test/x", "2024-03-01", "none"},
	} {
		if got := ask(t, l, tc.url, tc.at); got != tc.want {
			t.Errorf("%s at %s: %q, want %q", tc.url, tc.at, got, tc.want)
		}
	}
}

func TestCapturesArePages(t *testing.T) {
	asks := func(dest string) string { return "GET / HTTP/1.1\r\nSec-Fetch-Dest: " + dest + "\r\n\r\n" }
	page := response("text/html; charset=utf-8", "<p>words")
	l := open(t, Options{}, write(t, "a.warc",
		record("response", "http://a.test/", day1, "", page)+
			record("response", "http://a.test/untyped", day1, "", "HTTP/1.1 200 OK\r\n\r\n<html><p>words")+
			record("response", "http://a.test/a.pdf", day1, "", response("application/pdf", "%PDF"))+
			record("response", "http://a.test/robots.txt", day1, "", response("text/plain", "User-agent: *"))+
			record("response", "http://a.test/a.txt", day1, "", response("text/plain", "words"))+
			record("response", "http://a.test/a.js", day1, "", response("text/javascript", "1"))+
			record("response", "http://a.test/a.png", day1, "", response("image/png", "png"))+
			record("response", "http://a.test/opened.png", day1, "", response("image/png", "png"))+
			record("request", "http://a.test/opened.png", day1, "", asks("document"))+
			record("request", "http://a.test/frame", day1, "", asks("iframe"))+
			record("response", "http://a.test/frame", day1, "", page)+
			record("response", "http://a.test/embedded", day1, "", page)+
			record("metadata", "http://a.test/embedded", day1, "", "via: http://a.test/\r\nhopsFromSeed: LE\r\n")+
			record("response", "http://a.test/linked", day1, "", page)+
			record("metadata", "http://a.test/linked", day1, "", "hopsFromSeed: L\r\n")+
			record("response", "http://a.test/moved", day1, "", "HTTP/1.1 302 Found\r\nLocation: /\r\n\r\n")+
			record("response", "http://a.test/none", day1, "", "HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\n")+
			record("response", "http://a.test/cached", day1, "", "HTTP/1.1 304 Not Modified\r\n\r\n")+
			record("response", "dns:a.test", day1, "", "1.2.3.4")+
			record("response", "http://a.test/odd", day1, "", "not HTTP at all")+
			record("response", "http://a.test/undated", "yesterday", "", page)))
	want := []string{"http://a.test/", "http://a.test/untyped", "http://a.test/a.pdf", "http://a.test/a.txt", "http://a.test/opened.png", "http://a.test/linked"}
	for i := range want {
		want[i] += " 2024-03-01T00:00"
	}
	if got := captures(l); !slices.Equal(got, want) {
		t.Errorf("captures %q, want %q", got, want)
	}
	s := l.Sums()
	left := map[string]int{
		"a redirect": 1, "status 404": 1, "status 304: the response is in a cache that was not recorded": 1, "a record that is not of the web: dns": 1, "damaged": 1,
		"a record without a valid date": 1, "a file of a page: style, script or data": 2, "a file of a page: image": 1, "a file of a page: requested by a page, not by a reader": 2,
	}
	for why, n := range left {
		if s.Left[why] != n {
			t.Errorf("%s: %d, want %d", why, s.Left[why], n)
		}
	}
	if len(s.Left) != len(left) || s.Captures != 6 || s.URLs != 6 || s.Records != 21 {
		t.Errorf("sums %+v", s)
	}
	if got := captures(open(t, Options{Prefix: "http://a.test/a"}, write(t, "b.warc", record("response", "http://a.test/", day1, "", page)+record("response", "http://a.test/a", day1, "", page)))); len(got) != 1 {
		t.Errorf("with a prefix: %q", got)
	}
}

func TestAHARHasTheFirstPageOfItsEntries(t *testing.T) {
	entry := func(page, at, method, url string, status int, kind, text, more string) string {
		return fmt.Sprintf(`{"pageref": %q, "startedDateTime": %q, "request": {"method": %q, "url": %q, "bodySize": 0}, "response": {"status": %d, "headers": [{"name": "content-type", "value": %q}, {"name": "content-encoding", "value": "br"}], "content": {"mimeType": %q, "text": %q%s}}}`,
			page, at, method, url, status, kind, kind, text, more)
	}
	l := open(t, Options{}, write(t, "a.har", "\ufeff"+`{"log": {"version": "1.2", "pages": [{"id": "p", "deep": [[{}]]}], "entries": [`+strings.Join([]string{
		entry("p", day1, "GET", "https://a.test/", 200, "text/html; charset=iso-8859-1", "<p>wörds", ""),
		entry("p", day1, "GET", "https://a.test/frame", 200, "text/html", "<p>frame", ""),
		entry("p", day1, "POST", "https://a.test/post", 200, "text/html", "<p>post", ""),
		entry("p", day1, "GET", "https://a.test/a.gif", 200, "image/gif", "R0lG", `, "encoding": "base64"`),
		entry("q", day5, "GET", "https://a.test/b", 200, "text/html", "<p>b", ""),
		entry("q", day5, "GET", "data:text/plain,x", 200, "text/plain", "x", ""),
		`{"pageref": "q", "startedDateTime": "` + day5 + `", "request": {"method": "GET", "url": "https://a.test/c"}, "response": {"status": 200, "content": {}}}`,
	}, ",\n")+`], "creator": {"name": "x"}}}`))
	if got, want := captures(l), []string{"https://a.test/ 2024-03-01T00:00", "https://a.test/b 2024-03-05T00:00"}; !slices.Equal(got, want) {
		t.Errorf("captures %q, want %q", got, want)
	}
	resp := asOf(l, time.Time{}).Answer(t.Context(), "GET", "https://a.test/", nil)
	if resp == nil || resp.Header.Get("Content-Type") != "text/html; charset=utf-8" || resp.Header.Get("Content-Encoding") != "" {
		t.Fatalf("response %+v", resp)
	}
	resp.Body.Close()
	if got := ask(t, l, "https://a.test/a.gif", "2024-03-01"); got != "200 GIF" {
		t.Errorf("picture %q", got)
	}
	if s := l.Sums(); s.Left["a response whose content was not saved"] != 1 || s.Kinds["HAR"] != 1 {
		t.Errorf("sums %+v", s)
	}
}

func TestASavedPageSaysItsURLAndTime(t *testing.T) {
	single := "<!DOCTYPE html> <html><!--\n Page saved with SingleFile \n url: https://a.test/x?y=1 \n saved date: Fri Mar 01 2024 12:30:00 GMT+0100 (Central European Standard Time)\n--><p>words"
	if got, want := captures(open(t, Options{}, write(t, "a.html", single))), "https://a.test/x?y=1 2024-03-01T11:30"; len(got) != 1 || got[0] != want {
		t.Errorf("SingleFile: %q, want %q", got, want)
	}
	at := time.Date(2024, 3, 5, 0, 0, 0, 0, time.UTC)
	l := open(t, Options{At: at}, write(t, "b.html", "<!-- saved from url=(0015)https://b.test/ -->\n<p>words"))
	if got := captures(l); len(got) != 1 || got[0] != "https://b.test/ 2024-03-05T00:00" {
		t.Errorf("saved by a browser: %q", got)
	}
	if got := ask(t, l, "https://b.test/", "2024-01-01"); !strings.HasSuffix(got, "words") {
		t.Errorf("page %q", got)
	}
	if _, err := Open(t.Context(), []string{write(t, "c.html", "<p>words")}, Options{}); !errors.Is(err, errNoURL) {
		t.Errorf("without a URL: %v", err)
	}
	if got := captures(open(t, Options{URL: "http://c.test/", At: at}, write(t, "c.html", "<p>words"))); len(got) != 1 || got[0] != "http://c.test/ 2024-03-05T00:00" {
		t.Errorf("with --url: %q", got)
	}
}

func TestAMirrorHasAFolderForEachHost(t *testing.T) {
	dir := t.TempDir()
	at := time.Date(2024, 3, 5, 0, 0, 0, 0, time.UTC)
	for name, text := range map[string]string{
		"a.test/index.html": "<p>home", "a.test/news/index.html": "<p>news", "a.test/news/item?id=1.html": "<p>item", "a.test/about.html": "<p>about", "a.test/plain": "<!doctype html><p>plain",
		"a.test/s.css": "p {}", "a.test/about.html.orig": "<p>old", "a.test/wörter.html": "<p>wörter", "b.test+8080/index.html": "<p>b", "notes.txt": "no page",
	} {
		file := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644), os.Chtimes(file, at, at)); err != nil {
			t.Fatal(err)
		}
	}
	l := open(t, Options{}, dir)
	want := []string{
		"https://a.test/", "https://a.test/about.html", "https://a.test/news/", "https://a.test/news/item?id=1", "https://a.test/plain", "https://a.test/w%C3%B6rter.html", "https://b.test:8080/",
	}
	for i := range want {
		want[i] += " 2024-03-05T00:00"
	}
	got := captures(l)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("captures %q, want %q", got, want)
	}
	for url, want := range map[string]string{
		"https://a.test/": "home", "https://a.test/index.html": "home", "https://a.test/news/item?id=1": "item", "https://a.test/news/item%3Fid=1.html": "item", "https://a.test/about": "about",
		"https://a.test/w%C3%B6rter.html": "wörter", "http://b.test:8080/": "b", "https://a.test/s.css": "p {}",
	} {
		if got := ask(t, l, url, "2024-03-05"); !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", url, got, want)
		}
	}
	if got := captures(open(t, Options{URL: "http://c.test/docs"}, filepath.Join(dir, "a.test", "news"))); !slices.Contains(got, "http://c.test/docs/ 2024-03-05T00:00") {
		t.Errorf("with --url: %q", got)
	}
	if _, err := Open(t.Context(), []string{t.TempDir()}, Options{}); !errors.Is(err, ErrUnknown) {
		t.Errorf("a folder without hosts: %v", err)
	}
}

// wacz writes a WACZ with one WARC file and a list of pages.
func wacz(t *testing.T, records, pages string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range []struct{ name, text string }{{"archive/a.warc", records}, {"pages/pages.jsonl", `{"format": "json-pages-1.0"}` + "\n" + pages}} {
		w, err := z.CreateHeader(&zip.FileHeader{Name: f.name, Method: zip.Deflate})
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(w, f.text)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return write(t, "a.wacz", b.String())
}

func TestAWACZListsItsPages(t *testing.T) {
	page := response("text/html", "<p>words")
	var records, pages strings.Builder
	for i, text := range []int{10, 5000, 100_000, 5 << 20} { // of the page, in its line
		url := fmt.Sprintf("http://a.test/%d", i)
		records.WriteString(record("response", url, day1, "", page) + record("response", url+"/frame", day1, "", page))
		fmt.Fprintf(&pages, `{"id": "%d", "text": %q, "url": %q, "ts": "2024-03-01T00:00:03Z"}`+"\n", i, strings.Repeat("x", text), url)
	}
	fmt.Fprintf(&pages, `{"url": "http://a.test/none", "ts": %q}`, day1)
	l := open(t, Options{}, wacz(t, records.String(), pages.String()))
	want := []string{"http://a.test/0 2024-03-01T00:00", "http://a.test/1 2024-03-01T00:00", "http://a.test/2 2024-03-01T00:00"}
	if got := captures(l); !slices.Equal(got, want) {
		t.Errorf("captures %q, want %q", got, want)
	}
	if s := l.Sums(); s.Left["damaged"] != 1 || s.Left["a page of the list without a response"] != 1 || s.Left["a file of a page: not in the list of pages"] != 5 {
		t.Errorf("left out: %v", s.Left)
	}
}

// Requests for a page are answered by its capture, whatever the recorded spelling, and the page rather than the redirect that
// leads to it.
func TestThePageOfACaptureIsFound(t *testing.T) {
	page := response("text/html", "words")
	l := open(t, Options{}, write(t, "a.warc",
		record("response", "http://a.test/%d0%bf?utm_source=x", day1, "", page)+
			record("response", "http://a.test/self", day1, "", "HTTP/1.1 302 Found\r\nLocation: /self\r\n\r\n")+record("response", "http://a.test/self", day1, "", page)))
	for _, c := range l.Captures() {
		asked, err := plat.Canonical(c.URL, plat.TrackingParams)
		if err != nil {
			t.Fatal(err)
		}
		resp := l.as(&c, asked).Answer(t.Context(), "GET", asked, nil)
		if resp == nil || resp.StatusCode != 200 {
			t.Errorf("%s, requested as %s: %+v", c.URL, asked, resp)
		}
	}
	if n := len(l.Captures()); n != 2 {
		t.Errorf("%d captures", n)
	}
}

func TestRevisitsHaveTheirOwnHeader(t *testing.T) {
	digest := "WARC-Payload-Digest: sha1:EMPTY\r\n"
	refers := "WARC-Refers-To-Target-URI: http://a.test/y\r\nWARC-Refers-To-Date: " + day5 + "\r\n"
	all := []string{
		record("response", "http://a.test/y", day9, digest, response("text/css", "nine")), record("response", "http://a.test/y", day5, digest, response("text/css", "five")),
		record("revisit", "http://a.test/x", day5, digest+refers, "HTTP/1.1 302 Found\r\nLocation: /there\r\nContent-Type: text/html\r\n\r\n"),
		record("revisit", "http://a.test/bare", day5, digest+refers, ""),
	}
	for range 3 { // the order of the files does not matter
		all = append(all[1:], all[0])
		var files []string
		for _, r := range all {
			files = append(files, write(t, "a.warc", r))
		}
		l := open(t, Options{}, files...)
		resp := asOf(l, time.Time{}).Answer(t.Context(), "GET", "http://a.test/x", nil)
		if resp == nil || resp.StatusCode != 302 || resp.Header.Get("Location") != "/there" || resp.Header.Get("Content-Type") != "text/html" {
			t.Errorf("a revisit of a redirect: %+v", resp)
		}
		if got := ask(t, l, "http://a.test/bare", "2024-03-05"); got != "200 five" {
			t.Errorf("a revisit without a header: %q", got)
		}
	}
}

func TestNumbersAreNotTakenForTheTime(t *testing.T) {
	l := open(t, Options{}, write(t, "a.warc", record("response", "http://a.test/item?id=1234567890", day1, "", response("text/css", "item"))+
		record("response", "http://a.test/s.css?1709251200", day1, "", response("text/css", "sheet"))+record("response", "http://a.test/t.css?v=1709251200123", day1, "", response("text/css", "timed"))))
	for url, want := range map[string]string{"http://a.test/item?id=1234567891": "none", "http://a.test/t.css?v=1709251299999": "200 timed", "http://a.test/t.css?v=1209251299999": "none", "http://a.test/t.css": "200 timed"} {
		if got := ask(t, l, url, "2024-03-01"); got != want {
			t.Errorf("%s: %q, want %q", url, got, want)
		}
	}
}

// Damage costs only the damaged part, wherever it is.
func TestDamageCostsLittle(t *testing.T) {
	page := response("text/html", "<p>words")
	zipped := func(parts ...string) string {
		var b bytes.Buffer
		for _, p := range parts {
			z := gzip.NewWriter(&b)
			io.WriteString(z, p)
			z.Close()
		}
		return b.String()
	}
	one, two, three := record("response", "http://a.test/1", day1, "", page), record("response", "http://a.test/2", day1, "", page), record("response", "http://a.test/3", day1, "", page)
	entry := `{"startedDateTime": "` + day1 + `", "request": {"method": "GET", "url": "https://a.test/%d"}, "response": {"status": 200, "headers": [], "content": {"mimeType": "text/html", "text": "x"}}}`
	for name, c := range map[string]struct {
		text          string
		pages, damage int
	}{
		"the first record":           {"WARC/1.0\r\nContent-Length: x\r\n\r\n" + one + two, 2, 1},
		"all in one gzip member":     {zipped(one + two + three), 3, 0},
		"all but the first in one":   {zipped(one, two+three), 3, 0},
		"a truncated member":         {zipped(one) + zipped(two)[:60], 1, 1},
		"an odd entry of a HAR":      {`{"log": {"entries": [` + fmt.Sprintf(entry, 1) + `, {"startedDateTime": "soon"}, ` + fmt.Sprintf(entry, 2) + `]}}`, 2, 1},
		"a HAR that is cut off":      {`{"log": {"entries": [` + fmt.Sprintf(entry, 1) + `, ` + fmt.Sprintf(entry, 2)[:50], 1, 1},
		"many starts, then a record": {strings.Repeat("WARC/ ", 500) + one, 1, 491},
	} {
		l := open(t, Options{}, write(t, "a", c.text))
		if s := l.Sums(); s.Captures != c.pages || s.Left["damaged"] != c.damage {
			t.Errorf("%s: %d pages, %v, %q; want %d and %d damaged", name, s.Captures, s.Left, s.Damaged, c.pages, c.damage)
		}
		for _, cap := range l.Captures() {
			if asOf(l, cap.At).Answer(t.Context(), "GET", cap.URL, nil) == nil {
				t.Errorf("%s: no response to %s", name, cap.URL)
			}
		}
	}
}

// A file of an exported version whose content is that of an earlier one is no visit.
func TestFilesOfVersionsAreNoVisits(t *testing.T) {
	fields := "Plat-Version: 1\r\n"
	l := open(t, Options{}, write(t, "a.warc",
		record("resource", "urn:version:http://a.test/", day1, fields, "{}")+record("resource", "http://a.test/", day1, fields, "<p>words")+
			record("revisit", "http://a.test/", day5, fields, "")+record("revisit", "http://a.test/", day9, fields+"WARC-Concurrent-To: <urn:uuid:1>\r\n", "")))
	if got, want := captures(l), []string{"http://a.test/ 2024-03-01T00:00", "http://a.test/ 2024-03-05T00:00"}; !slices.Equal(got, want) {
		t.Errorf("captures %q, want %q", got, want)
	}
}
